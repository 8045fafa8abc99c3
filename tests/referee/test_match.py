"""Laws of the match generator: whatever is answered, a match ends and its record says what happened."""

import contextlib
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from arena.bot.turn import actions_of
from arena.referee.clock import Limits
from arena.referee.faults import FaultKind
from arena.referee.local import play_local
from arena.referee.match import Answer, Question, Verdict, match
from arena.referee.presets import preset
from engine.game import Game
from engine.pairs import PairsObservation
from engine.record import FORFEITED, Recorder, verify
from tests.referee.tables import PATIENT, games, tables, title

SEED = bytes(range(32))


@dataclass
class Answering:
    """Answers at random; one in ``fault_rate`` is a fault of any kind, an illegal action, or nonsense."""

    rng: random.Random
    fault_rate: int
    asked: Counter[int]
    turns: list[tuple[int, int]]

    def __call__(self, questions: Sequence[Question]) -> list[Answer]:
        answers = [self._one(question) for question in questions]
        self.rng.shuffle(answers)
        return answers

    def _one(self, question: Question) -> Answer:
        self.asked[question.seat] += 1
        self.turns.append((question.turn, question.seat))
        elapsed_us = self.rng.randrange(200_000)
        if self.fault_rate and self.rng.randrange(self.fault_rate) == 0:
            kind = self.rng.choice([*FaultKind])
            if kind is FaultKind.ILLEGAL:
                bad = self.rng.choice([-1, question.first - 1, 52, 10**6, 2**32 - 1, 2**70])
                if bad not in actions_of(question.first, question.legal_mask):
                    return Answer(question.seat, bad, None, "", elapsed_us)
            else:
                return Answer(question.seat, None, kind, "Something went wrong.", elapsed_us)
        action = self.rng.choice(actions_of(question.first, question.legal_mask))
        return Answer(question.seat, action, None, "", elapsed_us)


def answering(seed: int, fault_rate: int) -> Answering:
    return Answering(random.Random(seed), fault_rate, Counter(), [])


def played(game: Game, limits: Limits, answer: Answering) -> Verdict:
    recorder = Recorder(game, players=[f"bot {seat}" for seat in range(game.seats)], seed=SEED)
    play = match(game, game.start(SEED), (limits,) * game.seats, recorder)
    try:
        questions = next(play)
        while True:
            questions = play.send(answer(questions))
    except StopIteration as stop:
        verdict: Verdict = stop.value
        return verdict


@pytest.mark.parametrize("game", tables(), ids=title)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32), fault_rate=st.sampled_from([0, 1, 2, 10, 60]), max_faults=st.integers(1, 5))
def test_every_match_ends_and_its_record_holds(game: Game, seed: int, fault_rate: int, max_faults: int) -> None:
    answer = answering(seed, fault_rate)
    verdict = played(game, Limits(100, 5_000, max_faults), answer)
    verified = verify(verdict.record)
    assert verified.scores == verdict.scores
    assert verified.places == verdict.places
    assert verified.forfeited == verdict.forfeited
    assert len(verified.decisions) == verdict.decisions <= game.bound
    said = [(decision.seat, decision.fault) for decision in verified.decisions if decision.fault not in ("", FORFEITED)]
    assert said == [(fault.seat, str(fault.kind)) for fault in verdict.faults]
    counts = Counter(fault.seat for fault in verdict.faults)
    assert all(count <= max_faults for count in counts.values())
    assert verdict.forfeited == tuple(seat for seat in range(game.seats) if counts[seat] == max_faults)
    for seat in range(game.seats):
        unasked = sum(decision.fault == FORFEITED for decision in verified.decisions if decision.seat == seat)
        assert answer.asked[seat] + unasked == sum(decision.seat == seat for decision in verified.decisions)
        assert unasked == 0 or seat in verdict.forfeited
    assert answer.turns == sorted(answer.turns)
    assert len(set(answer.turns)) == len(answer.turns)


