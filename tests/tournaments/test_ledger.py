"""Laws of the ledger, against the real database."""

import dataclasses
import json
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import psycopg
import pytest

import engine
from arena.errors import NotFound, WrongState
from arena.store import Connection, connect
from arena.tournaments import ledger, results
from arena.tournaments.block import Cause, Failed, ReportedFault, UnitKind
from arena.tournaments.ledger import Ending, Lease
from tests.tournaments.ground import claimed, expire, field_of, log_of, make_tournament, one, reports_of


def state(connection: Connection, block: int) -> object:
    return one(connection, "SELECT state FROM blocks WHERE id = %s", block)


def outcome(connection: Connection, lease: Lease) -> object:
    return one(connection, "SELECT outcome FROM attempts WHERE lease = %s", lease.token)


def alarms(connection: Connection, kind: str) -> object:
    return one(connection, "SELECT count(*) FROM alarms WHERE kind = %s", kind)


def test_of_many_claims_at_once_one_gets_the_lease(connection: Connection, database_url: str) -> None:
    (block,) = make_tournament(connection)
    start = threading.Barrier(8)

    def try_to_claim(number: int) -> Lease | None:
        with connect(database_url) as own:
            start.wait()
            return ledger.claim(own, block, f"worker {number}", engine.VERSION)

    with ThreadPoolExecutor(8) as pool:
        leases = [lease for lease in pool.map(try_to_claim, range(8)) if lease]
    assert len(leases) == 1
    assert one(connection, "SELECT count(*) FROM attempts") == 1


def test_of_many_claims_of_an_expired_block_one_gets_the_lease(connection: Connection, database_url: str) -> None:
    (block,) = make_tournament(connection)
    first = claimed(connection, block)
    expire(connection, block)
    start = threading.Barrier(8)

    def try_to_claim(number: int) -> Lease | None:
        with connect(database_url) as own:
            start.wait()
            return ledger.claim(own, block, f"worker {number}", engine.VERSION)

    with ThreadPoolExecutor(8) as pool:
        leases = [lease for lease in pool.map(try_to_claim, range(8)) if lease]
    assert len(leases) == 1
    assert outcome(connection, first) == "expired"


def test_a_lease_lives_longer_than_the_longest_silence_of_the_clock_by_fifteen_seconds(connection: Connection) -> None:
    (block,) = make_tournament(connection, move_ms=7000)
    assert claimed(connection, block).duration_ms == 22_000
    left = one(connection, "SELECT extract(epoch FROM lease_expires_at - now()) FROM blocks WHERE id = %s", block)
    assert 21 < left <= 22


def test_the_longest_silence_counts_the_longest_phase_and_what_a_bank_may_gain(connection: Connection) -> None:
    (block,) = make_tournament(connection, move_ms=7000)
    connection.execute("UPDATE tournaments SET phase_ms = '{7000, 9000}', increment_ms = 5")
    assert claimed(connection, block).duration_ms == 9000 + 1000 * 5 + 15_000


def test_a_block_that_is_played_done_or_void_is_not_claimed(connection: Connection) -> None:
    played, done, void = make_tournament(connection, 3)
    claimed(connection, played)
    ledger.finish(connection, claimed(connection, done), reports_of([1]))
    ledger.void(connection, void, "A person said so.")
    for block in (played, done, void):
        assert ledger.claim(connection, block, "other", engine.VERSION) is None
    assert ledger.pending(connection, 10) == []


