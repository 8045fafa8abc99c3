"""A room from a seat in it: the lobby, the table to play at, the result, the record to step through. Knows no rules:
what lies on a table is drawn by :mod:`arena.web.tables`."""

import time
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

import engine
from arena.errors import NotAllowed, WrongState
from arena.referee.presets import PEOPLE
from arena.v1 import room_pb2 as pb
from arena.web.cards import signed
from arena.web.course import last_deal, own_last, sheet, since
from arena.web.page import page
from arena.web.pages.records import shown
from arena.web.pages.rooms import whole
from arena.web.seats import Seat
from arena.web.session import api_of, visitor_of
from arena.web.tables import Ended, choices, draw_view, options_of
from arena.web.tickets import seats_of, ticket_of
from bots import house
from engine.record import FORFEITED

POLL_S = 20.0
"""Whoever asks for news is answered after this time at the latest."""

GLANCE_S = 1.0
"""How often the table is looked at for somebody who waits for others."""

MOST_FAULTS = PEOPLE.max_faults
MISSES = {"LATE", "GONE"}


async def show(request: Request) -> Response:
    """The room as it is now."""
    ticket, visitor = ticket_of(request), await visitor_of(request)
    # Taken before the room is asked for: what happens meanwhile is news to whoever waits for the next number.
    now = seats_of(request).changes(ticket)
    room = await _room(request, ticket, request.query_params.get("invite", ""))
    seat = None
    if room.HasField("seat"):
        seat = await seats_of(request).at(room.room, ticket, room.seats[room.seat].player)
        seat.decisions = room.table.decisions
    playing = room.state == pb.ROOM_STATE_PLAYING
    game = engine.load_with(room.game, len(room.seats), dict(room.options))
    before = seat.before.observation if seat is not None and seat.before is not None else None
    last = last_deal(game, room.table, before) if room.HasField("table") else None
    return await page(
        request,
        "room.html",
        room=room,
        options=engine.unusual(game),
        link=f"{request.base_url}rooms/{room.room}?{urlencode({'invite': room.invite})}",
        me=room.seat if seat is not None else None,
        sat=room.seat if seat is not None and room.HasField("table") else None,
        hosts=visitor.user == room.host,
        playing=playing,
        now=now,
        write=game.write_score,
        names=_names(room),
        links=[""] * len(room.seats),
        notes=[_note(game, name) for name in _names(room)],
        sheet=sheet(game, room.table),
        last=last,
        ranks=sorted(range(len(room.result.places)), key=lambda one: room.result.places[one]),
        **_at_the_table(seat, room, last)
        if seat is not None and playing
        else {"said": "", "table": None, "turn": None},
    )


async def state(request: Request) -> Response:
    """The same as soon as it has changed: `?after=` is the number that the page showed."""
    ticket = ticket_of(request)
    seat = seats_of(request).find(ticket)
    if seat is not None:
        after, until = whole(request.query_params.get("after", "")), time.monotonic() + POLL_S
        await seat.change(after, GLANCE_S)
        # What the others do comes over no stream: it is looked for while they are waited for.
        while seat.changes == after and time.monotonic() < until:
            if not seat.open and seat.seen is not None:
                seat.saw((await _room(request, ticket, "")).table.decisions)
            await seat.change(after, GLANCE_S)
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


def _names(room: pb.Room) -> list[str]:
    """Who plays, or has played last where nobody sits any more."""
    players = room.result.players or [""] * len(room.seats)
    return [one.player or played for one, played in zip(room.seats, players, strict=True)]


def _note(game: engine.Game, name: str) -> str:
    """What to know of who is called so: nothing of a person, who cannot have the name of a bot of the house."""
    if name not in house.names():
        return ""
    style, _, level = name.rpartition("-")
    return f"bot of the house, {style}, {level}" if level in house.levels(game.id) else "bot of the house"


def _at_the_table(seat: Seat, room: pb.Room, last: Ended | None) -> dict[str, Any]:
    """What the seat sees, and what it may do."""
    turn, me, table = seat.seen, room.seat, room.table
    waiting = _waiting(room)
    if turn is None:
        return {"said": waiting, "table": None, "turn": None, "steps": [], "missed": "", "waits": True}
    legal = turn.legal if seat.open else ()
    own = own_last(table, me)
    missed = ""
    if own is not None and own.fault in MISSES and (seat.open or seat.said is None):
        missed = f"Your time was up, and the house chose {_named(turn.game, turn.game.read(own.action))} for you."
    elif own is not None and own.fault == FORFEITED:
        missed = f"You missed {MOST_FAULTS} turns, and the house plays for you to the end of the match."
    if seat.open:
        said = f"Your turn: {turn.phase.name}."
    elif seat.said is not None:
        said = f"You chose: {_named(turn.game, seat.said)}. {waiting}"
    else:
        said = waiting if missed else f"Your time was up, and the house chooses for you. {waiting}"
    return {
        "said": said,
        "missed": missed,
        "waits": not seat.open,
        "steps": [] if seat.open else since(turn.game, table, me),
        "table": draw_view(turn.game, turn.observation, legal, seat.said, last),
        "turn": turn if seat.open else None,
        "left_ms": seat.left_ms,
        "choices": choices(turn.game, turn.phase, legal),
    }


def _named(game: engine.Game, action: int) -> str:
    """An action in a sentence: ``K♠``, ``call 3``."""
    (one,) = options_of(game, (action,))
    return one.card.face if one.card else signed(one.text)


def _waiting(room: pb.Room) -> str:
    """Who is waited for; not who of those that choose at the same time."""
    if len(room.table.to_act) == 1 and room.table.to_act[0] != room.seat:
        return f"{room.seats[room.table.to_act[0]].player} is to act."
    return "Waiting for the others."


ROUTES = [
    Route("/rooms/{room}", show),
    Route("/rooms/{room}/state", state),
    Route("/rooms/{room}/play", play, methods=["POST"]),
    Route("/rooms/{room}/record", record),
    Route("/rooms/{room}/record.jsonl", file),
]
