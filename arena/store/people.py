"""Users and their tokens. Knows no bot and no network; a token itself is shown once and never stored.

Users and tokens are made and ended by whoever has a shell on the host, and that is who stands in the audit.
"""

import hashlib
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from arena.errors import AlreadyExists, BadRequest, NotAllowed, NotFound, NotLoggedIn
from arena.scopes import SCOPES
from arena.store import Connection, audit
from arena.store.names import check_name
from arena.store.sql import statements

SQL = statements(__file__)

HOUSE = "house"
"""The user that owns the platform's own bots."""

WEB = "web"
"""The user whose token the pages show visitors around with who have none."""

TOKEN_BYTES = 32
LONGEST_DAYS = 3650
LABEL_LENGTH = 64

ANOTHER = "ask for another one: 'arena user token NAME' on the server"


@dataclass(frozen=True, slots=True)
class User:
    """Somebody with a token. ``admin`` may do what the owner of anything may."""

    name: str
    admin: bool


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token, which is not the token itself.

    :ivar id: the first 12 hex digits of its SHA-256; it names the token and opens nothing.
    :ivar label: what it is for, in its owner's words; may be empty.
    :ivar scopes: what it may be used for, in the order of ``SCOPES``.
    :ivar expires_at: None for never.
    :ivar used_on: the last day, in UTC, on which somebody was let in with it; None for no day.
    """

    id: str
    label: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    used_on: date | None

    def __str__(self) -> str:
        return f"{self.id} ({self.label})" if self.label else self.id


def add_user(connection: Connection, name: str, *, admin: bool = False) -> str:
    """Makes a user and returns a token for it that may do everything and never expires.

    :raises BadRequest: if the name cannot be one.
    :raises AlreadyExists: if somebody has it.
    """
    check_name("user", name)
    with connection.transaction():
        if connection.execute(SQL["add_user"], {"name": name, "admin": admin}).fetchone() is None:
            raise AlreadyExists(f"there is a user '{name}' already; 'arena user token {name}' makes another token")
        _note_user(connection, name, admin=admin)
        return _add_token(connection, name, "first")


def add_token(
    connection: Connection,
    name: str,
    label: str = "",
    *,
    scopes: Collection[str] = tuple(SCOPES),
    days: int | None = None,
) -> str:
    """One more token for a user. It may be used for the scopes, and expires after so many days; None for never.

    :raises NotFound: if there is no such user.
    :raises BadRequest: if a scope, the days or the label cannot be.
    """
    find_user(connection, name)
    if not scopes or not SCOPES.keys() >= set(scopes):
        raise BadRequest(f"a token has one or more of the scopes {', '.join(SCOPES)}, not {', '.join(scopes)}")
    if days is not None and not 1 <= days <= LONGEST_DAYS:
        raise BadRequest(f"a token lasts 1 to {LONGEST_DAYS} days, not {days}; without --days it never expires")
    if len(label) > LABEL_LENGTH or not label.isprintable():
        raise BadRequest(f"a label has at most {LABEL_LENGTH} printable characters")
    with connection.transaction():
        return _add_token(connection, name, label, scopes, days)


def keep_token(
    connection: Connection,
    name: str,
    kept: str | None,
    *,
    admin: bool = False,
    scopes: Collection[str] = tuple(SCOPES),
) -> str:
    """Makes sure that the user exists, and returns a token of theirs that may be used for the scopes and never expires:
    the one that the platform keeps, or a new one if it keeps none or somebody revoked it.

    :raises BadRequest: if the kept token is too short to be one.
    """
    if kept is not None and len(kept) < 20:
        raise BadRequest("the stored token is damaged; remove the file, and the next start writes a new one")
    with connection.transaction():
        if connection.execute(SQL["add_user"], {"name": name, "admin": admin}).fetchone() is not None:
            _note_user(connection, name, admin=admin)
        if kept is not None and connection.execute(SQL["is_revoked"], {"sha256": _sha256(kept)}).fetchone() == (True,):
            kept = None
        return _add_token(connection, name, "kept on this host", scopes, token=kept)


def holder(connection: Connection, token: str, *scopes: str) -> tuple[User, Token]:
    """Whoever has the token, and what it is; that it was used today is noted. ``scopes`` are those of which the token
    must have one; none if any token will do.

    :raises NotLoggedIn: if nobody has it, it has expired or was revoked.
    :raises NotAllowed: if it is for something else.
    """
    key = {"sha256": _sha256(token)}
    row = connection.execute(SQL["holder"], key).fetchone()
    if row is None:
        raise NotLoggedIn(f"nobody has this token; {ANOTHER}")
    name, admin, *known, revoked_at, expired, used_today = row
    found = _token(known)
    if revoked_at is not None:
        raise NotLoggedIn(f"the token {found} was revoked on {_utc(revoked_at)}; {ANOTHER}")
    if found.expires_at is not None and expired:
        raise NotLoggedIn(f"the token {found} expired on {_utc(found.expires_at)}; {ANOTHER}")
    if scopes and not set(scopes) & set(found.scopes):
        raise NotAllowed(
            f"the token {found} is for {', '.join(found.scopes)}, and this takes {' or '.join(scopes)}; "
            f"ask for one with it: 'arena user token NAME --scope {scopes[0]}' on the server"
        )
    if not used_today:
        connection.execute(SQL["use_token"], key)
    return User(name, admin), found


def tokens(connection: Connection, name: str) -> list[Token]:
    """The tokens of a user that were not revoked, oldest first; also those that have expired.

    :raises NotFound: if there is no such user.
    """
    find_user(connection, name)
    return [_token(row) for row in connection.execute(SQL["tokens"], {"owner": name})]


def revoke_token(connection: Connection, name: str, token_id: str) -> None:
    """Ends a token: nobody is let in with it from now on.

    :raises NotFound: if the user has no such token, or it was revoked already.
    """
    find_user(connection, name)
    with connection.transaction():
        if connection.execute(SQL["revoke_token"], {"owner": name, "id": token_id.lower()}).fetchone() is None:
            raise NotFound(f"{name} has no token '{token_id}'; 'arena user tokens {name}' shows their ids")
        audit.note(connection, audit.at_host(), "token revoked", f"{token_id.lower()} of {name}")


def find_user(connection: Connection, name: str) -> User:
    """One user.

    :raises NotFound: if there is none of this name.
    """
    row = connection.execute(SQL["user"], {"name": name}).fetchone()
    if row is None:
        raise NotFound(f"there is no user '{name}'; 'arena user add {name}' makes one")
    return User(*row)


def users(connection: Connection) -> list[User]:
    """Everybody, by name."""
    return [User(*row) for row in connection.execute(SQL["users"])]


def _token(row: Sequence[Any]) -> Token:
    token_id, label, scopes, *moments = row
    return Token(token_id, label, tuple(scopes), *moments)


def _add_token(
    connection: Connection,
    name: str,
    label: str,
    scopes: Collection[str] = tuple(SCOPES),
    days: int | None = None,
    *,
    token: str | None = None,
) -> str:
    # In hex, because a token that begins with a dash looks like an option on a command line.
    token = token or secrets.token_hex(TOKEN_BYTES)
    in_order = [scope for scope in SCOPES if scope in scopes]
    added = {"sha256": _sha256(token), "owner": name, "label": label, "scopes": in_order, "days": days}
    row = connection.execute(SQL["add_token"], added).fetchone()
    if row is not None:
        last = f", {days} days" if days is not None else ""
        audit.note(connection, audit.at_host(), "token made", f"{row[0]} of {name}: {', '.join(in_order)}{last}")
    return token


def _note_user(connection: Connection, name: str, *, admin: bool) -> None:
    audit.note(connection, audit.at_host(), "user added", f"{name} (admin)" if admin else name)


def _utc(moment: datetime) -> str:
    """Its day."""
    return f"{moment.astimezone(UTC):%Y-%m-%d}"


def _sha256(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
