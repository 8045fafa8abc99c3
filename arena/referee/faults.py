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


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. ``reason`` is a sentence for the bot's owner."""

    seat: int
    turn: int
    kind: FaultKind
    reason: str
