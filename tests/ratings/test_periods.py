"""The stored ratings follow from the results, whatever happens on the way."""

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from arena.ratings.periods import apply_due, rebuild
from arena.ratings.tables import RatingTable, table
from arena.store import Connection, connect
from tests.ratings import played
from tests.ratings.played import GAME

BOTS = ["ada", "bob", "cem", "dan", "eve", "fay"]


@pytest.fixture
def bots(connection: Connection) -> list[str]:
    played.add_bots(connection, BOTS)
    return BOTS


def history(connection: Connection, options: str = "{}") -> list[Any]:
    """Everything that the run that is shown has written about a pool, but for ids."""
    return connection.execute(
        "SELECT p.tournament, p.orbit, r.blocks, r.units, r.input_sha256, v.bot, v.number,"
        " e.delta_micro, e.micro_elo, e.units, e.matches, e.points, e.faults"
        " FROM pools JOIN current_runs c ON c.pool = pools.id JOIN rated_periods r ON r.run = c.run"
        " JOIN rating_periods p ON p.pool = r.pool AND p.position = r.position"
        " LEFT JOIN rating_events e ON e.run = r.run AND e.position = r.position"
        " LEFT JOIN versions v ON v.id = e.version WHERE options = %s ORDER BY r.position, e.version",
        [options],
    ).fetchall()


def count(connection: Connection, relation: bytes) -> int:
    row = connection.execute(b"SELECT count(*) FROM " + relation).fetchone()
    assert row is not None
    return int(row[0])


def test_one_unit_gives_what_the_formula_gives(connection: Connection) -> None:
    played.add_bots(connection, BOTS[:3])
    one = played.start(connection, "one", BOTS[:3], orbits=1, units=1, kind="single")
    for block in one.blocks[1:]:
        played.give_up(connection, block)
    connection.execute(
        "INSERT INTO results (block, tournament, unit, rotation, seats, scores, places, faults, forfeited, decisions,"
        " digest) VALUES (%s, 'one', 0, 0, '{2,0,1}', '{31,-4,7}', '{1,3,2}', '{0,3,1}', '{1}', 9, sha256(''))",
        [one.blocks[0]],
    )
    connection.execute(
        "UPDATE blocks SET state = 'done', lease = gen_random_uuid(), ended_at = now() WHERE id = %s", [one.blocks[0]]
    )
    apply_due(connection)
    row = connection.execute("SELECT entries FROM blocks WHERE id = %s", [one.blocks[0]]).fetchone()
    assert row is not None
    last, second, first = row[0]
    (shown,) = table(connection, GAME)
    assert (shown.game, shown.seats, shown.unit_kind, shown.rules) == (GAME, 3, "single", "1")
    assert [
        (line.place, line.bot, line.micro_elo, line.units, line.mean_milli_points, line.matches, line.faults)
        for line in shown.ratings
    ] == [
        (1, first, 1_587_500_000, 1, 31_000, 1, 0),
        (2, second, 1_500_000_000, 1, 7_000, 1, 1),
        (3, last, 1_412_500_000, 1, -4_000, 1, 3),
    ]


def test_the_order_in_which_results_arrive_changes_nothing(connection: Connection, bots: list[str]) -> None:
    straight = played.start(connection, "straight", bots, orbits=3, options={"deals": "1"})
    for block in straight.blocks:
        played.play(connection, block)
    assert apply_due(connection) == 3
    expected = [row[1:] for row in history(connection, '{"deals": "1"}')]
    assert len(expected) == 3 * len(bots)
    for shuffle in range(3):
        crooked = played.start(connection, f"crooked-{shuffle}", bots, orbits=3, options={"deals": f"x{shuffle}"})
        arrivals = crooked.blocks
        random.Random(shuffle).shuffle(arrivals)
        applied = 0
        for block in arrivals:
            played.play(connection, block)
            applied += apply_due(connection)
            applied += apply_due(connection)
        assert applied == 3
        assert [row[1:] for row in history(connection, f'{{"deals": "x{shuffle}"}}')] == expected


def test_applying_again_does_nothing(connection: Connection, bots: list[str]) -> None:
    for block in played.start(connection, "cup", bots).blocks:
        played.play(connection, block)
    assert apply_due(connection) == 2
    before = history(connection)
    assert apply_due(connection) == 0
    assert history(connection) == before
    assert count(connection, b"rating_runs") == 1


def test_many_at_once_apply_every_period_once(database_url: str, connection: Connection, bots: list[str]) -> None:
    pools: dict[str, dict[str, str]] = {"a": {}, "b": {"deals": "2"}, "c": {"deals": "3"}}
    for name, options in pools.items():
        for block in played.start(connection, name, bots, options=options).blocks:
            played.play(connection, block)

    def apply(_: int) -> int:
        with connect(database_url) as own:
            return apply_due(own)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(apply, range(8))) == 6
    histories = [[row[1:] for row in history(connection, o)] for o in ("{}", '{"deals": "2"}', '{"deals": "3"}')]
    assert histories[0] == histories[1] == histories[2] != []


