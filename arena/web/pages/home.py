"""The first page: the games, what is being played, and who leads. Knows no rules."""

import asyncio

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

import engine
from arena.v1 import rating_pb2, tournament_pb2
from arena.web.page import page
from arena.web.session import api_of, visitor_of

TOURNAMENTS = 8
LEADERS = 3


async def home(request: Request) -> Response:
    """Leaders of every game and the newest tournaments."""
    api, visitor = api_of(request), await visitor_of(request)
    newest = tournament_pb2.ListTournamentsRequest(page_size=TOURNAMENTS)
    found, *tables = await asyncio.gather(
        api.ask(api.tournaments.ListTournaments, newest, visitor),
        *(api.ask(api.ratings.ListRatings, rating_pb2.ListRatingsRequest(game=game), visitor) for game in engine.GAMES),
    )
    pools = {game: list(answer.tables) for game, answer in zip(engine.GAMES, tables, strict=True)}
    return await page(request, "home.html", tournaments=found.tournaments, pools=pools, leaders=LEADERS)


async def favicon(_: Request) -> Response:
    """Browsers ask for it by this name."""
    return RedirectResponse("/static/icon.svg", 301)


ROUTES = [Route("/", home), Route("/favicon.ico", favicon)]
