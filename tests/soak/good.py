"""A good bot for the soak: the kit, and random legal answers. ``python -m tests.soak.good NAME``."""

import sys

import engine
from arena.bot import Turn, run


def choose(turn: Turn) -> int:
    """Any legal action."""
    return turn.rng.choice(turn.legal)


if __name__ == "__main__":
    run(choose, name=sys.argv[1], games=sorted(engine.GAMES), batch=32)