@pytest.fixture
def gate(database_url: str, connection: Connection) -> Iterator[Connection]:
    """A closed gate in the database; `wait_at_the_gate` in a trigger makes a writer wait at it."""
    connection.execute(
        "CREATE FUNCTION wait_at_the_gate() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN PERFORM pg_advisory_xact_lock(4242); RETURN NEW; END $$"
    )
    with connect(database_url) as own:
        own.execute("SELECT pg_advisory_lock(4242)")
        yield own


def _apply_in_a_process(url: str) -> None:
    with connect(url) as own:
        apply_due(own)


@pytest.mark.parametrize(
    "trigger",
    [
        b"BEFORE INSERT ON rating_runs FOR EACH ROW",
        b"BEFORE INSERT ON rating_periods FOR EACH ROW WHEN (NEW.position = 1)",
        b"BEFORE INSERT ON rated_periods FOR EACH ROW WHEN (NEW.position = 0)",
        b"BEFORE INSERT ON rating_events FOR EACH ROW WHEN (NEW.position = 1 AND NEW.version = 3)",
    ],
)
def test_killed_in_the_middle_leaves_the_same_bits(
    database_url: str, connection: Connection, bots: list[str], gate: Connection, trigger: bytes
) -> None:
    for name, options in (("calm", {"deals": "1"}), ("killed", {})):
        for block in played.start(connection, name, bots, options=options).blocks:
            played.play(connection, block)
        if name == "calm":
            apply_due(connection)
    connection.execute(b"CREATE TRIGGER gate " + trigger + b" EXECUTE FUNCTION wait_at_the_gate()")
    process = multiprocessing.get_context("spawn").Process(target=_apply_in_a_process, args=(database_url,))
    process.start()
    assert process.pid is not None
    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4242 AND NOT granted"
    while gate.execute(waiting).fetchone() == (0,):
        assert process.is_alive()
        time.sleep(0.01)  # the database tells nobody that somebody waits
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    gate.execute("SELECT pg_advisory_unlock(4242)")
    assert history(connection) == []
    assert apply_due(connection) == 2
    assert [row[1:] for row in history(connection)] == [row[1:] for row in history(connection, '{"deals": "1"}')] != []
    assert not rebuild(connection).differs


def test_an_orbit_is_applied_when_all_its_blocks_and_the_orbits_before_have_ended(
    connection: Connection, bots: list[str]
) -> None:
    cup = played.start(connection, "cup", bots, orbits=3)
    *early, last = cup.orbits[0]
    for block in (*early, *cup.orbits[1]):
        played.play(connection, block)
    assert apply_due(connection) == 0
    assert table(connection, GAME) == []
    played.play(connection, last)
    assert apply_due(connection) == 2
    assert [(row[0], row[1]) for row in history(connection)] == [("cup", 0)] * 6 + [("cup", 1)] * 6


def test_void_units_change_nothing(connection: Connection, bots: list[str]) -> None:
    whole = played.start(connection, "whole", bots, options={"deals": "1"})
    holed = played.start(connection, "holed", bots)
    for block in whole.orbits[1][:-2]:
        played.play(connection, block)
    connection.execute("SET session_replication_role = replica")  # blocks that never were
    connection.execute("DELETE FROM blocks WHERE id = ANY(%s)", [[*whole.orbits[0], *whole.orbits[1][-2:]]])
    connection.execute("SET session_replication_role = DEFAULT")
    for block in holed.orbits[1][:-2]:
        played.play(connection, block)
    for block in (*holed.orbits[0], *holed.orbits[1][-2:]):
        played.give_up(connection, block)
    assert apply_due(connection) == 3
    empty, *rest = history(connection)
    assert empty[:4] == ("holed", 0, 0, 0)
    assert [row[1:] for row in rest] == [row[1:] for row in history(connection, '{"deals": "1"}')]


def test_a_unit_counts_whole_or_not_at_all(connection: Connection, bots: list[str]) -> None:
    cup = played.start(connection, "cup", bots, orbits=1)
    for number, block in enumerate(cup.blocks):
        played.play(connection, block, skip=[(0, 1)] if number == 0 else [])
    apply_due(connection)
    units = sum(line.units for shown in table(connection, GAME) for line in shown.ratings)
    assert units == 3 * (2 * len(cup.blocks) - 1)


def test_the_tournament_that_closed_first_is_rated_first(connection: Connection, bots: list[str]) -> None:
    for name in ("a", "b", "c"):
        for block in played.start(connection, name, bots).blocks:
            played.play(connection, block)
    played.close(connection, "c")
    played.close(connection, "b")
    apply_due(connection)
    assert [row[:2] for row in history(connection)[::6]] == [(name, orbit) for name in "cba" for orbit in (0, 1)]


