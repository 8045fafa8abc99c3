"""What one process of a bot did in one sitting, as its owner is told. Knows no cell, no stream and no database.

A run is a process from its launch to its end: it plays every match that it has in one sitting of a block, all at
the same time.
Times are milliseconds from its launch unless they say otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

ALL_PHASES = "all"


@dataclass(frozen=True, slots=True)
class ThinkTime:
    """How long the answers of one phase took, in microseconds as the referee measured them; late ones count, too.

    :ivar phase: the phase's name, or `all`.
    :ivar p50_us: half of the answers took no longer; ``p90_us`` and ``p99_us`` are nine tenths and 99 hundredths.
    :ivar on_bank: how many took longer than a move and used spare time.
    """

    phase: str
    answers: int
    p50_us: int
    p90_us: int
    p99_us: int
    longest_us: int
    on_bank: int


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended and what it used.

    :ivar exit: how it ended: a sentence without its end, and without anything that the bot wrote.
    :ivar last_line: the last line of its output, if it ended by itself with an error; else empty.
    :ivar written: bytes of output, of which some may not be kept.
    :ivar hello_ms: when it had connected; None if it never did.
    :ivar answer_ms: when its first answer came; None if none did.
    :ivar faults: how many, by kind; a kind without one is not there.
    :ivar thinking: of all phases together, then of each, if there are several; empty without an answer.
    """

    game: str
    exit: str
    last_line: str
    cpu_ms: int
    peak_mib: int
    written: int
    hello_ms: int | None
    answer_ms: int | None
    faults: dict[str, int]
    thinking: tuple[ThinkTime, ...]

    @property
    def ending(self) -> str:
        """How it ended, whole: two sentences at most. For the owner alone."""
        return f"It {self.exit}." + (f" Its last line: {self.last_line}" if self.last_line else "")


@dataclass(frozen=True, slots=True)
class LogPart:
    """Some of what a run wrote, which came between the two times."""

    since_ms: int
    until_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class MatchSpan:
    """When a match of the run was played. ``match_id`` is what the bot knew it by."""

    unit: int
    match_id: int
    begun_ms: int
    ended_ms: int


def think_times(
    times_us: Sequence[Sequence[int]], phases: Sequence[str], move_us: Sequence[int]
) -> tuple[ThinkTime, ...]:
    """The profile of answers that took so long, by phase; ``move_us`` is what a move of the phase may take."""
    by_phase = [
        _think_time(name, sorted(times), sum(time > limit for time in times))
        for name, times, limit in zip(phases, times_us, move_us, strict=True)
        if times
    ]
    if not by_phase:
        return ()
    every = sorted(time for times in times_us for time in times)
    whole = _think_time(ALL_PHASES, every, sum(one.on_bank for one in by_phase))
    return (whole, *by_phase) if len(by_phase) > 1 else (whole,)


def _think_time(phase: str, ascending: Sequence[int], on_bank: int) -> ThinkTime:
    def rank(hundredths: int) -> int:
        return ascending[-(-hundredths * len(ascending) // 100) - 1]

    return ThinkTime(phase, len(ascending), rank(50), rank(90), rank(99), ascending[-1], on_bank)
