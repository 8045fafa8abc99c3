"""Stops a cell that goes on working while it has nothing to do, until it has. Knows no match and no turn.

Whoever asks something of the bot says when it has something to do and when it has not. One that keeps to that is never
touched. One that works all the same is caught within a second, and from then on stopped at the beginning of every rest
and continued at its end.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass

_PROCESSOR_TIME = 2
"""Of a whole process: with its number, the kernel's name of its clock (CPUCLOCK_SCHED)."""

FREE_S = 0.001
"""Processor time of every rest that is not counted: libraries end what they have begun."""

ALLOWED = 0.02
"""Of one processor, what else a bot may use at rest."""

MOST_S = 0.1
"""Who is so much processor time beyond that is caught."""


@dataclass(slots=True)
class Debt:
    """Processor time that was used at rest beyond what is allowed, in seconds. Pure."""

    owed_s: float = 0.0

    def count(self, used_s: float, rested_s: float) -> bool:
        """Whether it is too much, with the processor time of another while at rest."""
        self.owed_s = max(0.0, self.owed_s + used_s - ALLOWED * rested_s)
        return self.owed_s > MOST_S


class Rest:
    """Whether a cell has something to do. It has from its start on, until it is told to rest.

    :ivar caught: it has worked at rest.
    """

    def __init__(self) -> None:
        self.caught = False
        self._lock = threading.Lock()
        self._awake = True
        self._debt = Debt()
        self._since_s = self._used_s = 0.0
        self._pids: tuple[int, ...] = ()
        self._processes: list[int] = []
        """Of one that was caught, descriptors, since another process may get a number that one of them had."""

    def wake(self) -> None:
        """There is something to do: what was stopped goes on."""
        with self._lock:
            if not self._awake:
                self._count()
                self._awake = True
                self._tell(signal.SIGCONT)

    def rest(self) -> None:
        """There is nothing to do until it is woken."""
        with self._lock:
            if self._awake:
                self._awake = False
                self._since_s, self._used_s = time.monotonic(), _used_s(self._pids) + FREE_S
                self._tell(signal.SIGSTOP)

    def look(self, pids: Iterable[int]) -> None:
        """A look at the cell, which has these processes."""
        with self._lock:
            if not self._awake:
                self._count()
            self._pids = tuple(pids)
            if not self._awake:
                self._used_s = _used_s(self._pids)
            if self.caught:
                self._forget()
                for pid in self._pids:
                    with contextlib.suppress(ProcessLookupError):
                        self._processes.append(os.pidfd_open(pid))
                if not self._awake:
                    self._tell(signal.SIGSTOP)

    def end(self) -> None:
        """The cell is gone."""
        with self._lock:
            self._forget()

    def _count(self) -> None:
        """Counts what was used since it rests or was last counted."""
        now_s, used_s = time.monotonic(), _used_s(self._pids)
        self.caught = self._debt.count(max(0.0, used_s - self._used_s), now_s - self._since_s) or self.caught
        self._since_s, self._used_s = now_s, max(used_s, self._used_s)

    def _tell(self, number: signal.Signals) -> None:
        for descriptor in self._processes:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, number)

    def _forget(self) -> None:
        for descriptor in self._processes:
            os.close(descriptor)
        self._processes = []


def _used_s(pids: Iterable[int]) -> float:
    """Processor time of the processes. Their own clocks are exact and soon read; /proc has hundredths of a second."""
    used_s = 0.0
    for pid in pids:
        with contextlib.suppress(OSError):  # it is gone
            used_s += time.clock_gettime(~pid << 3 | _PROCESSOR_TIME)
    return used_s
