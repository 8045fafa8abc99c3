"""The referee's watch: the time, and an alarm for every player with a running clock. Knows no rules, no stream and no
fault.

The time stands still while the event loop is late. So every open deadline is moved by the lag of the loop without being
touched.
"""

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable, Iterable
from typing import Self

from arena.referee.player import GRACE_US, OpenTurn, Player

TICK_US = 5_000
LAG_US = 1_000
"""The loop is late when a tick comes this much after its time."""


class Watch:
    """Calls ``ring`` with a player and the time when one of its deadlines has passed. Enter it to let it run."""

    def __init__(self, ring: Callable[[Player, int], None]) -> None:
        self.lag_us = 0
        """How late the event loop has been, in all."""
        self._ring = ring
        self._alarms: list[tuple[int, int, Player]] = []
        self._numbers = itertools.count()
        self._armed = asyncio.Event()
        self._ticker: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._ticker = asyncio.create_task(self._tick(), name="referee clock")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._ticker is not None:
            self._ticker.cancel()
            await asyncio.gather(self._ticker, return_exceptions=True)

    def now_us(self) -> int:
        """Microseconds since some moment, without those that the event loop was late."""
        return time.monotonic_ns() // 1000 - self.lag_us

    def arm(self, player: Player, turns: Iterable[OpenTurn]) -> None:
        """Sees to it that the player is looked at when the earliest of these deadlines has passed. One entry stands for
        all turns of a player: a later deadline needs no new one, for what is found early is looked at again."""
        earliest = min((turn.deadline_us for turn in turns), default=-1)
        if earliest < 0 or 0 <= player.alarm_us <= earliest:
            return
        player.alarm_us = earliest
        heapq.heappush(self._alarms, (earliest + GRACE_US, next(self._numbers), player))
        self._armed.set()

    async def _tick(self) -> None:
        """Measures the lag of the loop, then rings."""
        while True:
            await self._armed.wait()
            due_us = time.monotonic_ns() // 1000 + TICK_US
            await asyncio.sleep(TICK_US / 1e6)
            late_us = time.monotonic_ns() // 1000 - due_us
            if late_us > LAG_US:
                self.lag_us += late_us
                # What came in while the loop was late is read before anything is judged.
                await asyncio.sleep(0)
            self._look(self.now_us())
            if not self._alarms:
                self._armed.clear()

    def _look(self, now_us: int) -> None:
        while self._alarms and self._alarms[0][0] <= now_us:
            alarm_us, _, player = heapq.heappop(self._alarms)
            # An alarm that was set to an earlier time since has rung already.
            if alarm_us == player.alarm_us + GRACE_US:
                player.alarm_us = -1
                self._ring(player, now_us)
                self.arm(player, player.timed())
