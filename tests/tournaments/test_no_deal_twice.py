"""Whatever happens to the blocks of a tournament, no process is told a deal that it has seen, and no deal is in two
blocks. A hosted bot has a new process for every rotation of every attempt; a remote one is the same for ever."""

import contextlib
import itertools
from collections import Counter
from collections.abc import Iterator

import hypothesis.strategies as st
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import engine
from arena.errors import WrongState
from arena.store import Connection, tournaments
from arena.store.people import User
from arena.store.tournaments import NewTournament
from arena.tournaments import ledger
from arena.tournaments.block import Block, Cause, Failed, PlayerKind, UnitKind
from arena.tournaments.brief import write_brief
from arena.tournaments.ledger import Lease
from arena.tournaments.start import start_tournament
from tests.tournaments.ground import claimed, expire, field_of, make_tournament, make_version, one, reports_of

ADMIN = User("owner", admin=True)

_numbers = itertools.count(1)


@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(remote=st.lists(st.booleans(), min_size=4, max_size=8), orbits=st.integers(1, 2), units=st.integers(1, 3))
def test_every_deal_of_a_tournament_is_in_one_block_and_rotates_among_hosted_bots_alone(
    connection: Connection, remote: list[bool], orbits: int, units: int
) -> None:
    cup = f"draw-{next(_numbers)}"
    bots = [f"{cup}-{number}" for number in range(len(remote))]
    for bot, is_remote in zip(bots, remote, strict=True):
        make_version(connection, bot)
        if is_remote:
            connection.execute("UPDATE bots SET kind = 'remote' WHERE name = %s", (bot,))
    wanted = NewTournament("callbreak", 4, {}, orbits, units, 250, 0, 3, 1000)
    tournaments.create_tournament(connection, ADMIN, cup, wanted, "")
    tournaments.enter_tournament(connection, ADMIN, cup, bots)
    start_tournament(connection, ADMIN, cup)
    blocks = [block for (block,) in connection.execute("SELECT id FROM blocks WHERE tournament = %s", (cup,))]
    briefs = [write_brief(connection, claimed(connection, block)) for block in blocks]
    deals = [unit.seed for brief in briefs for unit in brief.units]
    assert len(set(deals)) == len(deals) >= len(blocks)
    for brief in briefs:
        if any(player.kind is PlayerKind.REMOTE for player in brief.players):
            assert (brief.kind, brief.rotations) == (UnitKind.SINGLE, 1)


@pytest.mark.parametrize(("owners", "kind"), [(18, UnitKind.FIELD), (15, UnitKind.SINGLE)])
def test_with_bots_of_owners_enough_a_deal_is_played_once_by_each_of_them(
    connection: Connection, owners: int, kind: UnitKind
) -> None:
    bots = [f"bot-{number:02}" for number in range(18)]
    for number, bot in enumerate(bots):
        make_version(connection, bot, house=False)
        owner = f"owner-{number % owners}"
        connection.execute("INSERT INTO users (name) VALUES (%s) ON CONFLICT DO NOTHING", (owner,))
        kind_of_bot = "remote" if number > 2 else "hosted"
        connection.execute("UPDATE bots SET owner = %s, kind = %s WHERE name = %s", (owner, kind_of_bot, bot))
    wanted = NewTournament("callbreak", 4, {}, 1, 1, 250, 0, 3, 1000)
    tournaments.create_tournament(connection, ADMIN, "cup", wanted, "")
    tournaments.enter_tournament(connection, ADMIN, "cup", bots)
    start_tournament(connection, ADMIN, "cup")
    rows = connection.execute("SELECT id FROM blocks ORDER BY id").fetchall()
    briefs = [write_brief(connection, claimed(connection, block)) for (block,) in rows]
    assert {brief.kind for brief in briefs} == {kind}
    deals = [unit.seed for brief in briefs for unit in brief.units]
    assert len(set(deals)) == len(deals)
    matches: Counter[str] = Counter()
    for brief in briefs:
        for unit in brief.units:
            seated = [player for table in range(brief.rotations) for player in unit.seats(table)]
            assert len(set(seated)) == len(seated) == len(brief.players)
            matches.update(brief.players[player].bot for player in seated)
        if kind is UnitKind.FIELD:
            assert len({brief.players[player].bot for player in seated}) == 16
            assert len({seed for row in brief.units[0].bot_seeds for seed in row}) == 16
    # An orbit has as many matches of every bot whatever is played, but for those who sit out.
    assert set(matches.values()) <= ({14, 15} if kind is UnitKind.FIELD else {16})


