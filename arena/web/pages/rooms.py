"""Rooms: the visitor's own, making one, and who sits in it. Knows no table: what is played there is shown by
:mod:`arena.web.pages.play`."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

import engine
from arena.errors import BadRequest, NotFound, NotLoggedIn
from arena.scopes import PLAY
from arena.v1 import room_pb2 as pb
from arena.web.options import option_fields, option_refused, options_in
from arena.web.page import page
from arena.web.session import api_of, visitor_of
from arena.web.tickets import forget_ticket, keep_ticket, seats_of, ticket_of
from bots import house

REGULARS = 5
"""Bots of the house that take the empty seats in turn."""

MOST_SEATS = (1 << 32) - 1
"""A message has room for no larger number."""

LEVEL = "level:"
"""What begins the choice of company of a level for the empty seats; else it is names of bots."""


async def listing(request: Request) -> Response:
    """The visitor's rooms, and the games to make one for."""
    api, visitor = api_of(request), await visitor_of(request)
    hosts = PLAY in visitor.scopes
    rooms = (await api.ask(api.rooms.ListRooms, pb.ListRoomsRequest(), visitor)).rooms if hosts else []
    return await page(request, "rooms.html", hosts=hosts, rooms=rooms)


async def form(request: Request) -> Response:
    """Asks for the options of `?game=`."""
    return await _form(request, {"game": request.query_params.get("game", "")}, "")


async def create(request: Request) -> Response:
    """Makes a room and lets its host sit down."""
    sent = {name: str(value) for name, value in (await request.form()).items()}
    api, visitor = api_of(request), await visitor_of(request)
    filling = sent.get("empty", "")
    level = filling.removeprefix(LEVEL) if filling.startswith(LEVEL) else ""
    asked = pb.CreateRoomRequest(
        game=sent.get("game", ""),
        options=options_in(sent),
        seats=whole(sent.get("seats", ""), MOST_SEATS),
        bots=[] if level else filling.split(),
        level=level,
    )
    try:
        room = await api.ask(api.rooms.CreateRoom, asked, visitor)
    except BadRequest as error:
        return await _form(request, sent, str(error))
    return await _sit(request, room.room, room.invite, sent.get("player", ""))


async def join(request: Request) -> Response:
    """Lets the visitor sit down, with the invite."""
    sent = await request.form()
    return await _sit(request, request.path_params["room"], str(sent.get("invite", "")), str(sent.get("player", "")))


async def leave(request: Request) -> Response:
    """Lets the visitor get up; with a seat, which only the host may send, somebody else."""
    room, seat = request.path_params["room"], (await request.form()).get("seat")
    ticket = ticket_of(request)
    asked = pb.LeaveRoomRequest(room=room, ticket=ticket)
    if seat is not None:
        asked.seat = whole(str(seat), MOST_SEATS)
    api = api_of(request)
    await api.ask(api.rooms.LeaveRoom, asked, await visitor_of(request))
    response = RedirectResponse("/rooms" if seat is None else f"/rooms/{room}", 303)
    if seat is None:
        seats_of(request).leave(ticket)
        forget_ticket(request, response)
    seats_of(request).tell(room)
    return response


async def start(request: Request) -> Response:
    """Begins a match."""
    room, api = request.path_params["room"], api_of(request)
    await api.ask(api.rooms.StartRoom, pb.StartRoomRequest(room=room), await visitor_of(request))
    seats_of(request).tell(room)
    return RedirectResponse(f"/rooms/{room}", 303)


async def close(request: Request) -> Response:
    """Ends the room."""
    room, api = request.path_params["room"], api_of(request)
    await api.ask(api.rooms.DeleteRoom, pb.DeleteRoomRequest(room=room), await visitor_of(request))
    seats_of(request).tell(room)
    response = RedirectResponse("/rooms", 303)
    forget_ticket(request, response)
    return response


def whole(text: str, most: int = (1 << 64) - 1) -> int:
    """The number of a field.

    :raises BadRequest: if it is none, or more than that.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and int(text) <= most):
        raise BadRequest(f"'{text[:20]}' is no whole number; send the form of the page")
    return int(text)


async def _sit(request: Request, room: str, invite: str, player: str) -> Response:
    api = api_of(request)
    asked = pb.JoinRoomRequest(room=room, invite=invite, player=player)
    seat = await api.ask(api.rooms.JoinRoom, asked, await visitor_of(request))
    await seats_of(request).at(room, seat.ticket, player)
    seats_of(request).tell(room)
    response = RedirectResponse(f"/rooms/{room}", 303)
    keep_ticket(request, response, room, seat.ticket)
    return response


async def _form(request: Request, sent: dict[str, str], wrong: str) -> Response:
    visitor = await visitor_of(request)
    if PLAY not in visitor.scopes:
        raise NotLoggedIn(f"to make a room takes a token for '{PLAY}'; who is invited needs none")
    game = sent.get("game", "")
    kind = engine.GAMES.get(game)
    if kind is None:
        raise NotFound(f"there is no game '{game}'; there are {', '.join(engine.GAMES)}")
    return await page(
        request,
        "new_room.html",
        400 if wrong else 200,
        kind=kind,
        options=option_fields(kind),
        counts=[(count, count) for count in kind.seat_counts],
        levels=[(f"{LEVEL}{level}", level) for level in house.levels(kind.id)],
        regulars=" ".join(house.regulars(REGULARS)),
        bots=house.playing(kind.id),
        sent=sent,
        wrong=wrong,
        at=option_refused(wrong),
    )


ROUTES = [
    Route("/rooms", listing),
    Route("/rooms", create, methods=["POST"]),
    Route("/rooms/new", form),
    Route("/rooms/{room}/join", join, methods=["POST"]),
    Route("/rooms/{room}/leave", leave, methods=["POST"]),
    Route("/rooms/{room}/start", start, methods=["POST"]),
    Route("/rooms/{room}/close", close, methods=["POST"]),
]