@pytest.mark.parametrize("game", games(), ids=title)
def test_a_forfeited_seat_takes_the_last_place(game: Game) -> None:
    def failing(seat: int) -> Verdict:
        answer = answering(1, 0)
        honest = answer._one
        answer._one = lambda question: (  # type: ignore[method-assign]
            Answer(seat, None, FaultKind.GONE, "The bot is gone.", 0) if question.seat == seat else honest(question)
        )
        return played(game, PATIENT, answer)

    for seat in range(game.seats):
        verdict = failing(seat)
        assert verdict.forfeited == (seat,)
        assert verdict.places[seat] == game.seats
        assert sorted(verdict.places)[:-1] == sorted(place for s, place in enumerate(verdict.places) if s != seat)


@pytest.mark.parametrize("game", games(), ids=title)
def test_the_bank_pays_for_slow_answers_until_it_is_empty(game: Game) -> None:
    budgets: list[int] = []

    def slow(questions: Sequence[Question]) -> list[Answer]:
        budgets.extend(question.budget_us for question in questions if question.seat == 0)
        return [
            Answer(question.seat, actions_of(question.first, question.legal_mask)[0], None, "", 150_000)
            for question in questions
        ]

    recorder = Recorder(game, players=["bot"] * game.seats, seed=SEED)
    play = match(game, game.start(SEED), (Limits(100, 120, 3),) * game.seats, recorder)
    questions = next(play)
    for _ in range(8 * game.seats):
        questions = play.send(slow(questions))
    assert budgets[:4] == [220_000, 170_000, 120_000, 100_000]


@given(
    move_ms=st.integers(1, 500),
    bank_ms=st.integers(0, 2_000),
    increment_ms=st.integers(0, 500),
    seed=st.integers(0, 2**32),
    late_rate=st.sampled_from([0, 5, 40]),
)
def test_a_seat_that_is_in_time_uses_no_more_than_its_moves_its_bank_and_its_increments(
    move_ms: int, bank_ms: int, increment_ms: int, seed: int, late_rate: int
) -> None:
    """The clock is reckoned anew from the answers. A fault gains nothing, and one that was late leaves no bank."""
    game = engine.load("minus_one", 3, rounds=6)
    rng = random.Random(seed)
    banks = [1000 * bank_ms] * game.seats
    used, answers = [0] * game.seats, [0] * game.seats

    def answer(questions: Sequence[Question]) -> list[Answer]:
        return [one(question) for question in questions]

    def one(question: Question) -> Answer:
        seat, budget_us = question.seat, question.budget_us
        assert banks[seat] >= 0
        assert budget_us == 1000 * move_ms + banks[seat]
        if late_rate and rng.randrange(late_rate) == 0:
            banks[seat] = 0
            return Answer(seat, None, FaultKind.LATE, "No answer in time.", budget_us + 1 + rng.randrange(10_000))
        elapsed_us = rng.choice([0, 1000 * move_ms, budget_us, rng.randrange(budget_us + 1)])
        used[seat] += elapsed_us
        answers[seat] += 1
        assert used[seat] <= 1000 * (answers[seat] * (move_ms + increment_ms) + bank_ms)
        banks[seat] += 1000 * (move_ms + increment_ms) - max(1000 * move_ms, elapsed_us)
        return Answer(seat, actions_of(question.first, question.legal_mask)[0], None, "", elapsed_us)

    recorder = Recorder(game, players=["bot"] * game.seats, seed=SEED)
    limits = Limits(move_ms, bank_ms, 100, increment_ms=increment_ms)
    play = match(game, game.start(SEED), (limits,) * game.seats, recorder)
    questions = next(play)
    with contextlib.suppress(StopIteration):
        while True:
            questions = play.send(answer(questions))
    assert any(answers)


def test_a_bank_grows_beyond_its_start_and_an_illegal_answer_gains_nothing() -> None:
    game = games()[0]
    budgets: list[int] = []

    def quick(questions: Sequence[Question], *, legal: bool = True) -> list[Answer]:
        (question,) = questions
        if question.seat == 0:
            budgets.append(question.budget_us)
        action = actions_of(question.first, question.legal_mask)[0] if legal or question.seat else -1
        return [Answer(question.seat, action, None, "", 0)]

    recorder = Recorder(game, players=["bot"] * game.seats, seed=SEED)
    limits = Limits(100, 50, 3, increment_ms=30)
    play = match(game, game.start(SEED), (limits,) * game.seats, recorder)
    questions = next(play)
    while len(budgets) < 3:
        questions = play.send(quick(questions, legal=len(budgets) != 1))
    assert budgets == [150_000, 180_000, 180_000]


