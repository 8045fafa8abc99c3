"""How long the referee itself keeps a turn, from taps at its streams. Knows no inside of the referee: all follows from
the frames that were read and written, and from when.

A turn is due once the last answer that its decision point needs has been received and, because a bot has one frame of
turns at a time, once its bot has answered all of the frame before. From then until the frame with the turn is handed to
gRPC is the referee's own delay. A tap that is shut is not on the way of a frame; an open one keeps the bytes, and they
are read when all is over.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from arena.referee.hub import Hub
from arena.referee.service import Authenticate, MeterOf, NewsOf, Referee
from arena.referee.session import Context, OnTurn
from arena.v1 import play_pb2

LONE_US = 1_000
"""A lone turn is to get out within this time."""
LONGER = 8
"""A tap is open at most so many times as long as asked for."""


@dataclass(frozen=True, slots=True)
class Delays:
    """How long turns took to get out, in microseconds. ``own`` is the referee's own delay and ``worked`` the processor
    time that its loop spent in it, which is what the delay would be on a machine of its own; ``waited`` counts from the
    last answer in the match, so the wait for the bot's answers to its last frame is in it. ``prompt`` is the share of
    turns whose own delay was at most a millisecond, ``batch`` the mean turns a frame."""

    turns: int
    batch: float
    own_p50_us: float
    own_p99_us: float
    worked_p50_us: float
    worked_p99_us: float
    waited_p50_us: float
    waited_p99_us: float
    prompt: float


class Frame(NamedTuple):
    """A frame that was read or is about to be written, and what the loop's processor time was."""

    at_ns: int
    worked_ns: int
    stream: int
    received: bool
    data: bytes


class Taps:
    """The taps at all streams of one referee."""

    def __init__(self) -> None:
        self._taps: list[_Tap] = []
        self._frames: list[Frame] = []

    def on(self, context: Context) -> Context:
        """The stream with a tap, shut."""
        tap = _Tap(context, len(self._taps), self._frames)
        self._taps.append(tap)
        return cast("Context", tap)

    async def sample(self, seconds: float, frames: int = 0) -> None:
        """Opens all taps for so long, and longer if so many frames have not gone through by then."""
        for tap in self._taps:
            tap.open()
        await asyncio.sleep(seconds)
        for _ in range(LONGER - 1):
            if len(self._frames) >= frames:
                break
            await asyncio.sleep(seconds)
        for tap in self._taps:
            tap.shut()

    def delays(self, counts: Callable[[int], bool] = lambda _match_id: True) -> Delays:
        """The delays of the turns that went out while the taps were open, in the matches that count.

        :raises RuntimeError: if there was none: then a session does not look up ``read`` and ``write`` at the stream.
        """
        return delays_of(self._frames, counts)


class TappedReferee(Referee):
    """The real one, with a tap at each stream."""

    def __init__(self, hub: Hub, taps: Taps) -> None:
        super().__init__(hub)
        self._taps = taps

    async def _play(
        self, context: Context, authenticate: Authenticate, meter_of: MeterOf, on_turn: OnTurn, news_of: NewsOf
    ) -> None:
        await super()._play(self._taps.on(context), authenticate, meter_of, on_turn, news_of)


def delays_of(frames: Sequence[Frame], counts: Callable[[int], bool]) -> Delays:
    """The delays of the turns in these frames, which are in the order of time.

    :raises RuntimeError: if the delay of no turn follows from them.
    """
    answered: dict[tuple[int, int], Frame] = {}
    unanswered: dict[int, set[tuple[int, int]]] = {}
    free: dict[int, Frame] = {}
    own: list[int] = []
    worked: list[int] = []
    waited: list[int] = []
    sent = written = 0
    for frame in frames:
        if frame.received:
            still_open = unanswered.get(frame.stream, set())
            for choice in play_pb2.PlayRequest.FromString(frame.data).choices:
                answered[choice.match_id, choice.turn] = frame
                still_open.discard((choice.match_id, choice.turn))
            if frame.stream in unanswered and not still_open:
                free[frame.stream] = frame
            continue
        turns = play_pb2.PlayResponse.FromString(frame.data).turns
        if not turns:
            continue
        # The answer to a frame from before the taps were open, or to the first one since, was not seen.
        freed = free.pop(frame.stream, None)
        for turn in turns:
            last = answered.get((turn.match_id, turn.turn - 1))
            if freed is not None and last is not None and counts(turn.match_id):
                due = max(last, freed)
                own.append(frame.at_ns - due.at_ns)
                worked.append(frame.worked_ns - due.worked_ns)
                waited.append(frame.at_ns - last.at_ns)
        unanswered[frame.stream] = {(turn.match_id, turn.turn) for turn in turns}
        sent += 1
        written += len(turns)
    if not own:
        raise RuntimeError("No turn went through the open taps: see how a session reads and writes its stream.")
    for delays in (own, worked, waited):
        delays.sort()
    return Delays(
        turns=len(own),
        batch=written / sent,
        own_p50_us=_at(own, 0.5),
        own_p99_us=_at(own, 0.99),
        worked_p50_us=_at(worked, 0.5),
        worked_p99_us=_at(worked, 0.99),
        waited_p50_us=_at(waited, 0.5),
        waited_p99_us=_at(waited, 0.99),
        prompt=sum(delay <= LONE_US * 1000 for delay in own) / len(own),
    )


class _Tap:
    """One stream. ``read`` and ``write`` are the stream's own while the tap is shut."""

    def __init__(self, context: Context, number: int, frames: list[Frame]) -> None:
        self._context = context
        self._number = number
        self._frames = frames
        self.shut()

    def open(self) -> None:
        self.read: Callable[..., Any] = self._read
        self.write: Callable[..., Any] = self._write

    def shut(self) -> None:
        self.read, self.write = self._context.read, self._context.write

    async def _read(self) -> object:
        data: object = await self._context.read()
        if isinstance(data, bytes):
            self._keep(True, data)
        return data

    async def _write(self, frame: bytes) -> None:
        self._keep(False, frame)
        await self._context.write(frame)

    def _keep(self, received: bool, data: bytes) -> None:
        self._frames.append(Frame(time.monotonic_ns(), time.thread_time_ns(), self._number, received, data))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


def _at(ordered: list[int], share: float) -> float:
    """The value below which this share lies, in microseconds of nanoseconds."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] / 1000
