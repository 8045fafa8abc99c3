"""Everything a bot can do wrong on a turn, one function each, and a table that tells it when. Knows no law: what comes
of it is judged elsewhere."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import engine
from arena.referee.session import WASTE_LIMIT
from arena.v1 import play_pb2
from tests.referee.cable import Cable
from tests.referee.wire import Room, Wire, lowest

GAME = engine.load("callbreak")
BAD = 2
"""The seat of the bot that does wrong."""
OTHERS = 2
"""A match that the bad bot does not play."""


class Table:
    """What the bad bot knows of its table: it dials in, and sees when the match has gone on without it."""

    def __init__(self, room: Room, streams: contextlib.AsyncExitStack, window: int, cable: Cable) -> None:
        self.room = room
        self.cable = cable
        self.said: dict[int, int] = {}
        """First answers that are legal and in time, by turn."""
        self.budgets: list[int] = []
        self.closed: list[str] = []
        """How its streams ended: the farewell's sentence, or the status where there was none."""
        self.told: play_pb2.MatchEnd | None = None
        self.over = asyncio.Event()
        """A good bot was told the result."""
        self._streams = streams
        self._window = window
        self._seen: set[int] = set()
        self._moved = asyncio.Condition()

    async def dial(self) -> Wire | None:
        """A new stream; None if the bot is refused, or has been told the result already."""
        if self.told is not None:
            return None
        wire = self.room.wire(BAD, window=self._window)
        self._streams.push_async_exit(wire)
        await wire.dial()
        await wire.send(play_pb2.PlayRequest(hello=play_pb2.Hello(bot="bad", protocol=1)))
        return wire if await wire.read() is not None else None

    async def good(self, wire: Wire) -> play_pb2.MatchEnd:
        """Plays until the match ends."""
        while (frame := await wire.read()) is not None:
            async with self._moved:
                self._seen.update(turn.turn for turn in frame.turns)
                self._moved.notify_all()
            if frame.ends:
                self.over.set()
                return frame.ends[0]
            await wire.answer(frame.turns)
        raise AssertionError("The stream of a good bot ended before its match.")

    async def past(self, turn: play_pb2.Turn) -> None:
        """Waits until another seat is asked a later turn."""
        async with self._moved:
            await self._moved.wait_for(lambda: max(self._seen, default=0) > turn.turn)

    async def past_a_turn_unseen(self) -> None:
        """The same for the bot's first turn, which it has not read: the one that no other seat was asked."""
        async with self._moved:
            await self._moved.wait_for(lambda: max(self._seen, default=-1) + 1 > len(self._seen))

    async def answer(self, wire: Wire, turn: play_pb2.Turn) -> None:
        """A good answer."""
        choice = lowest(turn)
        self.said.setdefault(turn.turn, choice.action)
        await wire.send(play_pb2.PlayRequest(choices=[choice]))

    async def heard(self, wire: Wire) -> play_pb2.Turn | None:
        """The next turn; None when the match or the stream is over, of which it takes note."""
        while (frame := await wire.read()) is not None:
            if frame.HasField("farewell"):
                self.closed.append(frame.farewell.message)
            if frame.ends:
                self.told = frame.ends[0]
                return None
            if frame.turns:
                self.budgets.append(frame.turns[0].budget_ms)
                return frame.turns[0]
        if not wire.frames[-1].HasField("farewell"):
            self.closed.append((await wire.code())[0].name)
        return None


def choice(asked: play_pb2.Turn, /, **wrong: int) -> play_pb2.Choice:
    """The good answer to a turn but for some fields."""
    made = lowest(asked)
    for name, value in wrong.items():
        setattr(made, name, value)
    return made


Wrong = Callable[[Table, Wire, play_pb2.Turn], Awaitable[Wire | None]]
"""Does one thing wrong on a turn; returns the stream on which the bot goes on, None if it may not."""


