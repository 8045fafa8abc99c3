"""What may be seen of a block that is being played: whoever plays it shows it, and it goes when the block does."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.store import Connection, connect, open_matches
from arena.store.open_matches import OpenMatch
from arena.tournaments import ledger, worker
from arena.tournaments.block import UnitKind
from arena.tournaments.ledger import Ending, Lease
from arena.tournaments.worker import Settings
from tests.tournaments.ground import STAND_IN, claimed, make_tournament, one, reports_of


def show(connection: Connection, lease: Lease, unit: int = 0, record: str = "deal 1") -> None:
    seats = (1, 2, 3, 0)
    open_matches.show(
        connection, block=lease.block, lease=lease.token, unit=unit, rotation=3, seats=seats, record=record
    )


def rows(connection: Connection) -> int:
    return int(one(connection, "SELECT count(*) FROM open_matches"))


def test_what_is_shown_of_a_tournament_is_listed_by_unit(connection: Connection) -> None:
    first, second, _ = make_tournament(connection, blocks=3)
    (other,) = make_tournament(connection)
    show(connection, claimed(connection, second), unit=1)
    lease = claimed(connection, first)
    show(connection, lease)
    show(connection, lease, record="deals 1 and 2")
    show(connection, claimed(connection, other))
    bots = ["bob", "cyd", "dan", "ann"]
    both = [OpenMatch(0, 3, bots, "deals 1 and 2"), OpenMatch(1, 3, bots, "deal 1")]
    assert open_matches.list_open(connection, lease.tournament, after=-1, limit=9) == both
    assert open_matches.list_open(connection, lease.tournament, after=-1, limit=1) == both[:1]
    assert open_matches.list_open(connection, lease.tournament, after=0, limit=9) == both[1:]


def test_a_block_that_a_person_gives_up_is_seen_no_more(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    show(connection, claimed(connection, block))
    ledger.void(connection, block, "Its host is gone.")
    assert rows(connection) == 0


def test_whoever_shows_a_block_while_its_results_are_written_shows_nothing(
    connection: Connection, database_url: str
) -> None:
    (block,) = make_tournament(connection)
    lease = claimed(connection, block)
    with connect(database_url) as other, ThreadPoolExecutor(1) as pool:
        with connection.transaction():
            assert ledger.finish(connection, lease, reports_of([0])) is Ending.RECORDED
            showing = pool.submit(show, other, lease)
            waiting = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pid = %s)"
            with connect(database_url) as third:
                while not one(third, waiting, other.info.backend_pid):
                    assert not showing.done(), "it did not wait for whoever ends the block"
        showing.result()
    assert rows(connection) == 0


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return Settings(database_url, tmp_path, (*STAND_IN, "watched"), "tester", 20.0)


def test_a_worker_shows_what_its_process_tells_until_the_block_is_done(
    connection: Connection, settings: Settings
) -> None:
    (block,) = make_tournament(connection, kind=UnitKind.ROTATION)
    cup = one(connection, "SELECT tournament FROM blocks")
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(worker.play_block, settings, block)
        while not (seen := open_matches.list_open(connection, cup, after=-1, limit=9)):
            assert not playing.done()
        (settings.bots_dir / "seen").touch()
        assert playing.result() is Ending.RECORDED
    order = one(connection, "SELECT seats FROM results WHERE rotation = 3")
    entries = one(connection, "SELECT entries FROM blocks")
    assert seen == [OpenMatch(0, 3, [entries[player] for player in order], "a deal of it")]
    assert rows(connection) == 0


def test_a_block_that_cannot_be_shown_is_played_like_any_other(
    connection: Connection, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    (block,) = make_tournament(connection, kind=UnitKind.ROTATION)
    connection.execute("ALTER TABLE open_matches ADD CHECK (record = '')")
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(worker.play_block, settings, block)
        while "cannot be watched" not in caplog.text:
            assert not playing.done()
        (settings.bots_dir / "seen").touch()
        assert playing.result() is Ending.RECORDED
    assert one(connection, "SELECT count(*) FROM results") == 4
    assert one(connection, "SELECT deaths FROM blocks") == 0
