"""Whatever happens to a block in whatever order, its results count once, and it can be watched only while the attempt
that shows it plays it."""

from collections.abc import Iterator

import hypothesis.strategies as st
import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

import engine
from arena.store import Connection, open_matches
from arena.tournaments import ledger
from arena.tournaments.block import Cause
from arena.tournaments.ledger import Ending, Lease
from tests.tournaments.ground import expire, make_tournament, one, reports_of


class Histories(RuleBasedStateMachine):
    """Claims, progress, results and losses of one block, beside a model of a few variables."""

    connection: Connection

    def __init__(self) -> None:
        super().__init__()
        (self.block,) = make_tournament(self.connection)
        self.leases: list[Lease] = []
        self.holder: Lease | None = None
        self.expired = False
        self.deaths = 0
        self.written: tuple[Lease, str] | None = None
        self.shown: tuple[Lease, str] | None = None

    @property
    def void(self) -> bool:
        return self.deaths == ledger.COUNTED_DEATHS

    @rule()
    def claim(self) -> None:
        lease = ledger.claim(self.connection, self.block, "w", engine.VERSION)
        free = self.written is None and not self.void and (self.holder is None or self.expired)
        assert (lease is not None) == free
        if lease is not None:
            self.leases.append(lease)
            self.holder, self.expired, self.shown = lease, False, None

    @precondition(lambda self: self.holder is not None and self.written is None)
    @rule()
    def run_out(self) -> None:
        expire(self.connection, self.block)
        self.expired = True

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), decisions=st.integers(0, 50))
    def progress(self, data: st.DataObject, decisions: int) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        held = lease == self.holder and self.written is None
        assert ledger.progress(self.connection, lease, 0, decisions) == held
        if held:
            self.expired = self.block in ledger.pending(self.connection, 100_000)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), record=st.sampled_from(["deal 1", "deals 1 and 2"]))
    def show(self, data: st.DataObject, record: str) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        seats = (1, 2, 3, 0)
        open_matches.show(
            self.connection, block=self.block, lease=lease.token, unit=0, rotation=3, seats=seats, record=record
        )
        if lease == self.holder and self.written is None:
            self.shown = (lease, record)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), salt=st.sampled_from(["", "other"]))
    def finish(self, data: st.DataObject, salt: str) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        ending = ledger.finish(self.connection, lease, reports_of([0], salt=salt))
        if lease != self.holder:
            assert ending is Ending.SUPERSEDED
        elif self.written is None:
            assert ending is Ending.RECORDED
            self.written, self.shown = (lease, salt), None
        else:
            assert ending is (Ending.REPEATED if self.written == (lease, salt) else Ending.CONFLICT)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), cause=st.sampled_from(Cause))
    def abandon(self, data: st.DataObject, cause: Cause) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        ledger.abandon(self.connection, lease, "Something happened.", cause)
        if lease == self.holder and self.written is None:
            self.holder = self.shown = None
            self.deaths += cause is Cause.DIED

    @invariant()
    def the_block_is_what_the_history_says(self) -> None:
        state = one(self.connection, "SELECT state FROM blocks WHERE id = %s", self.block)
        if self.written:
            assert state == "done"
        elif self.void:
            assert state == "void"
        else:
            assert state == ("leased" if self.holder else "queued")

    @invariant()
    def what_is_seen_is_of_the_attempt_that_plays(self) -> None:
        rows = self.connection.execute(
            "SELECT lease, record FROM open_matches WHERE block = %s", (self.block,)
        ).fetchall()
        assert rows == ([(self.shown[0].token, self.shown[1])] if self.shown else [])
        cup = one(self.connection, "SELECT tournament FROM blocks WHERE id = %s", self.block)
        seen = open_matches.list_open(self.connection, cup, after=-1, limit=9)
        assert [(match.record, match.bots) for match in seen] == [
            (row[1], ["bob", "cyd", "dan", "ann"]) for row in rows
        ]

    @invariant()
    def results_count_once_and_whole(self) -> None:
        rows = one(self.connection, "SELECT count(*) FROM results WHERE block = %s", self.block)
        assert rows == (4 if self.written else 0)
        attempts = self.connection.execute(
            "SELECT lease, outcome = 'done' FROM attempts WHERE block = %s", (self.block,)
        ).fetchall()
        assert {lease for lease, _ in attempts} == {lease.token for lease in self.leases}
        assert [lease for lease, done in attempts if done] == ([self.written[0].token] if self.written else [])


@pytest.fixture
def histories(connection: psycopg.Connection) -> Iterator[type[Histories]]:
    Histories.connection = connection
    yield Histories
    del Histories.connection


def test_every_history_of_a_block_ends_with_one_result_or_none(histories: type[Histories]) -> None:
    run_state_machine_as_test(
        histories,
        settings=settings(
            max_examples=30,
            stateful_step_count=25,
            deadline=None,
            derandomize=True,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
        ),
    )
