"""An answer that many ask for at the same moment is worked out once. Knows no page."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")

FRESH_S = 1.0
"""How long an answer is given to others, too."""
MOST = 256
"""Answers that are kept; those that are fresh no more go first."""


class Moments(Generic[Answer]):
    """Keeps answers for a moment."""

    def __init__(self, fresh_s: float = FRESH_S) -> None:
        self._fresh_s = fresh_s
        self._kept: dict[Hashable, tuple[float, asyncio.Future[Answer]]] = {}

    async def of(self, what: Hashable, work_out: Callable[[], Awaitable[Answer]]) -> Answer:
        """What ``work_out`` returns, or returned for the same ``what`` a moment ago, or is about to.

        :raises Exception: what it raises.
        """
        asked = time.monotonic()
        begun, answer = self._kept.get(what, (0.0, None))
        if answer is None or asked - begun > self._fresh_s:
            answer = asyncio.ensure_future(work_out())
            # Whole pages, of any address that somebody makes up: those that are given no more are let go.
            self._kept = {one: kept for one, kept in self._kept.items() if asked - kept[0] <= self._fresh_s}
            self._kept[what] = asked, answer
            if len(self._kept) > MOST:
                del self._kept[next(iter(self._kept))]
        # Who goes away leaves the answer to the others.
        return await asyncio.shield(answer)
