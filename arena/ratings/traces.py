"""Short traces of the units that a period was made of, to say later which of them has changed. Knows no database.

A trace is eight bytes: the number of the unit and the first four bytes of the SHA-256 of its line, as
:func:`arena.ratings.event.line` writes it. Whether anything has changed is for the digest of the period to say.
"""

import hashlib
import struct
from collections.abc import Iterable, Iterator

from arena.ratings.event import Played, line

_TRACE = struct.Struct(">I4s")


def traces(units: Iterable[Played]) -> bytes:
    """The traces of all units, by number."""
    ascending = sorted(units, key=lambda unit: unit.unit)
    return b"".join(_TRACE.pack(unit.unit, hashlib.sha256(line(unit)).digest()[:4]) for unit in ascending)


def changes(was: bytes, now: bytes) -> Iterator[tuple[int, str]]:
    """Every unit whose trace is not the same in both, by number, and what is to be said of it."""
    before, after = _read(was), _read(now)
    for unit in sorted(before.keys() | after.keys()):
        if unit not in after:
            yield unit, "its results are gone, or not whole any more"
        elif unit not in before:
            yield unit, "it was not among those that were rated"
        elif before[unit] != after[unit]:
            yield unit, "its results are not those that were rated"


def _read(packed: bytes) -> dict[int, bytes]:
    return dict(_TRACE.iter_unpack(packed))
