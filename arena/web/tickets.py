"""The tickets of seats at the visitor's, one cookie for one room, which no script can read. Knows no page."""

from starlette.requests import Request
from starlette.responses import Response

from arena.web.seats import Seats

COOKIE = "arena-seat"
KEPT_S = 24 * 3600


def seats_of(request: Request) -> Seats:
    """The streams of the people who sit at tables."""
    seats: Seats = request.app.state.seats
    return seats


def ticket_of(request: Request) -> str:
    """The ticket with which the visitor sits in the room of the address; empty for nobody's."""
    return request.cookies.get(COOKIE, "")


def keep_ticket(request: Request, response: Response, room: str, ticket: str) -> None:
    """Keeps the ticket at the visitor's, for the addresses of the room alone."""
    secure = request.url.scheme == "https"
    response.set_cookie(
        COOKIE, ticket, max_age=KEPT_S, httponly=True, samesite="lax", secure=secure, path=f"/rooms/{room}"
    )


def forget_ticket(request: Request, response: Response) -> None:
    """Forgets the ticket of the room of the address."""
    response.delete_cookie(COOKIE, path=f"/rooms/{request.path_params['room']}")
