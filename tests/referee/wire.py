"""A bot on a raw stream, for tests: it sends any bytes at any time, so it can do wrong whatever a bot can do wrong."""

import asyncio
import contextlib
import queue
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import grpc
import grpc.aio

import engine
from arena.referee.clock import Limits
from arena.referee.hub import Hub
from arena.referee.match import Verdict
from arena.referee.plan import MatchPlan
from arena.referee.service import Referee
from arena.referee.stream import DONE
from arena.v1 import play_pb2
from engine.game import Game
from tests.referee.tables import PATIENT

METHOD = "/arena.v1.PlayService/Play"


class Wire:
    """One stream. Enter it to say hello and be welcomed. ``window`` is how many bytes it lets come in before they are
    read; -1 for gRPC's usual 64 KiB, which hold many frames."""

    def __init__(
        self,
        address: str,
        token: str,
        *,
        name: str = "bot",
        games: Iterable[str] = (),
        batch: int = 1,
        window: int = -1,
    ) -> None:
        self.frames: list[play_pb2.PlayResponse] = []
        self._address = address
        self._token = token
        self._options = [("grpc.use_local_subchannel_pool", 1)]
        if window >= 0:
            self._options += [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", window)]
        self._hello = play_pb2.Hello(bot=name, version="1", games=games, batch=batch, protocol=1)

    async def __aenter__(self) -> Self:
        await self.dial()
        frame = await self.hello()
        assert frame is not None
        assert frame.welcome.bot == self._hello.bot
        return self

    async def dial(self) -> None:
        """Opens the stream and says nothing."""
        self._channel = grpc.aio.insecure_channel(self._address, options=self._options)
        self._call: Any = self._channel.stream_stream(METHOD)(
            metadata=(("authorization", f"Bearer {self._token}"),), wait_for_ready=True
        )

    async def answered(self) -> None:
        """Returns when the referee has answered the call, without reading what it said."""
        await self._call.wait_for_connection()

    async def hello(self) -> play_pb2.PlayResponse | None:
        """Says hello. The welcome, None if the bot is refused."""
        await self.send(play_pb2.PlayRequest(hello=self._hello))
        return await self.read()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Vanishes without a word."""
        self._call.cancel()
        await self._channel.close()

    async def read(self) -> play_pb2.PlayResponse | None:
        """The next frame, None when the stream is over."""
        try:
            data = await self._call.read()
        except (grpc.aio.AioRpcError, asyncio.CancelledError):
            return None
        if not isinstance(data, bytes):
            return None
        self.frames.append(play_pb2.PlayResponse.FromString(data))
        if self.frames[-1].HasField("farewell"):
            with contextlib.suppress(grpc.aio.AioRpcError, asyncio.CancelledError, asyncio.InvalidStateError):
                await self._call.done_writing()
        return self.frames[-1]

    async def turn(self) -> play_pb2.Turn:
        """The first turn of the next frame that has one."""
        while (frame := await self.read()) is not None:
            if frame.turns:
                return frame.turns[0]
        raise AssertionError("The stream ended, and a turn was to come.")

    async def send(self, request: play_pb2.PlayRequest | bytes) -> None:
        """Sends the frame; nothing happens if the stream is over."""
        data = request if isinstance(request, bytes) else request.SerializeToString()
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.CancelledError, asyncio.InvalidStateError):
            await self._call.write(data)

    async def answer(self, turns: Iterable[play_pb2.Turn]) -> None:
        """Answers with the lowest legal actions, in one frame."""
        await self.send(play_pb2.PlayRequest(choices=[lowest(turn) for turn in turns]))

    async def code(self) -> tuple[grpc.StatusCode, str]:
        """How the call ended."""
        return await self._call.code(), await self._call.details()


def lowest(turn: play_pb2.Turn) -> play_pb2.Choice:
    """The lowest legal action of a turn."""
    action = turn.first + (turn.legal & -turn.legal).bit_length() - 1
    return play_pb2.Choice(match_id=turn.match_id, turn=turn.turn, action=action)


Behaviour = Callable[[Wire], Awaitable[None]]


async def honest(wire: Wire) -> None:
    """Answers everything at once."""
    while (frame := await wire.read()) is not None:
        if frame.turns:
            await wire.answer(frame.turns)


def honest_in_a_thread(address: str, token: str) -> None:
    """The same away from the event loop, until the farewell."""
    outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    outgoing.put(play_pb2.PlayRequest(hello=play_pb2.Hello(bot="bot", protocol=1)).SerializeToString())
    with grpc.insecure_channel(address) as channel:
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(METHOD)
        call = play(iter(outgoing.get, None), metadata=(("authorization", f"Bearer {token}"),))
        for data in call:
            frame = play_pb2.PlayResponse.FromString(data)
            if frame.HasField("farewell"):
                break
            if frame.turns:
                outgoing.put(play_pb2.PlayRequest(choices=map(lowest, frame.turns)).SerializeToString())
        outgoing.put(None)
        call.cancel()


@dataclass
class Room:
    """A referee with one socket per seat of a game."""

    hub: Hub
    referee: Referee
    game: Game
    addresses: list[str]

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(f"player {seat}" for seat in range(self.game.seats))

    def wire(self, seat: int, batch: int = 1, *, window: int = -1) -> Wire:
        """A stream for the seat, not opened yet."""
        return Wire(self.addresses[seat], f"ticket {seat}", batch=batch, window=window)

    def plan(self, match_id: int = 1, *, strict: dict[int, Limits] | None = None) -> MatchPlan:
        """A match between the sockets' players; all have time but those in ``strict``."""
        limits = tuple((strict or {}).get(seat, PATIENT) for seat in range(self.game.seats))
        seed = match_id.to_bytes(32, "big")
        return MatchPlan(
            match_id=match_id,
            game=self.game,
            options=engine.write_options(self.game.options),
            seed=seed,
            players=self.players,
            names=self.players,
            limits=limits,
            bot_seeds=tuple(bytes((seat,)) * 32 for seat in range(self.game.seats)),
            header={"seed": seed},
        )

    async def play(self, plan: MatchPlan, behaviours: dict[int, Behaviour], batch: int = 1) -> Verdict:
        """The match between these bots; honest ones sit where nothing is said."""
        (verdict,) = await self.play_all([plan], behaviours, batch)
        return verdict

    async def play_all(self, plans: list[MatchPlan], behaviours: dict[int, Behaviour], batch: int = 1) -> list[Verdict]:
        """Matches at the same time between the same bots."""
        async with contextlib.AsyncExitStack() as streams, asyncio.TaskGroup() as group:
            bots = []
            for seat in range(self.game.seats):
                wire = await streams.enter_async_context(self.wire(seat, batch))
                bots.append(group.create_task(_served(behaviours.get(seat, honest), wire)))
            verdicts = await asyncio.gather(*(self.hub.play(plan) for plan in plans))
            for bot in bots:
                bot.cancel()
        return verdicts


async def _served(behaviour: Behaviour, wire: Wire) -> None:
    await behaviour(wire)


@contextlib.asynccontextmanager
async def room(folder: Path, game: Game) -> AsyncIterator[Room]:
    """An open room. The folder's path must be short."""
    async with Hub() as hub:
        referee = Referee(hub)
        made = Room(hub, referee, game, [])
        for seat, player in enumerate(made.players):
            hub.expect(player)
            await referee.serve_socket(folder / f"{seat}.sock", player, f"ticket {seat}")
            made.addresses.append(f"unix:{folder / f'{seat}.sock'}")
        try:
            yield made
        finally:
            # Also when the test has failed: servers that outlive their loop trouble the tests after it.
            await referee.close(DONE, grace_s=0.1)
