"""What the processes of bots did and wrote: who reads it, when it opens, and how long it is kept."""

import psycopg
import pytest

from arena.errors import NotAllowed, NotFound
from arena.store import Connection, notices, runs
from arena.store.people import User
from arena.store.runs import Retention
from arena.tournaments import ledger
from arena.tournaments.block import BotLog, Cause, ReportedFault
from tests.tournaments.ground import BOTS, claimed, log_of, make_tournament, one, reports_of

OWNER = User("owner", False)
ADMIN = User("boss", True)
STRANGER = User("else", False)


def play(connection: Connection, block: int, logs: list[BotLog], units: list[int]) -> str:
    """The tournament of a block that was played with these logs."""
    lease = claimed(connection, block)
    ledger.finish(connection, lease, reports_of(units), logs)
    return lease.tournament


def every_run(text: str = "hello") -> list[BotLog]:
    return [log_of(player, rotation, text) for rotation in range(4) for player in range(4)]


def test_owner_and_admin_read_a_run_by_its_match_and_nobody_else_does(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    cup = play(connection, block, [log_of(1, 2, "my hand is good"), log_of(0, 2, "another's")], [0])
    for user in (OWNER, ADMIN):
        (played,) = runs.list_runs(connection, user, "bob", 10)
        assert (played.tournament, played.first_unit, played.units, played.rotation) == (cup, 0, 1, 2)
        assert played.run["exit"] == "ended by itself with code 0"
        log = runs.find_log(connection, user, "bob", tournament=cup, unit=0, rotation=2)
        assert log.played == played
        assert log.parts == [{"since_ms": 300, "until_ms": 350, "text": "my hand is good"}]
        assert log.matches == [{"unit": 0, "match_id": 4096, "begun_ms": 250, "ended_ms": 900}]
    with pytest.raises(NotAllowed, match="belongs to owner"):
        runs.list_runs(connection, STRANGER, "bob", 10)
    with pytest.raises(NotAllowed, match="belongs to owner"):
        runs.find_log(connection, STRANGER, "bob", tournament=cup, unit=0, rotation=2)


def test_a_match_that_the_bot_has_no_run_of_is_not_found_in_a_sentence(connection: Connection) -> None:
    first, second = make_tournament(connection, blocks=2)
    cup = play(connection, first, [log_of(1, 0)], [0])
    for bot, unit, rotation in (("bob", 0, 1), ("bob", 1, 0), ("bob", 7, 0), ("ann", 0, 0)):
        with pytest.raises(NotFound, match="the block of the match is not done yet"):
            runs.find_log(connection, OWNER, bot, tournament=cup, unit=unit, rotation=rotation)
    play(connection, second, [log_of(1, 0)], [1])
    assert runs.find_log(connection, OWNER, "bob", tournament=cup, unit=1, rotation=0).played.first_unit == 1


def test_no_log_of_a_deal_is_told_that_may_be_played_again(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    lease = claimed(connection, block)
    ledger.abandon(connection, lease, "The worker went away.", Cause.LOST)
    again = claimed(connection, block)
    assert ledger.finish(connection, lease, reports_of([0]), every_run("AS KS")) is ledger.Ending.SUPERSEDED
    assert runs.list_runs(connection, OWNER, "bob", 10) == []
    # Even what somebody else wrote into the table is told only when the records of the block are.
    ledger.finish(connection, again, reports_of([0]), every_run())
    assert len(runs.list_runs(connection, OWNER, "bob", 10)) == 4
    connection.execute(
        "UPDATE blocks SET state = 'leased', lease_expires_at = now(), ended_at = NULL WHERE id = %s", (block,)
    )
    assert runs.list_runs(connection, OWNER, "bob", 10) == []
    with pytest.raises(NotFound):
        runs.find_log(connection, OWNER, "bob", tournament=lease.tournament, unit=0, rotation=0)


def test_of_every_bot_the_newest_runs_are_kept_and_none_for_longer_than_is_said(connection: Connection) -> None:
    old, new = make_tournament(connection, blocks=2)
    cup = play(connection, old, every_run(), [0])
    play(connection, new, every_run(), [1])
    assert runs.prune(connection) == 0
    assert runs.prune(connection, Retention(days=30, runs=5)) == 3 * len(BOTS)
    kept = [(played.first_unit, played.rotation) for played in runs.list_runs(connection, OWNER, "bob", 10)]
    assert kept == [(1, 3), (1, 2), (1, 1), (1, 0), (0, 3)]
    connection.execute("UPDATE blocks SET ended_at = now() - interval '31 days' WHERE id = %s", (old,))
    assert runs.prune(connection) == len(BOTS)
    with pytest.raises(NotFound, match="older than 30 days"):
        runs.find_log(connection, OWNER, "bob", tournament=cup, unit=0, rotation=3)
    assert one(connection, "SELECT count(*) FROM records") == 2


def test_a_run_that_is_none_is_refused_by_the_schema(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    play(connection, block, [log_of(1, 0)], [0])
    for change in ("run - 'peak_mib'", "run || '{\"faults\": 3}'"):
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute(f"UPDATE bot_logs SET run = {change}".encode())
    for column in ("parts", "matches"):
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute(f"UPDATE bot_logs SET {column} = '7'".encode())


def test_the_notice_of_a_bot_that_is_gone_has_the_last_line_of_its_output(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    gone = tuple(ReportedFault(1, turn, "GONE", "The bot's process ended by itself with code 1.") for turn in range(3))
    lease = claimed(connection, block)
    last = "ModuleNotFoundError: No module named 'torch'"
    ledger.finish(connection, lease, reports_of([0], faults=gone), [log_of(1, 0, last=last)])
    told = {notice.match[-1]: notice.reason for notice in notices.list_notices(connection, OWNER, "bob")}
    assert told["0"] == f"The bot's process ended by itself with code 1. Its last line: {last}"
