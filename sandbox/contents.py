"""What is inside a bot's archive, read with suspicion: names and bytes, or a refusal. Knows no file system."""

import io
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

MANIFEST = "bot.toml"

_MIB = 1 << 20
_CHUNK = 1 << 16
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_END = struct.Struct("<4s4H2IH")
_END_MARK, _ENTRY_MARK = b"PK\5\6", b"PK\1\2"
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


class ArchiveError(ValueError):
    """The archive or the folder cannot become a bot; the text is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may hold. Expanded bytes are counted while they are expanded, not taken from the zip's word."""

    archive_mib: int = 16
    expanded_mib: int = 64
    files: int = 2_000
    path_bytes: int = 200


DEFAULT = ArchiveLimits()


def contents(data: bytes, limits: ArchiveLimits = DEFAULT) -> dict[str, bytes]:
    """The files of an archive by their path below the bot's folder, sorted by name; one top folder is taken off.

    :raises ArchiveError: if anything about the archive is unusual.
    """
    if len(data) > limits.archive_mib * _MIB:
        raise ArchiveError(
            f"the archive is larger than {limits.archive_mib} MiB; leave out what the bot does not need."
        )
    if _listed(data) > 2 * limits.files:  # folders are listed, too
        raise ArchiveError(
            f"the archive lists far more than {limits.files} files; leave out what the bot does not need."
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if _checked(entry, limits)]
            _no_overlap(data, archive)
            _no_collision([entry.filename for entry in entries])
            files = [entry for entry in entries if not entry.is_dir()]
            if len(files) > limits.files:
                raise ArchiveError(
                    f"the archive holds more than {limits.files} files; leave out what the bot does not need."
                )
            found = dict(_expand(archive, files, limits))
    except UnicodeDecodeError:
        raise ArchiveError("a file name in the archive is not UTF-8; rename the file and pack again.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        if isinstance(error, ArchiveError):
            raise
        raise ArchiveError(f"this is not a sound zip archive ({error}); pack it again.") from None
    return _without_top_folder(found)


def _listed(data: bytes) -> int:
    """How many entries the list at the end holds, before anything is made of each of them."""
    end = len(data) - _END.size
    if not data.startswith(_END_MARK, max(end, 0)):
        end = data.rfind(_END_MARK)
    if end < 0 or end + _END.size > len(data):
        return 0
    size = _END.unpack_from(data, end)[5]
    return data.count(_ENTRY_MARK, max(end - size, 0), end)


def _checked(entry: zipfile.ZipInfo, limits: ArchiveLimits) -> bool:
    """Whether the entry counts; raises if it must not be there at all."""
    name = _name(entry)
    _check_path(name, limits)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise ArchiveError(f"{name!r} is a link; put the file itself in its place.")
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR} or (kind == stat.S_IFDIR and not entry.is_dir()):
        raise ArchiveError(f"{name!r} is neither a plain file nor a folder; remove it.")
    if entry.is_dir() and entry.file_size:
        raise ArchiveError(f"the folder {name!r} carries bytes of its own; pack the archive again.")
    if entry.flag_bits & 0x2061:  # encrypted, patched, strongly encrypted, masked directory
        raise ArchiveError(f"{name!r} is encrypted or patched; pack the archive without a password.")
    if entry.compress_type not in _METHODS:
        raise ArchiveError(f"{name!r} is compressed in an unusual way; pack with the method 'deflate' or 'store'.")
    parts = name.split("/")
    return parts[0] != "__MACOSX" and parts[-1] != ".DS_Store"


def _name(entry: zipfile.ZipInfo) -> str:
    """The name as it stands in the archive, before zipfile cuts it at a zero byte; sets it on the entry, too."""
    name = entry.orig_filename
    if not entry.flag_bits & 0x800 and not name.isascii():
        name = name.encode("cp437").decode("utf-8")  # older zip programs write UTF-8 without saying so
    entry.filename = name
    return name


def _check_path(name: str, limits: ArchiveLimits) -> None:
    if any(unicodedata.category(letter).startswith("C") for letter in name):
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


def _no_overlap(data: bytes, archive: zipfile.ZipFile) -> None:
    """Refuses archives whose entries share bytes: a small file could otherwise expand to any size, or hide another."""
    end = 0
    for entry in sorted(archive.infolist(), key=lambda entry: entry.header_offset):
        start = entry.header_offset
        if start < end or start + _LOCAL_HEADER.size > len(data):
            raise ArchiveError(f"{entry.filename!r} overlaps another entry of the archive; pack it again.")
        if start != end and end == 0:
            raise ArchiveError("the archive has other bytes before its first file; pack it again.")
        fields = _LOCAL_HEADER.unpack_from(data, start)
        end = start + _LOCAL_HEADER.size + fields[9] + fields[10] + entry.compress_size
    if end > archive.start_dir:
        raise ArchiveError("the last file runs into the archive's list of files; pack it again.")


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
            key = unicodedata.normalize("NFKC", piece).casefold()
            other, other_is_folder = seen.setdefault(key, (piece, is_folder))
            if other != piece:
                raise ArchiveError(
                    f"{piece!r} and {other!r} differ only in case or accents' encoding; rename one of them."
                )
            if is_folder != other_is_folder:
                raise ArchiveError(f"{piece!r} is both a file and a folder; rename one of them.")


def _expand(
    archive: zipfile.ZipFile, files: list[zipfile.ZipInfo], limits: ArchiveLimits
) -> Iterator[tuple[str, bytes]]:
    room = limits.expanded_mib * _MIB
    too_large = ArchiveError(
        f"the archive expands to more than {limits.expanded_mib} MiB; leave out what the bot does not need."
    )
    for entry in sorted(files, key=lambda entry: entry.filename.encode()):
        body = bytearray()
        with archive.open(entry) as stream:
            while chunk := stream.read(_CHUNK):
                room -= len(chunk)
                if room < 0:
                    raise too_large
                body += chunk
        if len(body) != entry.file_size:
            raise ArchiveError(f"{entry.filename!r} is not as long as the archive says; pack it again.")
        yield entry.filename, bytes(body)


def _without_top_folder(files: Mapping[str, bytes]) -> dict[str, bytes]:
    tops = {name.split("/", 1)[0] for name in files}
    if len(tops) == 1 and f"{(top := tops.pop())}/{MANIFEST}" in files:
        files = {name.removeprefix(f"{top}/"): body for name, body in files.items()}
    return dict(files)
