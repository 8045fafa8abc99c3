"""The formats of a tournament: which tables can be drawn, given what was played. Knows no database and no result.

Whatever the format, the tables are a function of the entries, the seed and the orbits before; all integers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from arena.tournaments.block import UnitKind
from arena.tournaments.field import is_possible
from arena.tournaments.gauntlet import gauntlet
from arena.tournaments.schedule import Entry, ScheduleError, Table, schedule
from arena.tournaments.swiss import draw_round


class Format(StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = "round-robin"
    """Everybody everybody, about equally often."""
    GAUNTLET = "gauntlet"
    """New bots those that are known."""
    SWISS = "swiss"
    """In every round those that are about as strong as each other."""
    CHALLENGE = "challenge"
    """Whoever was challenged. Nothing is at stake, so bots of one owner may meet."""
    LADDER = "ladder"
    """Whoever waits, period after period. Its tables are those of :mod:`arena.tournaments.ladder`."""

    @property
    def waits(self) -> bool:
        """Whether an orbit is drawn from the results of those before."""
        return self is Format.SWISS


def kind_of(form: Format, entries: Sequence[Entry], seats: int, *, remote: bool) -> UnitKind:
    """Of which kind all units are, with a remote bot among the entries or without: what one remembers cannot be taken
    from it, and units of two kinds are never rated together."""
    if not remote:
        return UnitKind.ROTATION
    return UnitKind.FIELD if form is Format.ROUND_ROBIN and is_possible(entries, seats) else UnitKind.SINGLE


@dataclass(frozen=True, slots=True)
class Past:
    """The orbits before: their tables, and how strong each entry showed itself there, in any whole unit."""

    tables: Sequence[Table] = ()
    strengths: Mapping[str, int] = field(default_factory=dict)


def draw(
    form: Format, entries: Sequence[Entry], seats: int, orbits: int, seed: bytes, *, past: Past | None = None
) -> list[Table]:
    """The tables that can be drawn after ``past``: those of the next orbit where it waits for results, else of all
    orbits.

    :raises ScheduleError: if no tables can be made of the entries.
    """
    match form:
        case Format.SWISS:
            past = past or Past()
            return draw_round(entries, seats, seed, past.tables, past.strengths)
        case Format.GAUNTLET:
            return gauntlet(entries, seats, orbits, seed)
        case Format.CHALLENGE if len(entries) == seats:
            return [Table(orbit, 0, tuple(sorted(entry.id for entry in entries))) for orbit in range(orbits)]
        case Format.CHALLENGE:
            return schedule([Entry(entry.id, entry.id, house=False) for entry in entries], seats, orbits, seed)
        case Format.ROUND_ROBIN:
            return schedule(entries, seats, orbits, seed)
        case Format.LADDER:
            raise ScheduleError("A ladder is drawn period by period from those who wait then.")


def whole(form: Format, entries: Sequence[Entry], seats: int, orbits: int, seed: bytes) -> list[Table]:
    """The tables of all orbits; where one waits for results, those that are drawn while all are as strong as another.

    :raises ScheduleError: as :func:`draw`.
    """
    if not form.waits:
        return draw(form, entries, seats, orbits, seed)
    tables: list[Table] = []
    for _ in range(orbits):
        tables += draw(form, entries, seats, orbits, seed, past=Past(tables))
    return tables
