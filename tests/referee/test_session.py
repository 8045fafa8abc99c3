"""A stream whose other side does not read, or sends what nobody can."""

import asyncio
import time
from typing import Any

import pytest

from arena.referee import session
from arena.referee.hub import Hub
from arena.referee.session import Session
from arena.referee.stream import DONE, Hello
from arena.v1 import play_pb2


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


class Stalled:
    """A call of gRPC whose every frame is taken at once, while the event loop stands still."""

    async def read(self) -> Any:
        await asyncio.Future()

    async def write(self, _: bytes) -> None:
        time.sleep(0.1)  # noqa: ASYNC251 - the stall of the loop is what is tested
        # gRPC tells of it some rounds of the loop later.
        for _round in range(3):
            await asyncio.sleep(0)


def test_a_stream_whose_frame_was_taken_while_the_loop_stood_still_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "STUCK_S", 0.05)

    async def told() -> None:
        async with Hub() as hub:
            context: Any = Stalled()
            served = asyncio.create_task(Session(hub, context, Hello("bot", "1", ("minus",), 1)).serve("bot"))
            await hub.arrival(["bot"], 10_000)
            await asyncio.wait({served}, timeout=0.4)
            assert hub.connected()
            hub.close(DONE)
            await served

    asyncio.run(told())


class Garbage:
    """A call of gRPC that brings the same frame as fast as it is read."""

    def __init__(self, frame: bytes) -> None:
        self.frame = frame
        self.frames = 0

    async def read(self) -> Any:
        self.frames += 1
        await asyncio.sleep(0)
        return self.frame

    async def write(self, _: bytes) -> None:
        await asyncio.sleep(0)


async def read_to_its_end(frame: bytes) -> tuple[int, int]:
    """How many such frames are read, and choices in them looked at, until the stream is ended."""
    async with Hub() as hub:
        hub.expect("bot")
        context: Any = Garbage(frame)
        await asyncio.wait_for(Session(hub, context, Hello("bot", "1", ("minus",), 1)).serve("bot"), 60)
        return context.frames, hub.counters("bot").stale


def test_large_frames_of_nonsense_end_a_stream_sooner() -> None:
    frames, _ = asyncio.run(read_to_its_end(b"\xff" * 256 * 1024))
    # 2,000 small frames may be useless; of these a few megabytes.
    assert frames < 12


def test_a_frame_with_any_number_of_useless_choices_does_not_hold_up_the_others() -> None:
    frame = play_pb2.PlayRequest(choices=[play_pb2.Choice() for _ in range(100_000)]).SerializeToString()
    frames, choices = asyncio.run(read_to_its_end(frame))
    assert frames <= 2
    assert choices <= 2 * (session.WASTE_LIMIT + 1)
