"""How the ratings of a bot came about, by itself or beside others, as charts and as a table. Knows no formula."""

import asyncio
from collections.abc import Sequence
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.v1 import rating_pb2
from arena.web.chart import MOST_LINES, Point, chart
from arena.web.numbers import Value, numbers
from arena.web.page import page
from arena.web.pool import table_of
from arena.web.session import api_of, visitor_of
from arena.web.text import machine

MOST_STEPS = 1000
"""A page shows the last ones."""

CSV = (
    *("game", "pool", "bot", "period", "tournament", "orbit", "rated_at", "version", "elo", "change", "rating"),
    *("rating_margin", "first_rank", "last_rank", "units"),
)

Steps = Sequence[rating_pb2.RatingStep]


async def show(request: Request) -> Response:
    """The run that tables show: the last periods of the bot, and in the charts of those that `?with=` names;
    `?format=csv` or `json` gives all periods of all of them as numbers."""
    table = await table_of(request)
    bot = request.path_params["bot"]
    others = [name.strip() for name in request.query_params.getlist("with")]
    names = list(dict.fromkeys((bot, *filter(None, others))))[:MOST_LINES]
    whole = bool(request.query_params.get("format"))
    found = await asyncio.gather(*(_steps(request, table.pool, name, whole=whole) for name in names))
    steps = dict(zip(names, found, strict=True))
    rows = ((table.game, table.pool, name, *_numbers(step)) for name, of_bot in steps.items() for step in of_bot)
    if given := numbers(request, CSV, rows):
        return given
    fitted = {
        name: [
            Point(step.position, step.fitted_micro_elo / 1e6, _margin(step))
            for step in of_bot
            if step.HasField("fitted_micro_elo")
        ]
        for name, of_bot in steps.items()
    }
    elo = {name: [Point(step.position, step.micro_elo / 1e6) for step in of_bot] for name, of_bot in steps.items()}
    return await page(
        request,
        "history.html",
        table=table,
        bot=bot,
        names=names,
        steps=steps[bot],
        official=chart(fitted) if all(fitted.values()) else None,
        elo=chart(elo),
        chosen=urlencode({"with": names[1:]}, doseq=True),
        full=len(names) == MOST_LINES,
        without={
            name: "?" + urlencode({"with": [n for n in names[1:] if n != name]}, doseq=True) for name in names[1:]
        },
    )


async def _steps(request: Request, pool: int, bot: str, *, whole: bool) -> Steps:
    """The last steps of a bot, or all of them, the first ones first.

    :raises NotFound: if it has none.
    """
    api, visitor = api_of(request), await visitor_of(request)
    asked = rating_pb2.ListRatingHistoryRequest(pool=pool, bot=bot, page_size=MOST_STEPS, latest=True)
    steps: list[rating_pb2.RatingStep] = []
    while True:
        found = await api.ask(api.ratings.ListRatingHistory, asked, visitor)
        steps += found.steps
        if not (whole and found.next_page_token):
            break
        asked.page_token = found.next_page_token
    if not steps:
        raise NotFound(f"'{bot}' has no rating in this table yet")
    return steps[::-1]


def _margin(step: rating_pb2.RatingStep) -> float | None:
    return step.fitted_micro_margin / 1e6 if step.HasField("fitted_micro_margin") else None


def _numbers(step: rating_pb2.RatingStep) -> tuple[Value, ...]:
    """A step under the columns behind the bot."""
    return (
        step.position,
        step.tournament,
        step.orbit,
        machine(step.rated_at),
        step.version,
        step.micro_elo / 1e6,
        step.delta_micro / 1e6,
        step.fitted_micro_elo / 1e6 if step.HasField("fitted_micro_elo") else None,
        _margin(step),
        step.first_rank if step.HasField("first_rank") else None,
        step.last_rank if step.HasField("last_rank") else None,
        step.units,
    )


ROUTES = [Route("/ratings/{game}/{pool:number}/{bot}", show)]
