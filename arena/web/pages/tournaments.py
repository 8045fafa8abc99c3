"""Tournaments: the list, one of them while it is played and after, and making one. Knows no schedule."""

import asyncio

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

import engine
from arena.errors import BadRequest, Exhausted, WrongState
from arena.referee.clock import Limits
from arena.referee.presets import describe_clock
from arena.scopes import ORGANISE
from arena.v1 import tournament_pb2 as pb
from arena.web.page import page
from arena.web.session import api_of, visitor_of

PER_PAGE = 50
CROSS_TABLE = 24
"""A cross table of more bots is not drawn."""


async def listing(request: Request) -> Response:
    """The tournaments, newest first, a page at a time."""
    api, visitor = api_of(request), await visitor_of(request)
    asked = pb.ListTournamentsRequest(page_size=PER_PAGE, page_token=request.query_params.get("after", ""))
    found = await api.ask(api.tournaments.ListTournaments, asked, visitor)
    return await page(
        request,
        "tournaments.html",
        tournaments=found.tournaments,
        after=found.next_page_token,
        organises=ORGANISE in visitor.scopes,
    )


async def show(request: Request) -> Response:
    """One tournament as it stands: it is asked for again and again by the page while it is played."""
    name = request.path_params["tournament"]
    api, visitor = api_of(request), await visitor_of(request)
    asked = api.ask(api.tournaments.GetTournament, pb.GetTournamentRequest(tournament=name), visitor)
    found, standings = await asyncio.gather(asked, _standings(request, name))
    said = found.limits
    limits = Limits(said.move_ms, said.bank_ms, said.max_faults, tuple(said.phase_ms), said.increment_ms)
    game = engine.load_with(found.game, found.seats, dict(found.options))
    unit = 1000 * 10**game.score_decimals
    shares = {(share.bot, share.other): share for share in standings.shares} if standings else {}
    bots = [one.bot for one in standings.standings] if standings else []
    mine = visitor.admin or ORGANISE in visitor.scopes
    opened = found.state == pb.TOURNAMENT_STATE_OPEN and mine
    plan, hindrance = await _plan(request, name) if opened else (None, "")
    return await page(
        request,
        "tournament.html",
        plan=plan,
        hindrance=hindrance,
        found=found,
        options=engine.unusual(game),
        clock=describe_clock(limits, game),
        standings=standings.standings if standings else [],
        unit=unit,
        bots=bots if len(bots) <= CROSS_TABLE else [],
        shares=shares,
        seats=list(standings.seat_milli_points) if standings else [],
        cards=standings.card_share if standings and standings.HasField("card_share") else None,
        live=found.state == pb.TOURNAMENT_STATE_RUNNING,
        mine=mine,
    )


async def start(request: Request) -> Response:
    """Closes the entries."""
    name = request.path_params["tournament"]
    api = api_of(request)
    asked = pb.StartTournamentRequest(tournament=name)
    await api.ask(api.tournaments.StartTournament, asked, await visitor_of(request))
    return RedirectResponse(f"/tournaments/{name}", 303)


async def _plan(request: Request, name: str) -> tuple[pb.TournamentPlan | None, str]:
    """What an open tournament would be played as if it started now, or why it could not."""
    api = api_of(request)
    asked = pb.PlanTournamentRequest(tournament=name)
    try:
        return await api.ask(api.tournaments.PlanTournament, asked, await visitor_of(request)), ""
    except (BadRequest, WrongState) as error:
        return None, str(error)


async def _standings(request: Request, name: str) -> pb.Standings | None:
    """None for a tournament that is too long to be added up while somebody waits."""
    api = api_of(request)
    try:
        return await api.ask(
            api.tournaments.GetStandings, pb.GetStandingsRequest(tournament=name), await visitor_of(request)
        )
    except Exhausted:
        return None


ROUTES = [
    Route("/tournaments", listing),
    Route("/tournaments/{tournament}", show),
    Route("/tournaments/{tournament}/start", start, methods=["POST"]),
]
