"""The rules of a game to read. Knows none of them: they come with the package as they are printed by `arena rules`."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import engine
from arena.errors import NotFound
from arena.rules import page_of
from arena.web.page import page
from arena.web.prose import prose


async def show(request: Request) -> Response:
    """The rules of one game, with every option; `#CB-07` is where that rule stands."""
    game = request.path_params["game"]
    if game not in engine.GAMES:
        raise NotFound(f"there is no game '{game}'; there are {', '.join(engine.GAMES)}")
    return await page(request, "rules.html", game=game, text=prose(page_of(game)))


ROUTES = [Route("/rules/{game}", show)]
