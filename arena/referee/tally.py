"""What a referee has done so far, in numbers. Knows no metric's name, no clock and no thread.

The hub adds to it at every answer, so adding costs some tens of nanoseconds; whoever reads it does the rest.
"""

from collections import Counter
from dataclasses import dataclass, field

from arena.referee.faults import FaultKind

BUCKETS = 64
"""More than the bits of any time in microseconds."""


@dataclass(slots=True)
class Times:
    """How long something took, many times over.

    :ivar counts: entry *n* is how many times had *n* bits in microseconds: less than 2^n µs, and not less than half of
        that.
    :ivar total_us: all of them together.
    """

    counts: list[int] = field(default_factory=lambda: [0] * BUCKETS)
    total_us: int = 0

    def add(self, time_us: int) -> None:
        """One more, at least 0."""
        self.counts[time_us.bit_length()] += 1
        self.total_us += time_us


@dataclass(frozen=True, slots=True)
class Depth:
    """What a hub has before it at one moment: bots with a stream, open matches, turns that no frame has carried yet,
    and turns that were sent and are not answered."""

    bots: int
    matches: int
    waiting: int
    sent: int


@dataclass(slots=True)
class Tally:
    """The numbers of one hub; none ever gets smaller.

    Every decision is an answer, whose time is among ``thinking``, or a LATE, GARBLED or GONE fault; an ILLEGAL fault is
    an answer, too. A fault is counted when its match goes on.

    :ivar begun: matches that were begun; every one of them is open, finished or abandoned.
    :ivar abandoned: matches that were given up.
    :ivar thinking: from the flush of a frame until an answer to one of its turns was read, by answer.
    :ivar delay: the referee's own: from the answer that a turn had waited for until the flush of the frame that carries
        the turn; less the time for which the bot itself held the frame up. By frame, of its oldest turn.
    :ivar faults: by kind.
    :ivar refused: logins that were refused, by the name of the status code.
    """

    begun: int = 0
    abandoned: int = 0
    thinking: Times = field(default_factory=Times)
    delay: Times = field(default_factory=Times)
    faults: dict[FaultKind, int] = field(default_factory=lambda: dict.fromkeys(FaultKind, 0))
    refused: Counter[str] = field(default_factory=Counter)
