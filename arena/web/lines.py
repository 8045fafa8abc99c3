"""Lines of a rating table: which of them an address chooses, and in which order. Knows no page and no service."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from arena.v1 import rating_pb2
from arena.web.numbers import whole

HIDDEN = {"provisional": "provisional", "house": "of the house"}
"""Which bots can be left out."""


@dataclass(frozen=True, slots=True)
class Line:
    """A bot's line as it is shown; what is not known yet is None. Ratings in Elo, points in the game's unit. In a pool
    of fields ``vs_field`` is by how many points it was ahead of the others who held its cards."""

    place: int
    bot: str
    owner: str
    house: bool
    version: int
    rating: float | None
    margin: float | None
    first_rank: int | None
    last_rank: int | None
    provisional: bool
    elo: float
    units: int
    matches: int
    points: float
    points_margin: float | None
    faults: int
    vs_field: float | None
    vs_field_margin: float | None


@dataclass(frozen=True, slots=True)
class Cells:
    """What a column of a table is sorted by, None for what is not known, and whether the largest stand first unless the
    address says otherwise."""

    value: Callable[[Line], Any]
    descending: bool = True


COLUMNS = {
    "place": Cells(lambda line: line.place, descending=False),
    "bot": Cells(lambda line: line.bot, descending=False),
    "owner": Cells(lambda line: line.owner, descending=False),
    "rating": Cells(lambda line: line.rating),
    "margin": Cells(lambda line: line.margin, descending=False),
    "ranks": Cells(lambda line: line.first_rank, descending=False),
    "elo": Cells(lambda line: line.elo),
    "units": Cells(lambda line: line.units),
    "points": Cells(lambda line: line.points if line.vs_field is None else line.vs_field),
    "points_margin": Cells(
        lambda line: line.points_margin if line.vs_field is None else line.vs_field_margin, descending=False
    ),
    "faults": Cells(lambda line: line.faults),
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the address chooses: one of the tables by its number, 0 for none; of its lines those with ``q`` in the name
    of bot or owner; without those ``hidden``, of HIDDEN; by one of COLUMNS; from a line on, counted from 0."""

    pool: int = 0
    q: str = ""
    hidden: tuple[str, ...] = ()
    sort: str = "place"
    descending: bool = False
    start: int = 0

    def with_(self, **others: Any) -> str:
        """The address, behind its path, that chooses the same but for the others."""
        one = replace(self, **others)
        usual = COLUMNS[one.sort].descending
        said = {
            "pool": one.pool or "",
            "q": one.q,
            "hide": one.hidden,
            "sort": one.sort if one.sort != "place" else "",
            "order": "" if one.descending == usual else "desc" if one.descending else "asc",
            "start": one.start or "",
        }
        return "?" + urlencode({name: value for name, value in said.items() if value}, doseq=True)

    def by(self, column: str) -> str:
        """The address that sorts by the column, or the other way round what is sorted by it."""
        descending = not self.descending if column == self.sort else COLUMNS[column].descending
        return self.with_(sort=column, descending=descending, start=0)

    def lines(self, lines: Sequence[Line]) -> tuple[Line, ...]:
        """Those that are shown, in order; what is not known comes last."""
        wanted = self.q.strip().lower()
        shown = [
            line
            for line in lines
            if (wanted in line.bot or wanted in line.owner)
            and not (line.provisional and "provisional" in self.hidden)
            and not (line.house and "house" in self.hidden)
        ]
        value = COLUMNS[self.sort].value
        known = [line for line in shown if value(line) is not None]
        known.sort(key=value, reverse=self.descending)
        return (*known, *(line for line in shown if value(line) is None))


def chosen_by(query: QueryParams) -> Chosen:
    """What the address chooses; what it cannot mean is left out."""
    sort = query.get("sort", "place")
    sort = sort if sort in COLUMNS else "place"
    order = query.get("order", "")
    return Chosen(
        pool=whole(query, "pool"),
        q=query.get("q", ""),
        hidden=tuple(name for name in HIDDEN if name in query.getlist("hide")),
        sort=sort,
        descending=order == "desc" if order in ("asc", "desc") else COLUMNS[sort].descending,
        start=whole(query, "start"),
    )


def line_of(rating: rating_pb2.Rating, unit: int) -> Line:
    """The line of a message; so many of its points are one."""
    fit = rating.fitted if rating.HasField("fitted") else None
    return Line(
        place=rating.place,
        bot=rating.bot,
        owner=rating.owner,
        house=rating.house,
        version=rating.version,
        rating=fit.micro_elo / 1e6 if fit else None,
        margin=fit.micro_margin / 1e6 if fit and fit.HasField("micro_margin") else None,
        first_rank=fit.first_rank if fit and fit.HasField("first_rank") else None,
        last_rank=fit.last_rank if fit and fit.HasField("last_rank") else None,
        provisional=fit is None or fit.provisional,
        elo=rating.micro_elo / 1e6,
        units=rating.units,
        matches=rating.matches,
        points=rating.mean_milli_points / unit,
        points_margin=fit.milli_points_margin / unit if fit and fit.HasField("milli_points_margin") else None,
        faults=rating.faults,
        vs_field=fit.milli_datum / unit if fit and fit.HasField("milli_datum") else None,
        vs_field_margin=fit.milli_datum_margin / unit if fit and fit.HasField("milli_datum_margin") else None,
    )
