"""A bot's streams to all referees of an arena: opened and opened again, and what comes from all of them one after the
other. Knows no turn and no rules.

The bot dials one referee, which tells where the others are; whoever of them leaves is not dialled again once its stream
has ended. Readers are threads, the bot's program is asked in the thread that calls :func:`play` alone.
"""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from arena.bot.answers import Answers
from arena.bot.matches import Matches
from arena.bot.stream import Address, Ended, Stream
from arena.v1 import play_pb2

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
PATIENCE_S = 60.0
"""How long a bot keeps trying to reach an address that has never answered."""

Say = Callable[[str], None]
"""Tells the bot's owner a sentence."""


@dataclass(slots=True, eq=False)
class _Link:
    """The way to one referee.

    :ivar server: what is dialled.
    :ivar name: how the referee is called in the lists of the others; ``server`` until it says so.
    :ivar matches: what is played there; kept when the stream is lost.
    :ivar stream: the stream that stands or is being opened.
    :ivar others: the other referees, as the stream tells.
    :ivar told: whether the stream has told them.
    :ivar welcomed: whether a stream ever stood.
    :ivar pause_s: the last pause between two streams; 0 after a welcome.
    :ivar due_s: when to dial next, by the monotonic clock.
    :ivar over: why it is not dialled any more.
    """

    server: str
    name: str
    matches: Matches = field(default_factory=Matches)
    stream: Stream | None = None
    others: frozenset[str] = frozenset()
    told: bool = False
    welcomed: bool = False
    pause_s: float = 0.0
    due_s: float = 0.0
    over: Ended | None = None


def play(address: Address, hello: play_pb2.Hello, answers: Answers, say: Say, *, follow: bool) -> Ended:
    """Plays until the streams have ended for good; how the last of them ended. Unless ``follow``, at the address alone.
    What ``answers`` raises goes through."""
    return _Links(address, hello, answers, say, follow=follow).play()


class _Links:
    def __init__(self, address: Address, hello: play_pb2.Hello, answers: Answers, say: Say, *, follow: bool) -> None:
        self._address = address
        self._hello = hello
        self._answers = answers
        self._say = say
        self._follow = follow
        self._home = _Link(address.server, address.server)
        self._links = [self._home]
        self._arrivals: queue.SimpleQueue[tuple[_Link, Stream, play_pb2.PlayResponse | None]] = queue.SimpleQueue()
        self._began_s = time.monotonic()

    def play(self) -> Ended:
        while True:
            wait_s = self._dial()
            try:
                link, stream, frame = self._arrivals.get(timeout=wait_s)
            except queue.Empty:
                continue
            if stream is not link.stream:
                continue  # it was closed because it led to where another one leads
            if frame is not None:
                self._take(link, stream, frame)
            elif (ended := self._part(link, stream.ended())) is not None:
                return ended

    def _dial(self) -> float | None:
        """Opens the streams that are due. For how many seconds none is; None if none will be."""
        waiting = [link for link in self._links if link.stream is None and link.over is None]
        if self._taken_over() is not None:
            waiting = []  # whoever took over is at the other referees, too, or about to be
        now_s = time.monotonic()
        for link in waiting:
            if link.due_s <= now_s:
                link.stream = Stream(replace(self._address, server=link.server), self._hello, link.matches)
                threading.Thread(target=self._read, args=(link, link.stream), daemon=True).start()
        return min((max(0.0, link.due_s - now_s) for link in waiting if link.stream is None), default=None)

    def _read(self, link: _Link, stream: Stream) -> None:
        try:
            for frame in stream.frames():
                self._arrivals.put((link, stream, frame))
        finally:
            self._arrivals.put((link, stream, None))

    def _take(self, link: _Link, stream: Stream, frame: play_pb2.PlayResponse) -> None:
        if frame.HasField("welcome"):
            link.welcomed = True
            link.pause_s = 0.0
            self._say(f"{frame.welcome.bot} plays at {link.server}.")
        if self._follow and frame.HasField("referees"):
            self._told(link, frame.referees)
        stream.take(frame, self._answers)

    def _told(self, link: _Link, referees: play_pb2.Referees) -> None:
        """A referee says where it and the others are."""
        link.name = referees.here or link.server
        link.told = True
        fresh = frozenset(referees.others) - link.others
        link.others = frozenset(referees.others)
        for twin in self._links[:]:
            if twin is not link and twin.name == link.name:
                # Two addresses lead to one referee, and the newer stream has taken over.
                self._drop(twin)
        for known in self._links:
            if known.name in fresh:
                known.due_s = 0.0  # it is there again, however long it was not
        names = {name for known in self._links for name in (known.name, known.server)}
        self._links += [_Link(name, name) for name in sorted(link.others - names)]
        self._forget()

    def _forget(self) -> None:
        """Whoever no referee names any more is not dialled again. A stream that stands ends by itself: a referee that
        leaves lets its matches end."""
        telling = [link for link in self._links if link.stream is not None and link.told]
        named = {name for link in telling for name in link.others}
        for link in self._links[:]:
            away = link.stream is None and not (link.over is not None and link.over.taken_over)
            if telling and away and link is not self._home and link.name not in named:
                self._drop(link)

    def _drop(self, link: _Link) -> None:
        if link is self._home:
            # Its address may lead to another referee by now, which has a link of its own.
            link.over = link.over or Ended("", 0, again=False, welcomed=True)
        else:
            self._links.remove(link)
        if (stream := link.stream) is not None:
            link.stream = None
            stream.close()

    def _part(self, link: _Link, ended: Ended) -> Ended | None:
        """The stream of the link has ended; how all of them have, if that was the last one."""
        link.stream = None
        link.others = frozenset()
        link.told = False
        if not ended.again:
            link.over = ended
        elif not self._home.welcomed and time.monotonic() - self._began_s > PATIENCE_S:
            return Ended(f"{ended.sentence} Gave up after {PATIENCE_S:.0f} s.", 1, again=False, welcomed=False)
        self._forget()
        if all(other.stream is None for other in self._links):
            if (taken := self._taken_over()) is not None:
                return taken
            if not any(other.over is None and (other is self._home or other.welcomed) for other in self._links):
                return ended if link.over is not None else self._home.over
        if link.over is not None:
            self._say(ended.sentence)
        elif link in self._links:
            first = link.pause_s == 0
            link.pause_s = FIRST_PAUSE_S if first else min(2 * link.pause_s, LONGEST_PAUSE_S)
            link.due_s = time.monotonic() + link.pause_s
            # Of one that was never reached, and that others name, it is said once.
            if first or link.welcomed or link is self._home:
                self._say(f"{ended.sentence} Trying again in {link.pause_s:.1f} s.")
        return None

    def _taken_over(self) -> Ended | None:
        return next((link.over for link in self._links if link.over is not None and link.over.taken_over), None)
