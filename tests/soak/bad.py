"""Bad bots of the soak, several in one process: ``python -m tests.soak.bad ADDRESS SEED NAME …``, their tokens in
ARENA_TOKEN with spaces between. Each lives one short life after the other, with a seeded pause between them.

What they did and heard is written to standard output as one line of JSON a second.
"""

import asyncio
import contextlib
import json
import os
import random
import socket
import struct
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import grpc

import engine
from arena.v1 import play_pb2
from tests.referee import zoo
from tests.referee.wire import Behaviour, Wire, honest
from tests.soak import raw

BATCH = 8
PAUSE_S = (0.2, 3.0)
LIFE_S = (2.0, 20.0)
LONG_LIFE_S = (35.0, 50.0)
"""Longer than the clock of a first turn."""
LONG_LIVES = 0.3
NARROW = 8
"""A window into which no frame fits."""


@dataclass
class Bot:
    """Who it is, and what it may draw from."""

    address: str
    token: str
    name: str
    rng: random.Random
    told: Counter[str]

    def wire(self, *, window: int = -1, token: str = "", name: str = "") -> Wire:
        """A stream that is not open yet."""
        games = sorted(engine.GAMES)
        return Wire(self.address, token or self.token, name=name or self.name, games=games, batch=BATCH, window=window)

    def life_s(self) -> float:
        """How long it keeps at it."""
        return self.rng.uniform(*(LONG_LIFE_S if self.rng.random() < LONG_LIVES else LIFE_S))

    async def login(self, wire: Wire) -> bool:
        """Whether it is welcome; takes note if not."""
        await wire.dial()
        if await wire.hello() is not None:
            self.told["logins"] += 1
            return True
        await self.refused(wire)
        return False

    async def refused(self, wire: Wire) -> None:
        code, _ = await wire.code()
        if code is not grpc.StatusCode.CANCELLED:  # which is what a bot does itself when its time is over
            self.told[f"refused: {code.name}"] += 1

    def ended(self, wire: Wire) -> None:
        """Takes note of a farewell."""
        if wire.frames and wire.frames[-1].HasField("farewell"):
            self.told[f"farewell: {play_pb2.FarewellReason.Name(wire.frames[-1].farewell.reason)[16:]}"] += 1


Life = Callable[[Bot], Awaitable[None]]


def streamed(behaviour: Behaviour, window: int = -1) -> Life:
    """A behaviour of the zoo for some seconds; then the stream is closed without a word."""

    async def lives(bot: Bot) -> None:
        wire = bot.wire(window=window)
        if await bot.login(wire):
            with contextlib.suppress(TimeoutError, AssertionError):
                async with asyncio.timeout(bot.life_s()):
                    await behaviour(wire)
            bot.ended(wire)
        await wire.close()

    lives.__name__ = behaviour.__name__
    return lives


async def vanishes_again_and_again(bot: Bot) -> None:
    """Gone in the middle of a match, and back within its clock."""
    for _ in range(4):
        await streamed(zoo.vanishes)(bot)
        await asyncio.sleep(bot.rng.uniform(0.05, 0.5))


async def takes_over_itself(bot: Bot) -> None:
    """Each stream is opened while the one before is open and plays."""
    async with contextlib.AsyncExitStack() as streams:
        wires = [bot.wire() for _ in range(4)]
        playing = []
        for wire in wires:
            streams.push_async_callback(wire.close)
            if await bot.login(wire):
                playing.append(asyncio.create_task(honest(wire)))
            await asyncio.sleep(bot.rng.uniform(0.2, 2.0))
        for task in playing:
            await asyncio.wait({task}, timeout=2.0)
            task.cancel()
        for wire in wires:
            bot.ended(wire)


async def hoards_streams(bot: Bot) -> None:
    """The same, but nothing after the welcome is read: more of them than the referee takes."""
    async with contextlib.AsyncExitStack() as streams:
        for _ in range(12):
            wire = bot.wire(window=NARROW)
            streams.push_async_callback(wire.close)
            await bot.login(wire)
            await asyncio.sleep(bot.rng.uniform(0.2, 1.0))
        await asyncio.sleep(bot.life_s())


async def logs_in_without_end(bot: Bot) -> None:
    for _ in range(30):
        wire = bot.wire()
        await bot.login(wire)
        await wire.close()


async def says_nothing(bot: Bot) -> None:
    """A call without a hello, which the referee ends after ten seconds; sometimes the bot ends it before."""
    wire = bot.wire()
    await wire.dial()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(bot.rng.uniform(2.0, 14.0)):
            if await wire.read() is None:
                await bot.refused(wire)
    await wire.close()


async def is_nobody(bot: Bot) -> None:
    """A wrong token, and a name that is another owner's."""
    for wire in (bot.wire(token="nobody's"), bot.wire(name="good-0")):
        await bot.login(wire)
        await wire.close()


