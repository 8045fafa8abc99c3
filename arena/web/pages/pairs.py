"""Each against each of a tournament: windows of a cross table, and what one bot did against each. Knows no rating."""

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.web.numbers import numbers, whole
from arena.web.page import page
from arena.web.pages.tournaments import standings_for, tournament_of
from arena.web.standings import WINDOW


async def show(request: Request) -> Response:
    """The cross table from the bots at `?start=` and, as columns, `?columns=` on, by standing; or with `?bot=` a list
    of that one's pairs."""
    asked = request.query_params
    found = await tournament_of(request)
    bot = asked.get("bot", "").strip()
    standings = await standings_for(request, bot)
    if bot and bot not in {line.bot for line in standings.lines}:
        raise NotFound(f"'{bot[:40]}' has not played in '{found.tournament}' yet")
    places = {line.bot: line.place for line in standings.lines}
    chosen = sorted(
        (pair for pair in standings.pairs if not bot or pair.bot == bot),
        key=lambda pair: (places.get(pair.bot, 0), places.get(pair.other, 0)),
    )
    columns = ["bot", "other", "matches", "above", "margin"]
    if answer := numbers(request, columns, [list(asdict(pair).values()) for pair in chosen]):
        return answer
    bots = standings.crossed
    return await page(
        request,
        "pairs.html",
        found=found,
        bot=bot,
        chosen=chosen,
        lines=standings.lines,
        bots=bots,
        rows=_window(whole(asked, "start"), len(bots)),
        columns=_window(whole(asked, "columns" if "columns" in asked else "start"), len(bots)),
        window=WINDOW,
        pairs={(pair.bot, pair.other): pair for pair in standings.pairs},
    )


def _window(number: int, length: int) -> int:
    """Where the window begins in which the number is, of so many; the last one if it is beyond."""
    return min(number, max(length - 1, 0)) // WINDOW * WINDOW


ROUTES = [Route("/tournaments/{tournament}/pairs", show)]
