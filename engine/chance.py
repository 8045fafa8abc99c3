"""Random choices for playouts: the same ones on every machine, compiled or not. Knows no game.

The generator multiplies with carry, and so does all of it below 2^63.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.bits import count, nth

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
