"""A bot that is a function, in its seat at one match: questions in, actions out. Knows no hub, stream or clock."""

import random
from typing import Any

from arena.bot.turn import Choose, Turn, actions_of, number_of
from arena.referee.match import Question
from engine.game import Game


class Seated:
    """What the kit is to a bot on a stream: it turns questions into turns, and keeps the bot's generator and notes."""

    def __init__(self, choose: Choose, match_id: int, game: Game, bot_seed: bytes) -> None:
        self._choose = choose
        self._match_id = match_id
        self._game = game
        self._rng = random.Random(bot_seed)
        self._notes: dict[str, Any] = {}

    def answer(self, question: Question) -> int:
        """The action that the bot chooses, legal or not. What the bot raises goes through as it is.

        :raises TypeError: if it returns no whole number.
        """
        turn = Turn(
            match_id=self._match_id,
            game=self._game,
            seat=question.seat,
            number=question.turn,
            phase=self._game.phases[question.phase],
            observation=question.observation,  # type: ignore[arg-type] # the views are all observations there are
            legal=actions_of(question.first, question.legal_mask),
            budget_ms=question.budget_us // 1000,
            last_answer_us=question.last_answer_us,
            rng=self._rng,
            notes=self._notes,
        )
        return number_of(turn, self._choose(turn))
