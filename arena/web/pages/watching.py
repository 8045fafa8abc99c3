"""Looking on: a match that is being played, as far as its deals are closed, and then the next one. Knows no rules."""

from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import NotFound
from arena.v1 import match_pb2, tournament_pb2
from arena.web.beginnings import Beginnings
from arena.web.page import page
from arena.web.pages.records import record_of, shown
from arena.web.session import api_of, visitor_of

GOING_ON = {tournament_pb2.TOURNAMENT_STATE_OPEN, tournament_pb2.TOURNAMENT_STATE_RUNNING}


async def watch(request: Request) -> Response:
    """Leads to what may be seen: a match that is being played, of a unit after `?after=` if possible; else the match
    that closed last. Until there is any, the page waits for it."""
    name = request.path_params["tournament"]
    api, visitor = api_of(request), await visitor_of(request)
    after = request.query_params.get("after", "")
    found = await _open(request, after) if after else None
    found = found or await _open(request, "")
    if found is not None and str(found.unit) != after:
        return RedirectResponse(f"/tournaments/{name}/watch/{found.unit}/{found.rotation}", 303)
    asked = match_pb2.ListMatchesRequest(tournament=name, latest=True, page_size=1)
    closed = await api.ask(api.matches.ListMatches, asked, visitor)
    if closed.matches:
        one = closed.matches[0]
        return RedirectResponse(f"/tournaments/{name}/matches/{one.unit}/{one.rotation}?watch=1", 303)
    tournament = await api.ask(
        api.tournaments.GetTournament, tournament_pb2.GetTournamentRequest(tournament=name), visitor
    )
    if tournament.state not in GOING_ON:
        raise NotFound(f"nothing of '{name}' was played, so there is nothing to watch")
    return await page(request, "waiting.html", tournament=name)


async def watch_match(request: Request) -> Response:
    """One step of a match that is being played, `?step=` and `?seat=` as in one that is over. When its block is done it
    is to be found where all others are."""
    where = request.path_params
    name, unit, rotation = where["tournament"], where["unit"], where["rotation"]
    beginnings: Beginnings = request.app.state.beginnings
    # Whoever may not see the tournament is refused here.
    found = await _open(request, str(unit - 1) if unit else "")
    told = found is not None and (found.unit, found.rotation) == (unit, rotation)
    if found is not None and told:
        beginnings.keep((name, unit, rotation), found.text)
    elif await _is_closed(request):
        more = urlencode({"watch": 1, **request.query_params})
        return RedirectResponse(f"/tournaments/{name}/matches/{unit}/{rotation}?{more}", 303)
    text = beginnings.find((name, unit, rotation))
    if text is None:
        return RedirectResponse(f"/tournaments/{name}/watch", 303)
    step = await run_in_threadpool(shown, text, request.query_params, begun=True)
    step["links"] = [f"/bots/{bot}" for bot in step["players"]]
    return await page(request, "watch.html", told=told, **where, **step)


async def _open(request: Request, after: str) -> match_pb2.OpenMatch | None:
    """The first match of a later unit that is being played and may be seen."""
    api = api_of(request)
    asked = match_pb2.ListOpenMatchesRequest(
        tournament=request.path_params["tournament"], page_size=1, page_token=after
    )
    found = await api.ask(api.matches.ListOpenMatches, asked, await visitor_of(request))
    return found.matches[0] if found.matches else None


async def _is_closed(request: Request) -> bool:
    """Whether the match's record may be read."""
    try:
        await record_of(request, request.path_params["unit"], request.path_params["rotation"])
    except NotFound:
        return False
    return True


ROUTES = [
    Route("/tournaments/{tournament}/watch", watch),
    Route("/tournaments/{tournament}/watch/{unit:number}/{rotation:number}", watch_match),
]
