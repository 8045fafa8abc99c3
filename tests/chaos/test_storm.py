"""A tournament in a storm: whatever breaks while it is played, its results and ratings are those of a quiet one.

Both are played with the same secret by the same versions of bots that draw from nothing but their seeds, under a clock
far above what they need. Processes are killed with -9, a worker is stopped beyond its lease and goes on, the broker is
wiped, tasks are sent twice and the disk fills, in an order drawn from SEED.
"""

import contextlib
import itertools
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from arena.cli import main
from arena.ratings.periods import rebuild
from arena.tournaments.broker import BLOCKS, PLAY_BLOCK, application, queue_of
from bots import house
from tests.chaos.broken import (
    Arena,
    SecondWorker,
    kill_celery_child,
    kill_postgres,
    kill_referee,
    kill_valkey,
    kill_worker,
    opened,
)
from tests.conftest import broker_client

pytestmark = pytest.mark.chaos

SEED = 20
SECRET = bytes(range(32))
NAME = "storm"
# 28 tables of 8 units: 224 units in 4 orbits, 896 matches. Half of it with CHAOS=short.
SHORT = os.environ.get("CHAOS") == "short"
ORBITS = 2 if SHORT else 4
UNITS = 7 * ORBITS * 8
WANTED = [
    *("--game", "minus", "--set", "deals=1", "--orbits", str(ORBITS), "--units", "8"),
    *("--clock", "move=5s,bank=0s,faults=3"),
]
TIMES_EACH = 1 if SHORT else 2
DISK = "size=600m,mode=711"

BEGUN = (
    "SELECT count(*) FROM attempts JOIN blocks ON blocks.id = attempts.block "
    "WHERE tournament = %s AND attempts.matches >= 1 AND outcome IS NULL"
)
RESULTS = (
    "SELECT unit, rotation, b.entries, r.seats, scores, places, faults, forfeited, decisions, digest "
    "FROM results r JOIN blocks b ON b.id = r.block ORDER BY unit, rotation"
)
RATINGS = (
    "SELECT position, bot, number, delta_micro, micro_elo, units, matches, points, faults "
    "FROM rating_events JOIN versions v ON v.id = version WHERE run = (SELECT max(run) FROM rating_events) "
    "ORDER BY position, bot"
)
FITS = (
    "SELECT position, bot, micro_elo, micro_margin, first_rank, last_rank, deals, milli_points_margin "
    "FROM fits JOIN versions v ON v.id = version ORDER BY position, bot"
)


