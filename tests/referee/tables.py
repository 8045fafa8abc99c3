"""Tables for the referee's tests: every game there is, and clocks that never run out."""

import engine
from arena.referee.clock import Limits
from engine.game import Game

PATIENT = Limits(move_ms=60_000, bank_ms=0, max_faults=3)


def games() -> list[Game]:
    """Every game at its usual table."""
    return [engine.load(name) for name in engine.GAMES]


def tables() -> list[Game]:
    """Every game at every table size."""
    return [engine.load(name, seats) for name, kind in engine.GAMES.items() for seats in kind.seat_counts]


def title(game: Game) -> str:
    """For the name of a test."""
    return f"{game.id}-{game.seats}"
