"""A player's stream as the hub sees it, with its first and its last words. Knows no gRPC, no match and no player."""

from dataclasses import dataclass
from typing import Protocol

LARGEST_BATCH = 256
"""Most turns in a frame: encoding them takes about 2 ms, which is as long as one step of the loop may be."""

DEAD_FRAMES = 3
"""Wholly expired frames in a row that end a stream."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What a bot said about itself. ``batch`` is between 1 and ``LARGEST_BATCH``."""

    bot: str
    version: str
    games: tuple[str, ...]
    batch: int


@dataclass(frozen=True, slots=True)
class Farewell:
    """Why a stream ends: the name of a FarewellReason without its prefix, and a sentence."""

    reason: str
    sentence: str


TAKEN_OVER = Farewell("TAKEN_OVER", "The same bot has logged in again; this stream is closed.")
DONE = Farewell("DONE", "The work is done.")
SHUTDOWN = Farewell("SHUTDOWN", "The referee is shutting down; come back later.")
DEAD = Farewell("BROKEN", f"No turn of {DEAD_FRAMES} frames in a row was answered in time.")


class Stream(Protocol):
    """What the hub needs of a player's stream."""

    @property
    def hello(self) -> Hello: ...

    def wake(self) -> None:
        """Something waits for the player."""
        ...

    def end(self, farewell: Farewell) -> None:
        """Says farewell and ends; the player has been left already."""
        ...
