"""Ladders against the real database: periods follow each other, each with a secret of its own."""

import hashlib
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from arena.errors import BadRequest, NotAllowed, WrongState
from arena.ratings import official, periods
from arena.store import Connection, connect, people, tournaments
from arena.store.tournaments import NewTournament, Tournament
from arena.tournaments import corrections, ladders, ledger, worker
from arena.tournaments.block import Cause
from arena.tournaments.plan import outline
from arena.tournaments.start import start_tournament
from tests.ratings import played
from tests.tournaments.ground import claimed, make_version, one

OWNER = people.User("owner", admin=False)
NAMES = tuple(f"bot-{number}" for number in range(10))


def make(connection: Connection, name: str, bots: int = 10, *, batch: int | None = 2, unrated: bool = False) -> None:
    """A ladder of the house's bots, of which nobody has noticed yet that a period is due."""
    for bot in NAMES:
        make_version(connection, bot)
    wanted = NewTournament(
        "callbreak", 4, {}, 1, 2, 250, 0, 3, 1000, format="ladder", unrated=unrated, batch=batch, every_s=600
    )
    tournaments.create_tournament(connection, OWNER, name, wanted, "")
    tournaments.enter_tournament(connection, OWNER, name, list(NAMES[:bots]))


def pass_time(connection: Connection, ladder: str) -> None:
    """Lets the newest period have started long ago."""
    connection.execute("UPDATE tournaments SET started_at = started_at - interval '1 h' WHERE ladder = %s", (ladder,))


def blocks(connection: Connection, period: str) -> list[int]:
    rows = connection.execute("SELECT id FROM blocks WHERE tournament = %s AND state = 'queued' ORDER BY id", (period,))
    return [row[0] for row in rows]


def play(connection: Connection, period: str) -> Tournament:
    """Plays a period to its end, after which the next one is due."""
    for block in blocks(connection, period):
        played.play(connection, block)
    pass_time(connection, period.partition(".")[0])
    return tournaments.find_tournament(connection, period)


def names(connection: Connection, ladder: str) -> list[str]:
    rows = connection.execute("SELECT name FROM tournaments WHERE ladder = %s ORDER BY period", (ladder,))
    return [row[0] for row in rows]


def tables(connection: Connection, period: str) -> list[tuple[str, ...]]:
    rows = connection.execute(
        "SELECT entries FROM blocks WHERE tournament = %s AND replaces IS NULL ORDER BY table_index", (period,)
    )
    return [tuple(row[0]) for row in rows]


def test_period_follows_period_each_with_the_secret_that_was_committed_to_before(connection: Connection) -> None:
    make(connection, "night")
    told = []
    for number in range(1, 5):
        told.append(tournaments.find_tournament(connection, "night").commitment)
        worker.settle(connection)
        worker.settle(connection)
        assert names(connection, "night") == [f"night.{one}" for one in range(1, number + 1)]
        period = tournaments.find_tournament(connection, f"night.{number}")
        assert period.commitment == told[-1] == hashlib.sha256(period.secret).digest()
        assert (len(period.bots), period.blocks, period.closed_at) == (8, 2, None)
        assert all(entry.version for entry in tournaments.list_entries(connection, period.name))
        play(connection, period.name)
    assert len({*told, tournaments.find_tournament(connection, "night").commitment}) == 5
    counts = [len([1 for period in names(connection, "night") for table in tables(connection, period) if bot in table])
              for bot in NAMES]  # fmt: skip
    assert (sum(counts), min(counts), max(counts)) == (32, 3, 4)


def test_ratings_see_every_period_as_one_and_follow_from_the_results(connection: Connection) -> None:
    make(connection, "rated")
    for number in range(1, 4):
        worker.settle(connection)
        play(connection, f"rated.{number}")
    worker.settle(connection)
    rows = connection.execute("SELECT tournament, orbit FROM rating_periods ORDER BY position").fetchall()
    assert rows == [("rated.1", 0), ("rated.2", 0), ("rated.3", 0)]
    assert one(connection, "SELECT array_agg(units) FROM rated_periods") == [4, 4, 4]
    assert not periods.rebuild(connection).differs
    assert not official.differences(connection)
    # The fourth follows the fit of the three before it.
    assert one(connection, "SELECT position FROM ladder_draws WHERE tournament = 'rated.4'") == 2


def test_a_period_is_the_same_when_it_is_drawn_again_from_the_ledger(connection: Connection) -> None:
    make(connection, "again", 9)
    for number in range(1, 5):
        worker.settle(connection)
        play(connection, f"again.{number}")
        if number == 2:
            tournaments.leave_tournament(connection, OWNER, "again", ["bot-4"])
            tournaments.enter_tournament(connection, OWNER, "again", ["bot-9"])
            connection.execute("UPDATE bots SET retired_at = now() WHERE name = 'bot-5'")
    drawn = {name: tables(connection, name) for name in names(connection, "again")}
    assert not any("bot-4" in table or "bot-5" in table for table in [*drawn["again.3"], *drawn["again.4"]])
    assert any("bot-9" in table for table in drawn["again.3"])
    for name, entries in drawn.items():
        period = tournaments.find_tournament(connection, name)
        assert [table.entries for table in ladders.tables_again(connection, period)] == entries


