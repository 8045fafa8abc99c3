"""The kit for bots: write ``choose(turn)``, or ``choose_many(turns)``, and call ``run``. Needs the contract and the
engine, nothing else of ours::

from arena.bot import Turn, run

def choose(turn: Turn) -> int:
    return turn.rng.choice(turn.legal)

if __name__ == "__main__":
    run(choose, name="dice", games=[...])
"""

from arena.bot.connect import run
from arena.bot.folder import BotFolder, load
from arena.bot.turn import Choose, ChooseMany, Turn

__all__ = ["BotFolder", "Choose", "ChooseMany", "Turn", "load", "run"]
