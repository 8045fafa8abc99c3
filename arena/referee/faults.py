"""What a bot can do wrong on a turn, as values. Knows no wire and no clock; nothing here is ever raised."""

from dataclasses import dataclass
from enum import StrEnum


class FaultKind(StrEnum):
    """Every kind of fault costs the same: the house plays its fallback, and the fault counts towards the forfeit."""

    ILLEGAL = "ILLEGAL"
    """The action is not legal."""
    LATE = "LATE"
    """The answer came too late or not at all."""
    GARBLED = "GARBLED"
    """The frame could not be read."""
    GONE = "GONE"
    """The bot's stream was lost and did not come back in time."""


def late_reason(budget_us: int, elapsed_us: int) -> str:
    """The sentence for a LATE: what the seat had, bank included, and how long it has taken."""
    budget_s, elapsed_s = budget_us / 1e6, elapsed_us / 1e6
    return f"No answer within {budget_s:.3f} s, the move's time and all of the bank; judged after {elapsed_s:.3f} s."


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. ``reason`` is a sentence for the bot's owner."""

    seat: int
    turn: int
    kind: FaultKind
    reason: str
