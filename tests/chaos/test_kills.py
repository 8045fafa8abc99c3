"""Kill -9 of every process during a tournament: it still ends, every unit counts once, and nothing stays on the host.

`make chaos` runs these; they take minutes and need the machine for themselves.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.cli import main
from arena.ratings.periods import rebuild
from bots import house
from sandbox.box import GATE
from tests.chaos.broken import (
    Arena,
    kill_block_process,
    kill_celery_child,
    kill_postgres,
    kill_referee,
    kill_valkey,
    kill_worker,
    opened,
)

pytestmark = pytest.mark.chaos

GAME = "callbreak"
UNITS = 3


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with opened() as arena:
        yield arena


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
    blocks = arena.ask("SELECT count(*) FROM blocks WHERE tournament = %s", name)
    arena.wait_until(
        "SELECT count(*) FROM attempts JOIN blocks ON blocks.id = attempts.block "
        "WHERE tournament = %s AND attempts.matches >= 1 AND outcome IS NULL",
        name,
    )

    kill(arena)

    arena.wait_until("SELECT count(closed_at) FROM tournaments WHERE name = %s", name)
    played = blocks * UNITS * 4
    assert arena.ask("SELECT count(*) FROM results WHERE tournament = %s", name) == played
    assert arena.ask("SELECT count(DISTINCT (unit, rotation)) FROM results WHERE tournament = %s", name) == played
    assert arena.ask("SELECT count(*) FROM blocks WHERE tournament = %s AND state <> 'done'", name) == 0
    arena.wait_until(
        "SELECT count(*) FROM rated_periods JOIN rating_periods USING (pool, position) WHERE tournament = %s", name
    )
    with arena.connect() as connection:
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
