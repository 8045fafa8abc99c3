"""Rating tables: sorted, filtered, and as CSV and JSON at the same address. Knows no formula."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import engine
from arena.errors import NotFound
from arena.v1 import rating_pb2
from arena.web.numbers import Value, numbers
from arena.web.page import page
from arena.web.session import api_of, visitor_of

MOST_LINES = 1000
"""A page shows no more lines of a table at once."""

WIDEST_MARGIN = 200.0
"""Half a bar that is wider, as after very few units, is cut."""

DOT = 1.2
"""How wide the dot is."""


@dataclass(frozen=True, slots=True)
class Line:
    """A bot's line as it is shown; what is not known yet is None. Ratings in Elo, points in the game's unit. In a pool
    of fields ``vs_field`` is by how many points it was ahead of the others who held its cards."""

    place: int
    bot: str
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
class Bar:
    """An interval within the range of its table, and the dot on it, from 0 to 100 as SVG writes them."""

    left: str
    width: str
    dot: str


@dataclass(frozen=True, slots=True)
class Pool:
    """A table: what its bots have in common, its lines, and the range of ratings that its bars are drawn in. ``shift``
    is what is added to every rating as it was fitted, so that the anchors, bots with their ratings, keep their
    numbers."""

    number: int
    seats: int
    unit_kind: str
    options: dict[str, str]
    decimals: int
    lines: tuple[Line, ...]
    low: float
    high: float
    shift: float
    anchors: dict[str, float]

    def lines_from(self, start: int) -> tuple[Line, ...]:
        """The lines of a page that begins with that one, counted from 0."""
        return self.lines[start : start + MOST_LINES]

    def bar(self, line: Line) -> Bar | None:
        """The line's bar; None for a bot without a rating."""
        if line.rating is None:
            return None
        width = (self.high - self.low) or 1.0
        margin = line.margin or 0.0
        left = max(line.rating - margin - self.low, 0.0) / width * 100
        right = min(line.rating + margin - self.low, width) / width * 100
        dot = min(max((line.rating - self.low) / width * 100 - DOT / 2, 0.0), 100 - DOT)
        return Bar(f"{left:.2f}", f"{max(right - left, 0.0):.2f}", f"{dot:.2f}")


CSV = (
    *("game", "pool", "seats", "unit_kind", "options"),
    *(field.name for field in fields(Line)),
    *("shift", "anchors"),
)

COLUMNS: dict[str, Callable[[Line], Any]] = {
    "place": lambda line: line.place,
    "bot": lambda line: line.bot,
    "rating": lambda line: (line.rating is None, -(line.rating or 0)),
    "elo": lambda line: -line.elo,
    "units": lambda line: -line.units,
    "points": lambda line: (line.vs_field is None, -(line.points if line.vs_field is None else line.vs_field)),
    "faults": lambda line: -line.faults,
}
"""What a table can be sorted by, and how."""


async def show(request: Request) -> Response:
    """The tables of a game: `?sort=`, `?q=` and `?start=` choose, `?format=csv` or `json` gives the numbers."""
    game = request.path_params["game"]
    if game not in engine.GAMES:
        raise NotFound(f"there is no game '{game}'; there are {', '.join(engine.GAMES)}")
    asked = request.query_params
    sort = asked.get("sort", "place") if asked.get("sort") in COLUMNS else "place"
    wanted = asked.get("q", "").strip().lower()
    api, visitor = api_of(request), await visitor_of(request)
    answer = await api.ask(api.ratings.ListRatings, rating_pb2.ListRatingsRequest(game=game), visitor)
    pools = [pool_of(table, wanted, sort) for table in answer.tables]
    if given := numbers(request, CSV, rows_of(game, pools), lambda: [asdict(pool) for pool in pools]):
        return given
    start = asked.get("start", "")
    first = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 0
    return await page(request, "ratings.html", game=game, pools=pools, sort=sort, q=asked.get("q", ""), start=first)


def pool_of(table: rating_pb2.RatingTable, wanted: str, sort: str) -> Pool:
    """The table with the lines whose bots have ``wanted`` in their names, sorted by one of COLUMNS."""
    lines = [_line(rating, 1000 * 10**table.score_decimals) for rating in table.ratings]
    ends = [end for line in lines for end in _ends(line)] or [1400.0, 1600.0]
    shown = sorted((line for line in lines if wanted in line.bot), key=COLUMNS[sort])
    options = dict(sorted(table.options.items()))
    return Pool(
        table.pool,
        table.seats,
        table.unit_kind,
        options,
        table.score_decimals,
        tuple(shown),
        min(ends),
        max(ends),
        table.shift_micro_elo / 1e6,
        {line.bot: line.rating for line in lines if line.bot in table.anchors and line.rating is not None},
    )


def _line(rating: rating_pb2.Rating, unit: int) -> Line:
    fit = rating.fitted if rating.HasField("fitted") else None
    return Line(
        place=rating.place,
        bot=rating.bot,
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


def _ends(line: Line) -> tuple[float, ...]:
    """The ends of the bar, as far as they leave something of the others."""
    if line.rating is None:
        return ()
    margin = min(line.margin or 0.0, WIDEST_MARGIN)
    return line.rating - margin, line.rating + margin


def rows_of(game: str, pools: Sequence[Pool]) -> Iterator[Sequence[Value]]:
    """Every line with what its table is of, under CSV."""
    for pool in pools:
        options = " ".join(f"{name}={value}" for name, value in pool.options.items())
        for line in pool.lines:
            table = game, pool.number, pool.seats, pool.unit_kind, options
            yield (*table, *asdict(line).values(), pool.shift, " ".join(pool.anchors))


ROUTES = [Route("/ratings/{game}", show)]
