"""Players and the matches between them: asks, times and judges, all on one event loop. Knows no gRPC.

A turn is *waiting* until the frame that carries it is flushed and *sent* from then on; only a sent turn's clock runs.
While a player has no stream, the clocks of all its turns run: that is the time it has for coming back.

Time is :meth:`Hub.now_us`: a monotonic watch that stands still while the event loop is late. So every open deadline is
moved by the lag of the loop without being touched.
"""

import asyncio
import heapq
import itertools
import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from arena.referee.clock import Limits
from arena.referee.faults import FaultKind
from arena.referee.match import Answer, Match, Question, Verdict, match
from engine.game import Game
from engine.record import Recorder

PlayerId = str

LARGEST_BATCH = 256
"""Most turns in a frame: encoding them takes about 2 ms, which is as long as one step of the loop may be."""

GRACE_US = 10_000
"""A turn is judged this long after its deadline: an answer that was sent in time may still be on its way."""

TICK_US = 5_000
LAG_US = 1_000
"""The loop is late when a tick comes this much after its time."""

DEAD_FRAMES = 3
"""Wholly expired frames in a row that end a stream."""

KEPT_ENDS = 1024
"""Results that are kept for a player who does not fetch them."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What a bot said about itself. ``batch`` is between 1 and ``LARGEST_BATCH``."""

    bot: str
    version: str
    games: tuple[str, ...]
    batch: int


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """A match to be played. ``players``, ``names``, ``limits`` and ``bot_seeds`` are by seat.

    :ivar match_id: below 2^53, not in use at this hub.
    :ivar options: all options of the game as text, for the players.
    :ivar header: further members of the record's header; the seed stands there only if it is put there.
    """

    match_id: int
    game: Game
    options: dict[str, str]
    seed: bytes
    players: tuple[PlayerId, ...]
    names: tuple[str, ...]
    limits: tuple[Limits, ...]
    bot_seeds: tuple[bytes, ...]
    header: dict[str, Any] = field(default_factory=dict)


class Stream(Protocol):
    """What the hub needs of a player's stream."""

    @property
    def hello(self) -> Hello: ...

    def wake(self) -> None:
        """Something waits for the player."""
        ...

    def end(self, farewell: "Farewell") -> None:
        """Says farewell and ends; the player has been left already."""
        ...


class Abandoned(Exception):
    """The match was given up through nobody's fault; it does not count."""


@dataclass(frozen=True, slots=True)
class Farewell:
    """Why a stream ends: the name of a FarewellReason without its prefix, and a sentence."""

    reason: str
    sentence: str


TAKEN_OVER = Farewell("TAKEN_OVER", "The same bot has logged in again; this stream is closed.")
DONE = Farewell("DONE", "The work is done.")
SHUTDOWN = Farewell("SHUTDOWN", "The referee is shutting down; come back later.")
DEAD = Farewell("BROKEN", f"No turn of {DEAD_FRAMES} frames in a row was answered in time.")


@dataclass(slots=True, eq=False, repr=False)
class OpenTurn:
    """A question that a player owes an answer to. ``started_us`` is -1 until its clock runs."""

    running: "Running"
    question: Question
    started_us: int = -1
    deadline_us: int = -1

    def start(self, now_us: int) -> None:
        """Starts the clock, once."""
        if self.started_us < 0:
            self.started_us = now_us
            self.deadline_us = now_us + self.question.budget_us


@dataclass(slots=True, eq=False, repr=False)
class Running:
    """A match that is being played."""

    plan: MatchPlan
    seats: tuple["Player", ...]
    generator: Match
    verdict: "asyncio.Future[Verdict]"
    begun: bool = False
    answers: list[Answer] = field(default_factory=list)
    pending: int = 0
    decisions: int = 0


@dataclass(slots=True)
class Counters:
    """What a player sent: answers taken, answers to turns that are not open (given before, too late, never asked), and
    frames that could not be read."""

    answered: int = 0
    stale: int = 0
    garbled: int = 0


@dataclass(slots=True, eq=False, repr=False)
class Player:
    """One player at the hub, with or without a stream. Dicts are by match id; what was asked first stands first.

    :ivar gone: why the player will not come back; empty while it may.
    """

    id: PlayerId
    stream: Stream | None = None
    gone: str = ""
    expected: bool = False
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    matches: dict[int, tuple[Running, int]] = field(default_factory=dict)
    starts: dict[int, tuple[Running, int]] = field(default_factory=dict)
    waiting: dict[int, OpenTurn] = field(default_factory=dict)
    sent: dict[int, OpenTurn] = field(default_factory=dict)
    ends: deque[tuple[int, int, Verdict | None]] = field(default_factory=lambda: deque(maxlen=KEPT_ENDS))
    counters: Counters = field(default_factory=Counters)
    alarm_us: int = -1
    frame_size: int = 0
    frame_expired: int = 0
    dead_frames: int = 0

    def timed(self) -> Iterator[OpenTurn]:
        """Turns whose clock runs."""
        yield from self.sent.values()
        for turn in self.waiting.values():
            if turn.started_us >= 0:
                yield turn


