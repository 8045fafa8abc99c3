"""Random choices for playouts: the same ones on every machine, compiled or not. Knows no game.

The generator multiplies with carry, and so does all of it below 2^63.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mypy_extensions import i64

_LOW: Final = (1 << 32) - 1
_FACTOR: Final = 2131995753
"""With this factor the period is _FACTOR * 2^31 - 1, which is nearly 2^62."""


class Chance:
    """Draws one choice after the other. ``seed`` is any whole number from 0; different ones give different choices."""

    __slots__ = ("_state",)

    _state: i64

    def __init__(self, seed: int) -> None:
        self._state = 1 + seed % (_FACTOR * (1 << 31) - 2)
        # The first numbers of neighbouring seeds are neighbours.
        for _ in range(4):
            self.below(1)

    def below(self, count: i64) -> i64:
        """A number in 0..count-1; ``count`` is 1..2^31."""
        state = self._state
        state = _FACTOR * (state & _LOW) + (state >> 32)
        self._state = state
        return (state & _LOW) * count >> 32

    def pick(self, choices: i64) -> i64:
        """One bit of a set of bits, which is not empty and has none above 61."""
        return nth(choices, self.below(count(choices)))

    def index(self, choices: i64) -> i64:
        """The same as the number of the bit."""
        return count(self.pick(choices) - 1)


def nth(bits: i64, skip: i64) -> i64:
    """The lowest bit of a set of bits when so many lower ones are skipped."""
    while skip > 0:
        bits &= bits - 1
        skip -= 1
    return bits & -bits


def count(bits: i64) -> i64:
    """How many bits a set of bits has, of which none is above 61."""
    # What int.bit_count() tells, by arithmetic that needs no call when it is compiled; nor would a greater literal do.
    pairs: i64 = bits - (bits >> 1 & 0x1555555555555555)
    fours: i64 = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
    bytes_: i64 = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    bytes_ += bytes_ >> 8
    bytes_ += bytes_ >> 16
    return bytes_ + (bytes_ >> 32) & 127
