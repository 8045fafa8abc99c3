"""From an `ArenaError` in a service's method to the status that the caller gets. Knows no service."""

import functools
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from google.rpc import status_pb2
from grpc_status import rpc_status

from arena.errors import ArenaError
from arena.status import status, status_of

log = logging.getLogger("arena.api")

Method = Callable[[Any, Any, grpc.aio.ServicerContext[Any, Any]], Awaitable[Any]]
Stream = Callable[[Any, Any, grpc.aio.ServicerContext[Any, Any]], AsyncIterator[Any]]


def refuses(method: Method) -> Method:
    """A service method that may raise ArenaError: the caller gets its sentence as the status."""

    @functools.wraps(method)
    async def answer(service: Any, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        try:
            return await method(service, request, context)
        except Exception as error:
            found = _told(error, method.__qualname__)
        # Out of reach of the error: gRPC keeps what is raised here for a while, and with an error all that its frames
        # hold, such as a whole archive.
        return await context.abort_with_status(rpc_status.to_status(found))

    return answer


def refuses_stream(method: Stream) -> Stream:
    """The same for a method that yields its answers; those that came before the error stay."""

    @functools.wraps(method)
    async def answers(service: Any, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Any]:
        try:
            async for answer in method(service, request, context):
                yield answer
            return
        except Exception as error:
            found = _told(error, method.__qualname__)
        await context.abort_with_status(rpc_status.to_status(found))

    return answers


def _told(error: Exception, what: str) -> status_pb2.Status:
    """What the caller is told; our log gets what is nobody's fault but ours."""
    if isinstance(error, ArenaError):
        return status_of(error)
    log.error("%s failed", what, exc_info=error)
    return status(grpc.StatusCode.INTERNAL, "the server failed at this; its log says why")
