"""A bot that takes any legal action, each with the same chance. Knows no game."""

from arena.bot import Turn, run

GAMES = ("callbreak", "contract_whist", "minus", "minus_one")


def choose(turn: Turn) -> int:
    """One of the legal actions. Draws only from the turn's generator, so the match can be played again exactly."""
    return turn.rng.choice(turn.legal)


if __name__ == "__main__":
    run(choose, name="random", games=GAMES, batch=32)
