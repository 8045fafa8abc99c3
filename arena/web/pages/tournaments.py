"""Tournaments: the list, and one of them while it is played and after. Knows no schedule."""

from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import engine
from arena.errors import BadRequest, Exhausted, WrongState
from arena.referee.clock import Limits
from arena.referee.presets import describe_clock
from arena.scopes import ORGANISE
from arena.v1 import tournament_pb2 as pb
from arena.web.formats import FORMATS
from arena.web.moments import Moments
from arena.web.numbers import numbers, whole
from arena.web.page import page
from arena.web.pages.organising import acts_of
from arena.web.session import api_of, visitor_of
from arena.web.standings import WINDOW, Standings, standings_of

PER_PAGE = 50
WHO_IS_IN = 200
"""Bots of an open tournament that are listed, and lines of standings of any."""
MOST_ENTRIES = 1000
"""Frozen versions that are listed; the JSON has all."""

FASTEST_S, SLOWEST_S = 2.0, 30.0
BLOCKS_A_SECOND = 100
"""A page of a tournament of so many blocks asks again once a second, within the bounds above: a long one changes little
in two seconds, and each look at it costs more."""

RUNNING = pb.TOURNAMENT_STATE_RUNNING
STATES = {
    "open": (pb.TOURNAMENT_STATE_OPEN,),
    "running": (RUNNING,),
    "ended": (pb.TOURNAMENT_STATE_DONE, pb.TOURNAMENT_STATE_CANCELLED),
}
"""What the list can be narrowed to."""

UNITS = {
    "rotation": "a table plays a deal once in every rotation of its seats",
    "single": "deals are independent, for a remote bot remembers those that it has seen",
    "field": "a deal is played at many tables at the same time",
}


async def listing(request: Request) -> Response:
    """The tournaments, newest first, a page at a time: all, or those of `?game=`, in a `?state=`, `?by=` somebody."""
    api, visitor = api_of(request), await visitor_of(request)
    asked = request.query_params
    chosen = {name: asked.get(name, "").strip() for name in ("game", "state", "by")}
    wanted = pb.ListTournamentsRequest(
        page_size=PER_PAGE,
        page_token=asked.get("after", ""),
        game=chosen["game"],
        owner=chosen["by"],
        states=STATES.get(chosen["state"], ()),
    )
    found = await api.ask(api.tournaments.ListTournaments, wanted, visitor)
    following = {**{name: value for name, value in chosen.items() if value}, "after": found.next_page_token}
    return await page(
        request,
        "tournaments.html",
        tournaments=found.tournaments,
        after=urlencode(following) if found.next_page_token else "",
        chosen=chosen,
        states=tuple(STATES),
        live=int(1000 * FASTEST_S) if any(one.state == RUNNING for one in found.tournaments) else 0,
        organises=ORGANISE in visitor.scopes,
    )


async def show(request: Request) -> Response:
    """One tournament as it stands, its standings from `?start=` on: the page asks for it again and again while it is
    played. With `?format=` its standings, as CSV with `?table=luck` the luck in it. What everybody sees is worked out
    once for all who look at the same moment."""
    visitor = await visitor_of(request)
    if visitor.signed_in:
        return await _show(request)
    moments: Moments[Response] = request.app.state.moments
    # By the whole address: the page names the host by which it was asked for.
    return await moments.of(str(request.url), lambda: _show(request))


