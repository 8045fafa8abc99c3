"""What the schedule of a tournament amounts to: before it starts, with about how long it takes, and as it was drawn.
Makes nothing, and knows no secret: a plan is of some draw, not of the one that will be made."""

from dataclasses import dataclass

from psycopg.rows import scalar_row

from arena.errors import BadRequest, Exhausted, WrongState
from arena.store import Connection, blocks
from arena.store.bots import find_bot
from arena.store.sql import statements
from arena.store.tournaments import Tournament, list_entries
from arena.tournaments.balance import Balance, balance, balance_of_fields
from arena.tournaments.block import UnitKind
from arena.tournaments.field import field_schedule, rounds_of
from arena.tournaments.formats import Format, kind_of, whole
from arena.tournaments.schedule import Entry, ScheduleError, Table

SQL = statements(__file__)

MOST_PLACES = 200_000
"""Bots times orbits: more are not scheduled, or counted, while somebody waits."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What is planned: the tournament, its entries, and whether one of them is remote."""

    tournament: Tournament
    entries: tuple[Entry, ...]
    remote: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """The numbers of a schedule, and for how many seconds one block after the other would be played, by what matches
    took before; 0 if none was played."""

    balance: Balance
    seconds: int


def outline(connection: Connection, tournament: Tournament) -> Outline:
    """What is planned of a tournament.

    :raises WrongState: if it has started, or is a ladder.
    """
    if tournament.started_at is not None or tournament.closed_at is not None:
        raise WrongState(f"'{tournament.name}' is not open; 'arena tournament show {tournament.name}' has its numbers")
    if tournament.stands:
        raise WrongState("a ladder is drawn period by period from those who wait then; there is nothing to plan")
    entries, remote = [], False
    for entry in list_entries(connection, tournament.name):
        bot = find_bot(connection, entry.bot)
        remote = remote or bot.kind == "remote"
        entries.append(Entry(bot.name, bot.owner, bot.house, entry.known))
    return Outline(tournament, tuple(entries), remote)


def plan(connection: Connection, planned: Outline) -> Plan:
    """The plan.

    :raises BadRequest: if no schedule can be made of the entries.
    :raises Exhausted: if the schedule is too long to be made for a plan.
    """
    one, form = planned.tournament, Format(planned.tournament.format)
    kind = kind_of(form, planned.entries, one.seats, remote=planned.remote)
    rounds = rounds_of(one.units, one.seats) if kind is UnitKind.FIELD else 1
    if len(planned.entries) * one.orbits * rounds > MOST_PLACES:
        raise Exhausted(f"{len(planned.entries)} bots in {one.orbits} orbits are too many to plan; plan fewer orbits")
    try:
        if kind is UnitKind.FIELD:
            drawn = field_schedule(planned.entries, one.seats, one.orbits, rounds, bytes(32))
            found = balance_of_fields(planned.entries, drawn, one.seats)
        else:
            # A table plays as many matches whether its units are rotation units or single ones.
            rotations = kind.rotations(one.seats, one.seats)
            units = one.units * one.seats // rotations
            drawn = whole(form, planned.entries, one.seats, one.orbits, bytes(32))
            found = balance(planned.entries, drawn, units, rotations)
    except ScheduleError as error:
        raise BadRequest(str(error)) from error
    asked = {"game": one.game, "seats": one.seats, "kind": str(kind)}
    took = connection.cursor(row_factory=scalar_row).execute(SQL["seconds_a_match"], asked).fetchone()
    return Plan(found, round(found.matches * float(took or 0)))


def balance_drawn(connection: Connection, tournament: Tournament) -> Balance:
    """The numbers of the schedule as far as it is drawn, without what was given up.

    :raises WrongState: if it has not started, or is a ladder.
    :raises Exhausted: if it has too many tables to be counted.
    """
    if tournament.stands:
        raise WrongState(f"'{tournament.name}' is a ladder: name the period, as '{tournament.name}.N'")
    if tournament.started_at is None:
        raise WrongState(f"nothing of '{tournament.name}' is drawn yet; 'arena tournament plan' says what would be")
    if tournament.blocks > MOST_PLACES:
        raise Exhausted(f"'{tournament.name}' has {tournament.blocks:,} tables, which are too many to count")
    asked = {"tournament": tournament.name}
    entries = [Entry(*row) for row in connection.execute(SQL["entries"], asked)]
    tables, units, kind = [], 0, UnitKind(tournament.unit_kind)
    for one in blocks.seated(connection, tournament.name):
        tables.append(Table(one.orbit, one.table, tuple(one.bots)))
        units = one.units
    if kind is UnitKind.FIELD:
        return balance_of_fields(entries, tables, tournament.seats)
    return balance(entries, tables, units, kind.rotations(tournament.seats, tournament.seats))
