"""Rooms, who sits in them, and the secrets that let people in. Knows no call, no stream and no database: time and the
right to take room are handed in."""

import hashlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

from arena.api.seen import Seen
from arena.errors import BadRequest, Exhausted, NotAllowed, NotFound, WrongState
from arena.referee.match import Verdict
from arena.referee.plan import PlayerId
from bots import house
from engine.game import Game

ROOMS = 64
"""Rooms at one referee. The company of a full table may hold up its loop for a tenth of a second in every round."""

IDLE_S = 3600.0
"""A room that nobody has used for so long is closed."""

LONGEST_NAME = 24
MOST_BOTS = 16

TICKET = "seat."
"""What the ticket of a seat begins with, so that one that has ended is told from a token that nobody has."""


@dataclass(frozen=True, slots=True)
class Guest:
    """A person in a room: the name that the others see, and the player at the hub."""

    name: str
    player: PlayerId


@dataclass(frozen=True, slots=True)
class Played:
    """A match that is over: who sat in it, by seat, the guests among them by the hash of their ticket, and how it
    ended."""

    names: tuple[str, ...]
    tickets: frozenset[bytes]
    verdict: Verdict


@dataclass(slots=True, eq=False)
class Room:
    """A room. ``seats`` has a guest's ticket by its hash, or None where nobody sits.

    :ivar bots: house bots that take the empty seats in turn.
    :ivar level: the level of the company that takes them; empty for none.
    :ivar used_s: when it was last used.
    :ivar held: what the room holds of its host's quota, given back when it is closed.
    :ivar names: by seat, who plays or has played; empty before the first match.
    :ivar matches: how many have begun.
    :ivar match_id: the match that is played, or was last.
    :ivar seen: what those who sit in it have seen; None before the first, and if it was given up.
    :ivar given_up: why the last match was, in a sentence; empty if it was not.
    """

    id: str
    host: str
    invite: str
    game: Game
    bots: tuple[str, ...]
    level: str
    used_s: float
    seats: list[bytes | None]
    held: ExitStack = field(default_factory=ExitStack)
    guests: dict[bytes, Guest] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    playing: bool = False
    matches: int = 0
    match_id: int = 0
    seen: Seen | None = None
    last: Played | None = None
    given_up: str = ""

    def people(self) -> Iterator[tuple[int, Guest]]:
        """Those who sit here, with their seats."""
        for seat, ticket in enumerate(self.seats):
            if ticket is not None:
                yield seat, self.guests[ticket]

    def seated(self) -> tuple[str, ...]:
        """Names by seat for the next match: people, and in the empty seats bots of the house.

        :raises WrongState: if nobody sits here, or nobody takes the empty seats.
        """
        people = dict(self.people())
        empty = [seat for seat in range(self.game.seats) if seat not in people]
        if not people:
            raise WrongState("nobody sits in the room; sit down first")
        if empty and not self.bots and not self.level:
            raise WrongState(f"{len(empty)} of {self.game.seats} seats are empty, and the room has no bots for them")
        bots = house.company(len(empty), self.level, len(people)) if self.level and empty else self.bots
        taken = {seat: bots[at % len(bots)] for at, seat in enumerate(empty)}
        return tuple(people[seat].name if seat in people else taken[seat] for seat in range(self.game.seats))


