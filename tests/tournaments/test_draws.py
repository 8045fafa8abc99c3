"""Rounds that are drawn from results, against the real database."""

import hashlib
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from arena.errors import BadRequest
from arena.ratings import official, periods
from arena.store import Connection, connect, people, tournaments
from arena.store.tournaments import NewTournament, Tournament
from arena.tournaments import corrections, draws, ledger, worker
from arena.tournaments.block import Cause
from arena.tournaments.schedule import Table
from arena.tournaments.start import start_tournament
from tests.ratings import played
from tests.tournaments.ground import claimed, make_version, one

NAMES = tuple(f"bot-{number}" for number in range(10))


def begin(
    connection: Connection, name: str, *, orbits: int = 3, form: str = "swiss", unrated: bool = False
) -> Tournament:
    """A tournament of ten of the house's bots that has started."""
    for bot in NAMES:
        make_version(connection, bot)
    owner = people.User("owner", admin=False)
    wanted = NewTournament("callbreak", 4, {}, orbits, 2, 250, 0, 3, 1000, format=form, unrated=unrated)
    tournaments.create_tournament(connection, owner, name, wanted, "")
    tournaments.enter_tournament(connection, owner, name, list(NAMES))
    # Every run of the tests draws the same.
    secret = hashlib.sha256(name.encode()).digest()
    connection.execute(
        "UPDATE tournaments SET secret = %s, commitment = sha256(%s) WHERE name = %s", (secret, secret, name)
    )
    return start_tournament(connection, owner, name)


def tables(connection: Connection, name: str) -> list[Table]:
    rows = connection.execute(
        "SELECT orbit, table_index, entries FROM blocks WHERE tournament = %s AND replaces IS NULL "
        "ORDER BY orbit, table_index",
        (name,),
    )
    return [Table(orbit, index, tuple(entries)) for orbit, index, entries in rows]


def waiting(connection: Connection, name: str) -> list[int]:
    rows = connection.execute("SELECT id FROM blocks WHERE tournament = %s AND state = 'queued' ORDER BY id", (name,))
    return [row[0] for row in rows]


def play(connection: Connection, blocks: Sequence[int]) -> None:
    for block in blocks:
        played.play(connection, block)


def orbits(connection: Connection, name: str) -> list[int]:
    return sorted({table.orbit for table in tables(connection, name)})


def closed(connection: Connection, name: str) -> bool:
    return bool(one(connection, "SELECT closed_at IS NOT NULL FROM tournaments WHERE name = %s", name))


def test_a_round_is_drawn_when_the_one_before_has_ended_and_the_last_one_closes(connection: Connection) -> None:
    begin(connection, "rounds")
    for orbit in range(3):
        assert orbits(connection, "rounds") == list(range(orbit + 1))
        first, *rest = waiting(connection, "rounds")
        play(connection, rest)
        worker.settle(connection)
        assert orbits(connection, "rounds") == list(range(orbit + 1))
        play(connection, [first])
        assert not closed(connection, "rounds")
        worker.settle(connection)
    assert closed(connection, "rounds")
    assert not waiting(connection, "rounds")
    assert one(connection, "SELECT count(*) FROM rating_periods WHERE tournament = 'rounds'") == 3
    seen = connection.execute("SELECT first_unit FROM blocks WHERE tournament = 'rounds' ORDER BY id").fetchall()
    assert [row[0] for row in seen] == list(range(0, 2 * 2 * 3, 2))


def test_the_schedule_is_the_same_when_it_is_drawn_again_from_the_ledger(connection: Connection) -> None:
    begun = begin(connection, "again")
    for orbit in range(3):
        first, second = waiting(connection, "again")
        if orbit == 1:
            # What was given up is played again only when the round after was drawn.
            ledger.void(connection, first, "A person said so.")
            play(connection, [second])
            worker.settle(connection)
            play(connection, [ledger.retry(connection, first)])
        else:
            play(connection, [first, second])
            worker.settle(connection)
    worker.settle(connection)
    assert closed(connection, "again")
    assert draws.tables_again(connection, begun) == tables(connection, "again")
    assert len(tables(connection, "again")) == 6


def test_rounds_follow_the_results(connection: Connection) -> None:
    begun = begin(connection, "follow")
    play(connection, waiting(connection, "follow"))
    worker.settle(connection)
    drawn = tables(connection, "follow")
    connection.execute("ALTER TABLE results DISABLE TRIGGER results_write_once")
    connection.execute("UPDATE results SET places = ARRAY(SELECT 5 - place FROM unnest(places) AS place)")
    assert draws.tables_again(connection, begun) != drawn


