"""What a user of the arena can do wrong, as sentences. Knows no gRPC and no database.

ArenaError
├── BadRequest      something asked for does not exist in the rules or the syntax
├── NotFound        a name that nobody has
├── AlreadyExists   a name that somebody has
├── NotAllowed      the token is fine, its owner may not do this
├── NotLoggedIn     nobody is let in with the token
├── WrongState      the thing exists and is not in a state for it
├── Exhausted       a limit is reached
└── Unavailable     a part of the platform cannot be reached now
"""


class ArenaError(Exception):
    """A sentence that says what is wrong and what to do. ``reason`` names the case for programs."""

    reason = "ARENA_ERROR"


class BadRequest(ArenaError):
    """Something asked for does not exist in the rules or the syntax."""

    reason = "BAD_REQUEST"


class NotFound(ArenaError):
    """A name that nobody has."""

    reason = "NOT_FOUND"


class AlreadyExists(ArenaError):
    """A name that somebody has."""

    reason = "ALREADY_EXISTS"


class NotAllowed(ArenaError):
    """The token is fine, its owner may not do this."""

    reason = "NOT_ALLOWED"


class NotLoggedIn(ArenaError):
    """The token is missing, unknown, expired or revoked."""

    reason = "NOT_LOGGED_IN"


class WrongState(ArenaError):
    """The thing exists and is not in a state for it."""

    reason = "WRONG_STATE"


class Exhausted(ArenaError):
    """A limit is reached."""

    reason = "EXHAUSTED"


class Unavailable(ArenaError):
    """A part of the platform cannot be reached now."""

    reason = "UNAVAILABLE"
