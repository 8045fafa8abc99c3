"""What lies behind a rating table: the history of one bot, and who is how likely the stronger. Knows no formula."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.v1 import rating_pb2
from arena.web.chart import chart
from arena.web.page import page
from arena.web.session import api_of, visitor_of

MOST_IN_MATRIX = 30
"""More names than that no screen has room for."""

MOST_STEPS = 1000


async def history(request: Request) -> Response:
    """How the ratings of a bot came about in the run that is shown, as a chart and as a table."""
    where = request.path_params
    table = await _table(request)
    api = api_of(request)
    asked = rating_pb2.ListRatingHistoryRequest(pool=table.pool, bot=where["bot"], page_size=MOST_STEPS)
    found = await api.ask(api.ratings.ListRatingHistory, asked, await visitor_of(request))
    steps = [step for step in found.steps if step.shown]
    if not steps:
        raise NotFound(f"'{where['bot']}' has no rating in this table yet")
    fitted = [step for step in steps if step.HasField("fitted_micro_elo")]
    drawn = chart([step.micro_elo / 1e6 for step in steps], [None] * len(steps))
    official = (
        chart(
            [step.fitted_micro_elo / 1e6 for step in fitted],
            [step.fitted_micro_margin / 1e6 if step.HasField("fitted_micro_margin") else None for step in fitted],
        )
        if len(fitted) > 1
        else None
    )
    return await page(request, "history.html", table=table, bot=where["bot"], steps=steps, elo=drawn, official=official)


async def likelihoods(request: Request) -> Response:
    """For every two of the best: how likely the one in the row is the stronger."""
    table = await _table(request)
    api, visitor = api_of(request), await visitor_of(request)
    bots = [line.bot for line in table.ratings if line.HasField("fitted")][:MOST_IN_MATRIX]

    async def against(bot: str) -> dict[str, float]:
        asked = rating_pb2.ListLikelihoodsRequest(pool=table.pool, against=bot, page_size=1000)
        found = await api.ask(api.ratings.ListLikelihoods, asked, visitor)
        return {one.bot: one.stronger for one in found.likelihoods}

    columns = dict(zip(bots, await asyncio.gather(*map(against, bots)), strict=True))
    rows = [(bot, [(other, columns[other].get(bot)) for other in bots]) for bot in bots]
    return await page(request, "likelihoods.html", table=table, bots=bots, rows=rows)


async def _table(request: Request) -> rating_pb2.RatingTable:
    where = request.path_params
    api = api_of(request)
    asked = rating_pb2.ListRatingsRequest(game=where["game"])
    found: rating_pb2.ListRatingsResponse = await api.ask(api.ratings.ListRatings, asked, await visitor_of(request))
    for table in found.tables:
        if table.pool == where["pool"]:
            return table
    raise NotFound(f"there is no table {where['pool']} of {where['game']}")


ROUTES = [
    Route("/ratings/{game}/{pool:int}", likelihoods),
    Route("/ratings/{game}/{pool:int}/{bot}", history),
]
