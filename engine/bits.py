"""Sets of small numbers as the bits of an int: counting, picking and listing. Knows no cards.

No set has a bit above 61.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64


def nth(bits: i64, skip: i64) -> i64:
    """The set of its lowest number alone when so many lower ones are skipped."""
    while skip > 0:
        bits &= bits - 1
        skip -= 1
    return bits & -bits


def count(bits: i64) -> i64:
    """How many numbers a set has."""
    # What int.bit_count() tells, by arithmetic that needs no call when it is compiled; nor would a greater literal do.
    pairs: i64 = bits - (bits >> 1 & 0x1555555555555555)
    fours: i64 = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
    bytes_: i64 = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    bytes_ += bytes_ >> 8
    bytes_ += bytes_ >> 16
    return bytes_ + (bytes_ >> 32) & 127


def numbered(bits: i64, first: i64) -> list[int]:
    """The numbers of the bits of a set, ascending, when bit 0 is number ``first``."""
    numbers: list[int] = []
    before: int = first - 1
    while bits:
        low: int = bits & -bits
        numbers.append(before + low.bit_length())
        bits &= bits - 1
    return numbers