def test_no_block_and_another_engine_are_refused_with_a_sentence(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    with pytest.raises(NotFound, match="no block 4711"):
        ledger.claim(connection, 4711, "w", engine.VERSION)
    with pytest.raises(WrongState, match="run a worker of that version"):
        ledger.claim(connection, block, "w", "another")
    assert state(connection, block) == "queued"


def test_results_are_written_whole_with_records_and_logs(connection: Connection) -> None:
    (block,) = make_tournament(connection, units=2)
    lease = claimed(connection, block)
    faults = (ReportedFault(2, 7, "LATE", "too late"), ReportedFault(2, 9, "LATE", "again"))
    reports = reports_of([0, 1], faults=faults)
    assert ledger.finish(connection, lease, reports, [log_of(1, 0, "hello")]) is Ending.RECORDED
    assert state(connection, block) == "done"
    rows = connection.execute("SELECT unit, rotation, seats, faults FROM results ORDER BY unit, rotation").fetchall()
    assert [row[:2] for row in rows] == [(unit, rotation) for unit in range(2) for rotation in range(4)]
    assert rows[1][2:] == ([1, 2, 3, 0], [0, 0, 2, 0])
    data = one(connection, "SELECT data FROM records")
    assert isinstance(data, bytes)
    kept_records = [tuple(row) for row in json.loads(zlib.decompress(data))]
    assert kept_records == sorted((report.unit, report.rotation, report.record) for report in reports)
    kept = "SELECT bot, rotation, parts -> 0 ->> 'text', run ->> 'exit' FROM bot_logs"
    assert connection.execute(kept).fetchall() == [("bob", 0, "hello", "ended by itself with code 0")]
    assert one(connection, "SELECT closed_at IS NOT NULL FROM tournaments")


def test_the_same_results_again_change_nothing(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    lease = claimed(connection, block)
    assert ledger.finish(connection, lease, reports_of([0])) is Ending.RECORDED
    before = (
        connection.execute("SELECT * FROM blocks").fetchall(),
        connection.execute("SELECT * FROM results").fetchall(),
    )
    assert ledger.finish(connection, lease, list(reversed(reports_of([0])))) is Ending.REPEATED
    after = (
        connection.execute("SELECT * FROM blocks").fetchall(),
        connection.execute("SELECT * FROM results").fetchall(),
    )
    assert before == after


def test_other_results_under_the_same_lease_are_refused_with_an_alarm(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    lease = claimed(connection, block)
    ledger.finish(connection, lease, reports_of([0]))
    before = connection.execute("SELECT * FROM results").fetchall()
    assert ledger.finish(connection, lease, reports_of([0], salt="other")) is Ending.CONFLICT
    assert alarms(connection, "results-differ") == 1
    assert connection.execute("SELECT * FROM results").fetchall() == before
    assert outcome(connection, lease) == "done"


@pytest.mark.parametrize("first_to_finish", ["old", "new"])
def test_results_under_a_superseded_lease_are_refused_quietly_and_noted(
    connection: Connection, first_to_finish: str
) -> None:
    (block,) = make_tournament(connection)
    old = claimed(connection, block, "old")
    expire(connection, block)
    new = claimed(connection, block, "new")
    late = reports_of([0], salt="late")

    def finish_old() -> None:
        assert ledger.finish(connection, old, late) is Ending.SUPERSEDED

    if first_to_finish == "old":
        finish_old()
    assert ledger.finish(connection, new, reports_of([0])) is Ending.RECORDED
    if first_to_finish == "new":
        finish_old()
    assert outcome(connection, old) == "superseded"
    assert one(connection, "SELECT digest FROM attempts WHERE lease = %s", old.token) == results.digest_of(late)
    assert one(connection, "SELECT count(*) FROM results") == 4
    assert one(connection, "SELECT count(*) FROM alarms") == 0


def test_a_superseded_attempt_learns_it_from_its_progress_and_cannot_give_the_block_back(
    connection: Connection,
) -> None:
    (block,) = make_tournament(connection)
    old = claimed(connection, block)
    assert ledger.progress(connection, old, 1, 10)
    expire(connection, block)
    new = claimed(connection, block)
    assert not ledger.progress(connection, old, 2, 20)
    for cause in Cause:
        ledger.abandon(connection, old, "It came too late.", cause)
    assert state(connection, block) == "leased"
    assert ledger.holds(connection, new)


def test_a_lease_that_ran_out_still_counts_while_nobody_has_taken_over(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    lease = claimed(connection, block)
    expire(connection, block)
    assert ledger.finish(connection, lease, reports_of([0])) is Ending.RECORDED


def test_only_progress_extends_a_lease(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    lease = claimed(connection, block)

    def expires() -> datetime:
        expires_at = one(connection, "SELECT lease_expires_at FROM blocks WHERE id = %s", block)
        assert isinstance(expires_at, datetime)
        return expires_at

    at_first = expires()
    assert ledger.progress(connection, lease, 0, 5)
    extended = expires()
    assert extended > at_first
    for matches, decisions in [(0, 5), (0, 4), (0, 0)]:
        assert ledger.progress(connection, lease, matches, decisions)
        assert expires() == extended
    assert ledger.progress(connection, lease, 1, 5)
    assert expires() > extended


def test_three_dead_processes_make_a_block_void_with_an_alarm(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    for expected in ("queued", "queued", "void"):
        ledger.abandon(connection, claimed(connection, block), "It was killed by SIGSEGV.", Cause.DIED)
        assert state(connection, block) == expected
    assert alarms(connection, "block-void") == 1
    assert one(connection, "SELECT count(*) FROM results") == 0
    ledger.close_ended(connection)
    assert one(connection, "SELECT closed_at IS NULL FROM tournaments"), "nobody has decided about the block"


@pytest.mark.parametrize("cause", [Cause.UNSEEN, Cause.LOST])
def test_a_block_that_is_given_back_again_and_again_raises_one_alarm(connection: Connection, cause: Cause) -> None:
    (block,) = make_tournament(connection)
    for times in range(1, ledger.ALARMING_ATTEMPTS + 3):
        ledger.abandon(connection, claimed(connection, block), "No cell can be started.", cause)
        assert state(connection, block) == "queued"
        assert alarms(connection, "attempts-in-vain") == (times >= ledger.ALARMING_ATTEMPTS)


@pytest.mark.parametrize("kind", [UnitKind.SINGLE, UnitKind.FIELD])
def test_a_block_that_is_drawn_again_and_again_raises_one_alarm(connection: Connection, kind: UnitKind) -> None:
    """Every time it is another block, with cards that nobody has seen."""
    (block,) = make_tournament(connection, kind=kind)
    for times in range(1, ledger.ALARMING_ATTEMPTS + 3):
        if times % 3 == 0:
            claimed(connection, block)
            expire(connection, block)
            assert ledger.claim(connection, block, "w", engine.VERSION) is None
        else:
            ledger.abandon(connection, claimed(connection, block), "The connection broke.", Cause.LOST)
        assert state(connection, block) == "void"
        block = one(connection, "SELECT id FROM blocks WHERE replaces = %s", block)
        assert alarms(connection, "attempts-in-vain") == (times >= ledger.ALARMING_ATTEMPTS)


def test_a_lost_worker_does_not_count_however_often(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    for _ in range(ledger.ALARMING_ATTEMPTS):
        ledger.abandon(connection, claimed(connection, block), "The worker stopped.", Cause.LOST)
        claimed(connection, block)
        expire(connection, block)
    lease = claimed(connection, block)
    assert alarms(connection, "attempts-in-vain") == 1
    assert ledger.finish(connection, lease, reports_of([0])) is Ending.RECORDED


@pytest.mark.parametrize("missing", [0, 3])
def test_a_block_counts_whole_or_not_at_all(connection: Connection, missing: int) -> None:
    (block,) = make_tournament(connection)
    lease = claimed(connection, block)
    reports = reports_of([0])
    for wrong in (reports[:missing] + reports[missing + 1 :], [*reports, reports[missing]], reports_of([1])):
        with pytest.raises(ValueError, match="the block has the matches"):
            ledger.finish(connection, lease, wrong)
    assert one(connection, "SELECT count(*) FROM results") == 0
    assert ledger.finish(connection, lease, reports) is Ending.RECORDED


def test_a_writer_that_dies_before_its_commit_leaves_nothing(connection: Connection, database_url: str) -> None:
    (block,) = make_tournament(connection)
    lease = claimed(connection, block)

    def finish_and_die(own: Connection) -> None:
        with own.transaction():
            assert ledger.finish(own, lease, reports_of([0])) is Ending.RECORDED
            connection.execute("SELECT pg_terminate_backend(%s)", (own.info.backend_pid,))

    with connect(database_url) as own, pytest.raises(psycopg.OperationalError):
        finish_and_die(own)
    assert state(connection, block) == "leased"
    assert one(connection, "SELECT count(*) FROM results") == 0
    assert ledger.finish(connection, lease, reports_of([0])) is Ending.RECORDED


def test_the_last_two_blocks_ending_at_once_close_the_tournament(connection: Connection, database_url: str) -> None:
    first, second = (claimed(connection, block) for block in make_tournament(connection, 2))
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

    def finish_second() -> Ending:
        with connect(database_url) as own:
            return ledger.finish(own, second, reports_of([1]))

    with ThreadPoolExecutor(1) as pool, connect(database_url) as own:
        with own.transaction():
            ledger.finish(own, first, reports_of([0]))
            other = pool.submit(finish_second)
            # Either it waits for us, or it has ended without seeing us.
            while not other.done() and one(connection, waiting) == 0:
                time.sleep(0.01)
        assert other.result() is Ending.RECORDED
    assert one(connection, "SELECT closed_at IS NOT NULL FROM tournaments")


@pytest.mark.parametrize("how", ["expired", "lost", "died"])
def test_cards_that_remote_bots_have_seen_are_never_dealt_again(connection: Connection, how: str) -> None:
    (block,) = make_tournament(connection, units=4, kind=UnitKind.SINGLE)
    lease = claimed(connection, block)
    if how == "expired":
        expire(connection, block)
        assert ledger.claim(connection, block, "other", engine.VERSION) is None
    else:
        ledger.abandon(connection, lease, "It was cut short.", Cause(how))
    assert state(connection, block) == "void"
    (other,) = ledger.pending(connection, 10)
    rows = connection.execute("SELECT replaces, first_unit, units FROM blocks WHERE id = %s", (other,)).fetchall()
    assert rows == [(block, 4, 4)]
    assert not one(connection, "SELECT closed_at IS NOT NULL FROM tournaments")
    assert ledger.finish(connection, lease, reports_of(range(4), 1)) is Ending.SUPERSEDED
    assert ledger.finish(connection, claimed(connection, other), reports_of(range(4, 8), 1)) is Ending.RECORDED


@pytest.mark.parametrize("tables", [(0, 1, 2, 3), (1, 3)])
def test_the_tables_of_a_field_that_are_done_count(connection: Connection, tables: tuple[int, ...]) -> None:
    (block,) = make_tournament(connection, kind=UnitKind.FIELD)
    lease = claimed(connection, block)
    cut = Failed("The referee went away.", Cause.LOST) if len(tables) < 4 else None
    reports = field_of(0, tables)
    assert ledger.finish(connection, lease, reports, [log_of(5, 1)], cut=cut) is Ending.RECORDED
    rows = connection.execute("SELECT rotation, seats FROM results ORDER BY rotation").fetchall()
    assert rows == [(table, [4 * table + seat for seat in range(4)]) for table in tables]
    assert connection.execute("SELECT bot, rotation FROM bot_logs").fetchall() == [("bot-05", 1)]
    said = connection.execute("SELECT outcome, reason FROM attempts").fetchall()
    assert said == [("done", cut.reason if cut is not None else "")]
    assert alarms(connection, "tables-void") == 0
    assert one(connection, "SELECT closed_at IS NOT NULL FROM tournaments")
    # A void table is never played: what comes later under the same lease is refused, and no block is drawn for it.
    if cut is not None:
        assert ledger.finish(connection, lease, field_of(0)) is Ending.CONFLICT
    assert ledger.finish(connection, lease, reports) is Ending.REPEATED
    assert ledger.pending(connection, 10) == []


@pytest.mark.parametrize("tables", [[], [2], [1, 1, 1], [0, 4]])
def test_a_field_of_too_few_tables_is_no_result(connection: Connection, tables: list[int]) -> None:
    (block,) = make_tournament(connection, kind=UnitKind.FIELD)
    lease = claimed(connection, block)
    some = field_of(0)
    reports = [some[table] if table < 4 else dataclasses.replace(some[0], rotation=table) for table in tables]
    with pytest.raises(ValueError, match="field of 4 tables, of which 2 or more"):
        ledger.finish(connection, lease, reports, cut=Failed("It died.", Cause.DIED))
    assert one(connection, "SELECT count(*) FROM results") == 0
    ledger.abandon(connection, lease, "It died.", Cause.DIED)
    (other,) = ledger.pending(connection, 10)
    rows = connection.execute("SELECT kind, first_unit, entries FROM blocks ORDER BY id").fetchall()
    assert [row[:2] for row in rows] == [("field", 0), ("field", 1)]
    assert rows[0][2] == rows[1][2]
    assert other != block


def test_a_table_that_a_failure_of_ours_made_void_raises_an_alarm(connection: Connection) -> None:
    (block,) = make_tournament(connection, kind=UnitKind.FIELD)
    cut = Failed("The referee failed: ZeroDivisionError().", Cause.DIED)
    ledger.finish(connection, claimed(connection, block), field_of(0, [0, 2, 3]), cut=cut)
    sentence = one(connection, "SELECT sentence FROM alarms WHERE kind = 'tables-void'")
    assert "3 of 4 tables came to a result" in sentence
    assert sentence.endswith(cut.reason)
    assert one(connection, "SELECT deaths FROM blocks") == 0


def test_a_lease_of_a_field_waits_for_all_its_hosted_bots_to_start(connection: Connection) -> None:
    (block,) = make_tournament(connection, kind=UnitKind.FIELD)
    connection.execute("UPDATE tournaments SET startup_ms = 10000")
    connection.execute("UPDATE bots SET kind = 'remote' WHERE name > 'bot-08'")
    # Nine of them are more than two tables.
    assert claimed(connection, block).duration_ms == 3 * 10_000 + ledger.GRACE_MS


def test_remote_bots_that_have_seen_nothing_get_the_same_cards_again(connection: Connection) -> None:
    (block,) = make_tournament(connection, kind=UnitKind.SINGLE)
    ledger.abandon(connection, claimed(connection, block), "A bot is not connected.", Cause.UNSEEN)
    assert ledger.pending(connection, 10) == [block]


def test_a_table_of_remote_bots_is_given_up_after_three_dead_processes(connection: Connection) -> None:
    make_tournament(connection, kind=UnitKind.SINGLE)
    for _ in range(3):
        (block,) = ledger.pending(connection, 10)
        ledger.abandon(connection, claimed(connection, block), "It died.", Cause.DIED)
    assert ledger.pending(connection, 10) == []
    assert alarms(connection, "block-void") == 1
    ledger.close_ended(connection)
    assert one(connection, "SELECT closed_at IS NULL FROM tournaments"), "nobody has decided about the block"


def test_a_void_block_is_played_again_with_new_units_until_the_secret_is_told(connection: Connection) -> None:
    block, other = make_tournament(connection, 2)
    with pytest.raises(WrongState, match="only a void block"):
        ledger.retry(connection, block)
    ledger.void(connection, block, "A person said so.")
    again = ledger.retry(connection, block)
    assert one(connection, "SELECT first_unit FROM blocks WHERE id = %s", again) == 2
    with pytest.raises(WrongState, match=f"block {again} is in the place of block {block}"):
        ledger.retry(connection, block)
    ledger.void(connection, other, "A person said so.")
    ledger.void(connection, again, "A person said so.")
    ledger.close_ended(connection)
    with pytest.raises(WrongState, match="its secret is told"):
        ledger.retry(connection, again)


def test_pending_blocks_are_those_that_wait_and_those_whose_lease_ran_out_longest_unsent_first(
    connection: Connection,
) -> None:
    first, second, third = make_tournament(connection, 3)
    ledger.mark_sent(connection, [first])
    claimed(connection, second)
    assert ledger.pending(connection, 10) == [third, first]
    expire(connection, second)
    assert ledger.pending(connection, 10) == [second, third, first]
    assert ledger.pending(connection, 10, resend_after_s=60) == [second, third]
    assert ledger.pending(connection, 1) == [second]


@pytest.mark.parametrize("statement", ["UPDATE results SET decisions = 1", "DELETE FROM results", "TRUNCATE results"])
def test_results_are_never_changed(connection: Connection, statement: str) -> None:
    (block,) = make_tournament(connection)
    ledger.finish(connection, claimed(connection, block), reports_of([0]))
    with pytest.raises(psycopg.errors.RaiseException, match="written once"):
        connection.execute(statement.encode())