def test_a_block_that_is_played_after_its_period_makes_a_new_run(connection: Connection, bots: list[str]) -> None:
    late = played.start(connection, "late", bots)
    calm = played.start(connection, "calm", bots, options={"deals": "1"})
    for cup in (late, calm):
        missing, *others = cup.blocks
        for block in others:
            played.play(connection, block)
        played.give_up(connection, missing)
        if cup is late:
            assert apply_due(connection) == 2
        new = played.replace(connection, missing)
        if cup is late:
            assert apply_due(connection) == 0
        played.play(connection, new)
    first_run = history(connection)
    assert apply_due(connection) == 2
    assert history(connection) != first_run
    assert [row[1:] for row in history(connection)] == [row[1:] for row in history(connection, '{"deals": "1"}')]
    assert count(connection, b"rating_runs") == 3
    assert apply_due(connection) == 0
    assert not rebuild(connection).differs


def test_pools_keep_apart_what_can_not_be_compared(connection: Connection, bots: list[str]) -> None:
    for name, choices in {
        "plain": {},
        "single": {"kind": "single"},
        "four": {"seats": 4},
        "long": {"options": {"deals": "9"}},
        "newer": {"rules": "2"},
    }.items():
        for block in played.start(connection, name, bots, orbits=1, **choices).blocks:  # type: ignore[arg-type]
            played.play(connection, block)
    apply_due(connection)

    def names(tables: list[RatingTable]) -> set[tuple[int, str, str, str]]:
        return {(shown.seats, shown.unit_kind, shown.options.get("deals", ""), shown.rules) for shown in tables}

    three = {(3, "rotation", "", "2"), (3, "single", "", "1"), (3, "rotation", "9", "1")}
    assert names(table(connection, GAME, 3)) == three
    assert names(table(connection, GAME)) == three | {(4, "rotation", "", "1")}
    assert table(connection, "another game") == []


def test_a_new_version_starts_anew_and_is_the_one_that_is_shown(connection: Connection, bots: list[str]) -> None:
    for block in played.start(connection, "first", bots).blocks:
        played.play(connection, block)
    apply_due(connection)
    played.add_version(connection, "ada")
    for block in played.start(connection, "second", bots, orbits=1).blocks:
        played.play(connection, block)
    apply_due(connection)
    (shown,) = table(connection, GAME)
    units = {line.bot: (line.version, line.units) for line in shown.ratings}
    assert units == {"ada": (2, 6), **dict.fromkeys(BOTS[1:], (1, 18))}
    assert [line.place for line in shown.ratings] == sorted(line.place for line in shown.ratings)


def test_rebuilding_finds_the_same_bits(connection: Connection, bots: list[str]) -> None:
    for block in played.start(connection, "cup", bots).blocks:
        played.play(connection, block)
    apply_due(connection)
    before = history(connection)
    outcome = rebuild(connection)
    assert (outcome.pools, outcome.periods, outcome.differences) == (1, 2, ())
    assert "to the last bit" in outcome.sentence
    assert count(connection, b"rating_runs") == 1
    assert not rebuild(connection, verify=False).differs
    assert count(connection, b"rating_runs") == 2
    assert history(connection) == before


@pytest.mark.parametrize(
    ("tampering", "sentence"),
    [
        (
            b"UPDATE rating_events SET micro_elo = micro_elo + 1 WHERE position = 1 AND version = 2",
            "period 1: stored is",
        ),
        (b"DELETE FROM rating_events WHERE position = 1 AND version = 2", "period 1: stored is"),
        (b"UPDATE results SET scores[1] = scores[1] + 1 WHERE unit = 1 AND rotation = 1", "not those that were rated"),
        (b"DELETE FROM rated_periods WHERE position = 1", "1 periods are stored and 2 are computed"),
    ],
)
def test_rebuilding_finds_what_was_tampered_with(
    connection: Connection, bots: list[str], tampering: bytes, sentence: str
) -> None:
    for block in played.start(connection, "cup", bots).blocks:
        played.play(connection, block)
    apply_due(connection)
    connection.execute("SET session_replication_role = replica")
    connection.execute(tampering)
    connection.execute("SET session_replication_role = DEFAULT")
    outcome = rebuild(connection)
    assert outcome.differs
    assert sentence in outcome.sentence
    rebuild(connection, verify=False)
    assert not rebuild(connection).differs


@pytest.mark.parametrize("relation", [b"pools", b"rating_periods", b"rating_runs", b"rated_periods", b"rating_events"])
def test_rows_are_written_once(connection: Connection, bots: list[str], relation: bytes) -> None:
    for block in played.start(connection, "cup", bots, orbits=1).blocks:
        played.play(connection, block)
    apply_due(connection)
    for change in (b"DELETE FROM " + relation, b"TRUNCATE " + relation + b" CASCADE"):
        with pytest.raises(psycopg.errors.RaiseException, match="written once"):
            connection.execute(change)
