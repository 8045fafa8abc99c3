"""Answers that many ask for while a tournament is played are worked out seldom: standings, and shares of one bot."""

import asyncio
from collections.abc import Iterator

import pytest

from arena.api import kept as module
from arena.api.access import Database
from arena.api.kept import Kept
from arena.api.standings import add_up, add_up_one
from arena.errors import Exhausted
from arena.ratings import standings as ratings
from arena.store import Connection
from arena.store.tournaments import Tournament, find_tournament
from arena.tournaments import ledger
from arena.tournaments.block import UnitKind
from arena.v1 import tournament_pb2 as pb
from tests.tournaments.ground import claimed, field_of, make_tournament, one, reports_of


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    found = Database(database_url)
    yield found
    found.close()


def standings(database: Database) -> Kept[pb.Standings]:
    return Kept(database, ratings.extent, add_up)


def play(connection: Connection, block: int, unit: int) -> Tournament:
    lease = claimed(connection, block)
    ledger.finish(connection, lease, reports_of([unit]))
    return find_tournament(connection, lease.tournament)


def test_they_are_added_up_once_until_more_is_played_or_corrected(connection: Connection, database: Database) -> None:
    first, second = make_tournament(connection, blocks=2)

    async def ask() -> None:
        cup, kept = play(connection, first, 0), standings(database)
        many = await asyncio.gather(*(kept.of(cup) for _ in range(5)))
        assert all(found is many[0] for found in many)
        assert many[0].standings[0].matches == 4
        play(connection, second, 1)
        more = await kept.of(cup)
        assert more.standings[0].matches == 8
        connection.execute(
            "INSERT INTO corrections (tournament, what, unit, orbit, reason, who)"
            " VALUES (%s, 'unit', 0, 0, 'No.', 'owner')",
            [cup.name],
        )
        assert (await kept.of(cup)).standings[0].matches == 4

    asyncio.run(ask())


def test_the_shares_of_each_bot_are_kept_by_themselves(connection: Connection, database: Database) -> None:
    first, second = make_tournament(connection, blocks=2)

    async def ask() -> None:
        cup, kept = play(connection, first, 0), Kept(database, ratings.extent, add_up_one)
        ann, bob = await kept.of(cup, "ann"), await kept.of(cup, "bob")
        assert [{one.bot for one in found} for found in (ann, bob)] == [{"ann"}, {"bob"}]
        assert await kept.of(cup, "ann") is ann
        play(connection, second, 1)
        assert [one.matches for one in await kept.of(cup, "ann")] == [8, 8, 8]

    asyncio.run(ask())


def test_what_takes_long_is_kept_though_more_was_played(
    connection: Connection, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUICK_S", 0.0)
    monkeypatch.setattr(module, "SELDOM", 1_000_000)
    first, second = make_tournament(connection, blocks=2)

    async def ask() -> None:
        cup, kept = play(connection, first, 0), standings(database)
        before = await kept.of(cup)
        play(connection, second, 1)
        assert await kept.of(cup) is before
        # Nobody asks again for what has ended.
        connection.execute("UPDATE tournaments SET closed_at = now()")
        assert (await kept.of(find_tournament(connection, cup.name))).standings[0].matches == 8

    asyncio.run(ask())


@pytest.mark.parametrize("kind", list(UnitKind))
def test_too_many_matches_are_refused_before_they_are_read(
    connection: Connection, database: Database, monkeypatch: pytest.MonkeyPatch, kind: UnitKind
) -> None:
    (block,) = make_tournament(connection, kind=kind)
    lease = claimed(connection, block)
    reports = field_of(0) if kind is UnitKind.FIELD else reports_of([0], 1 if kind is UnitKind.SINGLE else 4)
    ledger.finish(connection, lease, reports)
    matches = int(one(connection, "SELECT count(*) FROM results"))
    assert ratings.extent(connection, lease.tournament) == (matches, 0)
    monkeypatch.setattr(ratings, "MOST_MATCHES", matches - 1)
    with pytest.raises(Exhausted, match="more than"):
        asyncio.run(standings(database).of(find_tournament(connection, lease.tournament)))
