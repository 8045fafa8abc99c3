"""Users and their tokens. Knows no bot and no network; a token itself is shown once and never stored."""

import hashlib
import secrets
from dataclasses import dataclass

from arena.errors import AlreadyExists, BadRequest, NotFound
from arena.store import Connection
from arena.store.names import check_name
from arena.store.sql import statements

SQL = statements(__file__)

HOUSE = "house"
"""The user that owns the platform's own bots."""


@dataclass(frozen=True, slots=True)
class User:
    """Somebody with a token. ``admin`` may do what the owner of anything may."""

    name: str
    admin: bool


def add_user(connection: Connection, name: str, *, admin: bool = False) -> str:
    """Makes a user and returns a token for it.

    :raises BadRequest: if the name cannot be one.
    :raises AlreadyExists: if somebody has it.
    """
    check_name("user", name)
    with connection.transaction():
        if connection.execute(SQL["add_user"], {"name": name, "admin": admin}).fetchone() is None:
            raise AlreadyExists(f"there is a user '{name}' already; 'arena user token {name}' makes another token")
        return _add_token(connection, name, "first")


def add_token(connection: Connection, name: str, label: str = "") -> str:
    """One more token for a user.

    :raises NotFound: if there is no such user.
    """
    if connection.execute(SQL["user"], {"name": name}).fetchone() is None:
        raise NotFound(f"there is no user '{name}'; 'arena user add {name}' makes one")
    return _add_token(connection, name, label)


def keep_token(connection: Connection, name: str, token: str, *, admin: bool = False) -> None:
    """Makes sure that the user exists and that this token is one of theirs; for tokens that the platform itself keeps.

    :raises BadRequest: if the token is too short to be one.
    """
    if len(token) < 20:
        raise BadRequest("the stored token is damaged; remove the file, and the next start writes a new one")
    with connection.transaction():
        connection.execute(SQL["add_user"], {"name": name, "admin": admin})
        connection.execute(SQL["add_token"], {"sha256": _sha256(token), "owner": name, "label": "kept on this host"})


def user_of_token(connection: Connection, token: str) -> User | None:
    """Who the token belongs to; None for nobody."""
    row = connection.execute(SQL["user_of_token"], {"sha256": _sha256(token)}).fetchone()
    return User(*row) if row is not None else None


def users(connection: Connection) -> list[User]:
    """Everybody, by name."""
    return [User(*row) for row in connection.execute(SQL["users"])]


def _add_token(connection: Connection, name: str, label: str) -> str:
    token = secrets.token_urlsafe(24)
    connection.execute(SQL["add_token"], {"sha256": _sha256(token), "owner": name, "label": label})
    return token


def _sha256(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
