"""The end of a referee in good order: nothing begins any more, and what has begun has a while to end. Knows no match
and no block."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from arena.errors import Unavailable

SENTENCE = "the arena is shutting down and begins nothing new; try again in a minute"

MATCH = "match"
BLOCK = "block"
MANY = {MATCH: "matches", BLOCK: "blocks"}


class Drain:
    """What is open on a referee. Asked once it lets nothing begin any more; asked twice it does not wait either."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self._hurried = asyncio.Event()
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._open: Counter[str] = Counter()

    def ask(self) -> None:
        """From now on nothing begins; asked again, nothing is waited for."""
        if self._asked.is_set():
            self._hurried.set()
        self._asked.set()

    def listen(self) -> None:
        """Asks at every SIGTERM and SIGINT; twice at one that comes after our parent has gone, because then somebody
        else is about to take our place. Call it in the event loop."""
        parent = os.getppid()

        def told() -> None:
            self.ask()
            if os.getppid() != parent:
                self.ask()

        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, told)

    @property
    def begun(self) -> bool:
        """Whether it was asked."""
        return self._asked.is_set()

    async def asked(self) -> None:
        """Returns when it is asked."""
        await self._asked.wait()

    @contextmanager
    def open(self, what: str) -> Iterator[None]:
        """One open ``MATCH`` or ``BLOCK``, from entering to leaving.

        :raises Unavailable: if nothing begins any more.
        """
        if self.begun:
            raise Unavailable(SENTENCE)
        self._open[what] += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._open[what] -= 1
            if not self._open.total():
                self._quiet.set()

    def waits_for(self) -> str:
        """What is open, in words; empty if nothing is."""
        counted = sorted((what, count) for what, count in self._open.items() if count)
        return " and ".join(f"{count} {what if count == 1 else MANY[what]}" for what, count in counted)

    async def quiet(self, within_s: float) -> bool:
        """Whether everything ended by itself within the time; sooner False if it is asked again."""
        waits = {asyncio.create_task(event.wait()) for event in (self._quiet, self._hurried)}
        await asyncio.wait(waits, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        return self._quiet.is_set()
