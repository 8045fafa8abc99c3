"""A bot of the house that answers in the referee's own process. Knows no stream of bytes, and must be quick: the event
loop waits for it."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

from arena.bot.turn import Turn, actions_of
from arena.referee.hub import Farewell, Hello, Hub, OpenTurn, PlayerId


class InHouse:
    """A player's stream whose other end is a function."""

    def __init__(self, hub: Hub, player_id: PlayerId, choose: Callable[[Turn], int]) -> None:
        self.hello = Hello(player_id, "", (), 1)
        self._hub = hub
        self._choose = choose
        self._rngs: dict[int, random.Random] = {}
        self._notes: dict[int, dict[str, Any]] = {}
        self._player = hub.join(player_id, self)

    def wake(self) -> None:
        """Something waits: answer it when the loop is free, so that a match does not end inside its own beginning."""
        asyncio.get_running_loop().call_soon(self._answer)

    def end(self, farewell: Farewell) -> None:  # noqa: ARG002 - whatever the reason
        """Forgets its matches."""
        self._rngs.clear()
        self._notes.clear()

    def leave(self) -> None:
        """Gets up from the table."""
        self._hub.leave(self._player, self)

    def _answer(self) -> None:
        self._player.starts.clear()
        self._player.ends.clear()
        turns = self._hub.take(self._player)
        if turns:
            self._hub.sent(self._player, turns)
        for open_turn in turns:
            turn = self._turn(open_turn)
            action = self._choose(turn)
            self._hub.answer(self._player, turn.match_id, turn.number, action, self._hub.now_us())

    def _turn(self, open_turn: OpenTurn) -> Turn:
        plan, question = open_turn.running.plan, open_turn.question
        match_id = plan.match_id
        if match_id not in self._rngs:
            self._rngs[match_id] = random.Random(plan.bot_seeds[question.seat])
            self._notes[match_id] = {}
        return Turn(
            match_id=match_id,
            game=plan.game,
            seat=question.seat,
            number=question.turn,
            phase=plan.game.phases[question.phase],
            observation=question.observation,  # type: ignore[arg-type] # the views are all observations there are
            legal=actions_of(question.first, question.legal_mask),
            budget_ms=question.budget_us // 1000,
            last_answer_us=question.last_answer_us,
            rng=self._rngs[match_id],
            notes=self._notes[match_id],
        )
