"""A dump holds the whole database and comes back whole or not at all; what it cannot be is said in a sentence."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from arena.errors import ArenaError, BadRequest, Unavailable, WrongState
from arena.ratings.periods import apply_due, rebuild
from arena.stack import Stack
from arena.stack.dump import dump, restore
from arena.stack.programs import find_client
from arena.store import Connection, connect, open_matches
from sandbox.host import bwraps
from tests.conftest import named
from tests.ratings import played
from tests.store.test_migrations import values_of
from tests.tournaments.ground import claimed, make_tournament, one


@pytest.fixture
def empty_url(stack: Stack) -> Iterator[str]:
    """A database with nothing in it."""
    with psycopg.connect(stack.database_url, autocommit=True) as server:
        server.execute("CREATE DATABASE empty TEMPLATE template0")
        yield named(stack.database_url, "empty")
        server.execute("DROP DATABASE empty WITH (FORCE)")


def test_what_was_played_comes_back_and_its_ratings_follow_from_it(
    connection: Connection, database_url: str, empty_url: str, tmp_path: Path
) -> None:
    bots = ["ann", "bob", "cyd", "dan"]
    played.add_bots(connection, bots)
    for block in played.start(connection, "cup", bots).blocks:
        played.play(connection, block)
    played.close(connection, "cup")
    assert apply_due(connection) == 2
    file = tmp_path / "a.dump"
    size = dump(database_url, file)
    assert [(path.name, path.stat().st_size) for path in tmp_path.iterdir()] == [("a.dump", size)]
    assert file.stat().st_mode & 0o777 == 0o600
    restore(empty_url, file)
    assert values_of(empty_url) == values_of(database_url)
    with connect(empty_url) as other:
        assert not rebuild(other).differs
        with pytest.raises(psycopg.errors.RaiseException, match="written once"):
            other.execute("DELETE FROM results")


def test_what_is_being_watched_is_not_carried_along(
    connection: Connection, database_url: str, empty_url: str, tmp_path: Path
) -> None:
    lease = claimed(connection, make_tournament(connection)[0])
    open_matches.show(
        connection, block=lease.block, lease=lease.token, unit=0, rotation=3, seats=(0, 1, 2, 3), record="a deal"
    )
    dump(database_url, tmp_path / "a.dump")
    restore(empty_url, tmp_path / "a.dump")
    with connect(empty_url) as other:
        assert open_matches.list_open(other, lease.tournament, after=-1, limit=9) == []
        assert one(other, "SELECT state FROM blocks") == "leased"


def test_a_dump_replaces_a_dump_and_nothing_else(database_url: str, tmp_path: Path) -> None:
    file, other = tmp_path / "a.dump", tmp_path / "a.txt"
    dump(database_url, file)
    dump(database_url, file)
    other.write_text("mine")
    for place in (other, tmp_path):
        with pytest.raises(BadRequest, match="no dump of an arena"):
            dump(database_url, place)
    with pytest.raises(BadRequest, match="name a file in a folder of yours"):
        dump(database_url, tmp_path / "nowhere" / "a.dump")
    assert other.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.dump", "a.txt"]


def test_a_dump_is_restored_into_an_empty_database_only(database_url: str, tmp_path: Path) -> None:
    file = tmp_path / "a.dump"
    dump(database_url, file)
    before = values_of(database_url)
    with pytest.raises(WrongState, match="not empty, and a dump replaces nothing"):
        restore(database_url, file)
    assert values_of(database_url) == before


def test_what_is_no_dump_of_an_arena_is_refused(empty_url: str, tmp_path: Path) -> None:
    file = tmp_path / "a.dump"
    with pytest.raises(BadRequest, match=r"cannot read .*: No such file"):
        restore(empty_url, file)
    file.write_text("hello")
    with pytest.raises(BadRequest, match="is no dump"):
        restore(empty_url, file)
    file.unlink()
    dump(empty_url, file)
    with pytest.raises(BadRequest, match="another database than an arena's"):
        restore(empty_url, file)


def test_a_dump_that_is_cut_leaves_the_database_empty(database_url: str, empty_url: str, tmp_path: Path) -> None:
    file = tmp_path / "a.dump"
    with connect(database_url) as connection:
        connection.execute(
            "INSERT INTO archives SELECT repeat('ab', 32), sha256(convert_to(repeat('x', 9999), 'UTF8'))"
        )
    dump(database_url, file)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) - 300])
    with pytest.raises(ArenaError, match=r"a\.dump is not restored: pg_restore: error:"):
        restore(empty_url, file)
    assert values_of(empty_url) == {}


def test_a_dump_of_a_newer_arena_is_refused_before_anything_is_written(
    connection: Connection, database_url: str, empty_url: str, tmp_path: Path
) -> None:
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    dump(database_url, tmp_path / "a.dump")
    with pytest.raises(Unavailable, match=r"a\.dump is of a newer version of the arena, which migrated it to 9999"):
        restore(empty_url, tmp_path / "a.dump")
    assert values_of(empty_url) == {}


def test_programs_of_another_version_are_not_used() -> None:
    with pytest.raises(Unavailable, match=r"PostgreSQL 99, and no pg_dump of that version is here \(.* of version 18"):
        find_client("pg_dump", 99)


def test_a_full_disk_is_told_and_leaves_no_file(connection: Connection, database_url: str, tmp_path: Path) -> None:
    connection.execute("INSERT INTO archives SELECT repeat('ab', 32), string_agg(sha256(n::text::bytea), '')"
                       " FROM generate_series(1, 20000) AS n")  # fmt: skip
    program = f"""
import os
from pathlib import Path
from arena.errors import ArenaError
from arena.stack.dump import dump
try:
    dump({database_url!r}, Path({str(tmp_path / "a.dump")!r}))
except ArenaError as error:
    print(error)
print(os.listdir({str(tmp_path)!r}))
"""
    disk = [bwraps(os.environ)[0], "--dev-bind", "/", "/", "--size", str(256 << 10), "--tmpfs", str(tmp_path)]
    done = subprocess.run(
        [*disk, sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    told, left = done.stdout.splitlines()
    assert told == f"{tmp_path}/a.dump is not written, because the disk is full: make room and try again"
    assert left == "[]"
