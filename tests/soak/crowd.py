"""The bots of the soak as processes that are killed and started again, with seeded pauses. Knows no match."""

import asyncio
import contextlib
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from arena.stack.leash import leashed
from tests.soak.served import Served

GOOD_LIFE_S = (20.0, 120.0)
GOOD_PAUSE_S = (0.1, 1.0)
BAD_LIFE_S = (40.0, 120.0)
BAD_PAUSE_S = (0.5, 3.0)


class Crowd:
    """Good bots, a process each, and bad ones, some in a process.

    :ivar kills: processes that were killed so far, by "good" and "bad".
    :ivar ended: good bots that ended by themselves, with what they said last.
    """

    def __init__(self, served: Served, folder: Path, seed: int) -> None:
        self.kills: Counter[str] = Counter()
        self.ended: list[str] = []
        self._served = served
        self._folder = folder
        self._seed = seed
        self._told: dict[str, Counter[str]] = {}
        self._good: list[asyncio.Task[None]] = []
        self._bad: list[asyncio.Task[None]] = []

    def come(self, good: Sequence[str], bad: Sequence[Sequence[str]]) -> None:
        """Starts them all; each inner sequence of ``bad`` is a process."""
        self._good = [asyncio.create_task(self._keep_good(name)) for name in good]
        self._bad = [asyncio.create_task(self._keep_bad(names)) for names in bad]

    async def bad_leave(self) -> None:
        """Kills the bad bots for good."""
        await _cancelled(self._bad)

    async def good_leave(self) -> None:
        """Kills the good bots for good."""
        await _cancelled(self._good)

    def told(self) -> Counter[str]:
        """What all bad bots did and heard so far, but for the last second of a process that was killed."""
        return sum(self._told.values(), Counter())

    async def _keep_good(self, name: str) -> None:
        rng = random.Random(f"{self._seed} {name}")
        while True:
            with (self._folder / f"{name}.log").open("ab") as log:
                token = self._served.tokens[name]
                process = await self._start(["tests.soak.good", name], token, log)
                if await self._lived(process, rng.uniform(*GOOD_LIFE_S)):
                    self.ended.append(f"{name}: {(self._folder / f'{name}.log').read_text()[-300:]}")
            self.kills["good"] += 1
            await asyncio.sleep(rng.uniform(*GOOD_PAUSE_S))

    async def _keep_bad(self, names: Sequence[str]) -> None:
        rng = random.Random(f"{self._seed} {names}")
        while True:
            life = f"{names[0]} {rng.random()}"
            tokens = " ".join(self._served.tokens[name] for name in names)
            with (self._folder / "bad.log").open("ab") as log:
                process = await self._start(["tests.soak.bad", self._served.address, life, *names], tokens, log)
                listening = asyncio.create_task(self._listen(life, process))
                await self._lived(process, rng.uniform(*BAD_LIFE_S))
                await listening
            self.kills["bad"] += 1
            await asyncio.sleep(rng.uniform(*BAD_PAUSE_S))

    async def _start(self, command: list[str], token: str, log: IO[bytes]) -> asyncio.subprocess.Process:
        environment = {**os.environ, "ARENA_SERVER": self._served.address, "ARENA_TOKEN": token}
        return await asyncio.create_subprocess_exec(
            *leashed([sys.executable, "-m", *command], os.getpid()),
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
        )

    async def _lived(self, process: asyncio.subprocess.Process, life_s: float) -> bool:
        """Kills the process after the time. Whether it had ended by itself."""
        try:
            async with asyncio.timeout(life_s):
                await process.wait()
            return True
        except TimeoutError:
            return False
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _listen(self, life: str, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            with contextlib.suppress(ValueError):
                self._told[life] = Counter(json.loads(line))


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    for ended in await asyncio.gather(*tasks, return_exceptions=True):
        assert isinstance(ended, asyncio.CancelledError), ended
