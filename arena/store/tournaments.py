"""Tournaments as organisers and readers see them. Knows no schedule, no lease and no rating."""

import json
import secrets
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from psycopg.types.json import Jsonb

from arena.errors import AlreadyExists, BadRequest, Exhausted, NotAllowed, NotFound, WrongState
from arena.store import Connection
from arena.store.bots import active_version, find_bot
from arena.store.names import check_name
from arena.store.people import User
from arena.store.sql import statements

SQL = statements(__file__)

UNRATED = 8
"""Unrated tournaments of one user that have not ended."""


@dataclass(frozen=True, slots=True)
class NewTournament:
    """What an organiser chooses. ``options`` are all options of the game as text, ``phase_ms`` is empty if every phase
    has ``move_ms``. What is private is unrated."""

    game: str
    seats: int
    options: dict[str, str]
    orbits: int
    units: int
    move_ms: int
    bank_ms: int
    max_faults: int
    startup_ms: int
    increment_ms: int = 0
    phase_ms: tuple[int, ...] = ()
    format: str = "round-robin"
    unrated: bool = False
    private: bool = False
    open_until: datetime | None = None
    batch: int | None = None
    every_s: int | None = None


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament and how far it is. ``blocks`` leaves out those that were replaced; ``rated`` says whether all its
    orbits have gone into the ratings, or never will. ``undecided`` are blocks that were given up because what plays
    them died, about which nobody has decided: before that it does not close. ``unit_kind`` is empty until
    it has started.

    Of a ladder ``batch`` are tables of a period at most, None for as many as can be made, and ``every_s`` the seconds
    from the start of a period to that of the next one at least; it never starts itself, and its secret is that of the
    next period. Of a period ``ladder`` is the name of what it is a period of, and ``period`` its number from 1."""

    name: str
    owner: str
    game: str
    seats: int
    options: dict[str, str]
    orbits: int
    units: int
    move_ms: int
    bank_ms: int
    max_faults: int
    startup_ms: int
    increment_ms: int
    phase_ms: list[int]
    secret: bytes
    commitment: bytes
    created_at: datetime
    started_at: datetime | None
    closed_at: datetime | None
    cancelled_at: datetime | None
    format: str
    unrated: bool
    private: bool
    open_until: datetime | None
    batch: int | None
    every_s: int | None
    ladder: str | None
    period: int | None
    bots: list[str]
    rated: bool
    blocks: int
    blocks_done: int
    blocks_void: int
    undecided: list[int]
    unit_kind: str

    @property
    def stands(self) -> bool:
        """Whether it is a ladder, and not one of its periods."""
        return self.every_s is not None


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot in a tournament. ``version`` is 0 until the start freezes it; a remote bot has an empty content hash.
    ``known`` marks those by which a gauntlet measures the others."""

    bot: str
    version: int
    content_hash: str
    known: bool


@dataclass(frozen=True, slots=True)
class Match:
    """A finished match; lists are by seat."""

    unit: int
    rotation: int
    bots: list[str]
    scores: list[int]
    places: list[int]
    faults: list[int]


def create_tournament(
    connection: Connection, user: User, name: str, wanted: NewTournament, request_id: str
) -> Tournament:
    """Makes a tournament that is open for entries, or returns the one that this request made before.

    ``name`` may be empty: then it is the game's id and the next number, and of a private one, whose number would show
    in those of others, a random one.

    :raises BadRequest: if the name cannot be one.
    :raises AlreadyExists: if the name is taken, be it by a tournament that the user may not see.
    :raises Exhausted: if it is unrated and the user has :data:`UNRATED` of these.
    """
    with connection.transaction():
        # A statement of its own: the same request at the same time must see what the first one has made.
        connection.execute(SQL["lock_names"])
        if request_id:
            row = connection.execute(
                SQL["tournament_of_request"], {"owner": user.name, "request_id": request_id}
            ).fetchone()
            if row is not None:
                return find_tournament(connection, row[0])
        if wanted.unrated and not user.admin:
            row = connection.execute(SQL["open_unrated"], {"owner": user.name}).fetchone()
            if row is not None and row[0] >= UNRATED:
                raise Exhausted(
                    f"{user.name} has {row[0]} unrated tournaments that have not ended, and the limit is {UNRATED}; "
                    f"wait until one ends, or cancel one"
                )
        chosen = name or _new_name(connection, wanted)
        check_name("tournament", chosen)
        row = connection.execute(
            SQL["add_tournament"],
            {
                "name": chosen,
                "owner": user.name,
                "game": wanted.game,
                "seats": wanted.seats,
                "options": Jsonb(wanted.options),
                "orbits": wanted.orbits,
                "units": wanted.units,
                "move_ms": wanted.move_ms,
                "bank_ms": wanted.bank_ms,
                "max_faults": wanted.max_faults,
                "startup_ms": wanted.startup_ms,
                "increment_ms": wanted.increment_ms,
                "phase_ms": list(wanted.phase_ms),
                "secret": secrets.token_bytes(32),
                "request_id": request_id or None,
                "format": wanted.format,
                "unrated": wanted.unrated,
                "private": wanted.private,
                "open_until": wanted.open_until,
                "batch": wanted.batch,
                "every_s": wanted.every_s,
            },
        ).fetchone()
        if row is None:
            raise AlreadyExists(f"the name '{chosen}' is taken; choose another one")
        return find_tournament(connection, chosen)


