"""A stream whose other side does not read."""

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
