"""What was played in tournaments that are closed, page by page. Knows no file format and no network.

A page is asked for behind the last one, so nothing is held open in the database while a reader takes its time, and
memory holds a page, or the records of one block, however much there is.
"""

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from arena.errors import WrongState
from arena.store import Connection
from arena.store.people import User
from arena.store.sql import statements
from arena.store.tournaments import see_tournament

SQL = statements(__file__)

PAGE = 500
"""Matches of a page."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A tournament whose last match was played. ``options`` are all options as text."""

    name: str
    game: str
    seats: int
    options: dict[str, str]
    engine: str
    closed_at: datetime


@dataclass(frozen=True, slots=True)
class Played:
    """A finished match; lists are by seat. ``kind`` is that of its unit; ``counts`` is false where a correction says
    so, and in a tournament that is not rated."""

    unit: int
    rotation: int
    orbit: int
    kind: str
    bots: list[str]
    scores: list[int]
    places: list[int]
    faults: list[int]
    forfeited: list[int]
    decisions: int
    digest: bytes
    counts: bool
    ended_at: datetime


def closed(connection: Connection, user: User, name: str) -> Closed:
    """One tournament.

    :raises NotFound: if there is none of this name that the user may see.
    :raises WrongState: if it is not closed.
    """
    see_tournament(connection, user, name)
    found = connection.cursor(row_factory=class_row(Closed)).execute(SQL["closed"], {"name": name}).fetchone()
    if found is None:
        raise WrongState(
            f"'{name}' is not closed, and what is still to be played is not exported; 'arena tournament watch {name}' "
            f"waits for its end"
        )
    return found


def next_closed(connection: Connection, user: User, after: str, game: str | None) -> Closed | None:
    """The closed tournament that comes next by name of those that the user may see, of one game if it is given; None
    behind the last."""
    asked = {"viewer": user.name, "after": after, "game": game}
    return connection.cursor(row_factory=class_row(Closed)).execute(SQL["next_closed"], asked).fetchone()


def matches(connection: Connection, tournament: str, after: tuple[int, int]) -> list[Played]:
    """At most :data:`PAGE` matches behind (unit, rotation), in that order."""
    unit, rotation = after
    asked = {"tournament": tournament, "unit": unit, "rotation": rotation, "limit": PAGE}
    return connection.cursor(row_factory=class_row(Played)).execute(SQL["exported_matches"], asked).fetchall()


def next_records(connection: Connection, tournament: str, after: int) -> tuple[int, bytes] | None:
    """The first unit and the records, still packed, of the block that comes next by it; None behind the last."""
    asked = {"tournament": tournament, "first_unit": after}
    row = connection.execute(SQL["next_records"], asked).fetchone()
    return (row[0], row[1]) if row is not None else None
