"""A cable between a bot and the referee's socket, for tests: it can be slow, or be cut in the middle of a frame. Knows
HTTP/2 no further than where a frame of data begins."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

PREFACE = 24
"""Bytes that a client says before its first frame."""
HEADER = 9
"""Bytes of a frame's header: three of its length, then its type, which is 0 for data."""


@dataclass(frozen=True)
class Cut:
    """Where a connection is cut: so many bytes into a frame of data, header included; frames count from 0.

    :ivar up: whether the frame goes to the referee.
    """

    up: bool
    frame: int
    after: int


class Cable:
    """Listens at ``address`` and passes everything on to a unix socket. Enter it to lay it. The first connection is cut
    at the first of ``cuts``, and so on; one without a cut stays."""

    def __init__(self, path: Path, target: str, cuts: Sequence[Cut] = ()) -> None:
        self.address = f"unix:{path}"
        self.connections = 0
        self._path = path
        self._target = target.removeprefix("unix:")
        self._cuts = list(cuts)
        self._quick = asyncio.Event()
        self._quick.set()
        self._ways: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_unix_server(self._connect, self._path)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for way in self._ways:
            way.cancel()
        await asyncio.gather(*self._ways, return_exceptions=True)

    def slow(self) -> None:
        """From now on the bot's bytes drip, one a second."""
        self._quick.clear()

    def quick(self) -> None:
        """What waits goes through at once."""
        self._quick.set()

    async def _connect(self, bot: asyncio.StreamReader, to_bot: asyncio.StreamWriter) -> None:
        cut = self._cuts[self.connections] if self.connections < len(self._cuts) else None
        self.connections += 1
        referee, to_referee = await asyncio.open_unix_connection(self._target)
        ways = {
            asyncio.create_task(self._carry(bot, to_referee, cut if cut and cut.up else None, up=True)),
            asyncio.create_task(self._carry(referee, to_bot, cut if cut and not cut.up else None, up=False)),
        }
        self._ways |= ways
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for writer in (to_bot, to_referee):
            writer.transport.abort()

    async def _carry(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, cut: Cut | None, *, up: bool
    ) -> None:
        """Ends when the source does, or behind the cut."""
        said = bytearray()
        while data := await source.read(65_536):
            if cut is not None:
                before = len(said)
                said += data
                end = _place(said, cut)
                if end is not None:
                    sink.write(data[: end - before])
                    await sink.drain()
                    return
            if up and not self._quick.is_set():
                await self._drip(data, sink)
            else:
                sink.write(data)
            await sink.drain()

    async def _drip(self, data: bytes, sink: asyncio.StreamWriter) -> None:
        for at in range(len(data)):
            if self._quick.is_set():
                sink.write(data[at:])
                return
            sink.write(data[at : at + 1])
            try:
                async with asyncio.timeout(1):
                    await self._quick.wait()
            except TimeoutError:
                pass


def _place(said: bytearray, cut: Cut) -> int | None:
    """How many bytes stand before the cut; None while it has not come."""
    at = PREFACE if cut.up else 0
    frames = 0
    while at + HEADER <= len(said):
        length = int.from_bytes(said[at : at + 3], "big")
        if said[at + 3] == 0 and length:
            if frames == cut.frame:
                end = at + min(cut.after, HEADER + length - 1)
                return end if end <= len(said) else None
            frames += 1
        at += HEADER + length
    return None
