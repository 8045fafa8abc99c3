"""A bot's archive: made the same every time, unpacked strictly, named by what is in it. Knows no cell and no game."""

import hashlib
import io
import re
import shutil
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sandbox.contents import DEFAULT, MANIFEST, ArchiveLimits, contents
from sandbox.layout import ArchiveError
from sandbox.manifest import Manifest, manifest_of, parse_manifest, read_manifest
from sandbox.program import HERE

__all__ = [
    "DEFAULT",
    "MANIFEST",
    "RESERVED",
    "ArchiveError",
    "ArchiveLimits",
    "Manifest",
    "content_hash",
    "contents",
    "examine",
    "extract",
    "pack",
    "parse_manifest",
    "read_manifest",
]

RESERVED = frozenset({"arena", "engine", "sandbox", "bots"})
"""Top-level modules that a bot may not bring along, because it imports the arena's own under these names."""

_EPOCH = (1980, 1, 1, 0, 0, 0)


def pack(folder: Path, limits: ArchiveLimits = DEFAULT) -> bytes:
    """The zip of a folder; equal folders give equal bytes.

    Leaves out ``__pycache__``, ``*.pyc`` and every name that begins with a dot (``.git``, ``.venv``, ``.env``).

    :raises ArchiveError: if the folder holds a link or a special file, or its archive would be refused.
    """
    if not folder.is_dir():
        raise ArchiveError(f"{folder} is not a folder; name the folder that holds {MANIFEST}.")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in sorted(_walk(folder, folder), key=lambda found: found[0].encode("utf-8", "surrogateescape")):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            try:
                archive.writestr(entry, path.read_bytes())
            except UnicodeEncodeError:
                raise ArchiveError(f"the file name {name!r} is not UTF-8; rename the file.") from None
    data = out.getvalue()
    _files(data, limits)
    return data


def extract(data: bytes, into: Path, limits: ArchiveLimits = DEFAULT) -> None:
    """Writes the files of an archive into a new or empty folder: folders 0755, files 0644. Nothing is
    executable but an entry point that is a program, 0555: what modes the archive has does not matter.

    Nothing is written unless the whole archive is good, and nothing is left if it cannot be written to its end.

    :raises ArchiveError: if the archive is refused or the folder is not empty.
    :raises OSError: if a file cannot be written.
    """
    files = _files(data, limits)
    if into.exists() and any(into.iterdir()):
        raise ArchiveError(f"{into} is not empty; name a new folder.")
    into.mkdir(mode=0o755, parents=True, exist_ok=True)
    try:
        _write(files, into)
    except BaseException:
        shutil.rmtree(into, ignore_errors=True)
        raise


def examine(data: bytes, limits: ArchiveLimits = DEFAULT, *, machine: str = HERE) -> tuple[Manifest, str]:
    """The manifest of an archive and its content hash, read once.

    :raises ArchiveError: if the archive or its manifest is refused, or the machine cannot start its program.
    """
    files = _files(data, limits)
    return manifest_of(files, machine), _hash(files)


def content_hash(data: bytes, limits: ArchiveLimits = DEFAULT) -> str:
    """SHA-256 in hex over the names and bytes of the files, sorted by name; times, order and compression do not count.

    For each file: length of the name (4 bytes, big-endian), the name in UTF-8, length of the body (8 bytes), the body.

    :raises ArchiveError: if the archive is refused.
    """
    return _hash(_files(data, limits))


def _files(data: bytes, limits: ArchiveLimits) -> dict[str, bytes]:
    files = contents(data, limits)
    _no_reserved(files)
    return files


def _hash(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, body in files.items():
        raw = name.encode()
        digest.update(len(raw).to_bytes(4) + raw + len(body).to_bytes(8))
        digest.update(body)
    return digest.hexdigest()


def _write(files: Mapping[str, bytes], into: Path) -> None:
    into.chmod(0o755)
    manifest = parse_manifest(files[MANIFEST]) if MANIFEST in files else None
    program = None if manifest is None or manifest.is_python else manifest.entry
    for name, body in files.items():
        path = into / name
        for parent in reversed(path.relative_to(into).parents[:-1]):
            (into / parent).mkdir(exist_ok=True)
            (into / parent).chmod(0o755)
        with path.open("xb") as file:
            file.write(body)
        path.chmod(0o555 if name == program else 0o644)


def _walk(folder: Path, top: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name == "__pycache__" or path.suffix == ".pyc":
            continue
        name = path.relative_to(top).as_posix()
        if path.is_symlink():
            raise ArchiveError(f"{name} is a link; put the file itself in its place.")
        if path.is_dir():
            yield from _walk(path, top)
        elif path.is_file():
            yield name, path
        else:
            raise ArchiveError(f"{name} is not a plain file; remove it from the folder.")


def _no_reserved(names: Iterable[str]) -> None:
    for name in names:
        top = re.split(r"[/.]", name, maxsplit=1)[0].casefold()
        if top in RESERVED and ("/" in name or name.casefold().endswith((".py", ".pyc", ".pyd", ".so"))):
            raise ArchiveError(f"{name!r} hides the arena's own module {top!r}; rename it.")
