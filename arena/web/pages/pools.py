"""Who of a rating table is how likely the stronger: a heat map of some, or all beside one. Knows no formula."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.v1 import rating_pb2
from arena.web.numbers import numbers, whole
from arena.web.page import page
from arena.web.pool import table_of
from arena.web.session import api_of, visitor_of

IN_MATRIX = 40
"""More names than that no screen has room for."""

MOST_FOUND = 100
"""Of more bots with such a name none is listed."""

CSV = ("game", "pool", "bot", "other", "stronger")


@dataclass(frozen=True, slots=True)
class Beside:
    """A bot beside another one: its rating, half the width of the interval, and how likely it is the stronger."""

    place: int
    bot: str
    rating: float
    margin: float | None
    stronger: float


async def show(request: Request) -> Response:
    """A part of the matrix from `?start=` on, or with `?against=` all beside a bot; `?format=csv` or `json` gives the
    numbers of the same."""
    table = await table_of(request)
    wanted = request.query_params.get("against", "").strip().lower()
    if not wanted:
        return await _matrix(request, table)
    names = [line.bot for line in table.ratings if line.HasField("fitted")]
    found = [wanted] if wanted in names else [name for name in names if wanted in name]
    if len(found) == 1:
        return await _against(request, table, found[0])
    if not found:
        raise NotFound(f"no bot of this table has '{wanted}' in its name")
    return await page(
        request, "likelihoods.html", table=table, wanted=wanted, found=found[:MOST_FOUND], many=len(found)
    )


async def _matrix(request: Request, table: rating_pb2.RatingTable) -> Response:
    start = whole(request.query_params, "start")
    api = api_of(request)
    asked = rating_pb2.GetLikelihoodMatrixRequest(pool=table.pool, start=start, size=IN_MATRIX)
    found = await api.ask(api.ratings.GetLikelihoodMatrix, asked, await visitor_of(request))
    bots, size = list(found.bots), len(found.bots)
    rows = [(bot, found.stronger[row * size : (row + 1) * size]) for row, bot in enumerate(bots)]
    pairs = (
        (table.game, table.pool, bot, other, likely)
        for bot, row in rows
        for other, likely in zip(bots, row, strict=True)
        if bot != other
    )
    if given := numbers(request, CSV, pairs):
        return given
    windows = [(first, min(first + IN_MATRIX, found.total)) for first in range(0, found.total, IN_MATRIX)]
    return await page(
        request, "likelihood_matrix.html", table=table, bots=bots, rows=rows, start=start, windows=windows
    )


async def _against(request: Request, table: rating_pb2.RatingTable, bot: str) -> Response:
    api = api_of(request)
    asked = rating_pb2.ListLikelihoodsRequest(pool=table.pool, against=bot, page_size=3000)
    found = await api.ask(api.ratings.ListLikelihoods, asked, await visitor_of(request))
    if given := numbers(
        request, CSV, ((table.game, table.pool, one.bot, bot, one.stronger) for one in found.likelihoods)
    ):
        return given
    lines = {line.bot: line for line in table.ratings}
    beside = [
        Beside(
            line.place,
            one.bot,
            line.fitted.micro_elo / 1e6,
            line.fitted.micro_margin / 1e6 if line.fitted.HasField("micro_margin") else None,
            one.stronger,
        )
        for one in found.likelihoods
        if (line := lines.get(one.bot)) is not None
    ]
    return await page(request, "likelihoods_against.html", table=table, bot=bot, own=lines[bot], beside=beside)


ROUTES = [Route("/ratings/{game}/{pool:number}", show)]