async def illegal(_table: Table, wire: Wire, turn: play_pb2.Turn) -> Wire:
    await wire.send(play_pb2.PlayRequest(choices=[choice(turn, action=GAME.num_actions)]))
    return wire


async def late(table: Table, wire: Wire, turn: play_pb2.Turn) -> Wire:
    await table.past(turn)
    await wire.send(play_pb2.PlayRequest(choices=[lowest(turn)]))
    return wire


async def dripping(table: Table, wire: Wire, turn: play_pb2.Turn) -> Wire:
    """Its good answer comes one byte a second; when the others have gone on, the rest comes at once."""
    table.cable.slow()
    await wire.send(play_pb2.PlayRequest(choices=[lowest(turn)]))
    await table.past(turn)
    table.cable.quick()
    return wire


async def garbled(_table: Table, wire: Wire, _turn: play_pb2.Turn) -> Wire:
    await wire.send(b"\xff" * 17)
    return wire


async def gone(table: Table, wire: Wire, turn: play_pb2.Turn) -> Wire | None:
    await wire.close()
    await table.past(turn)
    return await table.dial()


async def flooding(table: Table, wire: Wire, turn: play_pb2.Turn) -> Wire | None:
    await wire.send(play_pb2.PlayRequest(choices=[choice(turn, turn=2**31)] * (WASTE_LIMIT + 500)))
    await table.heard(wire)
    return await table.dial()


async def oversized_frame(table: Table, wire: Wire, _turn: play_pb2.Turn) -> Wire | None:
    await wire.send(b"\0" * 300_000)
    await table.heard(wire)
    return await table.dial()


async def wrong_match(_table: Table, wire: Wire, turn: play_pb2.Turn) -> Wire:
    """None's, the largest, and one between others, where that turn waits for an answer."""
    wrong = [choice(turn, match_id=0), choice(turn, match_id=2**64 - 1), choice(turn, match_id=OTHERS, turn=0)]
    await wire.send(play_pb2.PlayRequest(choices=wrong))
    return wire


async def stale_turn(_table: Table, wire: Wire, turn: play_pb2.Turn) -> Wire:
    await wire.send(play_pb2.PlayRequest(choices=[choice(turn, turn=turn.turn + 2**32 - 1 & 2**32 - 1)]))
    return wire


async def duplicate_answer(table: Table, wire: Wire, turn: play_pb2.Turn) -> Wire:
    """The second answer is another legal action where there is one, and the third is illegal."""
    await table.answer(wire, turn)
    highest = turn.first + turn.legal.bit_length() - 1
    await wire.send(play_pb2.PlayRequest(choices=[choice(turn, action=highest), choice(turn, action=GAME.num_actions)]))
    return wire


Behaviour = Callable[[Table, Wire], Coroutine[Any, Any, None]]


def always(wrong: Wrong, times: int = 2**32) -> Behaviour:
    """Does so on every turn, or on the first ones and then plays well."""

    async def plays(table: Table, wire: Wire) -> None:
        on: Wire | None = wire
        left = times
        while on is not None and (turn := await table.heard(on)) is not None:
            if left:
                left -= 1
                on = await wrong(table, on, turn)
            else:
                await table.answer(on, turn)

    return plays


def once(wrong: Wrong) -> Behaviour:
    """Does so on its first turn."""
    return always(wrong, 1)


def then_right(wrong: Wrong) -> Wrong:
    """Answers the turn well afterwards."""

    async def both(table: Table, wire: Wire, turn: play_pb2.Turn) -> Wire | None:
        on = await wrong(table, wire, turn)
        await table.answer(wire, turn)
        return on

    return both


async def reads_late(table: Table, wire: Wire) -> None:
    await table.past_a_turn_unseen()
    await always(illegal, 0)(table, wire)


async def reads_no_more(table: Table, wire: Wire) -> None:
    """It reads when all is over, to see how its stream ended."""
    await table.over.wait()
    while await table.heard(wire) is not None:
        pass
