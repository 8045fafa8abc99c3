"""Arenas for the benchmark of tournaments: databases with bots and tournaments, and the processes that play them. Knows
no figure."""

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg

import engine
from arena.referee.presets import HOSTED, REMOTE
from arena.stack import Stack
from arena.stack.services import READY
from arena.store import Connection, connect, migrate, people
from arena.store.people import User
from arena.store.tournaments import NewTournament, create_tournament, enter_tournament
from arena.tournaments.start import start_tournament
from bots import house
from sandbox.archive import content_hash, pack

GAME = "callbreak"
CUP = "cup"
ORGANISER = User("organiser", admin=True)
HOUSE = ("random-1", "steady", "bold", "sly", "cautious", "patient", "random-2")

REMOTE_BOT = """
import sys
from arena.bot import run

def choose_many(turns):
    return [turn.rng.choice(turn.legal) for turn in turns]

if __name__ == "__main__":
    run(choose_many=choose_many, name=sys.argv[1], games=["callbreak"])
"""


@dataclass(frozen=True, slots=True)
class Arena:
    """A database of its own on the servers of the benchmark."""

    stack: Stack
    url: str

    @property
    def environment(self) -> dict[str, str]:
        """For the processes that work with it."""
        return {**os.environ, "ARENA_DATABASE_URL": self.url, "ARENA_BROKER_URL": self.stack.broker_url}


@contextlib.contextmanager
def arena(stack: Stack, name: str) -> Iterator[tuple[Arena, Connection]]:
    """An empty one, and a connection to it."""
    with psycopg.connect(stack.database_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}".encode())
        url = stack.database_url.replace("/arena?", f"/{name}?")
        migrate(url)
        with connect(url) as connection:
            people.add_user(connection, ORGANISER.name, admin=True)
            yield Arena(stack, url), connection
        server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def hosted_bots(connection: Connection, count: int) -> list[str]:
    """So many of the house's bots under names of their own."""
    archives = []
    for name in HOUSE:
        with tempfile.TemporaryDirectory() as folder:
            archives.append(pack(house.folder(house.entry(name), Path(folder))))
    for data in archives:
        connection.execute("INSERT INTO archives VALUES (%s, %s)", (content_hash(data), data))
    names = [f"bot-{number}" for number in range(count)]
    for number, name in enumerate(names):
        connection.execute("INSERT INTO bots VALUES (%s, %s, 'hosted', true)", (name, ORGANISER.name))
        connection.execute(
            "INSERT INTO versions (bot, number, content_hash, manifest, state) "
            """VALUES (%s, 1, %s, '{"games": ["callbreak"], "batch": 1}', 'active')""",
            (name, content_hash(archives[number % len(archives)])),
        )
    return names


@contextlib.contextmanager
def remote_bots(connection: Connection, address: str, count: int, environment: dict[str, str]) -> Iterator[list[str]]:
    """So many with the kit, each of an owner and in a process of its own, once all are connected to every referee."""
    names = [f"far-{number}" for number in range(count)]
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "bot.py").write_text(REMOTE_BOT)
        for name in names:
            token = people.add_user(connection, f"owner-of-{name}")
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, str(folder / "bot.py"), name, "--server", address, "--token", token],
                    env=environment,
                    stderr=subprocess.DEVNULL,
                )
            )
            stack.callback(process.kill)
        until(connection, f"SELECT bool_and(cardinality(bots) = {count}) FROM referees", 60)
        yield names


def tournament(connection: Connection, bots: list[str], units: int, *, orbits: int = 1, remote: bool = False) -> int:
    """Starts one of these bots; the number of its blocks."""
    game = engine.load(GAME)
    clock = REMOTE if remote else HOSTED
    wanted = NewTournament(
        game=GAME,
        seats=game.seats,
        options=engine.write_options(game.options),
        orbits=orbits,
        units=units,
        move_ms=clock.move_ms,
        bank_ms=clock.bank_ms,
        max_faults=clock.max_faults,
        startup_ms=10_000,
    )
    create_tournament(connection, ORGANISER, CUP, wanted, "")
    enter_tournament(connection, ORGANISER, CUP, bots)
    return start_tournament(connection, ORGANISER, CUP).blocks


@contextlib.contextmanager
def serving(arena: Arena) -> Iterator[tuple[str, int]]:
    """The address of an `arena serve`, and its process id."""
    command = [sys.executable, "-m", "arena", "serve", "--listen", "127.0.0.1:0", "--drain", "0"]
    with (
        tempfile.TemporaryDirectory() as data,
        subprocess.Popen(
            [*command, "--data", data],
            env=arena.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        yield process.stdout.readline().strip().removeprefix(READY), process.pid
        process.kill()


@contextlib.contextmanager
def working(arena: Arena, concurrency: int) -> Iterator[int]:
    """The process id of an `arena worker` that plays so many blocks at a time; what it has begun in the end is handed
    back."""
    command = [sys.executable, "-m", "arena", "worker", "--concurrency", str(concurrency), "--drain", "0"]
    with (
        tempfile.TemporaryDirectory(dir=arena.stack.data_dir) as data,
        subprocess.Popen(
            [*command, "--data", data], env=arena.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process,
    ):
        Path(data).chmod(0o755)  # the bots of other users than ours must reach it
        yield process.pid
        process.terminate()


def until(connection: Connection, question: str, within_s: float) -> bool:
    """Whether the answer became true within the time."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        row = connection.execute(question.encode()).fetchone()
        if row is not None and row[0]:
            return True
        threading.Event().wait(0.1)
    return False


def cpu_s(pid: int) -> float:
    """Processor time of a process, of those below it, and of those of them that have ended."""
    ticks = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and pid in ancestors(int(entry.name)):
            ticks += ticks_of(int(entry.name))
    return ticks / os.sysconf("SC_CLK_TCK")


def ancestors(pid: int) -> list[int]:
    """The process, its parent, and so on."""
    found = []
    while pid > 0:
        found.append(pid)
        with contextlib.suppress(OSError):
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            continue
        break
    return found


def ticks_of(pid: int) -> int:
    """Processor time of a process and of its children that have ended; 0 if it is gone."""
    with contextlib.suppress(OSError):
        return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return 0
