"""A player, the matches it plays and the turns it owes. Knows no watch, no alarm and no other player's turns.

A turn is *waiting* until the frame that carries it is flushed and *sent* from then on; only a sent turn's clock runs.
While a player has no stream, the clocks of all its turns run: that is the time it has for coming back.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from arena.referee.match import Answer, Match, Question, Verdict
from arena.referee.plan import MatchPlan, PlayerId
from arena.referee.stream import DEAD_FRAMES, Stream
from engine.record import Recorder

GRACE_US = 10_000
"""A turn is judged this long after its deadline: an answer that was sent in time may still be on its way."""

KEPT_ENDS = 1024
"""Results that are kept for a player who does not fetch them."""


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
    """A match that is being played. ``pending`` is how many of the seats that were asked have not answered yet,
    ``decisions`` how many answers were taken or faults judged, and ``asked_us`` when the last answer of the decision
    point before came in."""

    plan: MatchPlan
    seats: tuple["Player", ...]
    recorder: Recorder
    generator: Match
    verdict: "asyncio.Future[Verdict]"
    begun: bool = False
    answers: list[Answer] = field(default_factory=list)
    pending: int = 0
    decisions: int = 0
    asked_us: int = 0


@dataclass(slots=True)
class Counters:
    """What a player sent: answers taken, answers to turns that are not open (given before, too late, never asked), and
    frames that could not be read. ``hello_us`` and ``answer_us`` are when its first stream began and when the first of
    those answers came, by the host's monotonic clock in microseconds; -1 before."""

    answered: int = 0
    stale: int = 0
    garbled: int = 0
    hello_us: int = -1
    answer_us: int = -1


@dataclass(slots=True, eq=False, repr=False)
class Player:
    """One player at the hub, with or without a stream. Dicts are by match id; what was asked first stands first.

    :ivar gone: why the player will not come back; empty while it may.
    :ivar expected: it stays known without a stream and without a match.
    :ivar settled: it has a stream or is gone.
    :ivar matches: what it plays, and in which seat.
    :ivar starts: those of them that the stream has not been told of.
    :ivar ends: results that the stream has not been told of: match id, seat, and None for an abandoned match.
    :ivar free_us: since when nothing but the referee holds up the next frame: the end of the last one, or the stream's
        beginning.
    :ivar alarm_us: the deadline at which the player is looked at; -1 if none is set.
    :ivar frame_size: turns in the last frame, 0 once that is over; ``frame_expired`` of them were not answered in time.
    :ivar dead_frames: wholly expired frames in a row.
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
    free_us: int = 0
    alarm_us: int = -1
    frame_size: int = 0
    frame_expired: int = 0
    dead_frames: int = 0

    def take(self) -> list[OpenTurn]:
        """Turns for the next frame, at most the player's batch; none while a turn of the last frame is open. They wait
        until the hub is told that they are sent."""
        if self.sent or not self.waiting or self.stream is None:
            return []
        return list(itertools.islice(self.waiting.values(), self.stream.hello.batch))

    def flushed(self, turns: Sequence[OpenTurn], now_us: int) -> None:
        """The frame with these turns is being flushed: their clocks run."""
        for turn in turns:
            turn.start(now_us)
            match_id = turn.running.plan.match_id
            del self.waiting[match_id]
            self.sent[match_id] = turn
        self.frame_size = len(turns)
        self.frame_expired = 0

    def frame_over(self) -> bool:
        """Every turn of the last frame is answered or expired. True if so many frames in a row expired wholly that the
        stream counts as dead."""
        if self.frame_size and self.frame_expired == self.frame_size:
            self.dead_frames += 1
        elif self.frame_size:
            self.dead_frames = 0
        self.frame_size = 0
        return self.dead_frames >= DEAD_FRAMES

    def lost(self, now_us: int) -> None:
        """The stream is lost: what was sent waits again, first of all, and every clock runs."""
        self.stream = None
        if not self.gone:
            self.settled.clear()
        self.waiting = self.sent | self.waiting
        self.sent = {}
        self.frame_size = 0
        for turn in self.waiting.values():
            turn.start(now_us)

    def answered(self, match_id: int, number: int) -> OpenTurn | None:
        """The turn that a choice answers, open no longer; None if it answers none. Only a turn that was sent can be
        answered, be it on a stream that was lost since."""
        turns = self.sent if match_id in self.sent else self.waiting
        turn = turns.get(match_id)
        if turn is None or turn.question.turn != number or turn.started_us < 0:
            self.counters.stale += 1
            return None
        del turns[match_id]
        self.counters.answered += 1
        return turn

    def cleared(self) -> list[OpenTurn]:
        """Every open turn; none is open afterwards."""
        turns = [*self.sent.values(), *self.waiting.values()]
        self.sent.clear()
        self.waiting.clear()
        return turns

    def expired(self, now_us: int) -> list[OpenTurn]:
        """Turns that are past their deadline and its grace; they are open no longer."""
        late = [turn for turn in self.timed() if turn.deadline_us + GRACE_US <= now_us]
        for turn in late:
            match_id = turn.running.plan.match_id
            if self.sent.pop(match_id, None) is not None:
                self.frame_expired += 1
            else:
                del self.waiting[match_id]
        return late

    def timed(self) -> Iterator[OpenTurn]:
        """Turns whose clock runs."""
        yield from self.sent.values()
        for turn in self.waiting.values():
            if turn.started_us >= 0:
                yield turn
