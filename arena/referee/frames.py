"""The referee's values and the messages of the Play stream. Knows no stream and no clock."""

from collections.abc import Mapping

from arena.codec import write_view
from arena.referee.clock import Limits
from arena.referee.faults import FaultKind
from arena.referee.match import Question, Verdict
from arena.v1 import play_pb2

WIRE_FAULT = {
    FaultKind.ILLEGAL: play_pb2.FAULT_KIND_ILLEGAL,
    FaultKind.LATE: play_pb2.FAULT_KIND_LATE,
    FaultKind.GARBLED: play_pb2.FAULT_KIND_GARBLED,
    FaultKind.GONE: play_pb2.FAULT_KIND_GONE,
}


def write_start(
    start: play_pb2.MatchStart,
    *,
    match_id: int,
    game: str,
    options: Mapping[str, str],
    seat: int,
    seats: int,
    limits: Limits,
    bot_seed: bytes,
) -> None:
    """Fills an empty MatchStart."""
    start.match_id = match_id
    start.game = game
    start.options.update(options)
    start.seat = seat
    start.seats = seats
    start.limits.move_ms = limits.move_ms
    start.limits.bank_ms = limits.bank_ms
    start.limits.max_faults = limits.max_faults
    start.limits.increment_ms = limits.increment_ms
    start.limits.phase_ms.extend(limits.phase_ms)
    start.bot_seed = bot_seed


def write_turn(turn: play_pb2.Turn, match_id: int, question: Question, budget_us: int) -> None:
    """Fills an empty Turn. ``budget_us`` is what is left, less than the question's when the turn is sent again."""
    turn.match_id = match_id
    turn.turn = question.turn
    turn.first = question.first
    turn.legal = question.legal_mask
    turn.budget_ms = budget_us // 1000
    turn.last_answer_us = min(question.last_answer_us, 0xFFFFFFFF)
    write_view(question.observation, turn)


def write_end(end: play_pb2.MatchEnd, match_id: int, seat: int, verdict: Verdict | None) -> None:
    """Fills an empty MatchEnd with the result and the seat's own faults; ``verdict`` is None for an abandoned match."""
    end.match_id = match_id
    if verdict is None:
        end.abandoned = True
        return
    end.scores.extend(verdict.scores)
    end.places.extend(verdict.places)
    for fault in verdict.faults:
        if fault.seat == seat:
            end.faults.add(seat=fault.seat, turn=fault.turn, kind=WIRE_FAULT[fault.kind], reason=fault.reason)
