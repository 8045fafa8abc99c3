"""Blocks as readers see them: who sits together, and how far that is. Knows no lease and no result."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from arena.store import Connection
from arena.store.sql import statements

SQL = statements(__file__)


@dataclass(frozen=True, slots=True)
class Block:
    """A table of a tournament with its units, or a field with its tables. ``orbit`` and ``table`` count from 0;
    ``state`` is waiting, playing, done, void or replaced; ``replaces`` is None unless it was drawn in the place of
    another block."""

    id: int
    orbit: int
    table: int
    bots: list[str]
    first_unit: int
    units: int
    state: str
    replaces: int | None
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Seated:
    """A table that is played or will be, and how many units it has."""

    orbit: int
    table: int
    bots: list[str]
    units: int


def list_blocks(
    connection: Connection, tournament: str, *, bot: str = "", states: Collection[str] = (), after: int, limit: int
) -> list[Block]:
    """Blocks of a tournament whose first unit is above ``after``, in the order in which they were drawn: all, those of
    a bot, those in some states."""
    asked = {"tournament": tournament, "bot": bot or None, "states": list(states), "after": after, "limit": limit}
    return [Block(*row) for row in connection.execute(SQL["blocks"], asked)]


def seated(connection: Connection, tournament: str) -> Iterator[Seated]:
    """The tables of a tournament, but for those that were given up."""
    return (Seated(*row) for row in connection.execute(SQL["seated"], {"tournament": tournament}))


def drawn(connection: Connection, tournament: str) -> tuple[int, int]:
    """How many tables there are that were not given up, and the number of the newest block: they are the same tables
    while these are."""
    row = connection.execute(SQL["drawn"], {"tournament": tournament}).fetchone()
    assert row is not None
    tables, newest = row
    return tables, newest
