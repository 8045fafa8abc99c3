"""The application: addresses, static files, and what is said when something is wrong. Knows no service."""

from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from arena.errors import ArenaError, NotLoggedIn
from arena.status import CODES
from arena.web.api import Api
from arena.web.beginnings import Beginnings
from arena.web.guard import Guard
from arena.web.moments import Moments
from arena.web.page import page
from arena.web.pages import (
    bots,
    faults,
    head_to_head,
    histories,
    home,
    new_tournament,
    organising,
    pairs,
    play,
    pools,
    ratings,
    records,
    rooms,
    rules,
    schedule,
    sign_in,
    tournaments,
    watching,
)
from arena.web.seats import Seats

STATIC = Path(__file__).parent / "static"
HTTP = {
    "BAD_REQUEST": 400,
    "NOT_LOGGED_IN": 401,
    "NOT_ALLOWED": 403,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "WRONG_STATE": 409,
    "EXHAUSTED": 429,
    "UNAVAILABLE": 503,
}
assert HTTP.keys() == {error.reason for error in CODES}


class Static(StaticFiles):
    """Files that a browser may keep for a while, and asks for again after an update."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        """As the base has it, with a time."""
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["cache-control"] = "max-age=300"
        return response


def create(api: Api) -> Starlette:
    """The application over an API that answers. Its ``state.seats`` is to be closed."""
    app = Starlette(
        routes=[
            *home.ROUTES,
            *ratings.ROUTES,
            *bots.ROUTES,
            *faults.ROUTES,
            *pools.ROUTES,
            *histories.ROUTES,
            *head_to_head.ROUTES,
            *new_tournament.ROUTES,
            *tournaments.ROUTES,
            *organising.ROUTES,
            *pairs.ROUTES,
            *schedule.ROUTES,
            *records.ROUTES,
            *watching.ROUTES,
            *rooms.ROUTES,
            *play.ROUTES,
            *rules.ROUTES,
            *sign_in.ROUTES,
            Mount("/static", Static(directory=STATIC), name="static"),
        ],
        middleware=[Middleware(Guard)],
        exception_handlers={ArenaError: _refused, HTTPException: _http, 500: _failed},
    )
    app.state.api = api
    app.state.seats = Seats(api)
    app.state.beginnings = Beginnings()
    app.state.moments = Moments()
    return app


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ArenaError)
    status = HTTP.get(error.reason, 500)
    return await _say(request, status, str(error), sign_in=isinstance(error, NotLoggedIn))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = "there is no such page" if error.status_code == 404 else str(error.detail)
    return await _say(request, error.status_code, sentence)


async def _failed(request: Request, _: Exception) -> Response:
    return await _say(request, 500, "the page failed; the log of the pages says why")


async def _say(request: Request, status: int, sentence: str, *, sign_in: bool = False) -> Response:
    try:
        return await page(request, "error.html", status, sentence=f"{sentence[:1].upper()}{sentence[1:]}", hint=sign_in)
    except ArenaError:
        # Who asks cannot be told from a server that does not answer.
        request.state.visitor = request.app.state.api.anybody
        return await page(request, "error.html", status, sentence=sentence, hint=False)
