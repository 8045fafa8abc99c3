"""The matches of one bot: frames in, answers out. Knows no stream and no address."""

import random
from dataclasses import dataclass, field
from typing import Any

import engine
from arena.bot.turn import Turn, actions_of, number_of
from arena.codec import read_view
from arena.v1 import play_pb2
from engine.game import Game

NO_ACTION = 0xFFFFFFFF
"""Sent in place of an action that the wire cannot carry: just as illegal."""


@dataclass(slots=True)
class _Match:
    """What the bot keeps of a match."""

    game: Game
    seat: int
    rng: random.Random
    notes: dict[str, Any] = field(default_factory=dict)


class Matches:
    """Everything that the bot plays at the moment."""

    def __init__(self) -> None:
        self._matches: dict[int, _Match] = {}

    def start(self, start: play_pb2.MatchStart) -> None:
        """A match begins, or is announced again after a reconnect: then the bot's notes are kept."""
        if start.match_id not in self._matches:
            game = engine.load_with(start.game, start.seats, dict(start.options))
            self._matches[start.match_id] = _Match(game, start.seat, random.Random(start.bot_seed))

    def end(self, end: play_pb2.MatchEnd) -> None:
        """A match is over."""
        self._matches.pop(end.match_id, None)

    def turn(self, asked: play_pb2.Turn) -> Turn:
        """The turn as the bot sees it."""
        match = self._matches[asked.match_id]
        return Turn(
            match_id=asked.match_id,
            game=match.game,
            seat=match.seat,
            number=asked.turn,
            phase=match.game.phases[asked.phase],
            observation=read_view(asked, match.game.seats),
            legal=actions_of(asked.first, asked.legal),
            budget_ms=asked.budget_ms,
            last_answer_us=asked.last_answer_us,
            rng=match.rng,
            notes=match.notes,
        )


def choice(turn: Turn, action: object) -> play_pb2.Choice:
    """The message for what the bot chose, legal or not: the referee judges.

    :raises TypeError: if it is no whole number.
    """
    number = number_of(turn, action)
    if not 0 <= number < NO_ACTION:
        number = NO_ACTION
    return play_pb2.Choice(match_id=turn.match_id, turn=turn.number, action=number)
