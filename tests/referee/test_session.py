"""A stream whose other side does not read, or sends what nobody can."""

import asyncio
from typing import Any

import pytest

from arena.referee import session
from arena.referee.hub import Hub
from arena.referee.session import Session
from arena.referee.stream import Hello


class Unread:
    """A call of gRPC to which nothing comes, and from which nothing is taken."""

    async def read(self) -> Any:
        await asyncio.Future()

    async def write(self, _: bytes) -> None:
        await asyncio.Future()


def test_a_stream_whose_frame_nobody_takes_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "STUCK_S", 0.05)
    monkeypatch.setattr(session, "PARTING_S", 0.05)

    async def told() -> None:
        async with Hub() as hub:
            context: Any = Unread()
            served = asyncio.create_task(Session(hub, context, Hello("bot", "1", ("minus",), 1)).serve("bot"))
            await hub.arrival(["bot"], 10_000)
            assert hub.connected()
            await asyncio.wait_for(served, 10)
            assert not hub.connected()

    asyncio.run(told())


class Garbage:
    """A call of gRPC that brings the largest frames of nonsense as fast as they are read."""

    def __init__(self) -> None:
        self.frames = 0

    async def read(self) -> Any:
        self.frames += 1
        await asyncio.sleep(0)
        return b"\xff" * 256 * 1024

    async def write(self, _: bytes) -> None:
        await asyncio.sleep(0)


def test_large_frames_of_nonsense_end_a_stream_sooner() -> None:
    async def told() -> int:
        async with Hub() as hub:
            context: Any = Garbage()
            await asyncio.wait_for(Session(hub, context, Hello("bot", "1", ("minus",), 1)).serve("bot"), 60)
            return int(context.frames)

    # 2,000 small frames may be useless; of these a few megabytes.
    assert asyncio.run(told()) < 12
