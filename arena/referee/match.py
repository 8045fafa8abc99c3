"""One match as a generator that asks and is answered. Knows no clock, no bot and no network.

Live play, play in one process and replay drive the same generator::

    play = match(game, game.start(seed), limits, recorder)
    questions = next(play)
    while True:
        questions = play.send(answers)      # one answer per question; StopIteration.value is the verdict
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from arena.referee.clock import Limits, bank_after
from arena.referee.faults import Fault, FaultKind
from engine.game import Game, Observation, State
from engine.record import FORFEITED, Recorder, with_forfeits


@dataclass(slots=True)
class Question:
    """What one seat is asked. Neither this nor an answer is frozen, because a frozen value takes four times as long to
    make, and one of each is made for every decision.

    :ivar turn: number of the decision point in the match, from 0; seats that choose at the same time share it.
    :ivar first: the action that bit 0 of ``legal_mask`` means.
    :ivar budget_us: time for the answer, bank included.
    :ivar last_answer_us: how long the seat's last answer in this match took; 0 before the first.
    """

    seat: int
    turn: int
    phase: int
    first: int
    legal_mask: int
    observation: Observation
    budget_us: int
    last_answer_us: int


@dataclass(slots=True)
class Answer:
    """What came back: an action, legal or not, or why none did. Exactly one of ``action`` and ``fault`` is None."""

    seat: int
    action: int | None
    fault: FaultKind | None
    reason: str
    elapsed_us: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a match ended.

    :ivar scores: by seat, in the game's score unit.
    :ivar places: by seat, forfeits applied: 1 for the best, equal places shared.
    :ivar forfeited: seats, ascending.
    :ivar faults: in the order they happened.
    :ivar decisions: how many were taken, the house's for forfeited seats included.
    :ivar record: the whole record.
    :ivar digest: the record's digest.
    :ivar times_us: by seat and phase, how long each answer took, late ones too, in microseconds.
    """

    scores: tuple[int, ...]
    places: tuple[int, ...]
    forfeited: tuple[int, ...]
    faults: tuple[Fault, ...]
    decisions: int
    record: str
    digest: str
    times_us: tuple[tuple[tuple[int, ...], ...], ...]


Match = Generator[Sequence[Question], Sequence[Answer], Verdict]


def match(
    game: Game,
    state: State,
    limits: Sequence[Limits],
    recorder: Recorder,
    on_fault: Callable[[Fault], object] | None = None,
) -> Match:
    """Plays ``state`` to its end, whatever the answers are; returns the verdict.

    ``limits`` has one entry per seat. Whoever sends the answers has judged whether they came in time; the generator
    judges whether they are legal, keeps the banks, lets the house play for faults and for forfeited seats. Forfeited
    seats are not asked; where all are, the questions are empty and so must be the answers. ``on_fault`` is told of
    every fault as it is judged.

    :raises ValueError: if the answers are not one per question; that is the driver's fault, not a bot's.
    """
    # This loop is most of what a decision costs beside the rules: no comprehension and no call that can be spared.
    firsts = [phase.first for phase in game.phases]
    move_us = [[limit.move_us(phase) for phase in range(len(firsts))] for limit in limits]
    banks = [limit.bank_ms * 1000 for limit in limits]
    increments = [limit.increment_ms * 1000 for limit in limits]
    took = [0] * game.seats
    times_us: list[list[list[int]]] = [[[] for _ in firsts] for _ in limits]
    fault_counts = [0] * game.seats
    masks = [0] * game.seats
    forfeited: set[int] = set()
    faults: list[Fault] = []
    turn = decisions = 0
    while acting := state.to_act():
        recorder.observe_state(state)
        phase = state.phase()
        first = firsts[phase]
        questions = []
        for seat in acting:
            mask = masks[seat] = state.legal_mask(seat)
            if seat not in forfeited:
                budget_us = move_us[seat][phase] + banks[seat]
                questions.append(Question(seat, turn, phase, first, mask, state.observe(seat), budget_us, took[seat]))
        given: dict[int, Answer] = {}
        for answer in (yield questions):
            given[answer.seat] = answer
        if len(given) != len(questions):
            raise ValueError(f"{len(questions)} seats were asked and {len(given)} answered.")
        for seat in acting:
            mask = masks[seat]
            if seat in forfeited:
                action = state.fallback(seat)
                state.apply(seat, action)
                recorder.decision(seat, action, mask.bit_count(), 0, {"kind": FORFEITED})
                continue
            answer = given[seat]
            elapsed_us = took[seat] = answer.elapsed_us
            if elapsed_us > move_us[seat][phase]:
                banks[seat] = bank_after(move_us[seat][phase], banks[seat], elapsed_us)
            chosen = answer.action
            # Looked up in the mask: a bot may send any number, and compiled rules count in 64 bits. What the mask has
            # is legal, and need not be checked again.
            if chosen is not None and 0 <= chosen - first < 64 and mask >> (chosen - first) & 1:
                banks[seat] += increments[seat]
                times_us[seat][phase].append(elapsed_us)
                state.apply_unchecked(seat, chosen)
                recorder.decision(seat, chosen, mask.bit_count(), elapsed_us // 1000)
                continue
            fault = _fault(game, answer, turn, first, mask)
            action = state.fallback(seat)
            state.apply(seat, action)
            told = {"kind": str(fault.kind), "reason": fault.reason}
            recorder.decision(seat, action, mask.bit_count(), elapsed_us // 1000, told)
            faults.append(fault)
            if fault.kind is not FaultKind.GONE:
                times_us[seat][phase].append(elapsed_us)
            if on_fault is not None:
                on_fault(fault)
            fault_counts[seat] += 1
            if fault_counts[seat] >= limits[seat].max_faults:
                forfeited.add(seat)
        decisions += len(acting)
        turn += 1
    seats_out = tuple(sorted(forfeited))
    record = recorder.finish(state, seats_out)
    places = with_forfeits(state.places(), seats_out)
    return Verdict(
        tuple(state.scores()),
        tuple(places),
        seats_out,
        tuple(faults),
        decisions,
        record,
        recorder.digest,
        tuple(tuple(tuple(times) for times in phases) for phases in times_us),
    )


def _fault(game: Game, answer: Answer, turn: int, first: int, mask: int) -> Fault:
    """What is wrong with an answer whose action may not be taken."""
    if answer.action is None:
        assert answer.fault is not None
        return Fault(answer.seat, turn, answer.fault, answer.reason)
    return Fault(answer.seat, turn, FaultKind.ILLEGAL, _illegal(game, answer.action, first, mask))


def _illegal(game: Game, action: int, first: int, mask: int) -> str:
    legal = ", ".join(game.write(first + bit) for bit in range(mask.bit_length()) if mask >> bit & 1)
    if 0 <= action < game.num_actions:
        return f"{game.write(action)} (action {action}) is not legal here; legal: {legal}."
    return f"There is no action {action}: actions are 0 to {game.num_actions - 1}; legal here: {legal}."