def test_of_many_that_notice_the_end_of_a_round_at_once_one_draws_the_next(
    connection: Connection, database_url: str
) -> None:
    begin(connection, "at-once")
    play(connection, waiting(connection, "at-once"))
    start = threading.Barrier(6)

    def settle(_: int) -> int:
        with connect(database_url) as own:
            start.wait()
            return draws.draw_due(own)

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(settle, range(6))) == 1
    assert orbits(connection, "at-once") == [0, 1]
    assert len(waiting(connection, "at-once")) == 2


@pytest.mark.parametrize("form", ["round-robin", "swiss"])
def test_more_tables_than_the_server_has_time_for_are_not_drawn(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Of rounds one is drawn at a time."""
    monkeypatch.setattr(draws, "MOST_PLACES", 10 if form == "swiss" else 30)
    begin(connection, "as-many", form=form)
    monkeypatch.setattr(draws, "MOST_PLACES", draws.MOST_PLACES - 1)
    with pytest.raises(BadRequest, match="10 bots in"):
        begin(connection, "more", form=form)
    assert tournaments.find_tournament(connection, "more").started_at is None
    assert waiting(connection, "more") == []


@pytest.mark.parametrize("step", ["blocks", "draws"])
def test_a_draw_that_is_cut_short_leaves_nothing_and_the_next_one_is_the_same(
    connection: Connection, database_url: str, step: str
) -> None:
    begun = begin(connection, "cut")
    play(connection, waiting(connection, "cut"))
    # The process is killed when it has written into one of the two tables: its connection goes, and all with it.
    connection.execute(
        "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$"
    )
    connection.execute(f"CREATE TRIGGER die AFTER INSERT ON {step} FOR EACH ROW EXECUTE FUNCTION die()".encode())
    with connect(database_url) as own, pytest.raises(psycopg.OperationalError):
        draws.draw_due(own)
    assert orbits(connection, "cut") == [0]
    assert one(connection, "SELECT count(*) FROM draws") == 1
    connection.execute(f"DROP TRIGGER die ON {step}".encode())
    assert draws.draw_due(connection) == 1
    assert draws.draw_due(connection) == 0
    assert draws.tables_again(connection, begun) == tables(connection, "cut")


def test_a_round_waits_for_a_person_who_decides_about_a_block_that_was_given_up(connection: Connection) -> None:
    begin(connection, "decide")
    first, second = waiting(connection, "decide")
    play(connection, [second])
    for _ in range(3):
        ledger.abandon(connection, claimed(connection, first), "It crashed.", Cause.DIED)
    worker.settle(connection)
    assert orbits(connection, "decide") == [0]
    corrections.void(connection, people.User("owner", admin=False), "decide", "We do without.")
    worker.settle(connection)
    assert orbits(connection, "decide") == [0, 1]


def test_who_is_disqualified_is_in_no_round_to_come_and_too_few_end_the_tournament(connection: Connection) -> None:
    begun = begin(connection, "fewer")
    owner = people.User("owner", admin=False)
    corrections.disqualify(connection, owner, "fewer", "bot-3", "It cheated.")
    play(connection, waiting(connection, "fewer"))
    worker.settle(connection)
    second = [table for table in tables(connection, "fewer") if table.orbit == 1]
    assert len(second) == 2
    assert all("bot-3" not in table.entries for table in second)
    for number in (0, 1, 2, 4, 5, 6):
        corrections.disqualify(connection, owner, "fewer", f"bot-{number}", "It cheated, too.")
    worker.settle(connection)
    assert closed(connection, "fewer")
    assert orbits(connection, "fewer") == [0, 1]
    assert "ends after 2 of 3 rounds" in str(one(connection, "SELECT sentence FROM alarms WHERE kind = 'rounds-ended'"))
    assert draws.tables_again(connection, begun) == tables(connection, "fewer")


@pytest.mark.parametrize("form", ["round-robin", "swiss", "challenge"])
def test_no_rating_pool_period_or_fit_sees_an_unrated_tournament(connection: Connection, form: str) -> None:
    begin(connection, "friendly", form=form, unrated=True)
    while blocks := waiting(connection, "friendly"):
        play(connection, blocks)
        worker.settle(connection)
    assert tournaments.find_tournament(connection, "friendly").rated
    assert one(connection, "SELECT count(*) FROM pools") == 0
    begin(connection, "serious", orbits=1, form="round-robin")
    play(connection, waiting(connection, "serious"))
    worker.settle(connection)
    counted = one(connection, "SELECT sum(units) FROM rated_periods")
    assert counted == 2 * len(tables(connection, "serious"))
    assert connection.execute("SELECT DISTINCT tournament FROM rating_periods").fetchall() == [("serious",)]
    assert one(connection, "SELECT count(*) FROM fits") == 10
    assert not periods.rebuild(connection).differs
    assert not official.differences(connection)
