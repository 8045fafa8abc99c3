"""What a record says of the seats' time, so that who lost on time can see that it was right. Knows no watch."""

from dataclasses import dataclass

from arena.referee.clock import Limits, bank_after
from arena.referee.presets import read_clock
from engine.record import FORFEITED, Verified


@dataclass(frozen=True, slots=True)
class SeatTime:
    """The time of one seat in milliseconds, as the record has it: each decision rounded down.

    :ivar answers: decisions that the seat was asked for.
    :ivar used_ms: what they took in all.
    :ivar longest_ms: what the longest took; ``longest_at`` is its number among the seat's own, from 1, 0 for none.
    :ivar bank_ms: what was left of the bank at the end; None if no clock ran.
    """

    answers: int
    used_ms: int
    longest_ms: int
    longest_at: int
    bank_ms: int | None


def clock_of_record(record: Verified) -> Limits | None:
    """The clock that every seat had; None if none ran, or the header has none that can be read."""
    try:
        return read_clock(str(record.header.get("clock", "")), record.game)
    except ValueError:
        return None


def seat_times(record: Verified, decisions: int | None = None) -> list[SeatTime]:
    """The time of every seat, by seat, at the end or after so many decisions. The bank is reckoned again, answer by
    answer, as the referee did."""
    limits = clock_of_record(record)
    found = []
    for seat in range(record.game.seats):
        own = [one for one in record.decisions[:decisions] if one.seat == seat and one.fault != FORFEITED]
        longest_ms = max((one.ms for one in own), default=0)
        bank_us = None if limits is None else limits.bank_ms * 1000
        for one in own:
            if limits is not None and bank_us is not None:
                phase = next(
                    number
                    for number, phase in enumerate(record.game.phases)
                    if phase.first <= one.action < phase.first + phase.size
                )
                bank_us = bank_after(limits.move_us(phase), bank_us, one.ms * 1000)
                bank_us += 0 if one.fault else limits.increment_ms * 1000
        found.append(
            SeatTime(
                answers=len(own),
                used_ms=sum(one.ms for one in own),
                longest_ms=longest_ms,
                longest_at=next((number for number, one in enumerate(own, 1) if one.ms == longest_ms), 0),
                bank_ms=None if bank_us is None else bank_us // 1000,
            )
        )
    return found
