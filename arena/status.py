"""What a refused call ends with: a status with a sentence for people and a reason for programs. Knows no service."""

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

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

DOMAIN = "card-arena"
CODES: dict[type[ArenaError], grpc.StatusCode] = {
    BadRequest: grpc.StatusCode.INVALID_ARGUMENT,
    NotFound: grpc.StatusCode.NOT_FOUND,
    AlreadyExists: grpc.StatusCode.ALREADY_EXISTS,
    NotAllowed: grpc.StatusCode.PERMISSION_DENIED,
    NotLoggedIn: grpc.StatusCode.UNAUTHENTICATED,
    WrongState: grpc.StatusCode.FAILED_PRECONDITION,
    Exhausted: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
}
REASONS = {code: error.reason for error, code in CODES.items()}


def status_of(error: ArenaError) -> status_pb2.Status:
    """The status of an error; the message is its sentence."""
    return status(CODES[type(error)], str(error))


def status(code: grpc.StatusCode, sentence: str) -> status_pb2.Status:
    """A status with one ErrorInfo, whose reason is that of the errors with this code."""
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=REASONS.get(code, code.name), domain=DOMAIN))
    return status_pb2.Status(code=code.value[0], message=sentence, details=[detail])
