"""Rating tables that are kept between two who ask, and never longer than they are true."""

import asyncio
from collections.abc import Iterator

import pytest

from arena.api.access import Database
from arena.api.tables import Tables
from arena.ratings.official import fit_due
from arena.ratings.periods import apply_due, rebuild
from arena.store import Connection
from arena.v1 import rating_pb2
from tests.ratings import played

BOTS = ["ada", "bob", "cem", "dan"]
GAME = "callbreak"


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    found = Database(database_url)
    yield found
    found.close()


def test_tables_are_made_again_after_every_period_fit_and_run_and_only_then(
    connection: Connection, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(played, "GAME", GAME)
    played.add_bots(connection, BOTS)
    tables = Tables(database)

    def asked() -> rating_pb2.ListRatingsResponse:
        found = asyncio.run(tables.of(GAME, 0))
        assert asyncio.run(tables.of(GAME, 0)) is found
        return found

    assert not asked().tables
    for units, orbit in enumerate(played.start(connection, "cup", BOTS, seats=4, orbits=2, units=1).orbits, 1):
        for block in orbit:
            played.play(connection, block)
        apply_due(connection)
        (table,) = asked().tables
        assert {line.units for line in table.ratings} == {units}
        assert {line.owner for line in table.ratings} == set(BOTS)
        fit_due(connection)
        assert all(line.fitted.deals == units for line in asked().tables[0].ratings)
    rebuild(connection, verify=False)
    assert not any(line.HasField("fitted") for line in asked().tables[0].ratings)
