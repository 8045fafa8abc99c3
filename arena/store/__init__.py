"""The database: its schema and what is read and written outside the ledger and the ratings. Knows no network.

`migrate(url)` brings a database up to date, `connect(url)` gives a connection. Statements stand by name in .sql files
beside the module that runs them; rows become frozen dataclasses there and nowhere else.
"""

from pathlib import Path
from typing import Any

import psycopg

from arena.errors import Unavailable

Connection = psycopg.Connection[tuple[Any, ...]]

_MIGRATIONS = Path(__file__).parent / "migrations"


def connect(url: str) -> Connection:
    """A connection that commits every statement by itself, outside of `with connection.transaction():`.

    :raises Unavailable: if the database does not answer.
    """
    try:
        return psycopg.connect(url, autocommit=True, connect_timeout=10)
    except psycopg.Error as error:
        raise Unavailable(
            f"the database does not answer ({str(error).strip()}): start it with 'arena up', or set ARENA_DATABASE_URL"
        ) from error


def revisions() -> tuple[str, ...]:
    """The revisions of the schema that this version knows, oldest first."""
    return tuple(sorted(path.name[1:5] for path in (_MIGRATIONS / "versions").glob("v[0-9][0-9][0-9][0-9]_*.py")))


def refuse_newer(connection: Connection) -> None:
    """Returns if the schema is of this version or of an earlier one, or is not made yet.

    :raises Unavailable: if a newer version of the arena has migrated the database.
    """
    if connection.execute("SELECT to_regclass('alembic_version')").fetchone() == (None,):
        return
    row = connection.execute("SELECT max(version_num) FROM alembic_version").fetchone()
    if row is not None and row[0] is not None:
        refuse_revision(row[0], "the database")


def refuse_revision(revision: str, what: str) -> None:
    """Returns if this version knows the revision that something is of.

    :raises Unavailable: if not.
    """
    known = revisions()
    if revision not in known:
        raise Unavailable(
            f"{what} is of a newer version of the arena, which migrated it to {revision}; this version knows revisions "
            f"up to {known[-1]}: install the newer one"
        )


def migrate(url: str, to: str = "head") -> None:
    """Brings the schema up to date, or to an earlier revision; does nothing if it is. Several processes may call it at
    once.

    :raises Unavailable: if the database does not answer, or a newer version of the arena has migrated it.
    """
    # Here, because nothing else needs them and they take a quarter of a second to import.
    import sqlalchemy  # noqa: PLC0415
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from sqlalchemy.pool import NullPool  # noqa: PLC0415

    connect(url).close()
    engine = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(url, connect_timeout=10), poolclass=NullPool
    )
    with engine.begin() as migrating:
        migrating.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('card-arena schema'))")
        own = migrating.connection.driver_connection
        assert isinstance(own, psycopg.Connection)
        refuse_newer(own)
        settings = Config()
        settings.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
        settings.attributes["connection"] = migrating
        command.upgrade(settings, to)