def enter_tournament(
    connection: Connection, user: User, name: str, bots: list[str], *, known: bool = False
) -> Tournament:
    """Enters bots; one that is in stays in. All or none.

    :param known: whether they are those by which a gauntlet measures the others.

    :raises NotFound: if there is no such bot, or no such tournament that the user may see.
    :raises NotAllowed: if neither the tournament nor the bot is the user's, or the tournament is somebody else's and
        it is private, or the bots are to be known.
    :raises WrongState: if the entries are closed, or a bot is disqualified, retired or has no version that plays.
    :raises BadRequest: if a bot does not play the game.
    """
    with connection.transaction():
        see_tournament(connection, user, name)
        tournament = lock_open(connection, name)
        decides = user.admin or user.name == tournament.owner
        if tournament.private and not decides:
            raise NotAllowed(f"'{name}' is private: {tournament.owner} enters bots, and whom they enter may see it")
        if tournament.open_until is not None and tournament.open_until <= datetime.now(UTC):
            raise WrongState(f"'{name}' took entries until {tournament.open_until:%Y-%m-%d %H:%M} UTC, and starts now")
        if known and tournament.format != "gauntlet":
            raise BadRequest(f"'{name}' is no gauntlet; enter the bots without naming others that they play against")
        if known and not decides:
            raise NotAllowed(
                f"{tournament.owner} says by which bots those of '{name}' are measured; enter yours as others"
            )
        for bot_name in bots:
            bot = find_bot(connection, bot_name)
            if not decides and user.name != bot.owner:
                raise NotAllowed(f"neither '{name}' nor the bot '{bot_name}' is yours; ask the owner of one of them")
            if tournament.format == "challenge" and bot.kind == "remote" and bot.owner != user.name:
                raise NotAllowed(f"the remote bot '{bot_name}' is {bot.owner}'s; challenge hosted bots, or your own")
            if tournament.stands and bot.kind == "remote":
                raise BadRequest(
                    f"'{name}' is a ladder, which plays whether or not somebody is there, and '{bot_name}' is a remote "
                    f"bot; submit it, or enter it into another tournament"
                )
            if bot.retired:
                raise WrongState(f"the bot '{bot_name}' is retired")
            entry = {"tournament": name, "bot": bot_name, "known": known}
            if (row := connection.execute(SQL["disqualification"], entry).fetchone()) is not None:
                raise WrongState(f"the bot '{bot_name}' is disqualified from '{name}': {row[0]}")
            version = active_version(connection, bot_name)
            if version is None:
                raise WrongState(
                    f"the bot '{bot_name}' has no version that plays; 'arena bot log {bot_name}' says why"
                    if bot.kind == "hosted"
                    else f"the bot '{bot_name}' has never connected; start it first"
                )
            if tournament.game not in version.games:
                raise BadRequest(f"the bot '{bot_name}' does not play {tournament.game}; it plays {version.games}")
            connection.execute(SQL["add_entry"], entry)
        return find_tournament(connection, name)


def leave_tournament(connection: Connection, user: User, name: str, bots: list[str]) -> Tournament:
    """Takes bots out of a tournament that has not started, or out of a ladder from its next period on. All or none.

    :raises NotFound: if there is no such tournament that the user may see, or a bot is not in it.
    :raises NotAllowed: if neither the tournament nor the bot is the user's.
    :raises WrongState: if the entries are closed.
    """
    with connection.transaction():
        see_tournament(connection, user, name)
        tournament = lock_open(connection, name)
        for bot_name in bots:
            bot = find_bot(connection, bot_name)
            if not (user.admin or user.name in (tournament.owner, bot.owner)):
                raise NotAllowed(f"neither '{name}' nor the bot '{bot_name}' is yours; ask the owner of one of them")
            if not remove_entry(connection, name, bot_name):
                raise NotFound(f"the bot '{bot_name}' is not in '{name}'; 'arena tournament show {name}' says who is")
        return find_tournament(connection, name)


def remove_entry(connection: Connection, name: str, bot: str) -> bool:
    """Takes a bot out of a tournament that is locked and open; whether it was in."""
    return connection.execute(SQL["remove_entry"], {"tournament": name, "bot": bot}).fetchone() is not None


