"""Tournaments that start by themselves when their entries close."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from arena.errors import WrongState
from arena.store import Connection, connect, people, tournaments
from arena.store.tournaments import NewTournament
from arena.tournaments import corrections, worker
from arena.tournaments.start import start_overdue
from tests.tournaments.ground import make_version, one

OWNER = people.User("owner", admin=False)
NAMES = [f"bot-{number}" for number in range(5)]


def make(connection: Connection, name: str, bots: int, *, over: bool = True) -> None:
    for bot in NAMES:
        make_version(connection, bot)
    until = datetime.now(UTC) + timedelta(hours=1)
    wanted = NewTournament("callbreak", 4, {}, 1, 1, 250, 0, 3, 1000, open_until=until)
    tournaments.create_tournament(connection, OWNER, name, wanted, "")
    tournaments.enter_tournament(connection, OWNER, name, NAMES[:bots])
    if over:
        connection.execute("UPDATE tournaments SET open_until = now() - interval '1 s' WHERE name = %s", (name,))


def test_it_starts_by_itself_when_its_time_has_come_and_not_before(connection: Connection) -> None:
    make(connection, "now", 5)
    make(connection, "later", 5, over=False)
    with pytest.raises(WrongState, match="took entries until"):
        tournaments.enter_tournament(connection, OWNER, "now", NAMES)
    worker.settle(connection)
    assert tournaments.find_tournament(connection, "now").blocks == 5
    assert tournaments.find_tournament(connection, "later").started_at is None
    assert one(connection, "SELECT who FROM audit WHERE act = 'start'") == "the arena"


def test_with_too_few_entries_it_stays_open_and_says_so_once(connection: Connection) -> None:
    make(connection, "few", 3)
    for _ in range(2):
        worker.settle(connection)
    assert one(connection, "SELECT count(*) FROM alarms WHERE kind = 'not-started'") == 1
    assert "stays open: Tables of 4 need at least 4 bots" in str(one(connection, "SELECT sentence FROM alarms"))
    tournaments.enter_tournament(connection, OWNER, "few", NAMES)
    assert tournaments.find_tournament(connection, "few").started_at is None


def test_one_that_is_cancelled_at_that_moment_raises_no_alarm(connection: Connection, database_url: str) -> None:
    make(connection, "gone", 5)
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with ThreadPoolExecutor() as threads, connect(database_url) as own:
        with connection.transaction():
            corrections.cancel(connection, OWNER, "gone", "No.")
            starting = threads.submit(start_overdue, own)
            while one(connection, waiting) != 1:
                assert not starting.done()
        assert starting.result() == 0
    assert one(connection, "SELECT count(*) FROM alarms") == 0


def test_of_many_that_look_at_the_clock_one_starts_it(connection: Connection, database_url: str) -> None:
    make(connection, "once", 5)
    start = threading.Barrier(5)

    def look(_: int) -> int:
        with connect(database_url) as own:
            start.wait()
            return start_overdue(own)

    with ThreadPoolExecutor(5) as pool:
        assert sum(pool.map(look, range(5))) == 1
    assert tournaments.find_tournament(connection, "once").blocks == 5
    assert one(connection, "SELECT count(*) FROM alarms") == 0
