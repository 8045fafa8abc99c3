"""Draws the tables of a tournament that has started into the ledger, at the start or round by round. Knows no format
and no broker.

A format whose orbits wait for results has its next one drawn when the one before has ended: by whoever notices first,
in one transaction under the lock of the tournament, from what the database says alone. So a crash leaves an orbit drawn
or not, and whoever comes second finds nothing to do. What a draw went by is written down with it, so that it can be
computed again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.rows import class_row, scalar_row

from arena.errors import BadRequest
from arena.store import Connection
from arena.store.sql import statements
from arena.store.tournaments import Tournament, lock_tournament
from arena.tournaments import ledger, units
from arena.tournaments.block import UnitKind
from arena.tournaments.field import field_schedule, rounds_of
from arena.tournaments.formats import Format, Past, draw, kind_of
from arena.tournaments.ledger import NewBlock
from arena.tournaments.schedule import Entry, ScheduleError, Table

SQL = statements(__file__)

MOST_SINGLE_UNITS = 256
"""A block with a remote bot travels to its referee in one message, which is kept small as every bot's frames are."""


MOST_PLACES = 1_000_000
"""Bots times orbits, in fields times rounds: more are not drawn at once, for it would take the server's time from all
others."""


def draw_first(connection: Connection, tournament: Tournament) -> None:
    """Enqueues the first orbit, or all of them where none waits for results. Call it in the transaction that starts the
    tournament, when its entries are frozen.

    :raises ScheduleError: if no tables can be made of the entries.
    :raises BadRequest: if a table would play too many matches, or there would be too many tables.
    """
    field = _field(connection, tournament)
    orbits = 1 if Format(tournament.format).waits else tournament.orbits
    rounds = rounds_of(tournament.units, tournament.seats) if field.kind is UnitKind.FIELD else 1
    if len(field.entries) * orbits * rounds > MOST_PLACES:
        raise BadRequest(
            f"{len(field.entries)} bots in {orbits} orbits are too many tables to draw at once; make it with fewer "
            f"orbits, and another one after it"
        )
    _draw(connection, tournament, field)


def draw_due(connection: Connection) -> int:
    """How many orbits were drawn: the next one of every tournament whose last one has ended."""
    return sum(_draw_next(connection, name) for name in _scalars(connection, "due", tournament=None))


def tables_again(connection: Connection, tournament: Tournament) -> list[Table]:
    """The tables of every orbit that was drawn from results, computed again from the ledger."""
    field = _field(connection, tournament)
    cursor = connection.cursor(row_factory=class_row(_Draw))
    made = cursor.execute(SQL["draws"], {"tournament": tournament.name}).fetchall()
    return [table for one in made for table in _tables(connection, tournament, field, one)]


@dataclass(frozen=True, slots=True)
class _Draw:
    """What an orbit is drawn from: results of blocks up to the last one, without those that are left out."""

    orbit: int
    last_block: int
    left_out: list[str]


@dataclass(frozen=True, slots=True)
class _Frozen:
    bot: str
    owner: str
    house: bool
    known: bool
    kind: str
    version: int
    content_hash: str


@dataclass(frozen=True, slots=True)
class _Field:
    """The entries of a tournament that has started, the seed of its tables, and the kind of its units."""

    entries: tuple[Entry, ...]
    seed: bytes
    kind: UnitKind


def _draw_next(connection: Connection, name: str) -> bool:
    with connection.transaction():
        tournament = lock_tournament(connection, name)
        # Asked again: whoever had the lock before has drawn it.
        if not _scalars(connection, "due", tournament=name):
            return False
        try:
            _draw(connection, tournament, _field(connection, tournament))
        except ScheduleError as error:
            # Who is left after disqualifications cannot play, and so it ends.
            _end(connection, tournament, str(error))
        return True


