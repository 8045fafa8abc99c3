"""Rating tables: sorted, filtered, and as CSV and JSON at the same address. Knows no formula."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import engine
from arena.errors import NotFound
from arena.v1 import rating_pb2
from arena.web.lines import HIDDEN, Chosen, Line, chosen_by, line_of
from arena.web.numbers import Value, numbers
from arena.web.page import page
from arena.web.session import api_of, visitor_of
from arena.web.text import number

MOST_LINES = 1000
"""A page shows no more lines of a table at once."""

MOST_TABLES = 3
"""Of more tables a page lists all and shows one."""

LEADERS = 8
"""So many histories are told apart in one drawing."""

WIDEST_MARGIN = 200.0
"""Half a bar that is wider, as after very few units, is cut."""

EN_DASH = "\N{EN DASH}"

DOT = 1.2
"""How wide the dot is."""


@dataclass(frozen=True, slots=True)
class Pool:
    """A table: what its bots have in common, its lines, and the range of ratings that its bars are drawn in. ``shift``
    is what is added to every rating as it was fitted, so that the anchors, bots with their ratings, keep their
    numbers. ``leaders`` are the bots that lead it, whatever is shown of it."""

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
    leaders: tuple[str, ...]

    @property
    def beside(self) -> str:
        """The address, below that of the tables, where the leaders' ratings are drawn together."""
        first, *others = self.leaders
        return f"{self.number}/{first}" + ("?" + urlencode({"with": others}, doseq=True) if others else "")

    def rows(self, start: int) -> Iterator[tuple[Any, ...]]:
        """The lines of a page that begins with that one, counted from 0, as they are written: place, bot, whether it is
        provisional, owner, whether it is of the house, the bar, and the numbers. A template would write them, too, but
        a thousand of them in half as much time again."""
        fields = self.unit_kind == "field"
        for line in self.lines[start : start + MOST_LINES]:
            first, last = line.first_rank, line.last_rank
            yield (
                line.place,
                line.bot,
                line.provisional,
                line.owner,
                line.house,
                *self.bar(line),
                number(line.rating),
                number(line.margin),
                "" if first is None else str(first) if first == last else f"{first}{EN_DASH}{last}",
                number(line.elo),
                number(line.units),
                number(line.vs_field if fields else line.points, 2),
                number(line.vs_field_margin if fields else line.points_margin, 2),
                number(line.faults),
            )

    def following(self, start: int) -> int:
        """The line that the next page begins with; 0 if there is none."""
        return start + MOST_LINES if len(self.lines) > start + MOST_LINES else 0

    def bar(self, line: Line) -> tuple[str, str, str]:
        """The interval within the range of the table, its left end and width, and the dot on it, from 0 to 100 as SVG
        writes them; empty for a bot without a rating."""
        if line.rating is None:
            return "", "", ""
        width = (self.high - self.low) or 1.0
        margin = line.margin or 0.0
        left = max(line.rating - margin - self.low, 0.0) / width * 100
        right = min(line.rating + margin - self.low, width) / width * 100
        dot = min(max((line.rating - self.low) / width * 100 - DOT / 2, 0.0), 100 - DOT)
        return f"{left:.2f}", f"{max(right - left, 0.0):.2f}", f"{dot:.2f}"


CSV = (
    *("game", "pool", "seats", "unit_kind", "options"),
    *(field.name for field in fields(Line)),
    *("shift", "anchors"),
)


async def show(request: Request) -> Response:
    """The tables of a game: `?pool=`, `?q=`, `?hide=`, `?sort=`, `?order=` and `?start=` choose, `?format=csv` or
    `json` gives the numbers."""
    game = request.path_params["game"]
    if game not in engine.GAMES:
        raise NotFound(f"there is no game '{game}'; there are {', '.join(engine.GAMES)}")
    chosen = chosen_by(request.query_params)
    api, visitor = api_of(request), await visitor_of(request)
    answer = await api.ask(api.ratings.ListRatings, rating_pb2.ListRatingsRequest(game=game), visitor)
    pools = [pool_of(table, chosen) for table in answer.tables]
    asked = [pool for pool in pools if pool.number == chosen.pool] if chosen.pool else pools
    if not asked and pools:
        raise NotFound(f"there is no table {chosen.pool} of {game}; /ratings/{game} has them all")

    def whole() -> list[dict[str, Any]]:
        return [asdict(pool) for pool in asked]

    if given := numbers(request, CSV, rows_of(game, asked), whole):
        return given
    if len(asked) > MOST_TABLES:
        asked = [max(asked, key=lambda pool: len(pool.lines))]
    return await page(request, "ratings.html", game=game, pools=pools, shown=asked, chosen=chosen, hidden=HIDDEN)


def pool_of(table: rating_pb2.RatingTable, chosen: Chosen) -> Pool:
    """The table with the chosen lines."""
    lines = [line_of(rating, 1000 * 10**table.score_decimals) for rating in table.ratings]
    ends = [end for line in lines for end in _ends(line)] or [1400.0, 1600.0]
    return Pool(
        number=table.pool,
        seats=table.seats,
        unit_kind=table.unit_kind,
        options=dict(sorted(table.options.items())),
        decimals=table.score_decimals,
        lines=chosen.lines(lines),
        low=min(ends),
        high=max(ends),
        shift=table.shift_micro_elo / 1e6,
        anchors={line.bot: line.rating for line in lines if line.bot in table.anchors and line.rating is not None},
        leaders=tuple(line.bot for line in lines[:LEADERS]),
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
