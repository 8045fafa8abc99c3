"""After one altered row of results the unit is named whose row it is, and once it is altered back nothing differs."""

import json
import zlib

import psycopg
import pytest

from arena.ratings.event import PlayedUnit
from arena.ratings.periods import apply_due, rebuild
from arena.ratings.traces import changes, traces
from arena.store import Connection
from engine.record.lines import write_line
from tests.ratings import played

BOTS = ["ada", "bob", "cem", "dan", "eve", "fay"]


def result(scores: list[int], places: list[int]) -> str:
    """The last line of a record."""
    return write_line({"scores": scores, "forfeited": [], "places": places, "hash": ""})


@pytest.fixture
def cup(connection: Connection) -> played.Planned:
    """A tournament that is played and rated."""
    played.add_bots(connection, BOTS)
    cup = played.start(connection, "cup", BOTS)
    for block in cup.blocks:
        played.play(connection, block)
    apply_due(connection)
    return cup


def tamper(connection: Connection, statement: str) -> None:
    """What somebody can do who owns the database."""
    with connection.transaction():
        connection.execute("ALTER TABLE results DISABLE TRIGGER results_write_once")
        connection.execute("ALTER TABLE rated_periods DISABLE TRIGGER rated_periods_write_once")
        connection.execute(statement.encode())
        connection.execute("ALTER TABLE rated_periods ENABLE TRIGGER rated_periods_write_once")
        connection.execute("ALTER TABLE results ENABLE TRIGGER results_write_once")


@pytest.mark.parametrize("column", ["scores", "places", "faults"])
def test_the_unit_of_one_altered_row_is_named_until_it_is_altered_back(
    connection: Connection, cup: played.Planned, column: str
) -> None:
    assert not rebuild(connection).differs
    for unit, period in ((3, 0), (14, 1)):
        where = f"WHERE unit = {unit} AND rotation = 1"
        tamper(connection, f"UPDATE results SET {column}[2] = {column}[2] + 5 {where}")
        (sentence, *behind) = rebuild(connection).differences
        assert sentence == (
            f"Pool 1, period {period}: tournament 'cup', unit {unit}: its results are not those that were rated."
        )
        # Nothing was edited in the periods behind it, which follow from what this one gave.
        assert all("stored is" in other for other in behind)
        tamper(connection, f"UPDATE results SET {column}[2] = {column}[2] - 5 {where}")
        assert not rebuild(connection).differs


def test_units_that_went_and_units_that_came_are_named(connection: Connection, cup: played.Planned) -> None:
    tamper(connection, "CREATE TEMP TABLE kept AS SELECT * FROM results WHERE unit = 2 AND rotation = 0")
    tamper(connection, "DELETE FROM results WHERE unit = 2 AND rotation = 0")
    assert "unit 2: its results are gone, or not whole any more." in rebuild(connection).differences[0]
    rebuild(connection, verify=False)
    tamper(connection, "INSERT INTO results SELECT * FROM kept")
    assert "unit 2: it was not among those that were rated." in rebuild(connection).differences[0]


def test_of_a_period_that_was_rated_without_traces_the_period_is_named(
    connection: Connection, cup: played.Planned
) -> None:
    tamper(connection, "UPDATE rated_periods SET unit_hashes = NULL")
    assert not rebuild(connection).differs
    tamper(connection, "UPDATE results SET scores[1] = scores[1] + 1 WHERE unit = 3 AND rotation = 1")
    assert rebuild(connection).differences[0] == "Pool 1, period 0: the results are not those that were rated."


def test_a_record_that_says_otherwise_than_its_row_is_quoted(connection: Connection, cup: played.Planned) -> None:
    rows = connection.execute(
        "SELECT block, unit, rotation, scores, places FROM results"
        " WHERE block = (SELECT block FROM results WHERE unit = 3 LIMIT 1) ORDER BY unit, rotation"
    ).fetchall()
    records = [
        [unit, rotation, write_line({"record": 1}) + f"\n{result(scores, places)}\n"]
        for _, unit, rotation, scores, places in rows
    ]
    connection.execute("INSERT INTO records VALUES (%s, %s)", [rows[0][0], zlib.compress(json.dumps(records).encode())])
    tamper(connection, "UPDATE results SET faults[1] = faults[1] + 1 WHERE unit = 3 AND rotation = 1")
    assert rebuild(connection).differences[0].endswith("The record of rotation 0 and its row have different hashes.")
    tamper(connection, "UPDATE results SET scores[1] = 99 WHERE unit = 3 AND rotation = 0")
    assert "The record of rotation 0 has the scores [" in rebuild(connection).differences[0]
    connection.execute("UPDATE records SET data = %s", [zlib.compress(b'[[3, 0, "nothing"]]')])
    assert rebuild(connection).differences[0].endswith("The record of rotation 0 is damaged.")


def test_traces_do_not_depend_on_the_order_of_units() -> None:
    units = [PlayedUnit(number, (1, 2), ((1, 2),), ((5, number),), ((0, 0),)) for number in (4, 70_000, 9)]
    assert traces(units) == traces(units[::-1])
    assert len(traces(units)) == 24
    assert list(changes(traces(units), traces(units[::-1]))) == []
    assert [unit for unit, _ in changes(traces(units[:2]), traces(units[1:]))] == [4, 9]


def test_a_rebuild_that_writes_stands_in_the_audit(connection: Connection, cup: played.Planned) -> None:
    rebuild(connection)
    assert connection.execute("SELECT act FROM audit").fetchall() == []
    rebuild(connection, verify=False)
    assert connection.execute("SELECT act, subject, who LIKE '%@%' FROM audit").fetchall() == [
        ("ratings rebuilt", "pool 1", True)
    ]
    for statement in (b"UPDATE audit SET reason = 'another'", b"DELETE FROM audit", b"TRUNCATE audit"):
        with pytest.raises(psycopg.errors.RaiseException, match="written once"):
            connection.execute(statement)