def test_the_tables_follow_the_official_ratings(connection: Connection) -> None:
    make(connection, "follow", batch=None)
    worker.settle(connection)
    play(connection, "follow.1")
    worker.settle(connection)
    period = tournaments.find_tournament(connection, "follow.2")
    assert [table.entries for table in ladders.tables_again(connection, period)] == tables(connection, "follow.2")
    connection.execute("ALTER TABLE fits DISABLE TRIGGER fits_write_once")
    connection.execute("UPDATE fits SET micro_elo = 1500e6 + 1e6 * (version * 7919 % 700), micro_margin = 9e7")
    assert [table.entries for table in ladders.tables_again(connection, period)] != tables(connection, "follow.2")


def test_who_enters_while_a_period_is_played_plays_from_the_next_one_with_the_version_of_then(
    connection: Connection,
) -> None:
    make(connection, "late", 9)
    worker.settle(connection)
    tournaments.enter_tournament(connection, OWNER, "late", ["bot-9"])
    connection.execute("UPDATE versions SET state = 'replaced' WHERE bot = 'bot-0'")
    newer = one(
        connection,
        "INSERT INTO versions (bot, number, content_hash, manifest, state) "
        "SELECT bot, 2, (SELECT content_hash FROM versions WHERE bot = 'bot-1'), manifest, 'active' FROM versions "
        "WHERE bot = 'bot-0' RETURNING number",
    )
    worker.settle(connection)
    assert names(connection, "late") == ["late.1"]
    assert "bot-9" not in tournaments.find_tournament(connection, "late.1").bots
    play(connection, "late.1")
    worker.settle(connection)
    found = {entry.bot: entry.version for entry in tournaments.list_entries(connection, "late.2")}
    assert found["bot-9"] == 1
    before = {entry.bot: entry.version for entry in tournaments.list_entries(connection, "late.1")}
    assert before["bot-0"] == 1
    assert found["bot-0"] == newer == 2


def test_a_secret_is_told_when_its_period_has_ended_and_not_before(connection: Connection) -> None:
    make(connection, "secret")
    worker.settle(connection)
    first, *rest = blocks(connection, "secret.1")
    for block in rest:
        played.play(connection, block)
    worker.settle(connection)
    assert tournaments.find_tournament(connection, "secret.1").closed_at is None
    played.play(connection, first)
    worker.settle(connection)
    assert tournaments.find_tournament(connection, "secret.1").closed_at is not None
    assert tournaments.find_tournament(connection, "secret").closed_at is None
    # Not before its time is over: the next one is not drawn yet.
    assert names(connection, "secret") == ["secret.1"]


def test_it_pauses_while_there_are_too_few_and_goes_on_when_there_are_enough(connection: Connection) -> None:
    make(connection, "pause", 3)
    for _ in range(3):
        worker.settle(connection)
    assert names(connection, "pause") == []
    found = ladders.standing(connection, tournaments.find_tournament(connection, "pause"))
    assert "need bots of 4 owners, and there are 3" in found.paused
    assert one(connection, "SELECT count(*) FROM alarms") == 0
    tournaments.enter_tournament(connection, OWNER, "pause", ["bot-7"])
    worker.settle(connection)
    assert names(connection, "pause") == ["pause.1"]
    found = ladders.standing(connection, tournaments.find_tournament(connection, "pause"))
    assert (found.paused, [period.name for period in found.periods]) == ("", ["pause.1"])


def test_of_many_that_notice_at_once_that_a_period_is_due_one_draws_it(
    connection: Connection, database_url: str
) -> None:
    make(connection, "at-once")
    start = threading.Barrier(6)

    def look(_: int) -> int:
        with connect(database_url) as own:
            start.wait()
            return ladders.draw_periods(own)

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(look, range(6))) == 1
    assert names(connection, "at-once") == ["at-once.1"]
    assert len(blocks(connection, "at-once.1")) == 2


