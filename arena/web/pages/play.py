"""A room from a seat in it: the lobby, the table to play at, the result, the record to step through. Knows no rules:
what lies on a table is drawn by :mod:`arena.web.tables`."""

from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

import engine
from arena.errors import NotAllowed, WrongState
from arena.v1 import room_pb2 as pb
from arena.web.page import page
from arena.web.pages.records import shown
from arena.web.pages.rooms import whole
from arena.web.seats import Seat
from arena.web.session import api_of, visitor_of
from arena.web.tables import choices, draw_view
from arena.web.tickets import seats_of, ticket_of

POLL_S = 20.0
"""Whoever asks for news is answered after this time at the latest."""


async def show(request: Request) -> Response:
    """The room as it is now."""
    ticket, visitor = ticket_of(request), await visitor_of(request)
    # Taken before the room is asked for: what happens meanwhile is news to whoever waits for the next number.
    now = seats_of(request).changes(ticket)
    room = await _room(request, ticket, request.query_params.get("invite", ""))
    seat = None
    if room.HasField("seat"):
        seat = await seats_of(request).at(room.room, ticket, room.seats[room.seat].player)
    playing = room.state == pb.ROOM_STATE_PLAYING
    game = engine.load_with(room.game, len(room.seats), dict(room.options))
    return await page(
        request,
        "room.html",
        room=room,
        options=engine.unusual(game),
        names=[one.player for one in room.seats],
        links=[""] * len(room.seats),
        notes=["" if one.person or not one.player else "bot of the house" for one in room.seats],
        link=f"{request.base_url}rooms/{room.room}?{urlencode({'invite': room.invite})}",
        me=room.seat if seat is not None else None,
        hosts=visitor.user == room.host,
        playing=playing,
        now=now,
        write=game.write_score,
        **_at_the_table(seat) if seat is not None and playing else {"said": "", "table": None, "turn": None},
    )


async def state(request: Request) -> Response:
    """The same as soon as it has changed: `?after=` is the number that the page showed."""
    seat = seats_of(request).find(ticket_of(request))
    if seat is not None:
        await seat.change(whole(request.query_params.get("after", "")), POLL_S)
    return await show(request)


async def play(request: Request) -> Response:
    """Takes a choice."""
    room, sent = request.path_params["room"], await request.form()
    match, turn, action = (whole(str(sent.get(name, ""))) for name in ("match", "turn", "action"))
    seat = seats_of(request).find(ticket_of(request))
    if seat is None or seat.room != room:
        raise WrongState("the table was left for a while; open the room again")
    await seat.play(match, turn, action)
    return RedirectResponse(f"/rooms/{room}", 303)


async def record(request: Request) -> Response:
    """One step of the last match: `?step=` from 0, `?seat=` for what that seat saw."""
    text = await _record(request)
    step = await run_in_threadpool(shown, text, request.query_params)
    return await page(request, "room_record.html", room=request.path_params["room"], **step)


async def file(request: Request) -> Response:
    """The record as a file."""
    name = f"room-{request.path_params['room']}.jsonl"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(await _record(request), media_type="application/jsonl", headers=headers)


async def _room(request: Request, ticket: str, invite: str) -> pb.Room:
    api, visitor = api_of(request), await visitor_of(request)
    asked = pb.GetRoomRequest(room=request.path_params["room"], key=ticket or invite)
    try:
        room: pb.Room = await api.ask(api.rooms.GetRoom, asked, visitor)
    except NotAllowed:
        # Who has lost the seat may still be invited.
        if not (ticket and invite):
            raise
        asked.key = invite
        room = await api.ask(api.rooms.GetRoom, asked, visitor)
    return room


async def _record(request: Request) -> str:
    api = api_of(request)
    asked = pb.GetRoomRecordRequest(room=request.path_params["room"], ticket=ticket_of(request))
    return str((await api.ask(api.rooms.GetRoomRecord, asked, await visitor_of(request))).text)


def _at_the_table(seat: Seat) -> dict[str, Any]:
    """What the seat sees, and what it may do."""
    turn = seat.seen
    if turn is None:
        return {"said": "Waiting for the others.", "table": None, "turn": None}
    legal = turn.legal if seat.open else ()
    if seat.open:
        said = f"Your turn: {turn.phase.name}."
    elif seat.said is not None:
        said = f"You chose: {turn.write(seat.said)}. Waiting for the others."
    else:
        said = "Your time was up, and the house has chosen for you. Waiting for the others."
    return {
        "said": said,
        "table": draw_view(turn.game, turn.observation, legal, seat.said),
        "turn": turn if seat.open else None,
        "left_ms": seat.left_ms,
        "choices": choices(turn.game, turn.phase, legal),
    }


ROUTES = [
    Route("/rooms/{room}", show),
    Route("/rooms/{room}/state", state),
    Route("/rooms/{room}/play", play, methods=["POST"]),
    Route("/rooms/{room}/record", record),
    Route("/rooms/{room}/record.jsonl", file),
]
