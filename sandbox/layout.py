"""The bones of a zip file: where its files lie, and that every byte of it belongs to one of them. Knows no good or bad
names, and expands nothing.

zip programs forgive a lot, each something else, so that one archive can hold different files for two of them. Here it
holds one thing: what its list of files says, said again by every file's own header, without a byte between or around.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_END = struct.Struct("<4s4H2IH")
_LISTED = struct.Struct("<4s6H3I5H2I")
_HEADER = struct.Struct("<4s5H3I2H")
_TRAILER = struct.Struct("<3I")
_END_MARK, _LISTED_MARK, _HEADER_MARK, _TRAILER_MARK = b"PK\5\6", b"PK\1\2", b"PK\3\4", b"PK\7\x08"
_LARGE_MARK = b"PK\6\7"
_NEWEST = 63
"""The version of the format beyond which an archive needs what no reader here has: 6.3, in tenths."""
_TRAILED = 0x8
"""The flag of a file whose sizes stand behind it as well."""
_LARGE, _LINKED, _RENAMED = 0x1, 0xD, 0x7075
"""Extra fields: sizes beyond 4 GiB, a link's target, and another name."""


class ArchiveError(ValueError):
    """The archive or the folder cannot become a bot; the text is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder as the archive has it. ``name`` and ``packed`` are its bytes as they stand there; ``size`` and
    ``crc`` are what the archive says of the expanded ones."""

    name: bytes
    flags: int
    method: int
    attributes: int
    size: int
    crc: int
    packed: memoryview


def read_layout(data: bytes, most: int) -> list[Entry]:
    """What the archive lists, in its order.

    :param most: how many entries it may list. Work and memory are bounded by them.
    :raises ArchiveError: if there are more, or a byte of the archive is not accounted for.
    """
    end = data.rfind(_END_MARK)
    if end < 0 or end + _END.size > len(data):
        raise ArchiveError("this is not a whole zip archive, its end is missing; pack it again.")
    _, disk, first_disk, here, count, size, start, comment = _END.unpack_from(data, end)
    if end + _END.size + comment != len(data):
        raise ArchiveError("the archive does not end where it says, something is cut off or behind it; pack it again.")
    if data[max(end - 20, 0) : end].startswith(_LARGE_MARK) or 0xFFFF in (here, count) or 0xFFFFFFFF in (size, start):
        raise _too_large()
    if disk or first_disk or here != count:
        raise ArchiveError("the archive is one of several parts; pack everything into one.")
    if count > most:
        raise ArchiveError(f"the archive lists {count:,} files and folders; leave out what the bot does not need.")
    if start + size != end:
        raise ArchiveError("the archive's list of files is not where its end says; pack it again.")
    found = list(_listed(data, start, end, count))
    _no_gaps(found, start)
    return [entry for _, _, entry in found]


def _listed(data: bytes, at: int, end: int, count: int) -> Iterator[tuple[int, int, Entry]]:
    """Every entry of the list with the bytes that are its own: from where, to where."""
    for number in range(1, count + 1):
        if at + _LISTED.size > end or not data.startswith(_LISTED_MARK, at):
            raise ArchiveError(f"entry {number} of the archive's list of files is not one; pack it again.")
        (_, _, needed, flags, method, _, _, crc, packed, size, *lengths, disk, _, attributes, offset) = (
            _LISTED.unpack_from(data, at)
        )
        name_ends = at + _LISTED.size + lengths[0]
        extra_ends = name_ends + lengths[1]
        name = data[at + _LISTED.size : name_ends]
        at = extra_ends + lengths[2]
        if at > end:
            raise ArchiveError(f"entry {number} of the archive's list of files runs beyond it; pack it again.")
        if disk:
            raise ArchiveError("the archive is one of several parts; pack everything into one.")
        if needed > _NEWEST:
            raise ArchiveError(f"{_quoted(name)} needs a newer zip program; pack it with a usual one.")
        if 0xFFFFFFFF in (packed, size, offset):
            raise _too_large()
        _check_extra(data[name_ends:extra_ends], name)
        where = _header(data, offset, name, (flags, method, crc, packed, size))
        ends = _trailed(data, where + packed, name, (crc, packed, size)) if flags & _TRAILED else where + packed
        body = memoryview(data)[where : where + packed]
        yield offset, ends, Entry(name, flags, method, attributes, size, crc, body)
    if at != end:
        raise ArchiveError(f"the archive's list holds something beside its {count} entries; pack it again.")


