"""From an `ArenaError` to the gRPC status that a caller gets. Knows no service."""

import functools
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from arena.errors import (
    AlreadyExists,
    ArenaError,
    BadRequest,
    Exhausted,
    NotAllowed,
    NotFound,
    NotLoggedIn,
    Unavailable,
    WrongState,
)

log = logging.getLogger("arena.api")

DOMAIN = "card-arena"
CODES: dict[type[ArenaError], int] = {
    BadRequest: code_pb2.INVALID_ARGUMENT,
    NotFound: code_pb2.NOT_FOUND,
    AlreadyExists: code_pb2.ALREADY_EXISTS,
    NotAllowed: code_pb2.PERMISSION_DENIED,
    NotLoggedIn: code_pb2.UNAUTHENTICATED,
    WrongState: code_pb2.FAILED_PRECONDITION,
    Exhausted: code_pb2.RESOURCE_EXHAUSTED,
    Unavailable: code_pb2.UNAVAILABLE,
}


def status_of(error: ArenaError) -> status_pb2.Status:
    """The status with one ErrorInfo; the message is the sentence."""
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN))
    return status_pb2.Status(code=CODES[type(error)], message=str(error), details=[detail])


Method = Callable[[Any, Any, grpc.aio.ServicerContext[Any, Any]], Awaitable[Any]]


def refuses(method: Method) -> Method:
    """A service method that may raise ArenaError: the caller gets its sentence as the status."""

    @functools.wraps(method)
    async def answer(service: Any, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        try:
            return await method(service, request, context)
        except ArenaError as error:
            await context.abort_with_status(rpc_status.to_status(status_of(error)))
        except Exception:
            log.exception("%s failed", method.__qualname__)
            await context.abort(grpc.StatusCode.INTERNAL, "the server failed at this; its log says why")

    return answer
