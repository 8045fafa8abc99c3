"""People at tables: for each a Play stream of this process, as a bot has one, for as long as a page of the seat is
looked at. Knows no page and no rules.

What is open, and what was last seen, is kept here; whoever shows it waits for the next change.
"""

import asyncio
import contextlib
import time
from typing import Any

import grpc

from arena.bot.connect import PROTOCOL
from arena.bot.matches import Matches, choice
from arena.bot.turn import Turn
from arena.errors import Unavailable, WrongState
from arena.v1 import play_pb2
from arena.v1.play_pb2_grpc import PlayServiceStub
from arena.web.api import Api
from arena.web.tables import deal_of

KEPT_S = 180.0
"""A seat that no page has asked for is left for so long, and its stream ends."""

WELCOME_S = 10.0
EXPIRED_S = 0.5
"""A turn is taken for over so long after its deadline: by then the house has played."""


class Seat:
    """One person's stream.

    :ivar room: the room's id.
    :ivar changes: grows with everything that happens; it begins with the time, so that numbers of a process that ended
        are not met again.
    :ivar seen: the last turn of the match that is played, answered or not; None before the first.
    :ivar before: the last turn of the deal before that one; None in the first, and if it was not seen here.
    :ivar decisions: how many decisions of the match its page has shown.
    :ivar open: whether it waits for an answer.
    :ivar said: the action that was the answer to it; None if there was none, and the house has played.
    :ivar lost: why the stream has ended, in a sentence; empty while it stands.
    """

    def __init__(self, api: Api, room: str, ticket: str, name: str) -> None:
        self.room = room
        self.changes = time.time_ns() // 1_000_000
        self.seen: Turn | None = None
        self.before: Turn | None = None
        self.decisions = 0
        self.open = False
        self.said: int | None = None
        self.lost = ""
        self._deadline_s = 0.0
        self._matches = Matches()
        self._news = asyncio.Event()
        self._welcomed = asyncio.Event()
        self._alarm: asyncio.TimerHandle | None = None
        # A connection of its own: one to the API carries so many calls at a time and no more.
        self._channel = api.dial(own=True)
        stub: Any = PlayServiceStub(self._channel)
        self._call = stub.Play(metadata=(("authorization", f"Bearer {ticket}"),))
        self._hello = play_pb2.Hello(bot=name, version="pages", batch=1, protocol=PROTOCOL)
        self._task = asyncio.create_task(self._run(), name=f"seat in {room}")

    @property
    def left_ms(self) -> int:
        """What is left of the time for the open turn."""
        return max(0, round(1000 * (self._deadline_s - asyncio.get_running_loop().time())))

    async def ready(self) -> None:
        """Returns when the referee has let the person in.

        :raises Unavailable: with its sentence if it does not.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(WELCOME_S):
                await self._welcomed.wait()
        if self.lost or not self._welcomed.is_set():
            raise Unavailable(self.lost or "the referee does not answer; try again in a moment")

    async def change(self, after: int, within_s: float) -> None:
        """Returns when ``changes`` is another number than ``after``, or the time is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while self.changes == after:
                    await self._news.wait()

    def saw(self, decisions: int) -> None:
        """So many decisions of the match have been seen by everybody at the table."""
        if decisions != self.decisions:
            self.decisions = decisions
            self.changed()

    def changed(self) -> None:
        """Something has happened, here or in the room."""
        self.changes += 1
        self._news.set()
        self._news = asyncio.Event()

    async def play(self, match_id: int, number: int, action: int) -> None:
        """Answers the open turn.

        :raises WrongState: if another one is open, or none, or the action is not legal.
        """
        turn = self.seen
        if turn is None or not self.open or (turn.match_id, turn.number) != (match_id, number):
            raise WrongState("this turn is over: it was answered, or its time was; look at the table")
        if action not in turn.legal:
            raise WrongState("this may not be played now; choose one of the buttons at the table")
        self.open, self.said = False, action
        self.changed()
        try:
            await self._call.write(play_pb2.PlayRequest(choices=[choice(turn, action)]))
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
            raise Unavailable("the referee was lost; open the room again") from error

    async def close(self) -> None:
        """Ends the stream. The seat stays the person's, and its clock runs on."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        try:
            await self._call.write(play_pb2.PlayRequest(hello=self._hello))
            while (frame := await self._call.read()) is not grpc.aio.EOF:
                self._take(frame)
                self.changed()
                if frame.HasField("farewell"):
                    await self._call.done_writing()
            self.lost = self.lost or "The referee has ended the stream."
        except grpc.aio.AioRpcError as error:
            self.lost = self.lost or error.details() or "The referee does not answer."
        finally:
            self.lost = self.lost or "The page has not been looked at for a while."
            self.open = False
            self._welcomed.set()
            self.changed()
            if self._alarm is not None:
                self._alarm.cancel()
            self._call.cancel()
            await self._channel.close()

    def _take(self, frame: play_pb2.PlayResponse) -> None:
        if frame.HasField("welcome"):
            self._welcomed.set()
        for start in frame.starts:
            self._matches.start(start)
            if self.seen is None or self.seen.match_id != start.match_id:
                self.seen, self.before, self.open, self.said = None, None, False, None
        for asked in frame.turns:
            turn = self._matches.turn(asked)
            if self.seen is not None and deal_of(self.seen.observation) != deal_of(turn.observation):
                self.before = self.seen
            self.seen, self.open, self.said = turn, True, None
            loop = asyncio.get_running_loop()
            self._deadline_s = loop.time() + asked.budget_ms / 1000
            if self._alarm is not None:
                self._alarm.cancel()
            self._alarm = loop.call_at(self._deadline_s + EXPIRED_S, self._expire)
        for end in frame.ends:
            self._matches.end(end)
            self.seen, self.before, self.open = None, self.seen, False
        if frame.HasField("farewell"):
            self.lost = frame.farewell.message

    def _expire(self) -> None:
        if self.open:
            self.open = False
            self.changed()


class Seats:
    """Every seat that is looked at, by its ticket."""

    def __init__(self, api: Api, kept_s: float = KEPT_S) -> None:
        self._api = api
        self._kept_s = kept_s
        self._seats: dict[str, Seat] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def at(self, room: str, ticket: str, name: str) -> Seat:
        """The seat of the ticket, with a stream that stands.

        :raises Unavailable: if the referee does not let the person in.
        """
        seat = self._seats.get(ticket)
        if seat is None or seat.lost:
            seat = self._seats[ticket] = Seat(self._api, room, ticket, name)
        if (timer := self._timers.get(ticket)) is not None:
            timer.cancel()
        self._timers[ticket] = asyncio.get_running_loop().call_later(self._kept_s, self.leave, ticket)
        try:
            await seat.ready()
        except Unavailable:
            self.leave(ticket)
            raise
        return seat

    def find(self, ticket: str) -> Seat | None:
        """The seat of the ticket, if it is looked at."""
        return self._seats.get(ticket)

    def changes(self, ticket: str) -> int:
        """The number of its last change; 0 for a seat that is not looked at."""
        seat = self._seats.get(ticket)
        return seat.changes if seat is not None else 0

    def leave(self, ticket: str) -> None:
        """Lets the stream of the ticket end."""
        if (timer := self._timers.pop(ticket, None)) is not None:
            timer.cancel()
        if (seat := self._seats.pop(ticket, None)) is not None:
            closing = asyncio.create_task(seat.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def tell(self, room: str) -> None:
        """Something in the room has changed."""
        for seat in self._seats.values():
            if seat.room == room:
                seat.changed()

    async def close(self) -> None:
        """Ends all streams."""
        for ticket in list(self._seats):
            self.leave(ticket)
        await asyncio.gather(*self._closing)