class Hub:
    """All players and matches of one referee. Enter it to let its clocks run; nothing here may be called from another
    thread."""

    def __init__(self) -> None:
        self.decisions = 0
        """Answers taken and faults judged so far."""
        self.finished = 0
        """Matches finished so far."""
        self.lag_us = 0
        """How late the event loop has been, in all."""
        self._players: dict[PlayerId, Player] = {}
        self._running: dict[int, Running] = {}
        self._alarms: list[tuple[int, int, Player]] = []
        self._alarm_numbers = itertools.count()
        self._armed = asyncio.Event()
        self._ticker: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._ticker = asyncio.create_task(self._tick(), name="referee clock")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close(SHUTDOWN)
        if self._ticker is not None:
            self._ticker.cancel()
            await asyncio.gather(self._ticker, return_exceptions=True)

    def now_us(self) -> int:
        """The hub's time in microseconds."""
        return time.monotonic_ns() // 1000 - self.lag_us

    # Players

    def expect(self, player_id: PlayerId) -> None:
        """Makes the player known before it connects; it stays known until :meth:`forget`."""
        self._player(player_id).expected = True

    def forget(self, player_id: PlayerId) -> None:
        """Says DONE to the player and forgets it once its matches are over."""
        if (player := self._players.get(player_id)) is not None:
            player.expected = False
            self._end_stream(player, DONE)
            self._drop(player)

    async def arrival(self, player_ids: Collection[PlayerId], within_ms: int) -> frozenset[PlayerId]:
        """Waits until every player has a stream or is gone; returns those that have no stream in the end."""
        players = [self._player(player_id) for player_id in player_ids]
        try:
            async with asyncio.timeout(within_ms / 1000):
                for player in players:
                    await player.settled.wait()
        except TimeoutError:
            pass
        return frozenset(player.id for player in players if player.stream is None)

    def hello(self, player_id: PlayerId) -> Hello | None:
        """What the player said about itself; None while it has no stream."""
        player = self._players.get(player_id)
        return player.stream.hello if player is not None and player.stream is not None else None

    def connected(self) -> dict[PlayerId, Hello]:
        """Every player that has a stream now."""
        return {player.id: player.stream.hello for player in self._players.values() if player.stream is not None}

    def counters(self, player_id: PlayerId) -> Counters:
        """What the player has sent so far; zeros for an unknown one."""
        player = self._players.get(player_id)
        return player.counters if player is not None else Counters()

    def gone(self, player_id: PlayerId, reason: str) -> None:
        """The player will not come back: its open turns and all later ones are GONE at once. ``reason`` is a
        sentence."""
        player = self._player(player_id)
        if player.gone:
            return
        player.gone = reason
        player.settled.set()
        self._end_stream(player, DONE)
        turns = [*player.sent.values(), *player.waiting.values()]
        player.sent.clear()
        player.waiting.clear()
        for turn in turns:
            self._give(turn, None, FaultKind.GONE, reason, self.now_us())
        self._drop(player)

    def close(self, farewell: Farewell) -> None:
        """Says farewell to everyone and abandons every match."""
        for running in list(self._running.values()):
            self._abandon(running, Abandoned(farewell.sentence))
        for player in list(self._players.values()):
            self._end_stream(player, farewell)
            self._drop(player)

    # Matches

    async def play(self, plan: MatchPlan) -> Verdict:
        """Plays the match to its end. Cancelling abandons it: the players are told that it does not count.

        :raises ValueError: if the plan names a player twice or a match id that is in use.
        """
        running = self._begin(plan)
        try:
            return await running.verdict
        finally:
            if plan.match_id in self._running:
                self._abandon(running, Abandoned("The match was cancelled."))

    def decisions_in(self, match_ids: Iterable[int]) -> int:
        """Answers taken and faults judged so far in those of the matches that are being played."""
        return sum(self._running[match_id].decisions for match_id in match_ids if match_id in self._running)

    # For streams

    def join(self, player_id: PlayerId, stream: Stream) -> Player:
        """The player, now on this stream. A stream that it had before is taken over. Everything that is open is
        announced again, and the clocks of turns that were sent before go on."""
        player = self._player(player_id)
        self._end_stream(player, TAKEN_OVER)
        self._players[player_id] = player
        player.stream = stream
        player.dead_frames = 0
        player.starts = dict(player.matches)
        player.settled.set()
        stream.wake()
        return player

    def leave(self, player: Player, stream: Stream) -> None:
        """The stream is lost. Nothing happens if the player is on another one already."""
        if player.stream is not stream:
            return
        player.stream = None
        if not player.gone:
            player.settled.clear()
        player.waiting = player.sent | player.waiting
        player.sent = {}
        player.frame_size = 0
        now_us = self.now_us()
        for turn in player.waiting.values():
            turn.start(now_us)
        self._arm(player, player.waiting.values())
        self._drop(player)

    def take(self, player: Player) -> list[OpenTurn]:
        """Turns for the next frame, at most the player's batch; none while a turn of the last frame is open. They wait
        until :meth:`sent`."""
        if player.sent or not player.waiting or player.stream is None:
            return []
        return list(itertools.islice(player.waiting.values(), player.stream.hello.batch))

    def sent(self, player: Player, turns: Sequence[OpenTurn]) -> None:
        """The frame with these turns is being flushed: their clocks run."""
        now_us = self.now_us()
        for turn in turns:
            turn.start(now_us)
            match_id = turn.running.plan.match_id
            del player.waiting[match_id]
            player.sent[match_id] = turn
        player.frame_size = len(turns)
        player.frame_expired = 0
        self._arm(player, turns)

    def answer(self, player: Player, match_id: int, number: int, action: int, now_us: int) -> bool:
        """Takes a choice that was received at ``now_us``; False if it answers no open turn, which changes nothing."""
        turn = player.sent.get(match_id)
        if turn is None or turn.question.turn != number:
            return self._answer_unsent(player, match_id, number, action, now_us)
        del player.sent[match_id]
        player.counters.answered += 1
        self._give(turn, action, None, "", now_us)
        if not player.sent:
            self._frame_over(player)
        return True

    def garbled(self, player: Player, now_us: int) -> bool:
        """An unreadable frame: every turn that it could have answered is GARBLED. False if there was none."""
        player.counters.garbled += 1
        turns = list(player.sent.values())
        player.sent.clear()
        for turn in turns:
            self._give(turn, None, FaultKind.GARBLED, "The frame could not be read as a PlayRequest.", now_us)
        self._frame_over(player)
        return bool(turns)

    # Below: what happens inside

    def _player(self, player_id: PlayerId) -> Player:
        player = self._players.get(player_id)
        if player is None:
            player = self._players[player_id] = Player(player_id)
        return player

    def _drop(self, player: Player) -> None:
        if player.stream is None and not player.matches and not player.expected:
            self._players.pop(player.id, None)

    def _wake(self, player: Player) -> None:
        """Lets the next frame go, unless a turn of the last one is open: one at a time, so that frames are full."""
        if player.stream is not None and not player.sent:
            player.stream.wake()

    def _end_stream(self, player: Player, farewell: Farewell) -> None:
        stream = player.stream
        if stream is not None:
            self.leave(player, stream)
            stream.end(farewell)

    def _begin(self, plan: MatchPlan) -> Running:
        if plan.match_id in self._running:
            raise ValueError(f"Match {plan.match_id} is being played already.")
        if len(set(plan.players)) != plan.game.seats:
            raise ValueError(f"A match needs {plan.game.seats} different players, not {', '.join(plan.players)}.")
        state = plan.game.start(plan.seed)
        recorder = Recorder(plan.game, players=plan.names, **plan.header)
        seats = tuple(self._player(player_id) for player_id in plan.players)
        generator = match(plan.game, state, plan.limits, recorder)
        running = Running(plan, seats, generator, asyncio.get_running_loop().create_future())
        self._running[plan.match_id] = running
        for seat, player in enumerate(seats):
            player.matches[plan.match_id] = player.starts[plan.match_id] = (running, seat)
        self._advance(running)
        return running

    def _advance(self, running: Running) -> None:
        """All answers are in: asks the next questions."""
        match_id = running.plan.match_id
        if match_id not in self._running:
            return
        answers = running.answers
        running.answers = []
        try:
            questions = running.generator.send(answers if running.begun else None)  # type: ignore[arg-type]
            running.begun = True
        except StopIteration as stop:
            self._finish(running, stop.value)
            return
        except Exception as error:
            # Our own failure, which belongs to whoever waits for the verdict.
            self._abandon(running, error)
            return
        for question in questions:
            player = running.seats[question.seat]
            if player.gone:
                running.answers.append(Answer(question.seat, None, FaultKind.GONE, player.gone, 0))
                running.decisions += 1
                self.decisions += 1
                continue
            running.pending += 1
            turn = OpenTurn(running, question)
            player.waiting[match_id] = turn
            if player.stream is not None:
                self._wake(player)
            else:
                turn.start(self.now_us())
                self._arm(player, (turn,))
        if running.pending == 0:
            # Nobody has to be waited for: goes on, but not at the cost of those who wait in other matches.
            asyncio.get_running_loop().call_soon(self._advance, running)

    def _give(self, turn: OpenTurn, action: int | None, fault: FaultKind | None, reason: str, now_us: int) -> None:
        running = turn.running
        elapsed_us = max(0, now_us - turn.started_us) if turn.started_us >= 0 else 0
        running.answers.append(Answer(turn.question.seat, action, fault, reason, elapsed_us))
        running.pending -= 1
        running.decisions += 1
        self.decisions += 1
        if running.pending == 0:
            self._advance(running)

    def _answer_unsent(self, player: Player, match_id: int, number: int, action: int, now_us: int) -> bool:
        """A choice whose turn is not out: it was sent on a lost stream and answered on the next, or it is no answer."""
        turn = player.waiting.get(match_id)
        if turn is not None and turn.question.turn == number and turn.started_us >= 0:
            del player.waiting[match_id]
            player.counters.answered += 1
            self._give(turn, action, None, "", now_us)
            return True
        player.counters.stale += 1
        return False

    def _frame_over(self, player: Player) -> None:
        """Every turn of the last frame is answered or expired."""
        if player.frame_size and player.frame_expired == player.frame_size:
            player.dead_frames += 1
        elif player.frame_size:
            player.dead_frames = 0
        player.frame_size = 0
        if player.dead_frames >= DEAD_FRAMES:
            self._end_stream(player, DEAD)
        else:
            self._wake(player)

    def _finish(self, running: Running, verdict: Verdict) -> None:
        self.finished += 1
        self._part(running, verdict)
        if not running.verdict.done():
            running.verdict.set_result(verdict)

    def _abandon(self, running: Running, error: Exception) -> None:
        self._part(running, None)
        if not running.verdict.done():
            running.verdict.set_exception(error)

    def _part(self, running: Running, verdict: Verdict | None) -> None:
        """The players have one match less."""
        match_id = running.plan.match_id
        running.generator.close()
        del self._running[match_id]
        for seat, player in enumerate(running.seats):
            del player.matches[match_id]
            player.waiting.pop(match_id, None)
            if player.sent.pop(match_id, None) is not None and not player.sent:
                self._frame_over(player)
            player.starts.pop(match_id, None)
            if not player.gone:
                player.ends.append((match_id, seat, verdict))
            self._wake(player)
            self._drop(player)

    # Deadlines

    def _arm(self, player: Player, turns: Iterable[OpenTurn]) -> None:
        """Sees to it that the player is looked at when the earliest of these deadlines has passed. One entry stands for
        all turns of a player: a later deadline needs no new one, for what is found early is looked at again."""
        earliest = min((turn.deadline_us for turn in turns), default=-1)
        if earliest < 0 or 0 <= player.alarm_us <= earliest:
            return
        player.alarm_us = earliest
        heapq.heappush(self._alarms, (earliest + GRACE_US, next(self._alarm_numbers), player))
        self._armed.set()

    async def _tick(self) -> None:
        """Measures the lag of the loop, then judges."""
        while True:
            await self._armed.wait()
            due_us = time.monotonic_ns() // 1000 + TICK_US
            await asyncio.sleep(TICK_US / 1e6)
            late_us = time.monotonic_ns() // 1000 - due_us
            if late_us > LAG_US:
                self.lag_us += late_us
                # What came in while the loop was late is read before anything is judged.
                await asyncio.sleep(0)
            self._judge(self.now_us())
            if not self._alarms:
                self._armed.clear()

    def _judge(self, now_us: int) -> None:
        while self._alarms and self._alarms[0][0] <= now_us:
            alarm_us, _, player = heapq.heappop(self._alarms)
            if alarm_us == player.alarm_us + GRACE_US:
                player.alarm_us = -1
                self._expire(player, now_us)
                self._arm(player, player.timed())

    def _expire(self, player: Player, now_us: int) -> None:
        """Turns past their deadline get their fault."""
        late = [turn for turn in player.timed() if turn.deadline_us + GRACE_US <= now_us]
        for turn in late:
            match_id = turn.running.plan.match_id
            if player.sent.pop(match_id, None) is not None:
                player.frame_expired += 1
            else:
                del player.waiting[match_id]
        fault = FaultKind.LATE if player.stream is not None else FaultKind.GONE
        for turn in late:
            if fault is FaultKind.LATE:
                reason = f"No answer within {turn.question.budget_us // 1000} ms."
            else:
                reason = "The bot's stream was lost and did not come back in time."
            self._give(turn, None, fault, reason, now_us)
        if late and not player.sent and player.frame_size:
            self._frame_over(player)