class Register:
    """All rooms of one referee. ``now_s`` is a monotonic watch."""

    def __init__(self, now_s: Callable[[], float], *, most: int = ROOMS, idle_s: float = IDLE_S) -> None:
        self._now_s = now_s
        self._most = most
        self._idle_s = idle_s
        self._rooms: dict[str, Room] = {}
        self._tickets: dict[bytes, Room] = {}
        self._sat = 0

    def open(self, host: str, game: Game, bots: tuple[str, ...], level: str) -> Room:
        """A new room of the host's.

        :raises Exhausted: if there are as many as there may be.
        :raises BadRequest: if the house does not have such bots, or no such company, for the game.
        """
        if len(self._rooms) >= self._most:
            raise Exhausted(f"{self._most} rooms are open here, and that is the limit; try again when one has ended")
        _check(game, bots, level)
        room = Room(
            id=secrets.token_hex(5),
            host=host,
            invite=secrets.token_urlsafe(16),
            game=game,
            bots=bots,
            level=level,
            used_s=self._now_s(),
            seats=[None] * game.seats,
        )
        self._rooms[room.id] = room
        return room

    def of(self, host: str) -> list[Room]:
        """The host's rooms, the newest first."""
        return [room for room in reversed(self._rooms.values()) if room.host == host]

    def find(self, room_id: str) -> Room:
        """The room.

        :raises NotFound: if there is none.
        """
        room = self._rooms.get(room_id)
        if room is None:
            raise NotFound(
                f"there is no room '{room_id}' any more: a room is gone when its host closes it, an hour after its "
                f"last use, and with a restart of its server; open a new one"
            )
        return room

    def enter(self, room_id: str, user: str, key: str) -> Room:
        """The room, for its host and for whoever has its invite or a ticket of it; that counts as use.

        :raises NotFound: if there is none.
        :raises NotAllowed: if neither user nor key opens it.
        """
        room = self.find(room_id)
        invited = secrets.compare_digest(key.encode(), room.invite.encode())
        if user != room.host and not invited and _sha256(key) not in room.guests:
            raise NotAllowed(f"this is no invite to the room '{room_id}' and no ticket of it; ask {room.host} for one")
        room.used_s = self._now_s()
        return room

    def sit(self, room: Room, name: str) -> tuple[int, str, Guest]:
        """A guest in the first free seat, with the seat's ticket.

        :raises BadRequest: if nobody can be called that.
        :raises WrongState: if a match is played or no seat is free.
        """
        name = name.strip()
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise BadRequest(f"a name has 1 to {LONGEST_NAME} characters that can be printed; choose another one")
        if name.casefold() in house.names():
            raise BadRequest(f"a bot of the house is called {name}; choose another name")
        if any(name.casefold() == guest.name.casefold() for _, guest in room.people()):
            raise BadRequest(f"somebody here is called {name} already; choose another name")
        if room.playing:
            raise WrongState("a match is being played; sit down when it is over")
        if None not in room.seats:
            raise WrongState(f"all {room.game.seats} seats are taken; ask {room.host} for a bigger table")
        seat = room.seats.index(None)
        ticket = TICKET + secrets.token_urlsafe(32)
        # No bot's name has an @, so nobody else can be this player; and no two guests are the same one.
        self._sat += 1
        guest = Guest(name, f"guest@{room.id}.{self._sat}")
        room.seats[seat] = _sha256(ticket)
        room.guests[_sha256(ticket)] = guest
        self._tickets[_sha256(ticket)] = room
        return seat, ticket, guest

    def leave(self, room: Room, seat: int) -> Guest | None:
        """Empties a seat, and ends its ticket; the guest who sat there, None if nobody did."""
        ticket = room.seats[seat] if seat < len(room.seats) else None
        if ticket is None:
            return None
        room.seats[seat] = None
        del self._tickets[ticket]
        return room.guests.pop(ticket)

    def holder(self, ticket: str) -> tuple[Room, Guest] | None:
        """Who plays with the ticket; that counts as use."""
        # By its hash: how long it takes to find none tells nothing of those that there are.
        room = self._tickets.get(_sha256(ticket))
        if room is None:
            return None
        room.used_s = self._now_s()
        return room, room.guests[_sha256(ticket)]

    def host_of(self, player: PlayerId) -> str | None:
        """The host of the room in which a guest sits; None if the player is none."""
        for room in self._rooms.values():
            if any(guest.player == player for guest in room.guests.values()):
                return room.host
        return None

    def seat_of(self, room: Room, ticket: str) -> int | None:
        """The seat of a ticket of the room; None if it is none."""
        hashed = _sha256(ticket)
        return room.seats.index(hashed) if hashed in room.seats else None

    def unused(self, present: Callable[[Guest], bool]) -> list[Room]:
        """Rooms that nobody has used for long: no match is played and no guest is present."""
        now_s = self._now_s()
        for room in self._rooms.values():
            if room.playing or any(present(guest) for guest in room.guests.values()):
                room.used_s = now_s
        return [room for room in self._rooms.values() if now_s - room.used_s > self._idle_s]

    def close(self, room: Room) -> list[Guest]:
        """Ends the room and its tickets; the guests who were in it."""
        del self._rooms[room.id]
        for ticket in room.guests:
            del self._tickets[ticket]
        room.held.close()
        return list(room.guests.values())


def saw(room: Room, ticket: str) -> Seen | None:
    """What the ticket's owner has seen of the match that is played, or of the last one; None if it sits in none."""
    return room.seen if room.seen is not None and _sha256(ticket) in room.seen.tickets else None


def sat_in(played: Played, ticket: str) -> bool:
    """Whether the ticket is of a seat in that match."""
    return _sha256(ticket) in played.tickets


def _check(game: Game, bots: tuple[str, ...], level: str) -> None:
    if bots and level:
        raise BadRequest("the empty seats are taken by bots or by company of a level; name one of the two")
    if len(bots) > MOST_BOTS:
        raise BadRequest(f"{len(bots)} bots are named to take turns; name at most {MOST_BOTS}")
    if level and level not in house.levels(game.id):
        offered = ", ".join(house.levels(game.id)) or "none"
        raise BadRequest(f"there is no company of level '{level}' for {game.id}; there is {offered}")
    for name in bots:
        try:
            one = house.entry(name)
        except ValueError as error:
            raise BadRequest(str(error)) from error
        if game.id not in one.games:
            raise BadRequest(f"{name} does not play {game.id}; it plays {', '.join(one.games)}")


def _sha256(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
