"""Signing in and out. Knows no password: a token is all that there is."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import NotLoggedIn
from arena.web.page import page
from arena.web.session import api_of, sign_in, sign_out


async def form(request: Request) -> Response:
    """Asks for the token."""
    return await page(request, "sign_in.html", back=_inside(request.query_params.get("back", "/")), wrong="")


async def enter(request: Request) -> Response:
    """Keeps the token if somebody has it."""
    sent = await request.form()
    token, back = str(sent.get("token", "")).strip(), _inside(str(sent.get("back", "/")))
    try:
        if not token.isascii() or not token.isprintable():
            raise NotLoggedIn("the token holds letters that no token has; copy it again")
        await api_of(request).visitor(token)
    except NotLoggedIn as error:
        return await page(request, "sign_in.html", 401, back=back, wrong=str(error))
    response = RedirectResponse(back, 303)
    sign_in(request, response, token)
    return response


async def leave(_: Request) -> Response:
    """Forgets the token."""
    response = RedirectResponse("/", 303)
    sign_out(response)
    return response


def _inside(address: str) -> str:
    """The address if it is one of ours, else the first page."""
    return address if address.startswith("/") and not address.startswith(("//", "/\\")) else "/"


ROUTES = [
    Route("/sign-in", form),
    Route("/sign-in", enter, methods=["POST"]),
    Route("/sign-out", leave, methods=["POST"]),
]
