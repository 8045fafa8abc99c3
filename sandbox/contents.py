"""What is inside a bot's archive, read with suspicion: names and bytes, or a refusal. Knows no file system."""

import stat
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sandbox.layout import ArchiveError, Entry, read_layout

MANIFEST = "bot.toml"

_MIB = 1 << 20
_INVISIBLE = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
_SEALED = 0x2061
"""Flags of what is encrypted, patched, strongly encrypted, or has its list masked."""
_FOLDER, _LINK, _NO_FILE = 0x10, 0x400, 0x48
"""Attributes of other systems than Unix: a folder, a link of Windows, a volume's label or a device."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may hold. ``folders`` is how many may lie in each other."""

    archive_mib: int = 16
    expanded_mib: int = 64
    files: int = 2_000
    path_bytes: int = 200
    folders: int = 16


DEFAULT = ArchiveLimits()


def contents(data: bytes, limits: ArchiveLimits = DEFAULT) -> dict[str, bytes]:
    """The files of an archive by their path below the bot's folder, sorted by name; one top folder is taken off.

    Archives among them are files like others and are not opened.

    :raises ArchiveError: if anything about the archive is unusual.
    """
    if len(data) > limits.archive_mib * _MIB:
        raise ArchiveError(
            f"the archive is larger than {limits.archive_mib} MiB; leave out what the bot does not need."
        )
    entries = {}
    names = []
    for entry in read_layout(data, 2 * limits.files):  # folders are listed, too
        name = _name(entry)
        _check_path(name, limits)
        _check_kind(name, entry)
        parts = name.split("/")
        if parts[0] == "__MACOSX" or parts[-1] == ".DS_Store":
            continue
        names.append(name)
        if name.endswith("/"):
            _body(name, entry)
        else:
            entries[name] = entry
    _no_collision(names)
    if len(entries) > limits.files:
        raise ArchiveError(f"the archive holds more than {limits.files} files; leave out what the bot does not need.")
    return _without_top_folder(dict(_expand(entries, limits)))


def _name(entry: Entry) -> str:
    try:
        return entry.name.decode()  # older zip programs write UTF-8 without saying so
    except UnicodeDecodeError:
        raise ArchiveError("a file name in the archive is not UTF-8; rename the file and pack again.") from None


def _check_kind(name: str, entry: Entry) -> None:
    """Refuses what is no plain file and no folder on any system, and what cannot be expanded."""
    is_folder = name.endswith("/")
    kind = stat.S_IFMT(entry.attributes >> 16)
    if kind == stat.S_IFLNK or entry.attributes & _LINK:
        raise ArchiveError(f"{name!r} is a link; put the file itself in its place.")
    claims_folder = kind == stat.S_IFDIR or bool(entry.attributes & _FOLDER)
    odd = entry.attributes & _NO_FILE or kind not in {0, stat.S_IFREG, stat.S_IFDIR}
    if odd or (claims_folder and not is_folder):
        raise ArchiveError(f"{name!r} is neither a plain file nor a folder; remove it.")
    if is_folder and entry.size:
        raise ArchiveError(f"the folder {name!r} carries bytes of its own; pack the archive again.")
    if entry.flags & _SEALED:
        raise ArchiveError(f"{name!r} is encrypted or patched; pack the archive without a password.")
    if entry.method not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ArchiveError(f"{name!r} is compressed in an unusual way; pack with the method 'deflate' or 'store'.")


def _check_path(name: str, limits: ArchiveLimits) -> None:
    if any(unicodedata.category(letter) in _INVISIBLE for letter in name):
        raise ArchiveError(f"the name {name!r} holds a control or invisible character; rename the file.")
    if len(name.encode()) > limits.path_bytes:
        raise ArchiveError(f"a path is longer than {limits.path_bytes} bytes ({name[:40]!r}…); use shorter names.")
    if "\\" in name:
        raise ArchiveError(f"the path {name!r} holds a backslash; separate folders with '/'.")
    if name.startswith("/"):
        raise ArchiveError(f"the path {name!r} is absolute; pack paths relative to the bot's folder.")
    if ":" in name:
        raise ArchiveError(f"the path {name!r} holds a drive letter or ':'; rename the file.")
    parts = name.removesuffix("/").split("/")
    if ".." in parts:
        raise ArchiveError(f"the path {name!r} leads out of the archive by '..'; pack from inside the bot's folder.")
    if "" in parts or "." in parts:
        raise ArchiveError(f"the path {name!r} holds an empty part or '.'; pack the archive again.")
    if name.count("/") > limits.folders:
        raise ArchiveError(f"{name!r} lies in more than {limits.folders} folders; use fewer.")


def _no_collision(names: list[str]) -> None:
    """Refuses doubles, names that some file systems cannot tell apart, and a file that is also a folder."""
    seen: dict[str, tuple[str, bool]] = {}
    for name, again in Counter(names).items():
        if again > 1:
            raise ArchiveError(f"{name!r} is in the archive twice; keep one of them.")
        parts = name.removesuffix("/").split("/")
        for depth in range(1, len(parts) + 1):
            piece = "/".join(parts[:depth])
            is_folder = depth < len(parts) or name.endswith("/")
            key = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", piece).casefold())
            other, other_is_folder = seen.setdefault(key, (piece, is_folder))
            if other != piece:
                raise ArchiveError(
                    f"{piece!r} and {other!r} differ only in case or accents' encoding; rename one of them."
                )
            if is_folder != other_is_folder:
                raise ArchiveError(f"{piece!r} is both a file and a folder; rename one of them.")


def _expand(entries: Mapping[str, Entry], limits: ArchiveLimits) -> Iterator[tuple[str, bytes]]:
    # No file expands to a byte more than the archive says of it, so the sum of what it says bounds everything.
    if sum(entry.size for entry in entries.values()) > limits.expanded_mib * _MIB:
        raise ArchiveError(
            f"the archive expands to more than {limits.expanded_mib} MiB; leave out what the bot does not need."
        )
    for name in sorted(entries, key=str.encode):
        yield name, _body(name, entries[name])


def _body(name: str, entry: Entry) -> bytes:
    if entry.method == zipfile.ZIP_STORED:
        body = bytes(entry.packed)
    else:
        stream = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            body = stream.decompress(entry.packed, entry.size + 1)
        except zlib.error as error:
            raise ArchiveError(f"{name!r} cannot be expanded ({error}); pack it again.") from None
        if stream.unused_data or (not stream.eof and len(body) <= entry.size):
            raise ArchiveError(f"the packed bytes of {name!r} do not end with it; pack it again.")
    if len(body) != entry.size:
        raise ArchiveError(f"{name!r} is not as long as the archive says; pack it again.")
    if zlib.crc32(body) != entry.crc:
        raise ArchiveError(f"{name!r} is damaged, its checksum does not fit; pack it again.")
    return body


def _without_top_folder(files: Mapping[str, bytes]) -> dict[str, bytes]:
    tops = {name.split("/", 1)[0] for name in files}
    if len(tops) == 1 and f"{(top := tops.pop())}/{MANIFEST}" in files:
        files = {name.removeprefix(f"{top}/"): body for name, body in files.items()}
    return dict(files)
