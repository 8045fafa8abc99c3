"""What everybody at a table has seen of a match while it is played: decisions, and scores as they come to stand. Knows
no call, no clock, and tells no hand."""

import json
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from engine.game import Game
from engine.record import FORFEITED

MOST = 200
"""Decisions that are told; two decks of a full table have as many."""


@dataclass(frozen=True, slots=True)
class Move:
    """A decision: the action as a record writes it, the time that it took, and what was wrong with the answer if the
    house has chosen."""

    seat: int
    action: str
    ms: int
    fault: str


class Seen:
    """A match as it is followed, line by line of its record, and those who may be told.

    :ivar tickets: the guests who sit in it, by the hash of their ticket.
    :ivar lines: how many lines of the record have been read.
    :ivar decisions: how many decisions there have been.
    :ivar moves: the newest of them.
    :ivar sheet: after how many decisions which scores stood.
    :ivar faults: by seat.
    """

    def __init__(self, game: Game, seed: bytes, tickets: frozenset[bytes]) -> None:
        self.tickets = tickets
        self.lines = 0
        self.decisions = 0
        self.moves: deque[Move] = deque(maxlen=MOST)
        self.sheet: list[tuple[int, tuple[int, ...]]] = []
        self.faults = [0] * game.seats
        self._game = game
        self._state = game.start(seed)
        self._standing = (0, tuple(self._state.scores()))

    @property
    def to_act(self) -> tuple[int, ...]:
        """Who is to decide, as of the last decision; none when the match is over."""
        return self._state.to_act()

    def read(self, lines: Iterable[str]) -> None:
        """Takes the next lines of the record, to the end of a decision point."""
        for line in lines:
            self.lines += 1
            found = json.loads(line)
            if "action" in found:
                fault = found.get("fault", {}).get("kind", "")
                self._take(Move(found["seat"], found["action"], found["ms"], fault))

    def _take(self, move: Move) -> None:
        state = self._state
        state.apply(move.seat, self._game.read(move.action))
        self.decisions += 1
        self.moves.append(move)
        self.faults[move.seat] += move.fault not in {"", FORFEITED}
        standing = (state.deal, tuple(state.scores()))
        if standing != self._standing or not self.to_act:
            self._standing = standing
            self.sheet.append((self.decisions, standing[1]))
