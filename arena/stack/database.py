"""A connection to the arena's database for a command that needs one. Knows no table."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.stack import Stack
from arena.store import Connection, connect, migrate


@contextmanager
def open_database(data_dir: Path) -> Iterator[Connection]:
    """A connection to the database of the services that run on this host; starts it for the time if they do not.

    :raises Unavailable: if it does not come up.
    """
    with Stack(data_dir) as stack:
        migrate(stack.database_url)
        with connect(stack.database_url) as connection:
            yield connection
