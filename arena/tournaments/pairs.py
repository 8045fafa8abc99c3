"""Two bots on the same cards: who sits where in the two matches of a unit, and with which seeds. Knows no process.

Player 0 is A and player 1 is B; the others keep their seats while these two change theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.tournaments import units

MATCHES = 2
"""Of a unit: in the second one A and B have changed seats."""


@dataclass(frozen=True, slots=True)
class PairMatch:
    """One match.

    :ivar match: 0 or 1 within its unit.
    :ivar players: player by seat.
    :ivar seed: the 32 bytes that the cards come from.
    :ivar bot_seeds: 32 bytes by seat, the same in both matches.
    """

    unit: int
    match: int
    players: tuple[int, ...]
    seed: bytes
    bot_seeds: tuple[bytes, ...]

    def of(self, player: int, by_seat: Sequence[int]) -> int:
        """The player's own among values by seat."""
        return by_seat[self.players.index(player)]


def pair_match(working: bytes, unit: int, match: int, seats: int) -> PairMatch:
    """One match of a unit, drawn from 32 bytes as a tournament draws its units; every seating is equally likely."""
    drawn = units.order(working, unit, range(seats))
    changed = {0: 1, 1: 0} if match else {}
    return PairMatch(
        unit,
        match,
        tuple(changed.get(player, player) for player in drawn),
        units.unit_seed(working, unit),
        tuple(units.bot_seed(working, unit, 0, seat) for seat in range(seats)),
    )
