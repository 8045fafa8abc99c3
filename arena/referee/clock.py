"""The clock of a seat, as arithmetic on microseconds. Knows no watch: whoever measured the time passes it in."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a seat may think, and how often it may fail.

    :ivar move_ms: time for one decision.
    :ivar bank_ms: time that the seat may use beyond ``move_ms``, at the start of the match.
    :ivar max_faults: faults after which the seat is forfeited, at least 1.
    :ivar phase_ms: time for one decision by phase, where it is not ``move_ms`` everywhere; empty otherwise. A person's
        seat gets the times of the rules here.
    :ivar increment_ms: what the bank gains after each answer that was in time and is played, as Fischer's clock has it:
        the bank may grow beyond its start. So n decisions take at most ``n * move + bank + n * increment``.
    """

    move_ms: int
    bank_ms: int
    max_faults: int
    phase_ms: tuple[int, ...] = ()
    increment_ms: int = 0

    @property
    def longest_move_ms(self) -> int:
        """The longest time for one decision before the bank is touched."""
        return max(self.phase_ms, default=self.move_ms)

    def move_us(self, phase: int) -> int:
        """Time for one decision of the phase before the bank is touched, in microseconds."""
        return 1000 * (self.phase_ms[phase] if self.phase_ms else self.move_ms)


UNLIMITED = Limits(move_ms=3_600_000, bank_ms=0, max_faults=3)
"""An hour a move: for play in one process, where nobody looks at a watch."""


def bank_after(move_us: int, bank_us: int, elapsed_us: int) -> int:
    """What is left of the bank after a decision that took ``elapsed_us`` and might take ``move_us``: never negative,
    never more than before. A seat whose decision took no longer than ``move_us + bank_us`` was in time; what such an
    answer earns comes on top."""
    return max(0, bank_us - max(0, elapsed_us - move_us))
