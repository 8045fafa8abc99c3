"""The clock of a seat, as arithmetic on microseconds. Knows no watch: whoever measured the time passes it in."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a seat may think, and how often it may fail.

    :ivar move_ms: time for one decision.
    :ivar bank_ms: time that the seat may use beyond ``move_ms``, over the whole match.
    :ivar max_faults: faults after which the seat is forfeited, at least 1.
    :ivar phase_ms: time for one decision by phase, where it is not ``move_ms`` everywhere; empty otherwise. A person's
        seat gets the times of the rules here.
    """

    move_ms: int
    bank_ms: int
    max_faults: int
    phase_ms: tuple[int, ...] = ()

    def move_us(self, phase: int) -> int:
        """Time for one decision of the phase before the bank is touched, in microseconds."""
        return 1000 * (self.phase_ms[phase] if self.phase_ms else self.move_ms)


HOSTED = Limits(move_ms=250, bank_ms=10_000, max_faults=3)
"""What a bot gets that runs beside the referee."""

REMOTE = Limits(move_ms=2_000, bank_ms=30_000, max_faults=3)
"""What a bot gets that runs at its owner's."""

UNLIMITED = Limits(move_ms=3_600_000, bank_ms=0, max_faults=3)
"""An hour a move: for play in one process, where nobody looks at a watch."""


def bank_after(move_us: int, bank_us: int, elapsed_us: int) -> int:
    """What is left of the bank after a decision that took ``elapsed_us`` and might take ``move_us``: never negative,
    never more than before. A seat whose decision took no longer than ``move_us + bank_us`` was in time."""
    return max(0, bank_us - max(0, elapsed_us - move_us))
