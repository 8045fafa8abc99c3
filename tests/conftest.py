"""The real servers of the tests: one PostgreSQL and one Valkey for the session, one database for every test."""

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from arena.stack import Stack

_numbers = itertools.count(1)


@pytest.fixture
def short_dir() -> Iterator[Path]:
    """A directory with a short path that every user may pass through, as the servers need it when root runs the tests;
    pytest's own is closed to others."""
    directory = Path(tempfile.mkdtemp(prefix="arena-"))
    directory.chmod(0o711)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The servers of the session, whatever the environment says."""
    directory = Path(tempfile.mkdtemp(prefix="arena-"))
    directory.chmod(0o711)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ARENA_DATABASE_URL", raising=False)
        patch.delenv("ARENA_BROKER_URL", raising=False)
        servers = Stack(directory)
    with servers:
        yield servers
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
def template_url(stack: Stack) -> str:
    """A database with the schema and nothing in it, to be cloned. Nobody may stay connected to it."""
    from arena.store import migrate

    with psycopg.connect(stack.database_url, autocommit=True) as connection:
        # These databases need not survive a power cut, and a busy disk takes seconds to make each of them safe.
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("CREATE DATABASE arena_template")
    url = _named(stack.database_url, "arena_template")
    migrate(url)
    return url


@pytest.fixture
def database_url(stack: Stack, template_url: str) -> Iterator[str]:
    """A database of the test's own, with the schema."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(stack.database_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE arena_template".encode())
        yield _named(stack.database_url, name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def connection(database_url: str) -> Iterator[psycopg.Connection]:
    """A connection to the test's own database that commits every statement by itself."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def broker_url(stack: Stack) -> str:
    """The broker, empty."""
    client = redis.Redis.from_url(stack.broker_url.replace("redis+socket://", "unix://").partition("?")[0])
    client.flushall()
    client.close()
    return stack.broker_url


def _named(url: str, database: str) -> str:
    return url.replace("/arena?", f"/{database}?")
