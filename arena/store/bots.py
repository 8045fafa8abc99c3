"""Bots and their versions as their authors see them. Knows no tournament and no cell."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from arena.errors import AlreadyExists, BadRequest, Exhausted, NotAllowed, NotFound, WrongState
from arena.store import Connection
from arena.store.names import check_name
from arena.store.people import HOUSE, User
from arena.store.sql import statements

SQL = statements(__file__)

OWNED = 1_000
"""Bots that one owner may ever have: a name is never given back, because results name it."""

MOST_GAMES = 64
"""More games than that no bot says it plays."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot. ``kind`` is `hosted` or `remote`; ``house`` marks the platform's own."""

    name: str
    owner: str
    kind: str
    house: bool
    retired: bool


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a bot, which never changes. ``content_hash`` is empty for one that a remote bot declared;
    ``runs`` are those of its validation."""

    id: int
    bot: str
    number: int
    content_hash: str
    manifest: dict[str, Any]
    state: str
    reason: str
    log: str
    runs: list[dict[str, Any]]
    created_at: datetime

    @property
    def games(self) -> tuple[str, ...]:
        """Ids of the games it plays."""
        return tuple(self.manifest["games"])


def find_bot(connection: Connection, name: str) -> Bot:
    """One bot.

    :raises NotFound: if there is none of this name.
    """
    row = connection.execute(SQL["bot"], {"name": name}).fetchone()
    if row is None:
        raise NotFound(f"there is no bot '{name}'; 'arena bot list' shows the bots")
    return Bot(*row)


def list_bots(connection: Connection, *, game: str | None, after: str, limit: int) -> list[Bot]:
    """Bots by name, the first one after ``after``."""
    rows = connection.execute(SQL["bots"], {"game": game, "after": after, "limit": limit})
    return [Bot(*row) for row in rows]


def own_bot(connection: Connection, user: User, name: str, kind: str) -> Bot:
    """The bot of this name and kind, made for the user if nobody has it.

    :raises BadRequest: if the name cannot be one.
    :raises NotAllowed: if it is somebody else's.
    :raises AlreadyExists: if the user has it as the other kind.
    :raises WrongState: if it is retired.
    :raises Exhausted: if it would be one more than :data:`OWNED`.
    """
    check_name("bot", name)
    made = {"name": name, "owner": user.name, "kind": kind, "house": user.name == HOUSE, "most": OWNED}
    connection.execute(SQL["add_bot"], made)
    try:
        bot = find_bot(connection, name)
    except NotFound:
        raise Exhausted(
            f"you have {OWNED:,} bots, retired ones counted, and nobody may have more; use one of their names"
        ) from None
    if bot.owner != user.name:
        raise NotAllowed(f"the bot '{name}' belongs to {bot.owner}; choose another name")
    if bot.kind != kind:
        raise AlreadyExists(f"you have a {bot.kind} bot '{name}'; choose another name for a {kind} one")
    if bot.retired:
        raise WrongState(f"the bot '{name}' is retired; choose another name")
    return bot


def check_owner(connection: Connection, user: User, name: str) -> Bot:
    """The bot, if the user may decide what it does.

    :raises NotFound: if there is none of this name.
    :raises NotAllowed: if it is somebody else's.
    """
    bot = find_bot(connection, name)
    if bot.owner != user.name and not user.admin:
        raise NotAllowed(f"the bot '{name}' belongs to {bot.owner}; only they decide what it does")
    return bot


def retire_bot(connection: Connection, user: User, name: str) -> Bot:
    """Retires a bot; again changes nothing.

    :raises ArenaError: as :func:`check_owner`.
    """
    check_owner(connection, user, name)
    connection.execute(SQL["retire_bot"], {"name": name})
    return find_bot(connection, name)


def submit_version(
    connection: Connection,
    user: User,
    *,
    name: str,
    content_hash: str,
    archive: bytes,
    manifest: dict[str, Any],
    request_id: str,
) -> Version:
    """The version of this archive: a new one that waits for its validation, or the one that it already is.

    :raises ArenaError: as :func:`own_bot`.
    """
    with connection.transaction():
        own_bot(connection, user, name, "hosted")
        connection.execute(SQL["lock_bot"], {"name": name})
        asked = {"bot": name, "request_id": request_id or None, "content_hash": content_hash}
        for known in ("version_of_request", "version_of_content"):
            if (row := connection.execute(SQL[known], asked).fetchone()) is not None:
                return version_by_id(connection, row[0])
        connection.execute(SQL["keep_archive"], {"content_hash": content_hash, "data": archive})
        row = connection.execute(SQL["add_version"], {**asked, "manifest": Jsonb(manifest)}).fetchone()
        assert row is not None
        return version_by_id(connection, row[0])


def declare_version(
    connection: Connection, user: User, *, name: str, declared: str, games: list[str], batch: int
) -> Version:
    """The version that a remote bot says it is; it is the active one from now on.

    :raises BadRequest: if the version or the games are nothing to be kept.
    :raises ArenaError: as :func:`own_bot`.
    """
    if len(declared) > 64 or not declared.isprintable():
        raise BadRequest(f"the bot '{name}' must call its version by at most 64 printable characters")
    if len(games) > MOST_GAMES or any(len(game) > 40 or not game.isprintable() for game in games):
        raise BadRequest(f"the bot '{name}' must name at most {MOST_GAMES} games, each by its id")
    with connection.transaction():
        own_bot(connection, user, name, "remote")
        connection.execute(SQL["lock_bot"], {"name": name})
        manifest = Jsonb({"name": name, "games": games, "batch": batch})
        said = {"bot": name, "declared": declared, "manifest": manifest}
        row = connection.execute(SQL["declare_version"], said).fetchone()
        assert row is not None
        connection.execute(SQL["replace_active"], {"bot": name, "id": row[0]})
        connection.execute(SQL["activate"], {"id": row[0]})
        return version_by_id(connection, row[0])


def version_by_id(connection: Connection, version_id: int) -> Version:
    """The version of an id that is known to exist."""
    row = connection.execute(SQL["version_by_id"], {"id": version_id}).fetchone()
    assert row is not None
    return Version(*row)


def find_version(connection: Connection, name: str, number: int = 0) -> Version | None:
    """A version by number, the latest for 0; None if there is none."""
    statement = "version" if number else "latest_version"
    row = connection.execute(SQL[statement], {"bot": name, "number": number}).fetchone()
    return Version(*row) if row is not None else None


def active_version(connection: Connection, name: str) -> Version | None:
    """The version that plays in tournaments to come; None if there is none."""
    row = connection.execute(SQL["active_version"], {"bot": name}).fetchone()
    return Version(*row) if row is not None else None


def active_bots(connection: Connection, game: str) -> list[str]:
    """Names of the hosted bots that can enter a tournament of this game, by name."""
    return [row[0] for row in connection.execute(SQL["active_bots"], {"game": game})]
