"""The referees of one arena: each tells the workers who is connected to it, and its bots where the others are. Knows no
match and no block."""

import asyncio
import contextlib
import time
from ipaddress import ip_address

from arena.api.access import Database
from arena.errors import Unavailable
from arena.referee.hub import Hub
from arena.referee.plan import PlayerId
from arena.referee.session import Context, News, no_news
from arena.store import referees
from arena.store.referees import Place
from arena.v1 import play_pb2

HEARTBEAT_S = 5.0
"""How often a referee is heard of, and hears of the others."""

LOOK_S = 0.5
"""Who has come or gone since is told after this time at the latest."""


class Lobby:
    """One referee among those of its arena.

    :ivar here: where it is.
    :ivar others: where the others are, as far as it knows.
    """

    def __init__(self, here: Place, hub: Hub) -> None:
        self.here = here
        self.others: tuple[Place, ...] = ()
        self._hub = hub

    async def attend(self, database: Database, secret: bytes) -> None:
        """Is there, for workers and for the other referees, until it is cancelled. While the database is away the
        others are taken to be where they were."""
        told: set[PlayerId] = set()
        due = time.monotonic()
        while True:
            bots = {player for player in self._hub.connected() if is_remote(player)}
            if bots != told or time.monotonic() >= due:
                due = time.monotonic() + HEARTBEAT_S
                with contextlib.suppress(Unavailable):
                    self.hear(await database.ask(referees.beat, self.here, secret, bots))
                    told = bots
            await asyncio.sleep(LOOK_S)

    def hear(self, others: tuple[Place, ...]) -> None:
        """The others are there now; every bot is told if that is new."""
        if others != self.others:
            self.others = others
            self._hub.wake()

    def news_of(self, player: PlayerId, context: Context) -> News:
        """What the stream of a bot is told. A hosted bot is told nothing: it plays here alone."""
        if not is_remote(player):
            return no_news
        known: tuple[Place, ...] = ()
        encrypted = b"ssl" in context.auth_context().get("transport_security_type", ())
        near = is_near(context.peer())

        def news() -> play_pb2.Referees | None:
            nonlocal known
            if self.others is known:
                return None
            known = self.others
            return listing(self.here, known, encrypted=encrypted, near=near)

        return news


def listing(here: Place, others: tuple[Place, ...], *, encrypted: bool, near: bool) -> play_pb2.Referees:
    """The referees as a bot is told of them: those that it can dial in the way in which it came. ``near`` says that it
    runs on this host, where loopback leads to the same."""

    def dialled(place: Place) -> str:
        return place.tls_address if encrypted else place.address

    return play_pb2.Referees(
        here=dialled(here), others=[address for address in map(dialled, others) if _leads(address, near=near)]
    )


def is_remote(player: PlayerId) -> bool:
    """Whether it is a remote bot, whose id is its name, and not one in a cell or a bot of the house in this process."""
    return not {"/", "@"} & set(player)


def is_near(peer: str) -> bool:
    """Whether the other end of a call, as gRPC writes it, is on this host."""
    return peer.startswith(("unix:", "ipv4:127.", "ipv6:[::1]", "ipv6:%5B::1%5D"))


def _leads(address: str, *, near: bool) -> bool:
    """Whether an address can lead from a bot to the referee that listens there."""
    host = address.rpartition(":")[0].strip("[]")
    try:
        number = ip_address(host)
    except ValueError:
        return bool(host) and (near or host != "localhost")
    return not number.is_unspecified and (near or not number.is_loopback)
