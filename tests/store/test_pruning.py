"""Records and bots' runs of tournaments that closed long ago go; results, digests and ratings stay."""

import itertools
import threading

import pytest

from arena.errors import BadRequest, NotFound
from arena.ratings.periods import apply_due, rebuild
from arena.stack import Stack
from arena.store import Connection, audit, export, pruning, tournaments
from arena.tournaments import ledger, sweeper
from tests.tournaments.ground import claimed, log_of, make_tournament, one, reports_of


@pytest.fixture
def three(connection: Connection) -> list[str]:
    """Names of tournaments of one match a rotation: one that closed a hundred days ago, one of today, one that runs."""
    names = []
    for blocks in (1, 1, 2):
        first, *_ = make_tournament(connection, blocks=blocks)
        lease = claimed(connection, first)
        ledger.finish(connection, lease, reports_of([0]), [log_of(1, rotation) for rotation in range(4)])
        names.append(lease.tournament)
    connection.execute("UPDATE tournaments SET closed_at = now() - interval '100 days' WHERE name = %s", [names[0]])
    apply_due(connection)
    return names


def kept(connection: Connection, name: str) -> tuple[int, int, int]:
    """How many results, blocks with records, and runs of bots a tournament has."""
    of = "FROM {} r JOIN blocks b ON b.id = r.block WHERE b.tournament = %s"
    results, records, runs = (
        one(connection, f"SELECT count(*) {of.format(table)}", name) for table in ("results", "records", "bot_logs")
    )
    return results, records, runs


def test_what_closed_long_ago_loses_its_records_and_keeps_its_results(connection: Connection, three: list[str]) -> None:
    old, new, running = three
    (found,) = pruning.prunable(connection, 90)
    assert (found.name, found.blocks, found.runs) == (old, 1, 4)
    assert found.bytes == one(connection, "SELECT octet_length(data) FROM records WHERE block = 1")
    assert kept(connection, old) == (4, 1, 4)
    assert list(pruning.prune(connection, "boss", 90)) == [found]
    assert [kept(connection, name) for name in three] == [(4, 0, 0), (4, 1, 4), (4, 1, 4)]
    assert list(pruning.prune(connection, "boss", 90)) == []
    assert [one.name for one in pruning.prune(connection, "boss", 0)] == [new]
    assert kept(connection, running) == (4, 1, 4)
    assert not rebuild(connection).differs
    acts = [
        (act.who, act.act, act.subject, act.reason)
        for act in audit.acts(connection, organiser=None, before=None, limit=9)
    ]
    assert acts == [
        ("boss", "prune records", new, "closed more than 0 days ago"),
        ("boss", "prune records", old, "closed more than 90 days ago"),
    ]


def test_a_record_that_was_pruned_is_told_from_one_that_never_was(connection: Connection, three: list[str]) -> None:
    list(pruning.prune(connection, "boss", 90))
    digest = one(
        connection, "SELECT encode(digest, 'hex') FROM results WHERE tournament = %s AND rotation = 2", three[0]
    )
    with pytest.raises(NotFound, match=rf"unit 0, rotation 2, was pruned, .* with the digest {digest}"):
        tournaments.find_record(connection, three[0], 0, 2)
    with pytest.raises(NotFound, match="is that match played"):
        tournaments.find_record(connection, three[0], 1, 0)
    assert '"unit":0' in tournaments.find_record(connection, three[1], 0, 2)
    assert export.next_records(connection, three[0], -1) is None
    assert len(export.matches(connection, three[0], (-1, -1))) == 4


def test_the_sweeper_prunes_where_it_is_told_for_how_long_records_are_kept(
    connection: Connection, three: list[str], database_url: str, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sweep_once() -> None:
        ending = threading.Event()
        beats = itertools.count()
        # The first beat comes before the sweep, the second one after it.
        sweeper.run(database_url, stack.broker_url, ending, 0.01, lambda _: ending.set() if next(beats) else None)

    monkeypatch.delenv(pruning.KEEP, raising=False)
    sweep_once()
    assert kept(connection, three[0]) == (4, 1, 4)
    monkeypatch.setenv(pruning.KEEP, "99")
    sweep_once()
    assert [kept(connection, name) for name in three] == [(4, 0, 0), (4, 1, 4), (4, 1, 4)]
    (act,) = audit.acts(connection, organiser=None, before=None, limit=9)
    assert act.who == audit.PLATFORM


@pytest.mark.parametrize("days", ["90d", "-1", "soon", "36501"])
def test_a_setting_that_says_no_days_is_refused(monkeypatch: pytest.MonkeyPatch, days: str) -> None:
    monkeypatch.setenv(pruning.KEEP, days)
    with pytest.raises(BadRequest, match=r"ARENA_KEEP_RECORDS_DAYS is .* no number of days"):
        pruning.kept_days()
