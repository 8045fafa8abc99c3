"""What is told of a record's times is what the referee reckoned while the match was played."""

import random

import pytest

from arena.bot.turn import actions_of
from arena.referee.clock import Limits
from arena.referee.faults import FaultKind
from arena.referee.match import Answer, Question, match
from arena.referee.presets import read_clock, write_clock
from arena.referee.times import clock_of_record, seat_times
from engine.game import Game
from engine.record import Recorder, verify
from tests.referee.tables import games, title

SEED = bytes(32)


@pytest.mark.parametrize("clock", ["blitz", "people", "move=100ms,bank=2s,increment=30ms,faults=2"])
@pytest.mark.parametrize("game", games(), ids=title)
def test_the_times_of_a_record_are_those_of_the_match(game: Game, clock: str) -> None:
    limits = read_clock(clock, game)
    rng = random.Random(clock)
    took: list[list[int]] = [[] for _ in range(game.seats)]
    banks: list[int] = [0] * game.seats

    def one(question: Question) -> Answer:
        """Whole milliseconds, as the record has them."""
        seat = question.seat
        elapsed_ms = rng.randrange(question.budget_us // 1000 + 1)
        bank_us = question.budget_us - limits.move_us(question.phase)
        late = rng.randrange(30) == 0
        if late:
            elapsed_ms = question.budget_us // 1000 + 11
        took[seat].append(elapsed_ms)
        over_us = max(0, 1000 * elapsed_ms - limits.move_us(question.phase))
        banks[seat] = 0 if late else (bank_us - over_us) // 1000 + limits.increment_ms
        if late:
            return Answer(seat, None, FaultKind.LATE, "No answer in time.", 1000 * elapsed_ms)
        return Answer(seat, actions_of(question.first, question.legal_mask)[0], None, "", 1000 * elapsed_ms)

    recorder = Recorder(game, players=["bot"] * game.seats, seed=SEED, clock=write_clock(limits, game))
    play = match(game, game.start(SEED), (limits,) * game.seats, recorder)
    questions = next(play)
    while True:
        try:
            questions = play.send([one(question) for question in questions])
        except StopIteration as stop:
            record = verify(stop.value.record)
            break
    assert clock_of_record(record) == limits
    for own, bank_ms, told in zip(took, banks, seat_times(record), strict=True):
        assert (told.answers, told.used_ms, told.longest_ms) == (len(own), sum(own), max(own))
        assert own[told.longest_at - 1] == told.longest_ms
        assert told.bank_ms == bank_ms


def test_a_record_without_a_clock_has_no_bank() -> None:
    game = games()[0]
    recorder = Recorder(game, players=["bot"] * game.seats, seed=SEED)
    play = match(game, game.start(SEED), (Limits(10, 0, 3),) * game.seats, recorder)
    questions = next(play)
    while True:
        try:
            questions = play.send(
                [Answer(q.seat, actions_of(q.first, q.legal_mask)[0], None, "", 7) for q in questions]
            )
        except StopIteration as stop:
            record = verify(stop.value.record)
            break
    assert clock_of_record(record) is None
    assert {told.bank_ms for told in seat_times(record)} == {None}
