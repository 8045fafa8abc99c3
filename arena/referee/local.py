"""Matches in one process, with bots as functions. No limits are kept: nobody's clock runs. Drives the same generator as
the live referee."""

import hashlib
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from arena.bot.turn import Turn, actions_of, number_of
from arena.referee.clock import UNLIMITED, Limits
from arena.referee.match import Answer, Verdict, match
from engine.game import Game
from engine.record import Recorder

Choose = Callable[[Turn], int]


def play_local(
    game: Game,
    seed: bytes,
    bots: Sequence[Choose],
    *,
    names: Sequence[str],
    bot_seeds: Sequence[bytes] | None = None,
    limits: Limits = UNLIMITED,
    match_id: int = 1,
    header: dict[str, Any] | None = None,
) -> Verdict:
    """Plays the match of the seed between ``bots``, by seat. An illegal action is a fault, as in a live match; what a
    bot raises goes through as it is, for its author is watching.

    ``bot_seeds`` are 32 bytes by seat; made from the seed and the seat if not given. ``header`` adds members to the
    record's header.

    :raises ValueError: if bots or names are not one per seat.
    """
    if not len(bots) == len(names) == game.seats:
        raise ValueError(f"{game.title} at this table needs {game.seats} bots, not {len(bots)}.")
    if bot_seeds is None:
        bot_seeds = [
            hashlib.sha256(b"card-arena local bot" + bytes((seat,)) + seed).digest() for seat in range(game.seats)
        ]
    rngs = [random.Random(bot_seed) for bot_seed in bot_seeds]
    notes: list[dict[str, Any]] = [{} for _ in bots]
    recorder = Recorder(game, players=names, seed=seed, **(header or {}))
    play = match(game, game.start(seed), (limits,) * game.seats, recorder)
    try:
        questions = next(play)
        while True:
            answers = []
            for question in questions:
                seat = question.seat
                turn = Turn(
                    match_id=match_id,
                    game=game,
                    seat=seat,
                    number=question.turn,
                    phase=game.phases[question.phase],
                    observation=question.observation,  # type: ignore[arg-type] # the views are all observations there are
                    legal=actions_of(question.first, question.legal_mask),
                    budget_ms=question.budget_us // 1000,
                    last_answer_us=question.last_answer_us,
                    rng=rngs[seat],
                    notes=notes[seat],
                )
                asked_ns = time.monotonic_ns()
                action = bots[seat](turn)
                elapsed_us = (time.monotonic_ns() - asked_ns) // 1000
                answers.append(Answer(seat, number_of(turn, action), None, "", elapsed_us))
            questions = play.send(answers)
    except StopIteration as stop:
        verdict: Verdict = stop.value
        return verdict
