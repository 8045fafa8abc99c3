"""Real Celery workers, killed with everything that they hold, beside a broker that forgets."""

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.store import Connection
from arena.tournaments import broker, sweeper
from arena.tournaments.tasks import worker_command
from tests.conftest import broker_client
from tests.tournaments.ground import STAND_IN, expire, make_tournament, make_version, one

ROOT = Path(__file__).parents[2]


@contextmanager
def celery_worker(database_url: str, broker_url: str, bots_dir: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of two children in a process group of its own."""
    process = subprocess.Popen(
        worker_command("tester", 2),
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "ARENA_DATABASE_URL": database_url,
            "ARENA_BROKER_URL": broker_url,
            "ARENA_BOTS": str(bots_dir),
            "ARENA_BLOCK_COMMAND": shlex.join([*STAND_IN, "slow"]),
        },
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def wait_until(connection: Connection, question: str, answer: int) -> None:
    deadline = time.monotonic() + 60
    while one(connection, question) < answer:
        assert time.monotonic() < deadline, f"still {one(connection, question)}, not {answer}: {question}"
        time.sleep(0.05)


def test_workers_killed_and_a_broker_wiped_in_the_middle_lose_nothing_and_count_nothing_twice(
    connection: Connection, database_url: str, broker_url: str, tmp_path: Path
) -> None:
    blocks = make_tournament(connection, 6, units=2)
    make_version(connection, "new", state="validating", house=False)
    ending = threading.Event()
    sweeping = threading.Thread(target=sweeper.run, args=(database_url, broker_url, ending, 0.2))
    sweeping.start()
    with celery_worker(database_url, broker_url, tmp_path) as first:
        wait_until(connection, "SELECT count(*) FROM blocks WHERE state = 'done'", 1)
        wait_until(connection, "SELECT count(*) FROM blocks WHERE state = 'leased'", 1)
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    with broker_client(broker_url) as client:
        client.flushall()
    for block in blocks:
        expire(connection, block)
    connection.execute("UPDATE versions SET lease_expires_at = now() WHERE lease IS NOT NULL")
    with celery_worker(database_url, broker_url, tmp_path):
        wait_until(connection, "SELECT count(*) FROM blocks WHERE state = 'done'", 6)
        wait_until(connection, "SELECT count(*) FROM versions WHERE bot = 'new' AND state = 'active'", 1)
    ending.set()
    sweeping.join()
    assert one(connection, "SELECT count(*) FROM results") == 6 * 2 * 4
    assert one(connection, "SELECT count(*) FROM attempts WHERE outcome = 'done'") == 6
    assert one(connection, "SELECT count(*) FROM alarms") == 0
    assert one(connection, "SELECT closed_at IS NOT NULL FROM tournaments")


def test_a_celery_parent_never_loads_grpc() -> None:
    code = "import sys, arena.tournaments.tasks as t; print(sorted(t.app.tasks), 'grpc' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert broker.PLAY_BLOCK in told
    assert broker.VALIDATE_VERSION in told
    assert told.split()[-1] == "False"
