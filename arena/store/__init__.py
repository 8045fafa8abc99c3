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


def migrate(url: str) -> None:
    """Brings the schema up to date; does nothing if it is. Several processes may call it at once.

    :raises Unavailable: if the database does not answer, or a newer version of the arena has migrated it.
    """
    # Here, because nothing else needs them and they take a quarter of a second to import.
    import sqlalchemy  # noqa: PLC0415
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415
    from sqlalchemy.pool import NullPool  # noqa: PLC0415

    connect(url).close()
    engine = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(url, connect_timeout=10), poolclass=NullPool
    )
    with engine.begin() as connection:
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('card-arena schema'))")
        settings = Config()
        settings.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
        settings.attributes["connection"] = connection
        try:
            command.upgrade(settings, "head")
        except CommandError as error:
            raise Unavailable(
                f"the database was made by a newer version of the arena ({error}): install that version"
            ) from error
