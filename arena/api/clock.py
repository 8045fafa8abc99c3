"""The clock of a request: what it asks for, within what the server offers. Knows no match and no database."""

from arena.errors import BadRequest
from arena.referee.clock import Limits
from arena.referee.presets import preset, read_clock
from engine.game import Game

LONGEST_MOVE_MS = 60_000
LONGEST_BANK_MS = 600_000
LONGEST_INCREMENT_MS = 5_000
"""A lease outlives the longest silence that a clock allows, and a bank may grow with every answer."""
MOST_FAULTS = 1_000


def clock_of(text: str, game: Game, usual: str) -> Limits:
    """The clock that the text asks for, a preset or times of its own; the preset ``usual`` if it is empty.

    :raises BadRequest: if it is none.
    """
    try:
        return read_clock(text, game) if text else preset(usual, game)
    except ValueError as error:
        raise BadRequest(str(error)) from error


def offered(limits: Limits) -> Limits:
    """The same clock, which is within what the server offers.

    :raises BadRequest: if it is not.
    """
    for name, value, most in (
        ("move_ms", limits.move_ms, LONGEST_MOVE_MS),
        ("phase_ms", limits.longest_move_ms, LONGEST_MOVE_MS),
        ("bank_ms", limits.bank_ms, LONGEST_BANK_MS),
        ("increment_ms", limits.increment_ms, LONGEST_INCREMENT_MS),
        ("max_faults", limits.max_faults, MOST_FAULTS),
    ):
        if value > most:
            raise BadRequest(f"the clock's {name} is {value}; it can be at most {most}")
    return limits