async def speaks_another_language(bot: Bot) -> None:
    """First frames that are no hello, or one of another protocol."""
    for frame in (b"\xff" * 17, b"", play_pb2.PlayRequest(hello=play_pb2.Hello(bot=bot.name, protocol=9))):
        wire = bot.wire()
        await wire.dial()
        await wire.send(frame)
        if await wire.read() is None:
            await bot.refused(wire)
        await wire.close()


async def knocks(bot: Bot) -> None:
    """A connection on which nothing is ever said."""
    reader, writer = await asyncio.open_connection(*bot.address.split(":"))
    await asyncio.sleep(bot.life_s())
    del reader
    await hang_up(bot, writer)


async def drips(bot: Bot) -> None:
    """The call and its hello byte by byte, up to some byte."""
    _, writer = await asyncio.open_connection(*bot.address.split(":"))
    data = call_of(bot)
    with contextlib.suppress(OSError):
        for number in range(bot.rng.randrange(24, len(data))):
            writer.write(data[number : number + 1])
            await writer.drain()
            await asyncio.sleep(0.02)
        await asyncio.sleep(bot.rng.uniform(0.0, 5.0))
    await hang_up(bot, writer)


async def is_cut_in_its_hello(bot: Bot) -> None:
    _, writer = await asyncio.open_connection(*bot.address.split(":"))
    data = call_of(bot)
    with contextlib.suppress(OSError):
        writer.write(data[: -bot.rng.randrange(1, 40)])
        await asyncio.sleep(bot.life_s())
    await hang_up(bot, writer)


async def is_cut_in_an_answer(bot: Bot) -> None:
    """It is welcome, reads what comes in, and its last message is half of one."""
    reader, writer = await asyncio.open_connection(*bot.address.split(":"))
    with contextlib.suppress(OSError):
        writer.write(call_of(bot))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(bot.life_s()):
                while await reader.read(4096):
                    pass
        choice = play_pb2.Choice(match_id=1, turn=1, action=1)
        answer = raw.message(play_pb2.PlayRequest(choices=[choice] * 20).SerializeToString())
        writer.write(answer[: bot.rng.randrange(1, len(answer))])
        await asyncio.sleep(bot.rng.uniform(0.0, 2.0))
    await hang_up(bot, writer)


def call_of(bot: Bot) -> bytes:
    hello = play_pb2.Hello(bot=bot.name, version="1", games=sorted(engine.GAMES), batch=BATCH, protocol=1)
    first = play_pb2.PlayRequest(hello=hello).SerializeToString()
    return raw.opening(bot.address, bot.token) + raw.message(first)


async def hang_up(bot: Bot, writer: asyncio.StreamWriter) -> None:
    """With a word of TCP or without."""
    if bot.rng.random() < 0.5:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


PLAYING: tuple[Life, ...] = (
    streamed(zoo.never_answers),
    streamed(zoo.answers_the_turn_before),
    streamed(zoo.never_reads),
    streamed(zoo.never_reads, NARROW),
    streamed(zoo.answers_illegally),
    streamed(zoo.answers_garbage),
    streamed(zoo.sends_a_huge_frame),
    streamed(zoo.floods),
    streamed(zoo.answers_twice),
    streamed(zoo.answers_turns_that_nobody_asked),
    streamed(zoo.says_hello_again_and_nothing_at_all),
    vanishes_again_and_again,
    takes_over_itself,
    hoards_streams,
)
STRAYING: tuple[Life, ...] = (
    logs_in_without_end,
    says_nothing,
    is_nobody,
    speaks_another_language,
    knocks,
    drips,
    is_cut_in_its_hello,
    is_cut_in_an_answer,
)


async def lives_on(bot: Bot) -> None:
    """Every life at a table twice and every other one once in a shuffled order, then again in another."""
    lives = [*PLAYING, *PLAYING, *STRAYING]
    while True:
        for life in bot.rng.sample(lives, len(lives)):
            bot.told["lives"] += 1
            bot.told[f"life: {life.__name__}"] += 1
            await life(bot)
            await asyncio.sleep(bot.rng.uniform(*PAUSE_S))


async def run(address: str, seed: str, names: list[str]) -> None:
    """Lives until the process ends."""
    told: Counter[str] = Counter()
    async with asyncio.TaskGroup() as group:
        for name, token in zip(names, os.environ["ARENA_TOKEN"].split(), strict=True):
            bot = Bot(address, token, name, random.Random(f"{seed} {name}"), told)
            group.create_task(lives_on(bot))
        while True:
            print(json.dumps(told), flush=True)
            await asyncio.sleep(1.0)


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], sys.argv[2], sys.argv[3:]))
