"""Blocks and folders of bots for the tests of the block process."""

import hashlib
import os
import subprocess
import sysconfig
from pathlib import Path

import engine
from arena.tournaments.block import Block, BlockLimits, Player, PlayerKind, UnitKind, UnitPlan
from tests.sandbox.attacks.nobody import NobodyError, as_nobody, open_python

GAME = "minus_one"

BOT = """
from arena.bot import run

def choose(turn):
    return turn.rng.choice(turn.legal)

if __name__ == "__main__":
    run(choose, name="bot", games=["minus_one"], batch=16)
"""

CRASHING = """
from arena.bot import run

def choose(turn):
    raise SystemError("what a pity")

if __name__ == "__main__":
    run(choose, name="bot", games=["minus_one"])
"""

GREEDY = """
import threading
from arena.bot import run

def think():
    while True:
        pass

def choose(turn):
    if not any(thread.name == "greed" for thread in threading.enumerate()):
        threading.Thread(target=think, name="greed", daemon=True).start()
    return turn.legal[0]

if __name__ == "__main__":
    run(choose, name="bot", games=["minus_one"])
"""

SLOW = """
import time
from arena.bot import run

def choose(turn):
    time.sleep(0.1)
    return turn.legal[0]

if __name__ == "__main__":
    run(choose, name="bot", games=["minus_one"])
"""

SILENT = "import time\ntime.sleep(60)\n"


def write_bot(bots_dir: Path, code: str) -> str:
    """The content hash of a bot with that program, which is in the folder now."""
    name = hashlib.sha256(code.encode()).hexdigest()
    folder = bots_dir / name
    folder.mkdir(parents=True, mode=0o755)
    (folder / "main.py").write_text(code)
    (folder / "bot.toml").write_text('name = "bot"\nentry = "main.py"\ngames = ["minus_one"]\n')
    return name


def hosted(name: str, content_hash: str) -> Player:
    """A bot that runs in a cell."""
    return Player(name, name, 1, content_hash, PlayerKind.HOSTED, True, 16, f"ticket of {name}")


def remote(name: str) -> Player:
    """A bot that is connected to a referee."""
    return Player(name, name, 1, "", PlayerKind.REMOTE, False, 16, "")


def block_of(players: list[Player], *, units: int, kind: UnitKind, startup_ms: int = 10_000) -> Block:
    """A block of the quickest game; a field has tables of three."""
    seats = 3 if kind is UnitKind.FIELD else len(players)
    game = engine.load(GAME, seats)
    rotations = kind.rotations(seats, len(players))
    return Block(
        id=7,
        attempt="attempt",
        tournament="cup",
        game=GAME,
        engine=engine.VERSION,
        seats=seats,
        options=engine.write_options(game.options),
        limits=BlockLimits(move_ms=5_000, bank_ms=5_000, max_faults=3, startup_ms=startup_ms),
        kind=kind,
        rotations=rotations,
        players=tuple(players),
        units=tuple(
            UnitPlan(
                unit=100 + number,
                seed=hashlib.sha256(bytes((number,))).digest(),
                order=tuple((number + at) % len(players) for at in range(len(players))),
                bot_seeds=tuple(
                    tuple(bytes((number, rotation, seat)) + bytes(29) for seat in range(seats))
                    for rotation in range(rotations)
                ),
            )
            for number in range(units)
        ),
        commitment=bytes(32),
    )


def without_namespaces() -> tuple[str, dict[str, str]]:
    """A Python that has all that blocks and bots need and that every user may run, and the environment in which it can
    make no namespace and is told that strangers' bots may run without.

    :raises NobodyError: if there is none, or we are not root, who alone starts cells without namespaces.
    """
    if os.geteuid() != 0:
        raise NobodyError("without namespaces only root starts cells")
    python, path = open_python(), f"{Path(engine.__file__).parents[1]}:{sysconfig.get_path('purelib')}"
    asked = as_nobody("env", f"PYTHONPATH={path}", python, "-c", "import arena.bot, numpy")
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        raise NobodyError("other users cannot read what is installed here; install it below /opt")
    return python, {"ARENA_BWRAP": "/bin/false", "ARENA_LEAST_TIER": "nons", "PYTHONPATH": path}