def _draw(connection: Connection, tournament: Tournament, field: _Field) -> None:
    where = {"tournament": tournament.name}
    one = connection.cursor(row_factory=class_row(_Draw)).execute(SQL["next_draw"], where).fetchone()
    assert one is not None
    single = field.kind is UnitKind.SINGLE
    # A single unit turns the cyclic order by one, so that as many units as seats give every bot every seat once.
    size = 1 if field.kind is UnitKind.FIELD else tournament.units * (tournament.seats if single else 1)
    if single and size > MOST_SINGLE_UNITS:
        raise BadRequest(
            f"with a remote bot a table plays at most {MOST_SINGLE_UNITS} matches, and {tournament.units} units of "
            f"{tournament.seats} are {size}; use fewer units and more orbits"
        )
    tables = _tables(connection, tournament, field, one)
    first = ledger.free_unit(connection, tournament.name, tournament.seats if single else 1)
    ledger.enqueue(
        connection,
        tournament.name,
        [
            NewBlock(table.orbit, table.index, table.entries, field.kind, first + number * size, size)
            for number, table in enumerate(tables)
        ],
    )
    if Format(tournament.format).waits:
        _add_draw(connection, tournament, one)


def _tables(connection: Connection, tournament: Tournament, field: _Field, one: _Draw) -> list[Table]:
    entries = [entry for entry in field.entries if entry.id not in one.left_out]
    if field.kind is UnitKind.FIELD:
        rounds = rounds_of(tournament.units, tournament.seats)
        return field_schedule(entries, tournament.seats, tournament.orbits, rounds, field.seed)
    past = _past(connection, tournament, one) if one.orbit else None
    return draw(Format(tournament.format), entries, tournament.seats, tournament.orbits, field.seed, past=past)


def _past(connection: Connection, tournament: Tournament, one: _Draw) -> Past:
    # Only where results count: it is slow to import.
    from arena.ratings.strengths import Placed, strengths  # noqa: PLC0415

    where = {"tournament": tournament.name, "orbit": one.orbit, "last_block": one.last_block}
    rows = connection.execute(SQL["tables"], where)
    tables = [Table(orbit, index, tuple(entries)) for orbit, index, entries in rows]
    matches = connection.cursor(row_factory=class_row(Placed)).execute(SQL["matches"], where)
    return Past(tables, strengths(matches))


def _field(connection: Connection, tournament: Tournament) -> _Field:
    cursor = connection.cursor(row_factory=class_row(_Frozen))
    frozen = cursor.execute(SQL["frozen"], {"tournament": tournament.name}).fetchall()
    hashes = [units.entry_hash(entry.bot, entry.version, entry.content_hash) for entry in frozen]
    entries = tuple(Entry(entry.bot, entry.owner, entry.house, entry.known) for entry in frozen)
    remote = any(entry.kind == "remote" for entry in frozen)
    kind = kind_of(Format(tournament.format), entries, tournament.seats, remote=remote)
    return _Field(entries, units.schedule_seed(units.working_seed(tournament.secret, hashes)), kind)


def _end(connection: Connection, tournament: Tournament, reason: str) -> None:
    """Notes all orbits to come as drawn without a table."""
    where = {"tournament": tournament.name}
    one = connection.cursor(row_factory=class_row(_Draw)).execute(SQL["next_draw"], where).fetchone()
    assert one is not None
    for orbit in range(one.orbit, tournament.orbits):
        _add_draw(connection, tournament, _Draw(orbit, one.last_block, tournament.bots))
    sentence = f"Tournament '{tournament.name}' ends after {one.orbit} of {tournament.orbits} rounds: {reason}"
    connection.execute(SQL["add_alarm"], {**where, "sentence": sentence})
    ledger.close_if_ended(connection, tournament.name)


def _add_draw(connection: Connection, tournament: Tournament, one: _Draw) -> None:
    values = {"orbit": one.orbit, "last_block": one.last_block, "left_out": one.left_out}
    connection.execute(SQL["add_draw"], {"tournament": tournament.name, **values})


def _scalars(connection: Connection, statement: str, **values: Any) -> Sequence[Any]:
    return connection.cursor(row_factory=scalar_row).execute(SQL[statement], values).fetchall()
