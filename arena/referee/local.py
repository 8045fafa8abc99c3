"""Matches in one process, with bots as functions. Nobody is interrupted: an answer that took too long is judged when it
comes. Drives the same generator as the live referee."""

import hashlib
import time
from collections.abc import Sequence
from typing import Any

from arena.bot.turn import Choose
from arena.referee.clock import UNLIMITED, Limits
from arena.referee.faults import FaultKind, late_reason
from arena.referee.match import Answer, Verdict, match
from arena.referee.seated import Seated
from engine.game import Game
from engine.record import Recorder


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
    seated = [Seated(bot, match_id, game, bot_seed) for bot, bot_seed in zip(bots, bot_seeds, strict=True)]
    recorder = Recorder(game, players=names, seed=seed, **(header or {}))
    play = match(game, game.start(seed), (limits,) * game.seats, recorder)
    try:
        questions = next(play)
        while True:
            answers = []
            for question in questions:
                asked_ns = time.monotonic_ns()
                action = seated[question.seat].answer(question)
                elapsed_us = (time.monotonic_ns() - asked_ns) // 1000
                if elapsed_us <= question.budget_us:
                    answers.append(Answer(question.seat, action, None, "", elapsed_us))
                else:
                    reason = late_reason(question.budget_us, elapsed_us)
                    answers.append(Answer(question.seat, None, FaultKind.LATE, reason, elapsed_us))
            questions = play.send(answers)
    except StopIteration as stop:
        verdict: Verdict = stop.value
        return verdict
