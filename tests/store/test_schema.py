"""The schema is what the migrations make, keeps its promises by itself, and knows every statement."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

import arena
from arena.store import Connection, bots, connect, migrate, people
from arena.store.sql import Statements
from tests.tournaments.ground import claimed, make_tournament, one

ROOT = Path(arena.__file__).parent
FILES = sorted(path for path in ROOT.rglob("*.sql") if "migrations" not in path.parts)
STATEMENTS = [(path, name) for path in FILES for name in Statements(path)]


def head() -> str:
    settings = Config()
    settings.set_main_option("script_location", str(ROOT / "store" / "migrations"))
    return ScriptDirectory.from_config(settings).get_current_head() or ""


def test_migrating_twice_and_at_once_changes_nothing(connection: Connection, database_url: str) -> None:
    make_tournament(connection)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(migrate, [database_url] * 3))
    assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(head(),)]
    assert one(connection, "SELECT count(*) FROM blocks") == 1


def test_an_empty_database_is_migrated_once_by_whoever_comes_first(connection: Connection, database_url: str) -> None:
    connection.execute("DROP SCHEMA public CASCADE")
    connection.execute("CREATE SCHEMA public")
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(migrate, [database_url] * 3))
    with connect(database_url) as other:
        assert one(other, "SELECT version_num FROM alembic_version") == head()
        make_tournament(other)


def test_a_migration_that_fails_leaves_the_database_as_it_was(connection: Connection, database_url: str) -> None:
    connection.execute("DROP SCHEMA public CASCADE")
    connection.execute("CREATE SCHEMA public")
    connection.execute("CREATE TABLE alarms ()")
    with pytest.raises(psycopg.errors.DuplicateTable):
        migrate(database_url)
    assert connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall() == [("alarms",)]


@pytest.mark.parametrize(("path", "name"), STATEMENTS, ids=[f"{path.stem}.{name}" for path, name in STATEMENTS])
def test_every_statement_fits_the_schema_and_is_used(template_url: str, path: Path, name: str) -> None:
    text = Statements(path)[name].decode()
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", text)))
    for number, parameter in enumerate(names, 1):
        text = text.replace(f"%({parameter})s", f"${number}")
    with connect(template_url) as own:
        own.execute(f"PREPARE statement AS {text.replace('%%', '%')}".encode())
    users = [source for source in ROOT.rglob("*.py") if f'"{name}"' in source.read_text("utf-8")]
    assert users, f"nobody uses {name}"


def test_two_statements_of_one_name_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "twice.sql"
    file.write_text("-- one: first\nSELECT 1;\n\n-- one: second\nSELECT 2;\n")
    with pytest.raises(ValueError, match="two statements called one"):
        Statements(file)


IMPOSSIBLE = {
    "a lease without an end": "UPDATE blocks SET state = 'leased', lease = gen_random_uuid()",
    "a block that is done by nobody": "UPDATE blocks SET state = 'done', ended_at = now()",
    "an end without a reason": "UPDATE blocks SET ended_at = now()",
    "a state of no name": "UPDATE blocks SET state = 'lost'",
    "a bot twice at a table": "UPDATE blocks SET entries = '{ann,ann,bob,cyd}'",
    "four dead processes": "UPDATE blocks SET deaths = 4",
    "two blocks of a table": "INSERT INTO blocks (tournament, orbit, table_index, entries, kind, first_unit, units) "
    "SELECT tournament, orbit, table_index, entries, kind, 99, 1 FROM blocks",
    "two blocks with a unit": "INSERT INTO blocks (tournament, orbit, table_index, entries, kind, first_unit, units) "
    "SELECT tournament, orbit, 99, entries, kind, first_unit, 1 FROM blocks",
    "another commitment": "UPDATE tournaments SET commitment = sha256('other')",
    "a tournament that ends before it starts": "UPDATE tournaments SET started_at = NULL, engine = NULL, "
    "closed_at = now()",
    "two active versions": "INSERT INTO versions (bot, number, declared, manifest, state) "
    "SELECT bot, 2, 'two', manifest, 'active' FROM versions WHERE bot = 'ann'",
    "a version that is nothing": "INSERT INTO versions (bot, number, manifest) "
    "SELECT bot, 2, manifest FROM versions WHERE bot = 'ann'",
    "a rejection without a reason": "UPDATE versions SET state = 'rejected'",
    "an archive of no hash": "INSERT INTO archives VALUES ('abc', '')",
    "a token itself": "INSERT INTO tokens (sha256, owner, scopes) VALUES ('arena_secret', 'owner', '{read}')",
    "a token for nothing": "INSERT INTO tokens (sha256, owner, scopes) VALUES (sha256('x'), 'owner', '{}')",
    "a token for what nobody knows": "INSERT INTO tokens (sha256, owner, scopes) "
    "VALUES (sha256('x'), 'owner', '{read,all}')",
    "an attempt that ended somehow": "UPDATE attempts SET ended_at = now()",
    "results of nothing": "UPDATE attempts SET outcome = 'done', ended_at = now()",
}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_the_schema_refuses(connection: Connection, what: str) -> None:
    make_tournament(connection)
    (other,) = make_tournament(connection)
    claimed(connection, other)
    connection.execute("UPDATE blocks SET state = 'queued', lease = NULL, lease_expires_at = NULL")
    with pytest.raises(psycopg.errors.IntegrityError):
        connection.execute(IMPOSSIBLE[what].encode())


UNCHANGING = {
    "another content of a version": "UPDATE versions SET content_hash = (SELECT max(content_hash) FROM archives)",
    "another number of a version": "UPDATE versions SET number = number + 1",
    "another manifest of a version": """UPDATE versions SET manifest = '{"games": ["minus"]}'""",
    "a version that is gone": "DELETE FROM versions WHERE bot = 'ann'",
    "other bytes of an archive": "UPDATE archives SET data = ''",
    "an archive that is gone": "DELETE FROM archives",
    "a version that is nothing any more": "UPDATE versions SET content_hash = NULL, declared = 'mine'",
}


@pytest.mark.parametrize("what", UNCHANGING)
def test_versions_and_archives_never_change(connection: Connection, what: str) -> None:
    make_tournament(connection)
    with pytest.raises(psycopg.errors.RaiseException, match="written once and never changed"):
        connection.execute(UNCHANGING[what].encode())


def test_what_becomes_of_a_version_and_what_a_remote_bot_says_may_change(connection: Connection) -> None:
    make_tournament(connection)
    connection.execute("UPDATE versions SET state = 'replaced', log = 'it was here' WHERE bot = 'ann'")
    user = people.User("owner", admin=False)
    for games in (["minus"], ["callbreak"]):
        bots.declare_version(connection, user, name="far", declared="1", games=games, batch=1)
    assert one(connection, "SELECT manifest -> 'games' FROM versions WHERE bot = 'far'") == ["callbreak"]
