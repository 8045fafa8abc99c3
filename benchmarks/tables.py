"""What is played in the wire benchmark: the matches, and the questions in them. Knows no server and no stream."""

import contextlib
import itertools
from collections.abc import Iterator, Sequence

import engine
from arena.referee.clock import Limits
from arena.referee.frames import write_turn
from arena.referee.match import Answer, Question, match
from arena.referee.plan import MatchPlan
from arena.v1 import play_pb2
from engine.game import Game
from engine.record import Recorder

GAME = "callbreak"
PATIENT = Limits(move_ms=60_000, bank_ms=60_000, max_faults=3)
SEED = bytes(32)


def plan(game: Game, players: Sequence[str], match_id: int, limits: Limits = PATIENT) -> MatchPlan:
    """A match of these players, with a seed of its own."""
    seed = match_id.to_bytes(32, "big")
    return MatchPlan(
        match_id=match_id,
        game=game,
        options=engine.write_options(game.options),
        seed=seed,
        players=tuple(players),
        names=tuple(players),
        limits=(limits,) * game.seats,
        bot_seeds=(SEED,) * game.seats,
        header={"seed": seed},
    )


def questions(game: Game) -> list[Question]:
    """Every question of one match in which everybody gives the highest answer."""
    play = match(game, game.start(SEED), (PATIENT,) * game.seats, Recorder(game, players=["highest"] * 4, seed=SEED))
    asked: list[Question] = []
    with contextlib.suppress(StopIteration):
        now = next(play)
        while True:
            asked += now
            now = play.send([Answer(question.seat, _highest(question), None, "", 0) for question in now])
    return asked


def turns() -> Iterator[play_pb2.Turn]:
    """The questions of one match over and over, each in a match of its own."""
    for match_id, question in enumerate(itertools.cycle(questions(engine.load(GAME)))):
        turn = play_pb2.Turn()
        write_turn(turn, match_id, question, question.budget_us)
        yield turn


def frame_sizes(batch: float) -> Iterator[int]:
    """How many turns each frame has so that the mean is ``batch``, at least 1; no two sizes differ by more than 1."""
    sent = 0
    for frame in itertools.count(1):
        size = int(frame * batch) - sent
        sent += size
        yield size


def _highest(question: Question) -> int:
    return question.first + question.legal_mask.bit_length() - 1
