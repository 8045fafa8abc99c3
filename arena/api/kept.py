"""Answers about tournaments that many ask for while these are played. Knows no formula.

The server that works them out also keeps the bots' clocks. So one is worked out at a time, again only when the
tournament has gone on since, and then so seldom that it takes a small part of the time, however many ask.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from arena.api.access import Database
from arena.store import Connection
from arena.store.tournaments import Tournament

Answer = TypeVar("Answer")

KEPT = 64
"""Answers that are kept."""

QUICK_S = 0.1
SELDOM = 10
"""What takes longer than that is kept for so many times as long, though more was played since; what has ended is told
to the last match at once."""


@dataclass(frozen=True, slots=True)
class _Found(Generic[Answer]):
    extent: tuple[int, ...]
    answer: Answer
    until: float


class Kept(Generic[Answer]):
    """Works out what is asked for and keeps it for a while."""

    def __init__(
        self,
        database: Database,
        extent: Callable[[Connection, str], tuple[int, ...]],
        work_out: Callable[..., Answer],
    ) -> None:
        """``extent`` are numbers of the tournament of that name that are the same while its answers are; ``work_out``
        is given a connection, the tournament and what it is asked about."""
        self._database = database
        self._extent = extent
        self._work_out = work_out
        self._kept: dict[tuple[str, ...], _Found[Answer]] = {}
        self._working = asyncio.Lock()

    async def of(self, tournament: Tournament, *about: str) -> Answer:
        """The answer about a tournament that the caller may see, or about something in it.

        :raises ArenaError: as what looks at it and what works it out.
        """
        async with self._working:
            now = await self._database.ask(self._extent, tournament.name)
            kept = self._kept.pop((tournament.name, *about), None)
            rests = kept is not None and tournament.closed_at is None and time.monotonic() < kept.until
            if kept is None or (kept.extent != now and not rests):
                answer, took_s = await self._database.ask(self._timed, tournament, *about)
                pause_s = SELDOM * took_s if took_s > QUICK_S else 0.0
                kept = _Found(now, answer, time.monotonic() + pause_s)
            self._kept[tournament.name, *about] = kept
            if len(self._kept) > KEPT:
                del self._kept[next(iter(self._kept))]
            return kept.answer

    def _timed(self, connection: Connection, tournament: Tournament, *about: str) -> tuple[Answer, float]:
        """The answer, and for how long it kept a processor busy."""
        begun_s = time.thread_time()
        answer = self._work_out(connection, tournament, *about)
        return answer, time.thread_time() - begun_s