@pytest.mark.timeout(1200)
def test_a_storm_changes_no_bit_of_results_and_ratings(disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with opened() as quiet:
        second = SecondWorker(quiet)
        try:
            start(quiet)
            finish(quiet)
        finally:
            second.end()
        expected = outcome(quiet)

    with opened(disk) as arena:
        storm = Storm(arena, disk)
        start(arena)
        try:
            storm.rage()
        finally:
            storm.end()
        finish(arena)
        assert not differences(expected, outcome(arena))
        with arena.connect() as connection:
            assert not rebuild(connection, verify=True).differences
            attempts = connection.execute("SELECT outcome, count(*) FROM attempts GROUP BY 1 ORDER BY 1").fetchall()
        assert arena.ask("SELECT count(*) FROM alarms WHERE kind = 'results-differ'") == 0

    with capsys.disabled():
        print(f"\n{'what happened':<28}times")
        for what, times in sorted(storm.done.items()):
            print(f"{what:<28}{times:>5}")
        print("attempts:", ", ".join(f"{times} {ending}" for ending, times in attempts))
    assert min(storm.done.values()) >= 1


class Storm:
    """What goes wrong, by name. ``done`` counts."""

    def __init__(self, arena: Arena, disk: Path) -> None:
        self._arena = arena
        self._ballast = disk / "ballast"
        self._second = SecondWorker(arena)
        self._events: dict[str, Callable[[], None]] = {
            "worker killed": lambda: kill_worker(arena),
            "second worker killed": lambda: os.killpg(self._second.group, signal.SIGKILL),
            "Celery's child killed": lambda: kill_celery_child(arena),
            "referee killed": lambda: kill_referee(arena),
            "Valkey killed": lambda: kill_valkey(arena),
            "PostgreSQL killed": lambda: kill_postgres(arena),
            "broker wiped": self._wipe,
            "every task sent twice": self._repeat,
            "worker stopped past its lease": self._stop_past_the_lease,
        }
        if disk.is_mount():
            self._events["disk full"] = self._fill
        self.done = Counter(dict.fromkeys(self._events, 0))

    def rage(self) -> None:
        """Lets everything happen, each while some block is being played, until all happened or the tournament ended."""
        events = list(self._events) * TIMES_EACH
        random.Random(SEED).shuffle(events)
        for event in events:
            self._arena.wait_until(
                f"SELECT ({BEGUN}) + (SELECT count(closed_at) FROM tournaments WHERE name = %s)", NAME, NAME
            )
            if self._closed():
                return
            with contextlib.suppress(psycopg.OperationalError, redis.RedisError, ProcessLookupError, ValueError):
                self._events[event]()
                self.done[event] += 1

    def end(self) -> None:
        """Leaves nothing of it."""
        self._ballast.unlink(missing_ok=True)
        self._second.end()

    def _closed(self) -> bool:
        return self._arena.ask("SELECT count(closed_at) FROM tournaments WHERE name = %s", NAME) > 0

    def _wipe(self) -> None:
        with broker_client(self._arena.stack.broker_url) as client:
            client.flushall()

    def _repeat(self) -> None:
        with self._arena.connect() as connection:
            blocks = [block for (block,) in connection.execute("SELECT id FROM blocks")]
        app = application(self._arena.stack.broker_url)
        for block in blocks * 2:
            app.send_task(PLAY_BLOCK, args=[block], queue=queue_of(BLOCKS, strangers=False))
        app.close()

    def _stop_past_the_lease(self) -> None:
        """A stopped worker holds its lease until it runs out; then it goes on, with a lease that is no more."""
        group = self._second.group
        while (lease := self._lease_of(group)) is None:
            if self._closed():
                return
            time.sleep(0.05)
        os.killpg(group, signal.SIGSTOP)
        try:
            self._arena.wait_until("SELECT count(ended_at) FROM attempts WHERE lease = %s", lease)
        finally:
            os.killpg(group, signal.SIGCONT)

    def _lease_of(self, group: int) -> uuid.UUID | None:
        """The lease under which a process of the group plays, if one does."""
        with self._arena.connect() as connection:
            playing = connection.execute("SELECT lease, worker FROM attempts WHERE matches >= 1 AND outcome IS NULL")
            for lease, worker in playing:
                with contextlib.suppress(ProcessLookupError):
                    if os.getpgid(int(worker.rpartition(":")[2])) == group:
                        return uuid.UUID(str(lease))
        return None

    def _fill(self) -> None:
        """No byte is left until a write fails for it; then there is room again."""
        with self._ballast.open("wb", buffering=0) as out, contextlib.suppress(OSError):
            while out.write(bytes(1 << 20)):
                pass
        try:
            with pytest.raises(psycopg.Error), self._arena.connect() as connection:
                connection.execute("CREATE TABLE too_much AS SELECT repeat('x', 1000) FROM generate_series(1, 50000)")
        finally:
            self._ballast.unlink()


@pytest.fixture
def disk() -> Iterator[Path]:
    """A small disk of its own; for whoever may not mount one a folder, which is never full."""
    folder = Path(tempfile.mkdtemp(prefix="arena-disk-"))
    folder.chmod(0o711)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", DISK, "tmpfs", str(folder)], check=False).returncode == 0
    yield folder
    if mounted:
        subprocess.run(["umount", str(folder)], check=True)
    shutil.rmtree(folder)


def start(arena: Arena) -> None:
    """Starts the tournament with the secret."""
    data = ["--data", str(arena.stack.data_dir)]
    bots = [entry.name for entry in house.ENTRIES]
    assert main(["tournament", "create", NAME, *WANTED, "--open", "--bots", *bots, *data]) == 0
    with arena.connect() as connection:
        connection.execute("UPDATE tournaments SET secret = %s, commitment = sha256(%s)", [SECRET, SECRET])
    assert main(["tournament", "start", NAME, *data]) == 0


def finish(arena: Arena) -> None:
    """Returns when all is played and rated."""
    arena.wait_until("SELECT count(closed_at) FROM tournaments WHERE name = %s", NAME)
    arena.wait_until("SELECT count(*) FROM rated_periods", at_least=ORBITS)
    arena.wait_until("SELECT count(DISTINCT position) FROM fits WHERE position = %s", ORBITS - 1)


def differences(expected: list[list[tuple[Any, ...]]], found: list[list[tuple[Any, ...]]]) -> list[str]:
    """Every row that is another one."""
    pairs = zip(itertools.chain(*expected), itertools.chain(*found), strict=True)
    return [f"{was} became {now}" for was, now in pairs if was != now]


def outcome(arena: Arena) -> list[list[tuple[Any, ...]]]:
    """All that must be the same, to the last bit."""
    with arena.connect() as connection:
        results, ratings, fits = ([*connection.execute(query)] for query in (RESULTS, RATINGS, FITS))
    last = [row for row in fits if row[0] == ORBITS - 1]
    assert len(results) == UNITS * 4
    assert len(ratings) == ORBITS * len(house.ENTRIES)
    return [results, ratings, last]
