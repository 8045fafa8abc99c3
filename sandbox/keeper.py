"""The one thread that starts cells, reads what they say, watches them and sees them gone. Knows no arena.

One thread does it all because a cell dies with the thread that started it: this one lives as long as the process.
"""

import contextlib
import json
import os
import queue
import selectors
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path

from sandbox.box import Box, Tier, slot_uid
from sandbox.cgroup import Group
from sandbox.ends import Exit, by_itself, by_signal
from sandbox.host import Host, command, environment_of, filter_fd
from sandbox.orphans import end_orphans
from sandbox.output import Output
from sandbox.rest import Rest
from sandbox.watch import Watch, tree

_TICK_S = 0.05
_CHUNK = 1 << 16
"""A pipe holds as much. Output is read at most once a look: a bot that writes more than this in 50 ms waits, and it
is its own time; reading costs us no more however it writes."""

_MIB = 1 << 20


class Life:
    """One cell from its start to its end. Everything but `opened`, `begun`, `gone`, `exit` and `rest` belongs to the
    keeper's thread. `begun` says, from the moment that `opened` is set, whether the bot's program was started."""

    def __init__(self, box: Box, host: Host, environment: Mapping[str, str], selector: selectors.BaseSelector) -> None:
        self.opened = threading.Event()
        self.begun = False
        self.gone = threading.Event()
        self.exit: Exit | None = None
        self.rest = Rest()
        self._limits = box.limits
        self._selector = selector
        self._output = Output(box.limits.kept_kib * 1024)
        self._silent = False
        self._status = b""
        self._killed_for = ""
        self._code: int | None = None
        self._watch: Watch | None = None
        self._pidfds: dict[int, int] = {}
        self._group: Group | None = None
        self._host = host
        self._said, said = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._told, told = _pipe_that_never_breaks()
        gate, self._gate = socket.socketpair()
        program = filter_fd()
        os.set_blocking(said, True)
        try:
            self._outermost = subprocess.Popen(
                command(box, host, filter_fd=program, status_fd=told),
                stdin=gate.fileno(),
                stdout=said,
                stderr=said,
                env=environment_of(box, host, environment),  # bwrap's own, too: the bot could read it
                pass_fds=(program, told),
                start_new_session=True,
                cwd="/",
            )
        except OSError:
            os.close(self._said)
            os.close(self._told)
            self._gate.close()
            raise
        finally:
            gate.close()
            for descriptor in (program, said, told):
                os.close(descriptor)
        self.pid = self._outermost.pid
        self._uid = slot_uid(host.tier, box.slot, 0) if host.tier is Tier.NONS else None
        self._started_s = time.monotonic()
        selector.register(self._said, selectors.EVENT_READ, (self, self._hear))
        selector.register(self._told, selectors.EVENT_READ, (self, self._read_status))
        selector.register(self._gate, selectors.EVENT_READ, (self, self._open_gate))
        self._follow(self.pid)

    def kill(self, reason: str) -> None:
        """Ends every process of the cell; the first reason counts."""
        self._killed_for = self._killed_for or reason
        if self._watch is None and self._told in self._selector.get_map():
            return  # killed before it told its first process, bwrap could leave that behind; it tells within a moment
        if self._host.tier is Tier.NONS:
            # The launcher ends the cell, and itself last: without it, nobody would bury what the bot leaves.
            with contextlib.suppress(OSError):
                self._gate.shutdown(socket.SHUT_RDWR)
            return
        for descriptor in self._pidfds.values():
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)

    def look(self) -> None:
        """One look at what the cell uses. Its output may be read again."""
        if self.gone.is_set():
            return
        if not self._silent and self._said not in self._selector.get_map():
            self._selector.register(self._said, selectors.EVENT_READ, (self, self._hear))
        if self._watch is not None and not self._killed_for:
            broken = self._watch.look()
            if broken:
                self.kill(f"was killed: it {broken}")
            self.rest.look(self._watch.others)

    def _follow(self, pid: int) -> bool:
        """Watches for the end of a process; whether it was still there."""
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            return False
        self._pidfds[pid] = descriptor
        self._selector.register(descriptor, selectors.EVENT_READ, (self, lambda: self._ended(pid)))
        return True

    def _hear(self) -> None:
        """Reads some output, and none before the next look."""
        self._selector.unregister(self._said)
        self._read_output()

    def _read_output(self) -> bool:
        """Whether there may be more."""
        try:
            chunk = os.read(self._said, _CHUNK)
        except BlockingIOError:
            return False
        self._silent = not chunk
        self._output.take(chunk, int(1000 * (time.monotonic() - self._started_s)))
        if self._output.total > self._limits.output_mib * _MIB:
            written_mib = -(-self._output.total // _MIB)
            self.kill(f"was killed: it wrote {written_mib} MiB of output; the limit is {self._limits.output_mib} MiB")
        return bool(chunk)

    def _read_status(self) -> bool:
        """Whether there may be more."""
        try:
            chunk = os.read(self._told, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._selector.unregister(self._told)
        *lines, self._status = (self._status + chunk).split(b"\n")
        for line in lines:
            told = json.loads(line)
            self._code = told.get("exit-code", self._code)
            first = told.get("child-pid")
            # The first process inside ends only after all others of the cell, so its end is the cell's end. Without
            # namespaces that is the outermost one, which is followed already.
            if first is not None and (first in self._pidfds or self._follow(first)):
                self._watch = Watch(first, self._limits, self._uid)
                if self._killed_for:
                    self.kill(self._killed_for)
        return bool(chunk)

    def _open_gate(self) -> None:
        """Lets the bot start, now that its cell dies with this thread; it is the first to go when memory runs out."""
        self._selector.unregister(self._gate)
        # A bwrap that failed at once may have closed its status already, in the same look.
        while self._watch is None and self._told in self._selector.get_map() and self._read_status():
            pass
        if self._watch is None or self._killed_for:
            return
        pids = [pid for pid in tree(self._watch.first) if pid != self.pid]
        if self._host.groups:
            self._group = Group(self._host.groups, self.pid, self._limits)
            self._group.take(pids)
        with contextlib.suppress(OSError):
            for pid in pids:
                Path(f"/proc/{pid}/oom_score_adj").write_text("1000")
        with contextlib.suppress(OSError):
            self._gate.send(b"go\n")
            self.begun = True
            self.opened.set()

    def _ended(self, pid: int) -> None:
        if pid == self.pid:
            while self._told in self._selector.get_map() and self._read_status():
                pass
            self._outermost.wait()
        descriptor = self._pidfds.pop(pid)
        self._selector.unregister(descriptor)
        os.close(descriptor)
        if not self._pidfds:
            self._finish()

    def _finish(self) -> None:
        registered = self._selector.get_map()
        while not self._silent and self._read_output():
            pass
        for descriptor in (self._said, self._told, self._gate.fileno()):
            if descriptor in registered:
                self._selector.unregister(descriptor)
        os.close(self._said)
        os.close(self._told)
        self._gate.close()
        watch = self._watch
        code, number, reason = self._verdict()
        self.exit = Exit(
            code=code,
            signal=number,
            reason=reason,
            last_line=self._output.last_line() if self.begun and code != 0 and not self._killed_for else "",
            parts=self._output.parts(),
            written=self._output.total,
            started_s=self._started_s,
            cpu_s=watch.cpu_s if watch else 0.0,
            peak_mib=-(-watch.peak_bytes // _MIB) if watch else 0,
        )
        if self._group is not None:
            self._group.remove()
        if self._host.tier is Tier.NONS and self._code is None:
            end_orphans()  # the launcher was killed
        self.rest.end()
        self.opened.set()
        self.gone.set()

    def _verdict(self) -> tuple[int | None, int | None, str]:
        broken = self._group.broken() if self._group else ""
        if self._killed_for or broken:
            return None, None, self._killed_for or f"was killed: it {broken}"
        last = self._output.last_line()
        if self._code is None or not self.begun:
            # What was said before the gate opened is the starter's own, and what came later the bot's.
            ended = "was ended from outside" if self.begun else f"did not start: {last or 'it said nothing'}"
            return None, None, ended
        if self._code > 128:
            number = self._code - 128
            return None, number, by_signal(number, last, self._limits)
        return self._code, None, by_itself(self._code, last, self._limits)


def _pipe_that_never_breaks() -> tuple[int, int]:
    """A pipe whose writing end reads, too: when this process dies, bwrap's write still succeeds, and bwrap goes on to
    the gate and ends there, instead of ending at the write and leaving its half-made child behind."""
    reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    both = os.open(f"/proc/self/fd/{writing}", os.O_RDWR | os.O_CLOEXEC)
    os.close(writing)
    return reading, both


class Keeper(threading.Thread):
    """The thread. It ends with the process and not before."""

    def __init__(self) -> None:
        super().__init__(name="cells", daemon=True)
        self._requests: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._bell, selectors.EVENT_READ, None)
        self._lives: set[Life] = set()

    def begin(self, box: Box, host: Host, environment: Mapping[str, str]) -> Life:
        """A cell that has been started.

        :raises OSError: if bwrap cannot be started.
        """
        started: Future[Life] = Future()

        def request() -> None:
            try:
                life = Life(box, host, environment, self._selector)
            except BaseException as error:
                started.set_exception(error)
            else:
                self._lives.add(life)
                started.set_result(life)

        self._ask(request)
        return started.result()

    def kill(self, life: Life, reason: str) -> None:
        """Has a cell ended; `life.gone` is set when it is."""
        self._ask(lambda: life.kill(reason))

    def run(self) -> None:
        due = time.monotonic()
        while True:
            events = self._selector.select(max(0.0, due - time.monotonic()) if self._lives else None)
            for key, _ in events:
                still_there = self._selector.get_map().get(key.fd) is key
                if key.data is not None and still_there:
                    life, act = key.data
                    self._guarded(life, act)
            self._answer()
            if time.monotonic() >= due:
                for life in self._lives:
                    self._guarded(life, life.look)
                due = time.monotonic() + _TICK_S
            self._lives = {life for life in self._lives if not life.gone.is_set()}

    def _ask(self, request: Callable[[], None]) -> None:
        self._requests.put(request)
        os.eventfd_write(self._bell, 1)

    def _answer(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._bell)
        with contextlib.suppress(queue.Empty):
            while True:
                self._requests.get_nowait()()

    def _guarded(self, life: Life, act: Callable[[], object]) -> None:
        """A mistake of ours in one cell ends that cell, not the thread with which all cells would end."""
        try:
            act()
        except Exception as error:
            life.kill(f"was killed: watching it failed ({error!r})")