async def _show(request: Request) -> Response:
    found = await tournament_of(request)
    # Asked for after the tournament: of one that has ended they are the last ones.
    standings = await standings_for(request)
    luck = request.query_params.get("table") == "luck"
    columns, rows = standings.line_columns(), standings.line_rows()
    if luck:
        columns, rows = ["of", "value"], standings.luck_rows()
    if answer := numbers(request, columns, rows, lambda: {**facts_of(found), **standings.as_values()}):
        return answer
    visitor = await visitor_of(request)
    game = engine.load_with(found.game, found.seats, dict(found.options))
    first = whole(request.query_params, "start")
    opened = found.state == pb.TOURNAMENT_STATE_OPEN and found.decides and ORGANISE in visitor.scopes
    plan, hindrance = await _plan(request) if opened and not found.every_s and found.bots else (None, "")
    return await page(
        request,
        "tournament.html",
        found=found,
        format=format_of(found),
        acts=acts_of(found, visitor),
        options=engine.unusual(game),
        clock=_clock(found, game),
        plan=plan,
        hindrance=hindrance,
        standings=standings,
        lines=standings.lines[first : first + WHO_IS_IN],
        following=first + WHO_IS_IN if len(standings.lines) > first + WHO_IS_IN else 0,
        entries=found.entries[:MOST_ENTRIES],
        crossed=standings.crossed,
        window=WINDOW,
        who=found.bots[:WHO_IS_IN],
        pairs={(pair.bot, pair.other): pair for pair in standings.pairs},
        unit_kinds=UNITS,
        live=pace_ms(found),
        address=str(request.base_url).rstrip("/"),
    )


async def tournament_of(request: Request) -> pb.Tournament:
    """The tournament that the address names."""
    api = api_of(request)
    asked = pb.GetTournamentRequest(tournament=request.path_params["tournament"])
    found: pb.Tournament = await api.ask(api.tournaments.GetTournament, asked, await visitor_of(request))
    return found


async def standings_for(request: Request, bot: str = "") -> Standings:
    """The standings of the tournament that the address names, without any pairs but those of the bot if one is named;
    nothing of one that is too long to be added up while somebody waits."""
    api = api_of(request)
    asked = pb.GetStandingsRequest(tournament=request.path_params["tournament"], bot=bot)
    try:
        return standings_of(await api.ask(api.tournaments.GetStandings, asked, await visitor_of(request)))
    except Exhausted:
        return Standings()


def pace_ms(found: pb.Tournament) -> int:
    """After how many milliseconds a page of the tournament asks for itself again; 0 for never."""
    if found.state != RUNNING:
        return 0
    return int(1000 * min(max(found.blocks / BLOCKS_A_SECOND, FASTEST_S), SLOWEST_S))


def format_of(found: pb.Tournament) -> str:
    """The name of its format."""
    return next((one.name for one in FORMATS if one.number == found.format), FORMATS[0].name)


def facts_of(found: pb.Tournament) -> dict[str, Any]:
    """What a program wants to know of a tournament beside its standings: all that the draw can be checked by."""
    return {
        "tournament": found.tournament,
        "owner": found.owner,
        "game": found.game,
        "seats": found.seats,
        "options": dict(sorted(found.options.items())),
        "format": format_of(found),
        "unit_kind": found.unit_kind,
        "orbits": found.orbits,
        "units": found.units,
        "state": pb.TournamentState.Name(found.state).removeprefix("TOURNAMENT_STATE_").lower(),
        "blocks": found.blocks,
        "blocks_done": found.blocks_done,
        "blocks_void": found.blocks_void,
        "commitment": found.commitment.hex(),
        "secret": found.secret.hex(),
        "entries": [
            {"bot": one.bot, "version": one.version, "content_hash": one.content_hash, "known": one.known}
            for one in found.entries
        ],
    }


def _clock(found: pb.Tournament, game: engine.Game) -> str:
    said = found.limits
    limits = Limits(said.move_ms, said.bank_ms, said.max_faults, tuple(said.phase_ms), said.increment_ms)
    return describe_clock(limits, game)


async def _plan(request: Request) -> tuple[pb.TournamentPlan | None, str]:
    """What an open tournament would be played as if it started now, or why it could not."""
    api = api_of(request)
    asked = pb.PlanTournamentRequest(tournament=request.path_params["tournament"])
    try:
        return await api.ask(api.tournaments.PlanTournament, asked, await visitor_of(request)), ""
    except (BadRequest, WrongState, Exhausted) as error:
        return None, str(error)


ROUTES = [
    Route("/tournaments", listing),
    Route("/tournaments/{tournament}", show),
]
