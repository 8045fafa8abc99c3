"""One Play stream: a reader that hands choices to the hub, and a writer that sends what waits. Knows no match's state.

Only the writer writes, and it awaits each write, so a bot that does not read costs one frame. Nothing ever cancels a
read: a message that arrives under a cancelled read is lost. Deadlines are the hub's.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from arena.referee.frames import write_end, write_start, write_turn
from arena.referee.hub import Hub
from arena.referee.meter import Meter
from arena.referee.player import Player
from arena.referee.stream import LARGEST_BATCH, Farewell, Hello
from arena.v1 import play_pb2

STUCK_S = 5.0
"""A frame that the bot has not begun to take after this time ends its stream."""

SECOND_LOOK_S = 0.05
"""A frame that looks stuck is looked at again after this time: it may be the referee's own loop that was late."""

PARTING_S = 1.0
"""Time for a farewell to be written, and for the bot to end its side."""

WASTE_LIMIT = 2_000
"""Frames and choices in a row that answer nothing, before the stream ends; every answer pays for a few."""

WASTE_BYTES = 1024
"""A useless frame counts once more for every so many bytes of it."""

WASTE_PER_S = 100
"""How many such are forgiven per second."""

SLOW = Farewell("BROKEN", f"The bot did not read a frame for {STUCK_S:.0f} s.")
FLOOD = Farewell("BROKEN", "The bot sends more frames and choices than it is asked for.")

Context = grpc.aio.ServicerContext[bytes, bytes]

OnTurn = Callable[[bool], None]
"""Is told True before a frame is written, and False when an answer has come and no turn is open or waits."""


def unheard(_open: bool) -> None:
    """For players of whom nobody wants to know."""


News = Callable[[], play_pb2.Referees | None]
"""Where the arena's referees are, if the bot is to be told: once, and again after a change."""


def no_news() -> None:
    """For bots that need not know of other referees."""


