"""A database of every earlier version comes up to date with all that it held, and a newer one is left alone.

`rows/NNNN.sql` is what revision NNNN brought: rows of its new tables, and values for its new columns. They are never
edited. A migration that adds either adds such a file; one that takes a column away says in MOVED where its values went.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from arena.errors import Unavailable
from arena.stack import Stack
from arena.stack.programs import find_client
from arena.store import connect, migrate, refuse_newer, revisions
from tests.conftest import named

ROWS = Path(__file__).parent / "rows"

MOVED = {
    ("bot_logs", "text"): "SELECT coalesce(parts -> 0 ->> 'text', '') FROM bot_logs WHERE rotation <> 1",
    ("bot_logs", "exit"): "SELECT run ->> 'exit' FROM bot_logs WHERE rotation <> 1",
}
"""Where the values of columns are that a later revision took away, in a database that came from before it."""

Values = dict[tuple[str, str], list[str]]


@pytest.fixture(scope="module")
def history(stack: Stack, template_url: str) -> Iterator[dict[str, str]]:
    """A database of every revision, each with what those before it held and with rows of its own."""
    urls: dict[str, str] = {}
    with connect(stack.database_url) as server:
        before = "template0"
        for revision in revisions():
            name = f"revision_{revision}"
            server.execute(f"CREATE DATABASE {name} TEMPLATE {before}".encode())
            urls[revision] = named(stack.database_url, name)
            migrate(urls[revision], to=revision)
            rows = ROWS / f"{revision}.sql"
            if rows.exists():
                with connect(urls[revision]) as database:
                    database.execute(rows.read_bytes())
            before = name
        yield urls
        for url in urls.values():
            server.execute(f"DROP DATABASE {url.rpartition('/')[2].partition('?')[0]} WITH (FORCE)".encode())


@pytest.fixture(scope="module")
def schema(template_url: str) -> str:
    """That of a database that was made by this version."""
    return schema_of(template_url)


@pytest.mark.parametrize("revision", revisions())
def test_every_column_of_a_revision_has_a_value_to_be_kept(history: dict[str, str], revision: str) -> None:
    empty = [column for column, values in values_of(history[revision]).items() if not any(values)]
    assert not empty, f"nothing would show whether these survive: write tests/store/rows/{revision}.sql for {empty}"


@pytest.mark.parametrize("revision", revisions())
def test_a_database_of_every_revision_comes_up_to_date_and_loses_nothing(
    history: dict[str, str], stack: Stack, schema: str, revision: str
) -> None:
    with connect(stack.database_url) as server:
        server.execute(f"CREATE DATABASE upgraded TEMPLATE revision_{revision}".encode())
        try:
            url = named(stack.database_url, "upgraded")
            migrate(url)
            before, after = values_of(history[revision]), values_of(url)
            assert schema_of(url) == schema
            with connect(url) as upgraded:
                for column, values in before.items():
                    kept = after.get(column)
                    if kept is None:
                        assert column in MOVED, f"{column} is gone; say in MOVED where its values are"
                        kept = sorted(row[0] for row in upgraded.execute(MOVED[column].encode()))
                    assert kept == values, f"{column} has changed"
        finally:
            server.execute("DROP DATABASE IF EXISTS upgraded WITH (FORCE)")


def test_a_database_of_a_newer_arena_is_left_alone_with_a_sentence(
    connection: psycopg.Connection, database_url: str
) -> None:
    refuse_newer(connection)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    sentence = rf"migrated it to 9999; .* up to {revisions()[-1]}: install the newer one"
    with pytest.raises(Unavailable, match=sentence):
        migrate(database_url)
    with pytest.raises(Unavailable, match=sentence):
        refuse_newer(connection)
    assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]


def test_an_empty_database_is_no_newer_one(connection: psycopg.Connection) -> None:
    connection.execute("DROP TABLE alembic_version")
    refuse_newer(connection)


def values_of(url: str) -> Values:
    """The values of every column of every table as text, in ascending order; empty text for NULL."""
    found: Values = {}
    with connect(url) as database:
        columns = database.execute(
            "SELECT table_name, column_name FROM information_schema.columns JOIN information_schema.tables"
            " USING (table_schema, table_name) WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
            " AND table_name <> 'alembic_version' ORDER BY table_name, ordinal_position"
        ).fetchall()
        for table, column in columns:
            rows = database.execute(f'SELECT coalesce("{column}"::text, \'\') FROM "{table}"'.encode())
            found[table, column] = sorted(row[0] for row in rows)
    return found


def schema_of(url: str) -> str:
    """All that makes the schema, as pg_dump writes it."""
    program = find_client("pg_dump", 18)  # the embedded server's
    command = [str(program), "--schema-only", "--no-owner", "--restrict-key=none", f"--dbname={url}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
