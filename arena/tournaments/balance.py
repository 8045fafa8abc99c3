"""What a schedule amounts to: how often everybody plays, and how often any two meet. Knows no result and no seed."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from arena.tournaments.schedule import Entry, Table


@dataclass(frozen=True, slots=True)
class Span:
    """From the least to the most."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Balance:
    """A schedule in numbers.

    :ivar orbits: how many it has, which is also how many rating periods.
    :ivar units: of all tables.
    :ivar matches: a unit is as many as it has rotations.
    :ivar per_bot: matches of each bot.
    :ivar meetings: at how many tables two bots that may meet do so.
    :ivar positions: how often each bot has each position of a table.
    :ivar same_owner: tables at which two bots of one owner meet; the house's own do not count.
    """

    bots: int
    orbits: int
    tables: int
    units: int
    matches: int
    per_bot: Span
    meetings: Span
    positions: Span
    same_owner: int


def balance(entries: Sequence[Entry], tables: Sequence[Table], units: int, rotations: int) -> Balance:
    """The numbers of a schedule of these entries.

    :param units: of each table.
    :param rotations: matches of each unit.
    """
    owner_of = {entry.id: entry.party for entry in entries}
    played = Counter(dict.fromkeys(owner_of, 0))
    met: Counter[tuple[str, str]] = Counter()
    sat: Counter[tuple[str, int]] = Counter()
    same_owner = 0
    for table in tables:
        played.update(table.entries)
        sat.update((entry, position) for position, entry in enumerate(table.entries))
        met.update(itertools.combinations(sorted(table.entries), 2))
        same_owner += len({owner_of[entry] for entry in table.entries}) < len(table.entries)
    of_owner = Counter(owner_of.values())
    may_meet = math.comb(len(entries), 2) - sum(math.comb(bots, 2) for bots in of_owner.values())
    seats = len(tables[0].entries) if tables else 0
    matches = units * rotations
    return Balance(
        bots=len(entries),
        orbits=len({table.orbit for table in tables}),
        tables=len(tables),
        units=len(tables) * units,
        matches=len(tables) * matches,
        per_bot=Span(min(played.values()) * matches, max(played.values()) * matches),
        # Pairs that never meet are not counted one by one: ten thousand bots have fifty million.
        meetings=Span(0 if len(met) < may_meet else min(met.values(), default=0), max(met.values(), default=0)),
        positions=_span([sat[entry.id, position] for entry in entries for position in range(seats)]),
        same_owner=same_owner,
    )


def balance_of_fields(entries: Sequence[Entry], fields: Sequence[Table], seats: int) -> Balance:
    """The numbers of a schedule of fields, each of one deal. Who of a field sits together, and where, is drawn by the
    deal, so of that nothing is said: those spans are 0."""
    played = Counter(dict.fromkeys((entry.id for entry in entries), 0))
    party_of = {entry.id: entry.party for entry in entries}
    for field in fields:
        played.update(field.entries)
    tables = sum(len(field.entries) // seats for field in fields)
    return Balance(
        bots=len(entries),
        orbits=len({field.orbit for field in fields}),
        tables=tables,
        units=len(fields),
        matches=tables,
        per_bot=_span(list(played.values())),
        meetings=Span(0, 0),
        positions=Span(0, 0),
        same_owner=sum(len({party_of[one] for one in field.entries}) < len(field.entries) for field in fields),
    )


def _span(numbers: Sequence[int]) -> Span:
    return Span(min(numbers, default=0), max(numbers, default=0))
