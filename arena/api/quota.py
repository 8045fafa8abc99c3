"""How much of the referee one owner may take: bots that are connected, matches and rooms that are open, bytes that are
sent. Knows no database."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import grpc

from arena.errors import Exhausted
from arena.referee.hub import Hub
from arena.referee.meter import Meter
from arena.referee.plan import PlayerId
from arena.referee.service import Refusal
from arena.referee.stream import Farewell

BOTS = 64
"""Bots of one owner that may be connected at the same time."""

MATCHES = 32
"""Unrated matches that one owner may have open at the same time; those of tournaments are the platform's."""

ROOMS = 8
"""Rooms that one owner may have open at the same time."""

BYTES = 64 << 20
"""Bytes that all bots of one owner, and all who sit in the owner's rooms, may send in a row."""

BYTES_PER_S = 4 << 20
"""Bytes of these that are forgiven in a second."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What an owner has taken of one quota: ``what`` is counted, and how much of it is forgiven in a second; 0 where it
    is given back when something ends."""

    what: str
    used: int
    limit: int
    forgiven_per_s: int = 0


class Quota:
    """What every owner takes of one hub.

    :ivar bots: the most bots of an owner on the hub.
    :ivar matches: the most open unrated matches of an owner, those in rooms too.
    :ivar rooms: the most open rooms of an owner.
    """

    def __init__(
        self,
        hub: Hub,
        *,
        bots: int = BOTS,
        matches: int = MATCHES,
        rooms: int = ROOMS,
        bytes_in_a_row: int = BYTES,
        bytes_per_s: int = BYTES_PER_S,
    ) -> None:
        self.bots = bots
        self.matches = matches
        self.rooms = rooms
        self._bytes = bytes_in_a_row, bytes_per_s
        self._hub = hub
        self._seen: dict[str, set[PlayerId]] = {}
        self._matches: Counter[str] = Counter()
        self._rooms: Counter[str] = Counter()
        self._meters: dict[str, Meter] = {}
        self._owners: dict[PlayerId, str] = {}

    def admit(self, owner: str, bot: PlayerId) -> PlayerId | Refusal:
        """The bot, or why it may not connect as well. A bot that is connected already may always come again: it takes
        over its own stream. Nothing may be awaited between this and the bot's joining, or one too many gets in."""
        here = self._here(owner)
        if bot not in here and len(here) >= self.bots:
            return Refusal(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                f"{owner} has {len(here)} bots connected, and the limit is {self.bots}: end one of them first.",
            )
        self._seen[owner] = here | {bot}
        self._owners[bot] = owner
        return bot

    def meter(self, bot: PlayerId) -> Meter | None:
        """What counts the bytes of the bot, with those of all of its owner's; None for a bot that nobody was asked to
        admit, such as a hosted one."""
        owner = self._owners.get(bot)
        return self.meter_of(owner) if owner is not None else None

    def meter_of(self, owner: str) -> Meter:
        """What counts the bytes of all that the owner has to answer for."""
        if (meter := self._meters.get(owner)) is None:
            in_a_row, per_s = self._bytes
            sentence = (
                f"The bots and guests of {owner} send too much: {in_a_row:,} bytes in a row is the limit, and "
                f"{per_s:,} a second from then on."
            )
            meter = self._meters[owner] = Meter(in_a_row, per_s, Farewell("BROKEN", sentence))
        return meter

    def usage(self, owner: str) -> tuple[Usage, ...]:
        """Every quota of the owner, and what is taken of it now."""
        meter = self.meter_of(owner)
        return (
            Usage("connected bots", len(self._here(owner)), self.bots),
            Usage("open unrated matches", self._matches[owner], self.matches),
            Usage("open rooms", self._rooms[owner], self.rooms),
            Usage("received bytes", round(meter.used(self._hub.now_us())), meter.limit, meter.per_s),
        )

    @contextmanager
    def match(self, owner: str) -> Iterator[None]:
        """One open match of the owner, from entering to leaving.

        :raises Exhausted: if the owner has as many as allowed.
        """
        if self._matches[owner] >= self.matches:
            raise Exhausted(
                f"{owner} has {self._matches[owner]} matches open, and the limit is {self.matches}; wait until one ends"
            )
        with _one(self._matches, owner):
            yield

    @contextmanager
    def room(self, owner: str) -> Iterator[None]:
        """One open room of the owner, from entering to leaving.

        :raises Exhausted: if the owner has as many as allowed.
        """
        if self._rooms[owner] >= self.rooms:
            raise Exhausted(
                f"{owner} has {self._rooms[owner]} rooms open, and the limit is {self.rooms}; close one of them first"
            )
        with _one(self._rooms, owner):
            yield

    def _here(self, owner: str) -> set[PlayerId]:
        """Bots of the owner that are connected."""
        return {seen for seen in self._seen.get(owner, ()) if self._hub.hello(seen) is not None}


@contextmanager
def _one(counted: Counter[str], owner: str) -> Iterator[None]:
    """One more of the owner's, from entering to leaving."""
    counted[owner] += 1
    try:
        yield
    finally:
        counted[owner] -= 1
        if not counted[owner]:
            del counted[owner]
