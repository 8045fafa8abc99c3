"""Matches that have been played: a list, one to step through, and a deal at all its rotations side by side. Knows no
rules: what lies on a table is drawn by :mod:`arena.web.tables`."""

import asyncio
from collections import Counter
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

import engine
from arena.errors import NotFound
from arena.referee.times import seat_times
from arena.v1 import match_pb2, tournament_pb2
from arena.web.page import page
from arena.web.replay import Moment, replay
from arena.web.session import api_of, visitor_of
from arena.web.tables import Look, draw

MOST_TABLES = 16
"""A unit is played in at most as many rotations as a table has seats, or at the tables of a field."""

PER_PAGE = 100


async def matches(request: Request) -> Response:
    """The finished matches of a tournament, a page at a time."""
    name = request.path_params["tournament"]
    asked = match_pb2.ListMatchesRequest(
        tournament=name, page_size=PER_PAGE, page_token=request.query_params.get("after", "")
    )
    api = api_of(request)
    found = await api.ask(api.matches.ListMatches, asked, await visitor_of(request))
    after = urlencode({"after": found.next_page_token}) if found.next_page_token else ""
    return await page(request, "matches.html", tournament=name, matches=found.matches, after=after)


async def match(request: Request) -> Response:
    """One step of a match: `?step=` from 0, `?seat=` for what that seat saw; all hands are open without it."""
    where = request.path_params
    text = await _record(request, where["unit"], where["rotation"])
    step = await run_in_threadpool(shown, text, request.query_params)
    return await page(request, "match.html", **where, **step)


async def watch(request: Request) -> Response:
    """The newest match that may be seen, playing by itself: of the block that closed last, since a deal is shown to
    nobody while a table is still to play it."""
    name = request.path_params["tournament"]
    api = api_of(request)
    asked = match_pb2.ListMatchesRequest(tournament=name, latest=True, page_size=1)
    found = await api.ask(api.matches.ListMatches, asked, await visitor_of(request))
    if not found.matches:
        raise NotFound(f"nothing of '{name}' may be seen yet: look again when its first block has closed")
    one = found.matches[0]
    return RedirectResponse(f"/tournaments/{name}/matches/{one.unit}/{one.rotation}?watch=1", 303)


async def record(request: Request) -> Response:
    """The record as a file."""
    where = request.path_params
    text = await _record(request, where["unit"], where["rotation"])
    name = f"{where['tournament']}-{where['unit']}-{where['rotation']}.jsonl"
    return Response(
        text, media_type="application/jsonl", headers={"content-disposition": f'attachment; filename="{name}"'}
    )


async def deal(request: Request) -> Response:
    """A unit: the same cards in every rotation, or at every table of a field, seat by seat."""
    name, unit = request.path_params["tournament"], request.path_params["unit"]
    api, visitor = api_of(request), await visitor_of(request)
    asked = match_pb2.ListMatchesRequest(
        tournament=name, page_size=MOST_TABLES, page_token=f"{unit - 1}.{1 << 30}" if unit else ""
    )
    tournament, found = await asyncio.gather(
        api.ask(api.tournaments.GetTournament, tournament_pb2.GetTournamentRequest(tournament=name), visitor),
        api.ask(api.matches.ListMatches, asked, visitor),
    )
    rotations = [one for one in found.matches if one.unit == unit]
    if not rotations:
        raise NotFound(f"unit {unit} of '{name}' has not been played; the list of matches has those that have")
    game = engine.load_with(tournament.game, tournament.seats, dict(tournament.options))
    totals: Counter[str] = Counter()
    for one in rotations:
        totals.update(dict(zip(one.bots, one.scores, strict=True)))
    return await page(
        request,
        "deal.html",
        tournament=name,
        unit=unit,
        game=game.id,
        rotations=rotations,
        field=tournament.unit_kind == "field",
        write=game.write_score,
        totals=totals.most_common(),
    )


async def _record(request: Request, unit: int, rotation: int) -> str:
    api = api_of(request)
    asked = match_pb2.GetRecordRequest(tournament=request.path_params["tournament"], unit=unit, rotation=rotation)
    found = await api.ask(api.matches.GetRecord, asked, await visitor_of(request))
    return str(found.text)


def shown(text: str, asked: Any) -> dict[str, Any]:
    """What the page of a step of a record shows.

    :raises WrongState: if the record does not hold.
    """
    found = replay(text)
    game = found.record.game
    moment, state = found.at(_whole(asked.get("step"), 0, found.steps) or 0)
    seat = _whole(asked.get("seat"), 0, game.seats - 1)
    deals = found.deals()
    write = game.write
    header = found.record.header
    return {
        "game": game.id,
        "players": header["players"],
        "versions": header.get("versions", [""] * game.seats),
        "clock": header.get("clock", ""),
        "step": moment.step,
        "steps": found.steps,
        "seat": seat,
        "last": moment.last,
        "secret": _hides(moment, seat),
        "write": write,
        "table": draw(state, Look(seat, moment.legal)),
        "began": max((step for step in deals if step < moment.step), default=0),
        "next_deal": min((step for step in deals if step > moment.step), default=found.steps),
        "faults": [(step, one) for step, one in enumerate(found.record.decisions, start=1) if one.fault],
        "over": moment.step == found.steps,
        "scores": [game.write_score(score) for score in found.record.scores],
        "places": found.record.places,
        "forfeited": found.record.forfeited,
        "times": seat_times(found.record),
    }


def _hides(moment: Moment, seat: int | None) -> bool:
    """Whether the last decision is another seat's secret."""
    return moment.secret and seat is not None and moment.last is not None and moment.last.seat != seat


def _whole(text: str | None, low: int, high: int) -> int | None:
    """The number, brought into its range; None for what is none."""
    if not text or not text.isascii() or not text.isdigit() or len(text) > 9:
        return None
    return max(low, min(int(text), high))


ROUTES = [
    Route("/tournaments/{tournament}/watch", watch),
    Route("/tournaments/{tournament}/matches", matches),
    Route("/tournaments/{tournament}/matches/{unit:int}", deal),
    Route("/tournaments/{tournament}/matches/{unit:int}/{rotation:int}", match),
    Route("/tournaments/{tournament}/matches/{unit:int}/{rotation:int}/record", record),
]
