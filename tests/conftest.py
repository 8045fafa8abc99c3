"""The real servers of the tests: one PostgreSQL and one Valkey for the session, one database for every test."""

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis
from hypothesis import HealthCheck, settings

from arena.stack import Stack

# How long an example takes says more of what else the machine does than of the code.
settings.register_profile("arena", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("arena")

_numbers = itertools.count(1)


@pytest.fixture
def short_dir() -> Iterator[Path]:
    """A directory with a short path that every user may pass through, as the servers need it when root runs the tests;
    pytest's own is closed to others."""
    directory = _open_dir()
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
def compiler() -> str:
    """The C compiler, for programs that are put into cells."""
    found = shutil.which("cc") or shutil.which("gcc")
    return found or pytest.skip("there is no C compiler")


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The servers of the session."""
    yield from own_stack()


def own_stack() -> Iterator[Stack]:
    """Servers in a directory of their own, whatever the environment says, for a fixture to yield from."""
    directory = _open_dir()
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
    url = named(stack.database_url, "arena_template")
    migrate(url)
    return url


@pytest.fixture
def database_url(stack: Stack, template_url: str) -> Iterator[str]:
    """A database of the test's own, with the schema."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(stack.database_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE arena_template".encode())
        yield named(stack.database_url, name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def connection(database_url: str) -> Iterator[psycopg.Connection]:
    """A connection to the test's own database that commits every statement by itself."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def broker_url(stack: Stack) -> str:
    """The broker, empty."""
    with broker_client(stack.broker_url) as client:
        client.flushall()
    return stack.broker_url


def broker_client(url: str) -> redis.Redis:
    """A client of the broker at an address in Celery's form."""
    return redis.Redis.from_url(url.replace("redis+socket://", "unix://").partition("?")[0])


def _open_dir() -> Path:
    """In memory where there is room, because a busy disk takes seconds to make a new database safe."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK | os.X_OK) and shutil.disk_usage(memory).free > 2 << 30
    directory = Path(tempfile.mkdtemp(prefix="arena-", dir=memory if roomy else None))
    directory.chmod(0o711)
    return directory


def named(url: str, database: str) -> str:
    """The address of another database of the same server."""
    return url.replace("/arena?", f"/{database}?")
