"""Kill -9 of every process during a tournament: it still ends, every unit counts once, and nothing stays on the host.

`make chaos` runs these; they take minutes and need the machine for themselves.
"""

import contextlib
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from arena.cli import main
from arena.cli.client import Server, find_login_in
from arena.cli.housing import submit_house_bots
from arena.ratings.periods import rebuild
from arena.stack import Stack
from arena.stack.services import Services
from bots import house
from sandbox.box import GATE

pytestmark = pytest.mark.chaos

GAME = "callbreak"
UNITS = 3
DEADLINE_S = 240.0


@dataclass(frozen=True)
class Arena:
    """An arena of its own for these tests, because they break it."""

    stack: Stack
    services: Services
    temporary: Path
    """Where its processes have their temporary files."""

    def ask(self, question: str) -> int:
        """The number that a query answers."""
        with psycopg.connect(self.stack.database_url, connect_timeout=5) as connection:
            row = connection.execute(question.encode()).fetchone()
        assert row is not None
        return int(row[0])

    def wait_until(self, question: str, at_least: int) -> None:
        """Returns when the query answers so much; a database that is away is asked again."""
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            try:
                if self.ask(question) >= at_least:
                    return
            except psycopg.OperationalError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"still not {at_least} after {DEADLINE_S:.0f} s: {question}")


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    directory = Path(tempfile.mkdtemp(prefix="arena-"))
    directory.chmod(0o711)
    temporary = directory / "tmp"
    temporary.mkdir()
    with pytest.MonkeyPatch.context() as patch, Stack(directory) as stack:
        patch.setenv("TMPDIR", str(temporary))
        with Services(stack, listen="127.0.0.1:0", concurrency=1) as services:
            _, owner = services.logins()
            submit_house_bots(Server(find_login_in(owner)), lambda _: None)
            yield Arena(stack, services, temporary)
    shutil.rmtree(directory)


def kill_worker(arena: Arena) -> None:
    """The worker with everything in its process group, Celery's children too."""
    os.killpg(arena.services.pid("worker"), signal.SIGKILL)


def kill_celery_child(arena: Arena) -> None:
    """The process that runs the task, alone."""
    worker = arena.services.pid("worker")
    (celery,) = _children(worker)
    os.kill(_children(celery)[0], signal.SIGKILL)


def kill_block_process(arena: Arena) -> None:
    """The process that plays the block, alone."""
    worker = arena.services.pid("worker")
    (celery,) = _children(worker)
    for child in _children(celery):
        for block in _children(child):
            os.kill(block, signal.SIGKILL)
            return
    raise AssertionError("no block is being played")


def kill_referee(arena: Arena) -> None:
    os.kill(arena.services.pid("serve"), signal.SIGKILL)


def kill_valkey(arena: Arena) -> None:
    os.kill(arena.stack.pid("valkey"), signal.SIGKILL)


def kill_postgres(arena: Arena) -> None:
    os.kill(arena.stack.pid("postgres"), signal.SIGKILL)


@pytest.mark.parametrize(
    "kill",
    [kill_worker, kill_celery_child, kill_block_process, kill_referee, kill_valkey, kill_postgres],
    ids=lambda kill: kill.__name__,
)
def test_after_a_kill_every_unit_counts_once(arena: Arena, kill: Callable[[Arena], None]) -> None:
    name = kill.__name__.replace("_", "-")
    bots = [entry.name for entry in house.ENTRIES]
    data = ["--data", str(arena.stack.data_dir)]
    wanted = ["--game", GAME, "--units", str(UNITS), "--bots", *bots]
    assert main(["tournament", "create", name, *wanted, *data]) == 0
    blocks = arena.ask(f"SELECT count(*) FROM blocks WHERE tournament = '{name}'")
    arena.wait_until(
        f"SELECT count(*) FROM attempts JOIN blocks ON blocks.id = attempts.block "
        f"WHERE tournament = '{name}' AND attempts.matches >= 1 AND outcome IS NULL",
        1,
    )

    kill(arena)

    arena.wait_until(f"SELECT count(closed_at) FROM tournaments WHERE name = '{name}'", 1)
    counted = f"FROM results WHERE tournament = '{name}'"
    assert arena.ask(f"SELECT count(*) {counted}") == blocks * UNITS * 4
    assert arena.ask(f"SELECT count(DISTINCT (unit, rotation)) {counted}") == blocks * UNITS * 4
    assert arena.ask(f"SELECT count(*) FROM blocks WHERE tournament = '{name}' AND state <> 'done'") == 0
    arena.wait_until(
        f"SELECT count(*) FROM rated_periods JOIN rating_periods USING (pool, position) WHERE tournament = '{name}'", 1
    )
    with psycopg.connect(arena.stack.database_url, autocommit=True) as connection:
        assert not rebuild(connection, verify=True).differences

    # The block that was cut short has been played again since, and whoever plays a block sweeps before it begins.
    deadline = time.monotonic() + 20
    while left := _left(arena):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def _left(arena: Arena) -> list[str]:
    """What is still there of blocks: processes of cells, sockets, mounts and files."""
    data, temporary = str(arena.stack.data_dir), str(arena.temporary)
    cells = [line for line in _command_lines() if data in line and GATE in line]
    sockets = [line for line in Path("/proc/net/unix").read_text().splitlines() if temporary in line]
    mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if data in line]
    files = [str(path) for path in arena.temporary.rglob("*") if not _is_no_blocks(path.relative_to(temporary))]
    return cells + sockets + mounts + files


def _command_lines() -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            yield (process / "cmdline").read_text(errors="replace")


def _is_no_blocks(path: Path) -> bool:
    """Whether it is the lock of a slot, or a worker's or Celery's own, which stays when a worker is killed."""
    if path.parts[0].startswith(("arena-worker-", "pymp-")):
        return True
    return path.parts[0].startswith("arena-slots-") and (len(path.parts) == 1 or path.name.isdigit())


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