class Deals(RuleBasedStateMachine):
    """Everything that can happen to the blocks of one tournament, and who is told which cards in the course of it."""

    connection: Connection

    @initialize(kind=st.sampled_from(UnitKind), blocks=st.integers(1, 3), units=st.sampled_from([1, 4]))
    def start(self, kind: UnitKind, blocks: int, units: int) -> None:
        self.kind = kind
        self.blocks = make_tournament(self.connection, blocks, 1 if kind is UnitKind.FIELD else units, kind)
        self.leases: list[Lease] = []
        self.seeds_of: dict[int, tuple[bytes, ...]] = {}
        self.tickets: set[str] = set()
        self.may_be_known: dict[Lease, set[bytes]] = {}

    @rule(data=st.data())
    def claim(self, data: st.DataObject) -> None:
        block = data.draw(st.sampled_from(self.blocks))
        lease = ledger.claim(self.connection, block, "w", engine.VERSION)
        if lease is not None:
            self.play(lease, write_brief(self.connection, lease))
            self.leases.append(lease)
        self.look_for_new_blocks()

    def play(self, lease: Lease, brief: Block) -> None:
        seeds = tuple(unit.seed for unit in brief.units)
        for sitting in brief.sittings:
            for unit in brief.units:
                seated = [player for rotation in sitting for player in unit.seats(rotation)]
                assert len(set(seated)) == len(seated) == len(brief.players), "a process plays a deal twice"
            assert len(set(seeds)) == len(seeds), "a process plays a deal twice"
        matches = {brief.match_id(at, rotation) for at in range(len(seeds)) for rotation in range(brief.rotations)}
        assert len(matches) == brief.matches
        assert self.seeds_of.setdefault(brief.id, seeds) == seeds, "an attempt at a block has other cards"
        assert len({seed for deals in self.seeds_of.values() for seed in deals}) == sum(
            map(len, self.seeds_of.values())
        )
        tickets = {player.ticket for player in brief.players}
        assert len(tickets) == len(brief.players)
        assert not tickets & self.tickets, "a process of another attempt could come to this one"
        self.tickets |= tickets
        if not brief.kind.replayable:
            assert not any(known.intersection(seeds) for known in self.may_be_known.values()), (
                "a remote bot knows these"
            )
            self.may_be_known[lease] = set(seeds)

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def run_out(self, data: st.DataObject) -> None:
        expire(self.connection, data.draw(st.sampled_from(self.leases)).block)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), cause=st.sampled_from(Cause))
    def abandon(self, data: st.DataObject, cause: Cause) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        if cause is Cause.UNSEEN and ledger.holds(self.connection, lease):
            self.may_be_known.pop(lease, None)
        ledger.abandon(self.connection, lease, "Something happened.", cause)
        self.look_for_new_blocks()

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), tables=st.sets(st.integers(0, 3), min_size=2))
    def finish(self, data: st.DataObject, tables: set[int]) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        first, units = (
            one(self.connection, f"SELECT {what} FROM blocks WHERE id = %s", lease.block)
            for what in ("first_unit", "units")
        )
        if self.kind is UnitKind.FIELD:
            cut = Failed("It was cut short.", Cause.LOST) if len(tables) < 4 else None
            ledger.finish(self.connection, lease, field_of(first, sorted(tables)), cut=cut)
            return
        rotations = 4 if self.kind is UnitKind.ROTATION else 1
        ledger.finish(self.connection, lease, reports_of(range(first, first + units), rotations))

    @rule(data=st.data(), again=st.booleans())
    def decide(self, data: st.DataObject, again: bool) -> None:
        block = data.draw(st.sampled_from(self.blocks))
        with contextlib.suppress(WrongState):
            if again:
                ledger.retry(self.connection, block)
            else:
                ledger.void(self.connection, block, "A person said so.")
        self.look_for_new_blocks()

    def look_for_new_blocks(self) -> None:
        rows = self.connection.execute(
            "SELECT id FROM blocks WHERE tournament = (SELECT tournament FROM blocks WHERE id = %s) ORDER BY id",
            (self.blocks[0],),
        )
        self.blocks = [block for (block,) in rows]

    @invariant()
    def one_attempt_at_a_block_has_its_lease(self) -> None:
        for block in getattr(self, "blocks", ()):
            assert sum(ledger.holds(self.connection, lease) for lease in self.leases if lease.block == block) <= 1


@pytest.fixture
def deals(connection: psycopg.Connection) -> Iterator[type[Deals]]:
    Deals.connection = connection
    yield Deals
    del Deals.connection


def test_no_process_is_told_a_deal_twice_and_no_two_blocks_have_one(deals: type[Deals]) -> None:
    run_state_machine_as_test(
        deals,
        settings=settings(
            max_examples=15,
            stateful_step_count=20,
            deadline=None,
            derandomize=True,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
        ),
    )
