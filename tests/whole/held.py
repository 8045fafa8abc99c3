"""A remote bot that waits in the third deal of every match until it is let go, so that a match can be looked at while
it is played."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.cli import main
from arena.stack.services import Services
from arena.store import connect, people

MAIN = """
import pathlib, sys, time
from arena.bot import Turn, run

def choose(turn: Turn) -> int:
    while turn.observation.deal >= 2 and not pathlib.Path(sys.argv[2]).exists():
        time.sleep(0.02)
    return turn.legal[0]

if __name__ == "__main__":
    run(choose, name=sys.argv[1], games=["callbreak"])
"""


@contextmanager
def held(services: Services, arena: Path, folder: Path, cup: str) -> Iterator[Path]:
    """A tournament of that name in which such a bot plays; it is let go when the file that comes back is made, and at
    the end, when the tournament is played out."""
    program, go = folder / "held.py", folder / "go"
    program.write_text(MAIN)
    with connect(services.database_url) as connection:
        token = people.add_user(connection, f"{cup}-author")
    environment = {**os.environ, "ARENA_SERVER": services.address, "ARENA_TOKEN": token}
    command = [sys.executable, str(program), f"{cup}-held", str(go)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as bot:
        try:
            assert bot.stderr is not None
            said = bot.stderr.readline()
            assert "plays at" in said, said
            bots = [f"{cup}-held", "random-1", "steady", "bold"]
            clock = ["--clock", "move=60s,bank=60s"]
            wanted = ["--game", "callbreak", "--units", "1", "--unrated", *clock, "--bots", *bots]
            assert main(["tournament", "create", cup, *wanted, "--data", str(arena)]) == 0
            yield go
            go.touch()
            # Nobody else is played while a bot that is gone has its time to come back.
            assert main(["tournament", "watch", cup, "--data", str(arena)]) == 0
        finally:
            bot.kill()