@pytest.mark.parametrize(
    "step", ["INSERT ON entries", "INSERT ON blocks", "INSERT ON ladder_draws", "UPDATE ON tournaments"]
)
def test_a_draw_that_is_cut_short_leaves_nothing_and_the_next_one_draws_it(
    connection: Connection, database_url: str, step: str
) -> None:
    make(connection, "cut")
    before = tournaments.find_tournament(connection, "cut").commitment
    # The process is killed when it has written into one of the tables: its connection goes, and all with it.
    connection.execute(
        "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$"
    )
    connection.execute(f"CREATE TRIGGER die AFTER {step} FOR EACH ROW EXECUTE FUNCTION die()".encode())
    with connect(database_url) as own, pytest.raises(psycopg.OperationalError):
        ladders.draw_periods(own)
    assert names(connection, "cut") == []
    assert tournaments.find_tournament(connection, "cut").commitment == before
    connection.execute(f"DROP TRIGGER die ON {step.rpartition(' ')[2]}".encode())
    assert ladders.draw_periods(connection) == 1
    assert ladders.draw_periods(connection) == 0
    period = tournaments.find_tournament(connection, "cut.1")
    assert period.commitment == before
    assert [table.entries for table in ladders.tables_again(connection, period)] == tables(connection, "cut.1")


def test_a_ladder_that_is_closed_plays_its_period_to_the_end_and_no_other(connection: Connection) -> None:
    make(connection, "close")
    worker.settle(connection)
    with pytest.raises(NotAllowed, match="belongs to owner"):
        ladders.close_ladder(connection, people.User("somebody", admin=False), "close")
    for _ in range(2):
        assert ladders.close_ladder(connection, OWNER, "close").closed_at is not None
    assert one(connection, "SELECT count(*) FROM audit WHERE act = 'close'") == 1
    with pytest.raises(WrongState, match="is closed"):
        tournaments.enter_tournament(connection, OWNER, "close", ["bot-1"])
    assert tournaments.find_tournament(connection, "close.1").closed_at is None
    play(connection, "close.1")
    worker.settle(connection)
    assert tournaments.find_tournament(connection, "close.1").closed_at is not None
    assert names(connection, "close") == ["close.1"]
    assert one(connection, "SELECT count(*) FROM rated_periods") == 1


def test_a_period_that_waits_for_a_decision_holds_up_the_next_one(connection: Connection) -> None:
    make(connection, "decide")
    worker.settle(connection)
    block = blocks(connection, "decide.1")[0]
    for _ in range(3):
        ledger.abandon(connection, claimed(connection, block), "It crashed.", Cause.DIED)
    play(connection, "decide.1")
    worker.settle(connection)
    assert names(connection, "decide") == ["decide.1"]
    corrections.void(connection, OWNER, "decide.1", "We do without.")
    worker.settle(connection)
    assert names(connection, "decide") == ["decide.1", "decide.2"]


def test_what_is_no_act_on_a_ladder_says_what_to_do_instead(connection: Connection) -> None:
    make(connection, "acts")
    with pytest.raises(WrongState, match="start by themselves"):
        start_tournament(connection, OWNER, "acts")
    with pytest.raises(WrongState, match="close it"):
        corrections.cancel(connection, OWNER, "acts", "Enough.")
    with pytest.raises(WrongState, match="name the period"):
        corrections.void(connection, OWNER, "acts", "Enough.")
    with pytest.raises(WrongState, match="nothing to plan"):
        outline(connection, tournaments.find_tournament(connection, "acts"))
    connection.execute("INSERT INTO bots (name, owner, kind) VALUES ('away', 'owner', 'remote')")
    with pytest.raises(BadRequest, match="is a remote bot; submit it"):
        tournaments.enter_tournament(connection, OWNER, "acts", ["away"])
    worker.settle(connection)
    with pytest.raises(WrongState, match="has started"):
        tournaments.enter_tournament(connection, OWNER, "acts.1", ["bot-9"])
    with pytest.raises(WrongState, match="has started"):
        tournaments.leave_tournament(connection, OWNER, "acts.1", ["bot-9"])


def test_who_is_disqualified_from_a_ladder_is_in_no_period_to_come(connection: Connection) -> None:
    make(connection, "out", 9)
    worker.settle(connection)
    said = corrections.disqualify(connection, OWNER, "out", "bot-8", "It cheated.")
    assert "in no period to come" in said[0]
    play(connection, "out.1")
    worker.settle(connection)
    assert "bot-8" not in tournaments.find_tournament(connection, "out.2").bots
    with pytest.raises(WrongState, match="is disqualified"):
        tournaments.enter_tournament(connection, OWNER, "out", ["bot-8"])


def test_no_rating_sees_an_unrated_ladder(connection: Connection) -> None:
    make(connection, "friendly", unrated=True)
    for number in (1, 2):
        worker.settle(connection)
        play(connection, f"friendly.{number}")
    worker.settle(connection)
    assert len(names(connection, "friendly")) == 3
    assert one(connection, "SELECT count(*) FROM pools") == 0


def test_a_list_has_the_ladder_and_not_its_periods(connection: Connection) -> None:
    make(connection, "listed")
    worker.settle(connection)
    found = tournaments.list_tournaments(connection, OWNER, before=None, limit=9)
    assert [tournament.name for tournament in found] == ["listed"]
