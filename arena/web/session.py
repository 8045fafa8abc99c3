"""Who is signed in: the token in a cookie that no script can read. Knows no page.

The cookie goes with navigation from elsewhere, so that an invitation works; what changes anything is a POST, and a POST
from another site is refused by :mod:`arena.web.guard`.
"""

from starlette.requests import Request
from starlette.responses import Response

from arena.errors import NotLoggedIn
from arena.web.api import Api, Visitor

COOKIE = "arena-token"
KEPT_S = 30 * 24 * 3600


def api_of(request: Request) -> Api:
    """The API that the pages ask."""
    api: Api = request.app.state.api
    return api


async def visitor_of(request: Request) -> Visitor:
    """Whoever looks: by the cookie, or anybody if there is none or nobody is let in with it any more."""
    found: Visitor | None = getattr(request.state, "visitor", None)
    if found is None:
        found = api_of(request).anybody
        if token := request.cookies.get(COOKIE):
            try:
                found = await api_of(request).visitor(token)
            except NotLoggedIn:
                request.state.signed_out = True
        request.state.visitor = found
    return found


def sign_in(request: Request, response: Response, token: str) -> None:
    """Keeps the token at the visitor's."""
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, token, max_age=KEPT_S, httponly=True, samesite="lax", secure=secure, path="/")


def sign_out(response: Response) -> None:
    """Forgets the token."""
    response.delete_cookie(COOKIE, path="/")
