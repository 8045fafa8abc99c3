"""What keeps the pages from being abused: headers, requests from other sites, too many requests. Knows no page."""

from urllib.parse import urlsplit

from limits import RateLimitItem, parse
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}
"""Nothing is loaded from elsewhere, no page is shown inside another, no script stands in a page."""

EVERYTHING = parse("600 per minute")
"""A person who steps through records by key makes ten requests a second."""

SIGN_IN = parse("10 per minute")
"""Tokens are 256 bits, so this is against noise, not against guessing."""

SAFE = {"GET", "HEAD", "OPTIONS"}
LARGEST_BODY = 64 << 10


class Guard:
    """Middleware before every page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refused = await self._refusal(scope)
        if refused is not None:
            await refused(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)

    async def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        who = scope["client"][0] if scope.get("client") else ""
        headers = Headers(scope=scope)
        if not await self._limiter.hit(EVERYTHING, who):
            return _too_many(EVERYTHING)
        if scope["method"] in SAFE:
            return None
        if not _from_here(headers):
            return PlainTextResponse("This form was sent from another site; open the page here and send it.", 403)
        if not headers.get("content-length", "").isdigit() or int(headers["content-length"]) > LARGEST_BODY:
            return PlainTextResponse(f"A form has at most {LARGEST_BODY >> 10} KiB.", 413)
        if scope["path"] == "/sign-in" and not await self._limiter.hit(SIGN_IN, "sign-in", who):
            return _too_many(SIGN_IN)
        return None


def _from_here(headers: Headers) -> bool:
    """Whether a browser sent this from one of our pages. Every browser says one of the two."""
    if site := headers.get("sec-fetch-site"):
        return site in {"same-origin", "none"}
    origin = headers.get("origin", "")
    return bool(origin) and urlsplit(origin).netloc == headers.get("host")


def _too_many(limit: RateLimitItem) -> PlainTextResponse:
    return PlainTextResponse(
        f"Too many requests from your address; the limit is {limit}. Wait a minute.", 429, {"retry-after": "60"}
    )