def _pairs(questions: Sequence[Question]) -> list[PairsObservation]:
    """What the seats see that are asked in Minus One."""
    return [question.observation for question in questions if isinstance(question.observation, PairsObservation)]


@pytest.mark.rule("MO-16", "MO-17")
def test_mo_b7_mo_b12_minus_one_reveals_a_stage_when_all_answers_are_in() -> None:
    """A person has the times of the rules and a bot those of its tournament; who does not answer shows and keeps low,
    and the record says so. What was chosen is in no question before the next stage."""
    game = engine.load("minus_one", 3, rounds=6)
    person = preset("people", game)
    recorder = Recorder(game, players=["bot"] * 3, seed=SEED)
    state = game.start(SEED)
    play = match(game, state, (person, PATIENT, PATIENT), recorder)
    start = [state.observe(seat) for seat in range(3)]
    questions = next(play)
    assert [question.seat for question in questions] == [0, 1, 2]
    assert [question.observation for question in questions] == start
    assert [question.budget_us for question in questions] == [30_000_000, 60_000_000, 60_000_000]
    late = Answer(0, None, FaultKind.LATE, "No answer in time.", 30_000_001)
    shows = [Answer(seat, game.read(text), None, "", 5) for seat, text in ((2, "show 7 8"), (1, "show 3 5"))]
    questions = play.send([*shows, late])
    pairs = bytes([0b11, 0b10100, 0b11000000])
    assert [view.shown for view in _pairs(questions)] == [pairs] * 3
    assert [question.budget_us for question in questions] == [20_000_000, 60_000_000, 60_000_000]
    keeps = [Answer(seat, game.read(text), None, "", 5) for seat, text in ((1, "keep 5"), (2, "keep 8"))]
    questions = play.send([late, *keeps])
    assert [view.keeps for view in _pairs(questions)] == [bytes([1, 5, 8])] * 3
    while True:
        try:
            questions = play.send([Answer(q.seat, state.fallback(q.seat), None, "", 5) for q in questions])
        except StopIteration as stop:
            verdict: Verdict = stop.value
            break
    said = [(decision.seat, decision.fault) for decision in verify(verdict.record).decisions if decision.fault]
    assert said == [(0, "LATE")] * 2


@pytest.mark.parametrize("game", games(), ids=title)
def test_answers_that_are_not_one_per_question_are_the_drivers_mistake(game: Game) -> None:
    recorder = Recorder(game, players=["bot"] * game.seats, seed=SEED)
    play = match(game, game.start(SEED), (PATIENT,) * game.seats, recorder)
    next(play)
    with pytest.raises(ValueError, match="were asked"):
        play.send(())


@pytest.mark.parametrize("game", games(), ids=title)
def test_an_illegal_action_is_named_with_the_legal_ones(game: Game) -> None:
    verdict = play_local(
        game, SEED, [lambda _: 10**9, *[lambda turn: turn.legal[0]] * (game.seats - 1)], names=["bot"] * game.seats
    )
    assert verdict.forfeited == (0,)
    assert {fault.kind for fault in verdict.faults} == {FaultKind.ILLEGAL}
    assert verdict.faults[0].reason.startswith("There is no action 1000000000: actions are 0 to ")


@pytest.mark.parametrize("game", games(), ids=title)
def test_a_local_match_is_the_same_every_time_but_for_its_times(game: Game) -> None:
    def once() -> Verdict:
        return play_local(
            game, SEED, [lambda turn: turn.rng.choice(turn.legal)] * game.seats, names=["bot"] * game.seats
        )

    one, other = verify(once().record), verify(once().record)
    assert [d.action for d in one.decisions] == [d.action for d in other.decisions]
    assert one.scores == other.scores


def test_what_a_local_bot_raises_goes_through() -> None:
    game = games()[0]
    with pytest.raises(ZeroDivisionError):
        play_local(game, SEED, [lambda _: 1 // 0] * game.seats, names=["bot"] * game.seats)
    with pytest.raises(TypeError, match=r"must return an action number out of turn\.legal, and returned None"):
        play_local(game, SEED, [lambda _: None] * game.seats, names=["bot"] * game.seats)  # type: ignore[list-item,return-value]
