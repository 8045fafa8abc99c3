"""What a bot did beside each other one of its rating table. Knows no formula."""

from dataclasses import astuple, dataclass, fields

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.v1 import rating_pb2
from arena.web.numbers import numbers
from arena.web.page import page
from arena.web.pool import table_of
from arena.web.session import api_of, visitor_of


@dataclass(frozen=True, slots=True)
class Line:
    """Another bot: at how many tables both sat, in how many of these matches the bot was placed above, level and below,
    the mean of 1, 1/2 and 0 for these, and by how many points a match it was ahead. Margins are half the width of the
    95 % interval, which counts a deal once; None below two deals."""

    other: str
    matches: int
    deals: int
    above: int
    level: int
    below: int
    share: float
    share_margin: float | None
    points: float
    points_margin: float | None

    @property
    def bar(self) -> tuple[str, str]:
        """The interval of the share, its left end and width, from 0 to 100 as SVG writes them."""
        margin = self.share_margin or 0.0
        left, right = max(self.share - margin, 0.0), min(self.share + margin, 1.0)
        return f"{100 * left:.2f}", f"{100 * (right - left):.2f}"


CSV = ("game", "pool", "bot", *(field.name for field in fields(Line)))


async def show(request: Request) -> Response:
    """Everybody whom the bot met, whom it beats most first; `?format=csv` or `json` gives the numbers."""
    table = await table_of(request)
    bot = request.path_params["bot"]
    api = api_of(request)
    asked = rating_pb2.GetHeadToHeadRequest(pool=table.pool, bot=bot)
    found: rating_pb2.HeadToHead = await api.ask(api.ratings.GetHeadToHead, asked, await visitor_of(request))
    unit = 1000 * 10**found.score_decimals
    lines = sorted((_line(one, unit) for one in found.opponents), key=lambda line: (-line.share, line.other))
    if given := numbers(request, CSV, ((table.game, table.pool, bot, *astuple(line)) for line in lines)):
        return given
    return await page(
        request,
        "head_to_head.html",
        table=table,
        bot=bot,
        lines=lines,
        matches=found.matches,
        rated=found.rated_matches,
    )


def _line(one: rating_pb2.Opponent, unit: int) -> Line:
    return Line(
        other=one.bot,
        matches=one.matches,
        deals=one.deals,
        above=one.above,
        level=one.level,
        below=one.below,
        share=one.micro_share / 1e6,
        share_margin=one.micro_margin / 1e6 if one.HasField("micro_margin") else None,
        points=one.milli_points / unit,
        points_margin=one.milli_points_margin / unit if one.HasField("milli_points_margin") else None,
    )


ROUTES = [Route("/ratings/{game}/{pool:number}/{bot}/head-to-head", show)]
