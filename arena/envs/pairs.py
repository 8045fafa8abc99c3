"""An observation of shown pairs as numbers. Knows no other shape.

Seats are relative: 0 is the seat that looks, 1 the next seat number, and so on. ``k`` is the number of seats. A set of
cards is 8 flags, card 1 first.

| flags (0 or 1) | size | meaning |
| --- | --- | --- |
| phase | phases of the game | what is asked |
| playable, resting, spent, shown | k x 8 each | sets of cards by seat |
| shows, keeps | 6 x k x 8 each | pairs shown and cards kept in the finished rounds of this deck, oldest first |

| counts (divided by 18) | size | meaning |
| --- | --- | --- |
| round | 1 | from 0 |
| tokens | k | tokens |
| last_won | k | the last round won, from 1; 0 for none |

| amounts | size | meaning |
| --- | --- | --- |
| points | k | without tokens |
"""

from operator import itemgetter

import numpy as np

from engine.game import Game
from engine.pairs import DECK_ROUNDS, PairsObservation

_SINGLE = bytes((0, 1, 2, 4, 8, 16, 32, 64, 128)) + bytes(247)
"""The set of one card, for each card; card 0 is no card."""


class PairsFeatures:
    """The layout for one table, and the numbers of its observations."""

    def __init__(self, game: Game) -> None:
        seats = game.seats
        self.flag_sizes = {
            "phase": len(game.phases),
            "playable": seats * 8,
            "resting": seats * 8,
            "spent": seats * 8,
            "shown": seats * 8,
            "shows": DECK_ROUNDS * seats * 8,
            "keeps": DECK_ROUNDS * seats * 8,
        }
        self.count_sizes = {"round": 1, "tokens": seats, "last_won": seats}
        self.count_unit = 18
        self.amount_sizes = {"points": seats}
        self._phases = len(game.phases)
        self._none = bytes(seats)
        self._history = DECK_ROUNDS * seats
        # By seat, what picks all sets with those of each moment counted from that seat.
        moments = range(0, (4 + 2 * DECK_ROUNDS) * seats, seats)
        self._turned = [
            itemgetter(*(at + (seat + after) % seats for at in moments for after in range(seats)))
            for seat in range(seats)
        ]

    def smalls(self, observation: PairsObservation) -> bytes:
        """Flags and counts, one byte each."""
        seat = observation.seat
        size = self._history
        sets = b"".join(
            (
                observation.playable,
                observation.resting.translate(_SINGLE),
                observation.spent,
                observation.shown or self._none,
                observation.shows.ljust(size, b"\0"),
                observation.keeps.translate(_SINGLE).ljust(size, b"\0"),
            )
        )
        sets = bytes(self._turned[seat](sets))
        phase = bytearray(self._phases)
        phase[observation.phase] = 1
        flags = np.unpackbits(np.frombuffer(sets, np.uint8), bitorder="little").tobytes()
        tokens = observation.tokens
        won = observation.last_won
        counts = bytes((observation.round,)) + tokens[seat:] + tokens[:seat] + won[seat:] + won[:seat]
        return bytes(phase) + flags + counts

    def amounts(self, observation: PairsObservation) -> list[float]:
        """Numbers without a bound."""
        seat = observation.seat
        return [*observation.points[seat:], *observation.points[:seat]]
