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

from engine.game import Game
from engine.minus_one import PairsObservation

_ROUNDS = 6
"""Rounds that a deck lasts."""

_CARD = bytes((0, 1, 2, 4, 8, 16, 32, 64, 128))
"""The set of one card; no card is card 0."""


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
            "shows": _ROUNDS * seats * 8,
            "keeps": _ROUNDS * seats * 8,
        }
        self.count_sizes = {"round": 1, "tokens": seats, "last_won": seats}
        self.count_unit = 18
        self.amount_sizes = {"points": seats}
        self._seats = seats
        self._phases = len(game.phases)
        self._none = bytes(seats)

    def flags(self, observation: PairsObservation) -> int:
        """All flags as one number: bit i is flag i."""
        seat = observation.seat
        seats = self._seats
        rows = [observation.playable, observation.resting.translate(_SINGLE), observation.spent]
        rows.append(observation.shown or self._none)
        finished = len(observation.shows)
        unplayed = [self._none] * (_ROUNDS - finished // seats)
        rows += [observation.shows[at : at + seats] for at in range(0, finished, seats)] + unplayed
        keeps = observation.keeps.translate(_SINGLE)
        rows += [keeps[at : at + seats] for at in range(0, finished, seats)] + unplayed
        sets = b"".join([row[seat:] + row[:seat] for row in rows])
        return 1 << observation.phase | int.from_bytes(sets, "little") << self._phases

    def counts(self, observation: PairsObservation) -> bytes:
        """Small whole numbers, one byte each."""
        seat = observation.seat
        tokens = observation.tokens
        won = observation.last_won
        return bytes((observation.round,)) + tokens[seat:] + tokens[:seat] + won[seat:] + won[:seat]

    def amounts(self, observation: PairsObservation) -> list[float]:
        """Numbers without a bound."""
        seat = observation.seat
        return [*observation.points[seat:], *observation.points[:seat]]


_SINGLE = _CARD + bytes(256 - len(_CARD))
