"""The pulse of the event loop: how late it is, and whether it stands still. Knows no service, no page and no database.

A tick of its own every tenth of a second, because the referee's watch only looks while a clock runs.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Self

from arena.referee.tally import Times

log = logging.getLogger("arena.serve")

TICK_S = 0.1

STALL_S = 1.0
"""A loop that is so late has stalled: bots lose their pings, callers their patience."""

CALM_S = 5.0
"""A loop that was on time for so long is well again."""


class Pulse:
    """Ticks from entering to leaving.

    :ivar lag: how late each tick was.
    :ivar biggest_us: how late the latest of them was.
    :ivar stalls: how many were later than ``STALL_S``.
    """

    def __init__(self) -> None:
        self.lag = Times()
        self.biggest_us = 0
        self.stalls = 0
        self._due = time.monotonic() + TICK_S
        self._ticker: asyncio.Task[None] | None = None
        self._tell: Callable[[bool], Awaitable[None]] | None = None

    async def __aenter__(self) -> Self:
        self._ticker = asyncio.create_task(self._tick(), name="pulse")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._ticker is not None:
            self._ticker.cancel()
            await asyncio.gather(self._ticker, return_exceptions=True)

    def follow(self, tell: Callable[[bool], Awaitable[None]]) -> None:
        """``tell`` is told False after a stall, and True when the loop has been on time for ``CALM_S`` since."""
        self._tell = tell

    def overdue_s(self) -> float:
        """For how long the next tick has been due, 0 if it is not. May be called from any thread."""
        return max(0.0, time.monotonic() - self._due)

    def stalled_s(self) -> float:
        """For how long the loop has been standing still, 0 if it is not. May be called from any thread."""
        overdue_s = self.overdue_s()
        return overdue_s if overdue_s > STALL_S else 0.0

    async def _tick(self) -> None:
        well_at = 0.0
        while True:
            self._due = time.monotonic() + TICK_S
            await asyncio.sleep(TICK_S)
            now = time.monotonic()
            late_us = max(0, int(1e6 * (now - self._due)))
            self.lag.add(late_us)
            self.biggest_us = max(self.biggest_us, late_us)
            if late_us > 1e6 * STALL_S:
                self.stalls += 1
                log.warning("the event loop stood still for %d ms", late_us // 1000, extra={"late_ms": late_us // 1000})
                if not well_at and self._tell is not None:
                    await self._tell(False)
                well_at = now + CALM_S
            elif well_at and now > well_at:
                well_at = 0.0
                log.info("the event loop is on time again")
                if self._tell is not None:
                    await self._tell(True)
