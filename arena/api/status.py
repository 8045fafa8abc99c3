"""From an `ArenaError` in a service's method to the status that the caller gets. Knows no service."""

import functools
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from grpc_status import rpc_status

from arena.errors import ArenaError
from arena.status import status, status_of

log = logging.getLogger("arena.api")

Method = Callable[[Any, Any, grpc.aio.ServicerContext[Any, Any]], Awaitable[Any]]


def refuses(method: Method) -> Method:
    """A service method that may raise ArenaError: the caller gets its sentence as the status."""

    @functools.wraps(method)
    async def answer(service: Any, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        try:
            return await method(service, request, context)
        except ArenaError as error:
            found = status_of(error)
        except Exception:
            log.exception("%s failed", method.__qualname__)
            found = status(grpc.StatusCode.INTERNAL, "the server failed at this; its log says why")
        # Out of reach of the error: gRPC keeps what is raised here for a while, and with an error all that its frames
        # hold, such as a whole archive.
        return await context.abort_with_status(rpc_status.to_status(found))

    return answer
