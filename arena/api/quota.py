"""How much of the referee one owner may take: bots that are connected, matches that are open. Knows no database."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import grpc

from arena.errors import Exhausted
from arena.referee.hub import Hub
from arena.referee.plan import PlayerId
from arena.referee.service import Refusal

BOTS = 64
"""Bots of one owner that may be connected at the same time."""

MATCHES = 32
"""Unrated matches that one owner may have open at the same time; those of tournaments are the platform's."""


class Quota:
    """What every owner takes of one hub.

    :ivar bots: the most bots of an owner on the hub.
    :ivar matches: the most open unrated matches of an owner.
    """

    def __init__(self, hub: Hub, *, bots: int = BOTS, matches: int = MATCHES) -> None:
        self.bots = bots
        self.matches = matches
        self._hub = hub
        self._seen: dict[str, set[PlayerId]] = {}
        self._open: Counter[str] = Counter()

    def admit(self, owner: str, bot: PlayerId) -> PlayerId | Refusal:
        """The bot, or why it may not connect as well. A bot that is connected already may always come again: it takes
        over its own stream. Nothing may be awaited between this and the bot's joining, or one too many gets in."""
        here = {seen for seen in self._seen.get(owner, ()) if self._hub.hello(seen) is not None}
        if bot not in here and len(here) >= self.bots:
            return Refusal(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                f"{owner} has {len(here)} bots connected, and the limit is {self.bots}: end one of them first.",
            )
        self._seen[owner] = here | {bot}
        return bot

    @contextmanager
    def match(self, owner: str) -> Iterator[None]:
        """One open match of the owner, from entering to leaving.

        :raises Exhausted: if the owner has as many as allowed.
        """
        if self._open[owner] >= self.matches:
            raise Exhausted(
                f"{owner} has {self._open[owner]} matches open, and the limit is {self.matches}; wait until one ends"
            )
        self._open[owner] += 1
        try:
            yield
        finally:
            self._open[owner] -= 1
            if not self._open[owner]:
                del self._open[owner]
