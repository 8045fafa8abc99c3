"""Reads the rating tables. Knows no formula and no network."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from psycopg.rows import class_row

from arena.ratings.anchors import Shift, shift
from arena.store import Connection
from arena.store.people import HOUSE
from arena.store.sql import statements

SQL = statements(__file__)

ENOUGH_DEALS = {"rotation": 20, "single": 80, "field": 80}
"""By kind of unit: a rating on fewer deals is provisional. All are as many matches at a table of four."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A bot's official rating, shifted to the anchors. Elo in millionths, points in thousandths of a score unit.

    :ivar micro_margin: half the width of the 95 % interval; None below two deals.
    :ivar first_rank, last_rank: where it is with 95 %, from 1; None in a pool too large to compare all.
    :ivar milli_points_margin: half the width of the 95 % interval of its mean points; None below two deals.
    :ivar milli_datum: in a pool of fields, by how many points it was ahead of the others who held its cards.
    :ivar milli_datum_margin: half the width of the 95 % interval of that; None below two deals.
    :ivar provisional: there are too few deals behind it to say much.
    """

    micro_elo: int
    micro_margin: int | None
    first_rank: int | None
    last_rank: int | None
    deals: int
    milli_points_margin: int | None
    milli_datum: int | None
    milli_datum_margin: int | None
    provisional: bool


@dataclass(frozen=True, slots=True)
class Rating:
    """One bot's line.

    :ivar place: 1 for the best by the official rating; equal ones share a place.
    :ivar of_house: it is one of the platform's own.
    :ivar version: the bot's newest version that was rated, counted from 1.
    :ivar mean_milli_points: points per match in thousandths of the game's score unit.
    """

    place: int
    bot: str
    owner: str
    of_house: bool
    version: int
    micro_elo: int
    units: int
    mean_milli_points: int
    matches: int
    faults: int
    fitted: Fitted | None


@dataclass(frozen=True, slots=True)
class RatingTable:
    """One pool and its number, best first. ``options`` are all options of the game as text; ``unit_kind`` is rotation,
    single or field, ``shift`` what is added to the official ratings as they were fitted."""

    pool: int
    game: str
    seats: int
    options: dict[str, str]
    unit_kind: str
    rules: str
    shift: Shift
    ratings: tuple[Rating, ...]


State = tuple[tuple[int, int, int | None, int | None], ...]


def state(connection: Connection, game: str, seats: int = 0) -> State:
    """What the tables of a game are made of, by pool: run, last period and last fit. The tables are the same while this
    is, and it costs next to nothing to ask."""
    return tuple(connection.execute(SQL["state"], {"game": game, "seats": seats}).fetchall())


def table(connection: Connection, game: str, seats: int = 0) -> list[RatingTable]:
    """The tables of a game, by table size; 0 for every size. Pools without a rated unit have no table, and of pools
    that differ only in the version of the rules the newest is shown."""
    rows = connection.cursor(row_factory=class_row(_Line)).execute(SQL["tables"], {"game": game, "seats": seats})
    return [_table(game, list(lines)) for _, lines in itertools.groupby(rows, key=lambda line: line.pool)]


@dataclass(frozen=True, slots=True)
class _Line:
    pool: int
    seats: int
    options: dict[str, str]
    unit_kind: str
    rules: str
    bot: str
    owner: str
    version: int
    micro_elo: int
    units: int
    matches: int
    points: int
    faults: int
    fitted_micro_elo: int | None
    micro_margin: int | None
    first_rank: int | None
    last_rank: int | None
    deals: int | None
    milli_points_margin: int | None
    milli_datum: int | None
    milli_datum_margin: int | None

    @property
    def shown_micro_elo(self) -> int:
        """What the line is placed by."""
        return self.micro_elo if self.fitted_micro_elo is None else self.fitted_micro_elo

    @property
    def of_house(self) -> bool:
        return self.owner == HOUSE

    @property
    def provisional(self) -> bool:
        return self.deals is None or self.deals < ENOUGH_DEALS[self.unit_kind]

    def fitted(self, shift_micro_elo: int) -> Fitted | None:
        if self.fitted_micro_elo is None or self.deals is None:
            return None
        return Fitted(
            micro_elo=self.fitted_micro_elo + shift_micro_elo,
            micro_margin=self.micro_margin,
            first_rank=self.first_rank,
            last_rank=self.last_rank,
            deals=self.deals,
            milli_points_margin=self.milli_points_margin,
            milli_datum=self.milli_datum,
            milli_datum_margin=self.milli_datum_margin,
            provisional=self.provisional,
        )


def _table(game: str, lines: Sequence[_Line]) -> RatingTable:
    shifted = shift(
        {
            line.bot: line.fitted_micro_elo
            for line in lines
            if line.of_house and line.fitted_micro_elo is not None and not line.provisional
        }
    )
    places: dict[int, int] = {}
    for place, line in enumerate(lines, 1):  # best first
        places.setdefault(line.shown_micro_elo, place)
    ratings = tuple(
        Rating(
            place=places[line.shown_micro_elo],
            bot=line.bot,
            owner=line.owner,
            of_house=line.of_house,
            version=line.version,
            micro_elo=line.micro_elo,
            units=line.units,
            mean_milli_points=round(Fraction(1000 * line.points, line.matches)),
            matches=line.matches,
            faults=line.faults,
            fitted=line.fitted(shifted.micro_elo),
        )
        for line in lines
    )
    first = lines[0]
    return RatingTable(first.pool, game, first.seats, first.options, first.unit_kind, first.rules, shifted, ratings)