def lock_open(connection: Connection, name: str) -> Tournament:
    """The tournament, locked until the transaction ends.

    :raises NotFound: if there is none of this name.
    :raises WrongState: if its entries are closed.
    """
    tournament = lock_tournament(connection, name)
    if tournament.cancelled_at is not None:
        raise WrongState(f"'{name}' is cancelled; 'arena tournament show {name}' says why")
    if tournament.started_at is not None:
        raise WrongState(f"'{name}' has started; its entries are closed")
    if tournament.closed_at is not None:
        raise WrongState(f"the ladder '{name}' is closed; make another one")
    return tournament


def lock_tournament(connection: Connection, name: str) -> Tournament:
    """The tournament in whatever state, locked until the transaction ends.

    :raises NotFound: if there is none of this name.
    """
    connection.execute(SQL["lock_tournament"], {"name": name})
    return find_tournament(connection, name)


def find_tournament(connection: Connection, name: str) -> Tournament:
    """One tournament, for the platform itself and for whoever was let see it.

    :raises NotFound: if there is none of this name.
    """
    return _find(connection, name, None)


def see_tournament(connection: Connection, user: User, name: str) -> Tournament:
    """One tournament, for somebody who asks about it.

    :raises NotFound: if there is none of this name, or the user may not know of it.
    """
    return _find(connection, name, user.name)


def _find(connection: Connection, name: str, viewer: str | None) -> Tournament:
    row = connection.execute(SQL["tournament"], {"name": name, "viewer": viewer}).fetchone()
    if row is None:
        raise NotFound(f"there is no tournament '{name}'; 'arena tournament list' shows them")
    return Tournament(*row)


def list_entries(connection: Connection, name: str) -> list[Entry]:
    """Who is in, in order of entry."""
    return [Entry(*row) for row in connection.execute(SQL["entries"], {"tournament": name})]


def list_tournaments(
    connection: Connection,
    user: User,
    *,
    game: str = "",
    owner: str = "",
    bot: str = "",
    states: Collection[str] = (),
    before: str | None,
    limit: int,
) -> list[Tournament]:
    """Tournaments that the user may see, newest first, those made before the one called ``before``: all, or those of a
    game, of an owner, with a bot, or in some of the states open, running, done and cancelled."""
    chosen = {"game": game or None, "owner": owner or None, "bot": bot or None, "states": list(states)}
    asked = {"viewer": user.name, "before": before, "limit": limit, **chosen}
    names = connection.execute(SQL["tournaments"], asked).fetchall()
    return [find_tournament(connection, name) for (name,) in names]


def list_matches(connection: Connection, tournament: str, *, after: tuple[int, int], limit: int) -> list[Match]:
    """Finished matches behind (unit, rotation), in that order."""
    unit, rotation = after
    asked = {"tournament": tournament, "unit": unit, "rotation": rotation, "limit": limit}
    return [Match(*row) for row in connection.execute(SQL["matches"], asked)]


def latest_matches(connection: Connection, tournament: str, *, limit: int) -> list[Match]:
    """The matches of the block that closed last, by unit and rotation."""
    asked = {"tournament": tournament, "limit": limit}
    return [Match(*row) for row in connection.execute(SQL["latest_matches"], asked)]


def find_record(connection: Connection, tournament: str, unit: int, rotation: int) -> str:
    """The text of a record.

    :raises NotFound: if that match has not been played or its record was pruned.
    """
    row = connection.execute(SQL["records_of_unit"], {"tournament": tournament, "unit": unit}).fetchone()
    for played_unit, played_rotation, text in unpacked(row[0]) if row is not None else ():
        if (played_unit, played_rotation) == (unit, rotation):
            return text
    where = f"unit {unit}, rotation {rotation}"
    asked = {"tournament": tournament, "unit": unit, "rotation": rotation}
    digest = connection.execute(SQL["digest_of_match"], asked).fetchone()
    if digest is not None:
        raise NotFound(
            f"the record of '{tournament}', {where}, was pruned, as those of tournaments are that closed long ago; its "
            f"result is kept, with the digest {digest[0]}"
        )
    raise NotFound(f"'{tournament}' has no record of {where}; is that match played?")


def unpacked(data: bytes) -> list[tuple[int, int, str]]:
    """Unit, rotation and text of every record that a block's value holds, in that order."""
    return [(int(unit), int(rotation), str(text)) for unit, rotation, text in json.loads(zlib.decompress(data))]


def _new_name(connection: Connection, wanted: NewTournament) -> str:
    if wanted.private:
        return f"private-{secrets.token_hex(4)}"
    stem = "challenge" if wanted.format == "challenge" else wanted.game.replace("_", "-")
    taken = {row[0] for row in connection.execute(SQL["names_like"], {"prefix": f"{stem}-"})}
    number = 1
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"
