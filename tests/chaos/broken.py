"""An arena of its own for tests that break it, and ways to break it. Knows no test."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest

from arena.cli.client import Server, find_login_in
from arena.cli.housing import submit_house_bots
from arena.stack import Stack
from arena.stack.services import Services

DEADLINE_S = 480.0


@dataclass(frozen=True)
class Arena:
    """Services on a stack with the house bots submitted.

    :ivar temporary: where its processes have their temporary files.
    """

    stack: Stack
    services: Services
    temporary: Path

    def connect(self) -> psycopg.Connection:
        """A connection to its database.

        :raises psycopg.OperationalError: if the database is away.
        """
        return psycopg.connect(self.stack.database_url, connect_timeout=5, autocommit=True)

    def ask(self, question: LiteralString, *values: object) -> int:
        """The number that a query answers."""
        with self.connect() as connection:
            row = connection.execute(question, values).fetchone()
        assert row is not None
        return int(row[0])

    def wait_until(self, question: LiteralString, *values: object, at_least: int = 1) -> None:
        """Returns when the query answers so much; a database that is away is asked again."""
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            with contextlib.suppress(psycopg.OperationalError):
                if self.ask(question, *values) >= at_least:
                    return
            time.sleep(0.05)
        raise AssertionError(f"still not {at_least} after {DEADLINE_S:.0f} s: {question} {values}")


@contextlib.contextmanager
def opened(directory: Path | None = None) -> Iterator[Arena]:
    """An arena in the directory, which is empty and stays, or in one of its own."""
    made = Path(tempfile.mkdtemp(prefix="arena-"))
    made.chmod(0o711)
    temporary = made / "tmp"
    temporary.mkdir()
    with pytest.MonkeyPatch.context() as patch, Stack(directory or made) as stack:
        patch.setenv("TMPDIR", str(temporary))
        with Services(stack, listen="127.0.0.1:0", concurrency=1) as services:
            _, owner = services.logins()
            submit_house_bots(Server(find_login_in(owner)), lambda _: None)
            yield Arena(stack, services, temporary)
    shutil.rmtree(made)


class SecondWorker:
    """A worker beside the arena's own, in a process group of its own."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._process = self._start()

    @property
    def group(self) -> int:
        """Its process group; started again if it has ended."""
        if self._process.poll() is not None:
            self._process = self._start()
        return self._process.pid

    def end(self) -> None:
        """Kills it with all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "arena", "worker", "--concurrency", "1", "--data", str(self._arena.stack.data_dir)],
            env={
                **os.environ,
                "ARENA_DATABASE_URL": self._arena.stack.database_url,
                "ARENA_BROKER_URL": self._arena.stack.broker_url,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def kill_worker(arena: Arena) -> None:
    """The worker with everything in its process group, Celery's children too."""
    os.killpg(arena.services.pid("worker"), signal.SIGKILL)


def kill_celery_child(arena: Arena) -> None:
    """The process that runs the task, alone."""
    worker = arena.services.pid("worker")
    (celery,) = children(worker)
    os.kill(children(celery)[0], signal.SIGKILL)


def kill_block_process(arena: Arena) -> None:
    """The process that plays the block, alone."""
    worker = arena.services.pid("worker")
    (celery,) = children(worker)
    for child in children(celery):
        for block in children(child):
            os.kill(block, signal.SIGKILL)
            return
    raise AssertionError("no block is being played")


def kill_referee(arena: Arena) -> None:
    """`arena serve`."""
    os.kill(arena.services.pid("serve"), signal.SIGKILL)


def kill_valkey(arena: Arena) -> None:
    """The broker."""
    os.kill(arena.stack.pid("valkey"), signal.SIGKILL)


def kill_postgres(arena: Arena) -> None:
    """The database's first process."""
    os.kill(arena.stack.pid("postgres"), signal.SIGKILL)


def children(pid: int) -> list[int]:
    """Process ids."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
