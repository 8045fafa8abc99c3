"""The process `arena web`: the pages on one address until it is told to stop. Knows no page."""

import socket
from collections.abc import Callable

import uvicorn

from arena.bot.dial import UntrustedError
from arena.errors import BadRequest, Unavailable
from arena.web.api import Api
from arena.web.app import create

BACKLOG = 128
GRACE_S = 2


async def serve(address: str, token: str, ca: str, *, listen: str, proxy: str, on_ready: Callable[[str], None]) -> None:
    """Serves the pages over the API at ``address``, with a token for visitors that may only read, until SIGTERM or
    SIGINT. Whoever calls from ``proxy``, an address or ``*``, is believed for whom it calls. ``on_ready`` is told the
    address of the pages.

    :raises Unavailable: if the API does not answer or the address of the pages cannot be had.
    :raises NotAllowed: if the token may do more than read.
    :raises NotLoggedIn: if nobody has it.
    :raises BadRequest: if the root certificates cannot be used.
    """
    try:
        api = Api(address, token, ca)
    except UntrustedError as error:
        raise BadRequest(str(error)) from error
    app = create(api)
    try:
        await api.check()
        with _listen(listen) as listener:
            settings = uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                forwarded_allow_ips=proxy,
                lifespan="off",
                timeout_graceful_shutdown=GRACE_S,
            )
            where = "{}:{}".format(*listener.getsockname()[:2])
            await _Server(settings, lambda: on_ready(where)).serve([listener])
    finally:
        await app.state.seats.close()
        await api.close()


class _Server(uvicorn.Server):
    """A server that says when it answers."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As the base has it, and then says so."""
        await super().startup(sockets)
        self._on_ready()


def _listen(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    try:
        return socket.create_server((host.strip("[]"), int(port)), backlog=BACKLOG)
    except OSError as error:
        raise Unavailable(
            f"the pages cannot have {address} ({error.strerror or error}): choose another one with --listen"
        ) from error