def _header(data: bytes, at: int, name: bytes, said: tuple[int, int, int, int, int]) -> int:
    """Where the packed bytes begin, behind a header that says the same as the list."""
    if at + _HEADER.size > len(data) or not data.startswith(_HEADER_MARK, at):
        raise ArchiveError(f"{_quoted(name)} is not where the archive says; pack it again.")
    _, _, flags, method, _, _, crc, packed, size, name_bytes, extra_bytes = _HEADER.unpack_from(data, at)
    at += _HEADER.size
    later = bool(flags & _TRAILED) and crc == packed == size == 0
    if (flags, method) != said[:2] or ((crc, packed, size) != said[2:] and not later):
        raise ArchiveError(f"{_quoted(name)} and the archive's list say different things of it; pack it again.")
    if data[at : at + name_bytes] != name:
        raise ArchiveError(f"{_quoted(name)} has another name in the archive's list; pack it again.")
    _check_extra(data[at + name_bytes : at + name_bytes + extra_bytes], name)
    begins: int = at + name_bytes + extra_bytes
    return begins


def _trailed(data: bytes, at: int, name: bytes, said: tuple[int, int, int]) -> int:
    """Where a file ends whose sizes stand behind it once more, with or without a mark."""
    for mark in (_TRAILER_MARK, b""):
        whole = mark + _TRAILER.pack(*said)
        if data.startswith(whole, at):
            return at + len(whole)
    raise ArchiveError(f"the sizes behind {_quoted(name)} are not those of the archive's list; pack it again.")


def _check_extra(extra: bytes, name: bytes) -> None:
    """Refuses further fields that make something else of an entry."""
    at = 0
    while at < len(extra):
        kind, size = struct.unpack_from("<2H", extra, at) if at + 4 <= len(extra) else (0, len(extra))
        at += 4
        if at + size > len(extra):
            raise ArchiveError(f"{_quoted(name)} has further fields that cannot be read; pack it again.")
        if kind == _LARGE:
            raise _too_large()
        if kind == _RENAMED and extra[at + 5 : at + size] != name:
            raise ArchiveError(f"{_quoted(name)} has another name in a further field; pack it again.")
        if kind == _LINKED and size > 12:
            raise ArchiveError(f"{_quoted(name)} is a link or a device; put the file itself in its place.")
        at += size


def _no_gaps(found: list[tuple[int, int, Entry]], start: int) -> None:
    """Refuses archives whose entries share bytes, for a small file could then expand to any size, or hide another; and
    bytes that belong to nothing, which other programs may take for something."""
    reached = 0
    for begins, ends, entry in sorted(found, key=lambda one: one[:2]):
        if begins < reached or ends > start:
            raise ArchiveError(f"{_quoted(entry.name)} overlaps another part of the archive; pack it again.")
        if begins > reached:
            raise ArchiveError(f"the archive holds other bytes before {_quoted(entry.name)}; pack it again.")
        reached = ends
    if reached != start:
        raise ArchiveError("the archive holds other bytes before its list of files; pack it again.")


def _too_large() -> ArchiveError:
    return ArchiveError("the archive is written for more than 4 GiB (zip64); pack it in the usual form.")


def _quoted(name: bytes) -> str:
    return repr(name[:200].decode("utf-8", "replace"))
