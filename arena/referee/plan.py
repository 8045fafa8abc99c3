"""A match that is to be played, as a value. Knows no hub and no rules."""

from dataclasses import dataclass, field
from typing import Any

from arena.referee.clock import Limits
from engine.game import Game

PlayerId = str


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """A match to be played. ``players``, ``names``, ``limits`` and ``bot_seeds`` are by seat.

    :ivar match_id: below 2^53, not in use at the hub that plays it.
    :ivar options: all options of the game as text, for the players.
    :ivar header: further members of the record's header; the seed stands there only if it is put there.
    """

    match_id: int
    game: Game
    options: dict[str, str]
    seed: bytes
    players: tuple[PlayerId, ...]
    names: tuple[str, ...]
    limits: tuple[Limits, ...]
    bot_seeds: tuple[bytes, ...]
    header: dict[str, Any] = field(default_factory=dict)


class Abandoned(Exception):
    """The match was given up through nobody's fault; it does not count."""
