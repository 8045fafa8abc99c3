"""The arena of the soak: PostgreSQL, Valkey, `arena serve` and `arena worker`, each a process of its own, and what the
server holds as /proc and the server itself say. Knows no bot."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import engine
from arena.stack import Stack
from arena.stack.leash import leashed
from arena.stack.services import READY
from arena.store import bots, connect, migrate, people

ORGANISER = "organiser"
"""An admin."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a process takes, seen from outside. ``fds`` is by kind: socket, pipe, anon_inode or a path."""

    rss_kib: int
    threads: int
    fds: Counter[str]


@dataclass(frozen=True, slots=True)
class Served:
    """A running server.

    :ivar tokens: of the organiser, and by bot.
    """

    address: str
    pid: int
    reports: Path
    tokens: dict[str, str]

    def sizes(self) -> Sizes:
        """As of now."""
        proc = Path(f"/proc/{self.pid}")
        status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
        fds: Counter[str] = Counter()
        for fd in (proc / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                fds[str(fd.readlink()).split(":", 1)[0]] += 1
        return Sizes(int(status["VmRSS"].split()[0]), int(status["Threads"]), fds)

    async def report(self, number: signal.Signals = signal.SIGUSR1) -> dict[str, Any]:
        """What the server says it holds; see ``watched.py``."""
        before = self._lines()
        os.kill(self.pid, number)
        while len(lines := self._lines()) == len(before):  # noqa: ASYNC110 - another process writes them
            await asyncio.sleep(0.05)
        told: dict[str, Any] = json.loads(lines[-1])
        return told

    def _lines(self) -> list[str]:
        text = self.reports.read_text() if self.reports.exists() else ""
        return text[: text.rfind("\n") + 1].splitlines()


@contextlib.asynccontextmanager
async def served(directory: Path, names: Iterable[str]) -> AsyncIterator[Served]:
    """An arena in the directory, which every user may pass through, that knows the organiser and remote bots of these
    names, each with an owner."""
    log = (directory / "serve.log").open("wb")
    with log, Stack(directory / "arena") as stack:
        migrate(stack.database_url)
        with connect(stack.database_url) as connection:
            tokens = {ORGANISER: people.add_user(connection, ORGANISER, admin=True)}
            for name in names:
                # Bots of one owner share no table of a tournament, and one may enter that has dialled in before.
                owner = people.User(f"author-of-{name}", admin=False)
                tokens[name] = people.add_user(connection, owner.name)
                games = sorted(engine.GAMES)
                bots.declare_version(connection, owner, name=name, declared="1", games=games, batch=1)
        data = ["--data", str(stack.data_dir)]
        reports = directory / "reports"
        commands = (
            ["tests.soak.watched", str(reports), "serve", "--listen", "127.0.0.1:0", *data],
            ["arena", "worker", "--concurrency", "1", *data],
        )
        processes = [_started(command, stack, log) for command in commands]
        try:
            out = processes[0].stdout
            assert out is not None
            said = await asyncio.to_thread(out.readline)
            assert said.startswith(READY), (directory / "serve.log").read_text()[-2000:]
            yield Served(said.removeprefix(READY).strip(), processes[0].pid, reports, tokens)
        finally:
            for process in reversed(processes):
                process.terminate()
            for process in reversed(processes):
                assert process.stdout is not None
                process.stdout.close()
                try:
                    await asyncio.to_thread(process.wait, 60)
                except subprocess.TimeoutExpired:
                    process.kill()


def _started(command: list[str], stack: Stack, log: IO[bytes]) -> "subprocess.Popen[str]":
    addresses = {"ARENA_DATABASE_URL": stack.database_url, "ARENA_BROKER_URL": stack.broker_url}
    return subprocess.Popen(
        leashed([sys.executable, "-m", *command], os.getpid()),
        env={**os.environ, **addresses},
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
