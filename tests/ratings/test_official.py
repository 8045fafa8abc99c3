"""Official ratings in the database: fitted when a period has been applied, read with the table, checked again."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from arena.ratings.official import differences, fit_due
from arena.ratings.periods import apply_due, rebuild
from arena.ratings.tables import RatingTable, table
from arena.store import Connection
from tests.ratings import played

BOTS = ["ada", "bob", "cem", "dan", "eve", "fay"]


@pytest.fixture
def bots(connection: Connection) -> list[str]:
    played.add_bots(connection, BOTS)
    return BOTS


def rated(connection: Connection, name: str = "cup", orbits: int = 2) -> None:
    """A tournament that is played, applied and fitted."""
    for block in played.start(connection, name, BOTS, orbits=orbits).blocks:
        played.play(connection, block)
    apply_due(connection)
    fit_due(connection)


def only_table(connection: Connection) -> RatingTable:
    (found,) = table(connection, played.GAME)
    return found


def test_every_bot_has_an_interval_ranks_and_its_place_by_the_fit(connection: Connection, bots: list[str]) -> None:
    rated(connection)
    lines = only_table(connection).ratings
    assert {line.bot for line in lines} == set(bots)
    fits = [line.fitted for line in lines if line.fitted is not None]
    assert len(fits) == len(lines)
    assert [fit.micro_elo for fit in fits] == sorted((fit.micro_elo for fit in fits), reverse=True)
    assert sum(fit.micro_elo for fit in fits) == pytest.approx(1_500_000_000 * len(fits), abs=len(fits))
    for line, fit in zip(lines, fits, strict=True):
        # Two orbits, at three tables each, of two units.
        assert fit.deals == 12
        assert fit.provisional
        assert fit.micro_margin is not None
        assert fit.milli_points_margin is not None
        assert fit.first_rank is not None
        assert fit.last_rank is not None
        assert fit.first_rank <= line.place <= fit.last_rank


def test_fitting_again_does_nothing_until_another_period_is_applied(connection: Connection, bots: list[str]) -> None:
    rated(connection, orbits=1)
    assert bots
    assert fit_due(connection) == 0
    before = only_table(connection)
    rated(connection, "next", orbits=1)
    assert only_table(connection) != before
    assert fit_due(connection) == 0


def test_a_table_is_shown_by_elo_while_there_is_no_fit(connection: Connection, bots: list[str]) -> None:
    for block in played.start(connection, "cup", bots).blocks:
        played.play(connection, block)
    apply_due(connection)
    lines = only_table(connection).ratings
    assert [line.fitted for line in lines] == [None] * len(bots)
    assert [line.micro_elo for line in lines] == sorted((line.micro_elo for line in lines), reverse=True)


def test_a_replaced_version_stays_in_the_fit_and_out_of_the_ranks(connection: Connection, bots: list[str]) -> None:
    rated(connection, orbits=1)
    played.add_version(connection, "ada")
    rated(connection, "next", orbits=1)
    fits = connection.execute(
        "SELECT v.number, f.first_rank, f.last_rank FROM fits f JOIN versions v ON v.id = f.version"
        " WHERE v.bot = 'ada' AND f.position = 1 ORDER BY v.number"
    ).fetchall()
    assert fits[0] == (1, None, None)
    assert fits[1][0] == 2
    ranks = [line.fitted.last_rank for line in only_table(connection).ratings if line.fitted is not None]
    assert max(rank for rank in ranks if rank is not None) <= len(bots)


def test_a_new_run_is_fitted_anew(connection: Connection, bots: list[str]) -> None:
    rated(connection)
    assert bots
    before = only_table(connection)
    rebuild(connection, verify=False)
    assert fit_due(connection) == 1
    assert only_table(connection) == before


@pytest.mark.parametrize(
    ("tampering", "sentence"),
    [
        (b"UPDATE fits SET micro_elo = micro_elo + 11 WHERE version = 2", "fit of period 1: stored is"),
        (b"DELETE FROM fits WHERE version = 2", "fit of period 1: stored is"),
        (b"UPDATE results SET places = places[3:3] || places[1:2] WHERE unit = 1", "fit of period 1: stored is"),
    ],
)
def test_computing_again_finds_what_was_tampered_with(
    connection: Connection, bots: list[str], tampering: bytes, sentence: str
) -> None:
    rated(connection)
    assert bots
    assert differences(connection) == []
    connection.execute("SET session_replication_role = replica")
    connection.execute(tampering)
    connection.execute("SET session_replication_role = DEFAULT")
    (found,) = differences(connection)
    assert sentence in found


def test_who_comes_while_another_fits_leaves_it_to_him(
    connection: Connection, database_url: str, bots: list[str]
) -> None:
    for block in played.start(connection, "cup", bots, orbits=1).blocks:
        played.play(connection, block)
    apply_due(connection)
    with psycopg.connect(database_url) as other:
        assert fit_due(other) == 1
        assert fit_due(connection) == 0
    assert all(line.fitted is not None for line in only_table(connection).ratings)
    assert fit_due(connection) == 0


def test_who_comes_to_a_pool_late_does_not_bring_back_an_older_fit(
    connection: Connection, database_url: str, bots: list[str]
) -> None:
    """Somebody fits one pool for long, and meanwhile somebody else fits a newer period of the other."""
    for name, options in (("long", {"deals": "9"}), ("cup", {})):
        for block in played.start(connection, name, bots, orbits=1, options=options).blocks:
            played.play(connection, block)
        apply_due(connection)
    waiting = "SELECT count(*) FROM pg_locks WHERE relation = 'fits'::regclass AND NOT granted"
    with ThreadPoolExecutor() as threads, psycopg.connect(database_url, autocommit=True) as other:
        with connection.transaction():
            connection.execute("LOCK TABLE fits IN SHARE ROW EXCLUSIVE MODE")
            fitting = threads.submit(fit_due, other)
            while connection.execute(waiting).fetchone() != (1,):
                assert not fitting.done()
            for block in played.start(connection, "next", bots, orbits=1).blocks:
                played.play(connection, block)
            assert apply_due(connection) == 1
            assert fit_due(connection) == 1
        assert fitting.result() == 1
    kept = connection.execute(
        "SELECT DISTINCT r.pool, l.position FROM likelihoods l JOIN rating_runs r ON r.id = l.run"
    )
    assert sorted(kept) == [(1, 0), (2, 1)]


def test_fits_are_written_once(connection: Connection, bots: list[str]) -> None:
    rated(connection, orbits=1)
    assert bots
    for change in (b"DELETE FROM fits", b"TRUNCATE fits CASCADE", b"UPDATE fits SET micro_elo = 0"):
        with pytest.raises(psycopg.errors.RaiseException, match="written once"):
            connection.execute(change)