class Session:
    """One stream of one player, from its hello on. It is the ``Stream`` that the hub knows."""

    def __init__(
        self,
        hub: Hub,
        context: Context,
        hello: Hello,
        meter: Meter | None = None,
        on_turn: OnTurn = unheard,
        *,
        news: News = no_news,
    ) -> None:
        self.hello = hello
        self._hub = hub
        self._context = context
        self._meter = meter
        self._on_turn = on_turn
        self._news = news
        self._awake = asyncio.Event()
        self._ended = asyncio.Event()
        self._farewell: Farewell | None = None
        self._waste = 0.0
        self._waste_at = time.monotonic()
        self._writing_since = -1.0
        self._suspect = -1.0
        self._alarm: asyncio.TimerHandle | None = None

    def wake(self) -> None:
        """Something waits for the player."""
        self._awake.set()

    def end(self, farewell: Farewell) -> None:
        """Says farewell and ends; the player has been left already."""
        if self._farewell is None:
            self._farewell = farewell
            self._awake.set()
            self._ended.set()

    async def serve(self, player_id: str) -> None:
        """Serves the stream until it is lost or ended. The call ends when this returns."""
        player = self._hub.join(player_id, self)
        about = {"player": player_id, "bot": self.hello.bot, "version": self.hello.version}
        self._hub.journal.tell(f"streams of {player_id}", f"{player_id} is connected", **about)
        reader = asyncio.create_task(self._read(player), name=f"read {player_id}")
        writer = asyncio.create_task(self._write(player), name=f"write {player_id}")
        ended = asyncio.create_task(self._ended.wait(), name=f"end {player_id}")
        try:
            done, _ = await asyncio.wait({reader, writer, ended}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            if self._alarm is not None:
                self._alarm.cancel()
            self._hub.leave(player, self)
            self._on_turn(True)  # a bot may come back, or say goodbye
            self._awake.set()
            self._ended.set()
            why = self._farewell.sentence if self._farewell is not None else "Its stream was lost."
            self._hub.journal.tell(f"streams of {player_id}", f"{player_id} has left: {why}", **about, reason=why)
        # The writer says farewell, and the reader sees the bot's side end. If the call ended while an answer of the bot
        # is on its way, the bot's gRPC could drop the farewell for the answer that failed. Both end when the call does.
        if self._farewell is not None:
            await asyncio.wait({reader, writer}, timeout=PARTING_S)

    async def _read(self, player: Player) -> None:
        context, hub = self._context, self._hub
        while not self._ended.is_set():
            data = await read(context)
            if data is None:
                return
            if self._ended.is_set():
                # Answers that cross the farewell, to the end of the bot's side; no bot owes more. A flood is not read.
                for _ in range(LARGEST_BATCH):
                    if await read(context) is None:
                        break
                return
            now_us = hub.now_us()
            if self._meter is not None and not self._meter.take(len(data), now_us):
                hub.leave(player, self)
                self.end(self._meter.farewell)
                return
            useless = 1 + len(data) // WASTE_BYTES
            try:
                choices = play_pb2.PlayRequest.FromString(data).choices
            except DecodeError:
                if hub.garbled(player, now_us):
                    useless = 0
            else:
                if choices:
                    useless = 0
                for choice in choices:
                    if not hub.answer(player, choice.match_id, choice.turn, choice.action, now_us):
                        useless += 1
                        if useless > WASTE_LIMIT:
                            # The rest of a frame can hold up the loop for a tenth of a second.
                            break
            if useless:
                self._wasted(useless, player)
            if not player.sent and not player.waiting:
                self._on_turn(False)

    def _wasted(self, amount: int, player: Player) -> None:
        """Ends the stream of a bot that floods."""
        now = time.monotonic()
        self._waste = max(0.0, self._waste - WASTE_PER_S * (now - self._waste_at)) + amount
        self._waste_at = now
        if self._waste > WASTE_LIMIT:
            self._hub.leave(player, self)
            self.end(FLOOD)

    async def _write(self, player: Player) -> None:
        loop = asyncio.get_running_loop()
        welcome = play_pb2.PlayResponse()
        welcome.welcome.bot = self.hello.bot
        welcome.welcome.batch = self.hello.batch
        if (referees := self._news()) is not None:
            welcome.referees.CopyFrom(referees)
        frame: bytes | None = welcome.SerializeToString()
        while True:
            if frame is None:
                if self._ended.is_set():
                    return
                await self._awake.wait()
            else:
                self._writing_since = loop.time()
                if self._alarm is None:
                    self._alarm = loop.call_later(STUCK_S, self._look, player)
                if not await write(self._context, frame):
                    return
                self._writing_since = -1.0
            self._awake.clear()
            if self._farewell is not None:
                await write(self._context, _farewell_frame(self._farewell, player))
                return
            frame = self._next_frame(player)

    def _look(self, player: Player) -> None:
        """Ends the stream if its frame is stuck. One alarm stands for all frames, because setting one for each costs
        some microseconds."""
        self._alarm = None
        if self._writing_since < 0:
            return
        loop = asyncio.get_running_loop()
        due = self._writing_since + STUCK_S
        if loop.time() < due:
            self._alarm = loop.call_at(due, self._look, player)
            return
        if self._suspect != self._writing_since:
            self._suspect = self._writing_since
            self._alarm = loop.call_later(SECOND_LOOK_S, self._look, player)
            return
        self._hub.leave(player, self)
        self.end(SLOW)

    def _next_frame(self, player: Player) -> bytes | None:
        """Everything that waits, at most a batch of turns; None if nothing does or the last frame is not answered yet.
        The turns' clocks run from now: this is the last thing before the write."""
        hub = self._hub
        if player.stream is not self or player.sent:
            return None
        response = play_pb2.PlayResponse()
        while player.starts and len(response.starts) < LARGEST_BATCH:
            match_id = next(iter(player.starts))
            running, seat = player.starts.pop(match_id)
            plan = running.plan
            write_start(
                response.starts.add(),
                match_id=match_id,
                game=plan.game.id,
                options=plan.options,
                seat=seat,
                seats=plan.game.seats,
                limits=plan.limits[seat],
                bot_seed=plan.bot_seeds[seat],
            )
        while player.ends and len(response.ends) < LARGEST_BATCH:
            match_id, seat, verdict = player.ends.popleft()
            write_end(response.ends.add(), match_id, seat, verdict)
        if (referees := self._news()) is not None:
            response.referees.CopyFrom(referees)
        turns = player.take() if not player.starts else []
        if turns:
            now_us = hub.now_us()
            for turn in turns:
                question = turn.question
                left_us = question.budget_us if turn.started_us < 0 else max(0, turn.deadline_us - now_us)
                write_turn(response.turns.add(), turn.running.plan.match_id, question, left_us)
        elif not response.starts and not response.ends and referees is None:
            return None
        if player.starts or player.ends:
            self._awake.set()
        frame = response.SerializeToString()
        self._on_turn(True)
        if turns:
            hub.sent(player, turns)
        return frame


async def read(context: Context) -> bytes | None:
    """The next message; None when the stream is lost or the bot has closed its side."""
    try:
        data: Any = await context.read()
    except grpc.aio.BaseError:
        return None
    return data if isinstance(data, bytes) else None


async def write(context: Context, frame: bytes) -> bool:
    """Whether the frame could be written."""
    try:
        await context.write(frame)
    except grpc.aio.BaseError:
        return False
    return True


def _farewell_frame(farewell: Farewell, player: Player) -> bytes:
    """The farewell, with the results that nobody else will tell."""
    response = play_pb2.PlayResponse()
    while player.stream is None and player.ends and len(response.ends) < LARGEST_BATCH:
        match_id, seat, verdict = player.ends.popleft()
        write_end(response.ends.add(), match_id, seat, verdict)
    response.farewell.reason = play_pb2.FarewellReason.Value(f"FAREWELL_REASON_{farewell.reason}")
    response.farewell.message = farewell.sentence
    return response.SerializeToString()
