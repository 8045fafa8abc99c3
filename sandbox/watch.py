"""Watches what a cell's processes use, and says which limit they broke. Knows only /proc; ends nothing itself."""

import contextlib
import ctypes
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sandbox.box import Limits

_libc = ctypes.CDLL(None)
_MIB = 1 << 20
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_MAPPED_BY_TABLE = 512
"""Bytes of address space for each byte of page tables, at least."""

_SPARE_TASKS = 8  # bwrap and the programs that start the bot


@dataclass(frozen=True, slots=True)
class _Process:
    """One line of /proc/PID/stat: ticks of processor time, its own and its waited-for children's; in bytes its address
    space and the memory in it."""

    started: int
    own_ticks: int
    child_ticks: int
    threads: int
    virtual: int
    resident: int


class Watch:
    """Looks at the tree below one process, the first of a cell and not the bot's, again and again.

    :param uid: the user id of the bot where it has one of its own and no namespaces, else None.
    """

    def __init__(self, first: int, limits: Limits, uid: int | None = None) -> None:
        self.first = first
        self._uid = uid
        self.peak_bytes = 0
        self.others: tuple[int, ...] = ()
        """The processes below the first one at the last look."""
        self._limits = limits
        self._ticks = 0
        self._gone_ticks = 0
        self._last: dict[tuple[int, int], int] = {}

    @property
    def cpu_s(self) -> float:
        """Processor time of the tree until the last look, in seconds."""
        return self._ticks / _TICKS_PER_S

    def look(self) -> str:
        """What the cell did beyond a limit, and the limit, in words; empty if it has kept to all."""
        with contextlib.nullcontext() if self._uid is None else _seen_by(self._uid):
            return self._look()

    def _look(self) -> str:
        processes = {pid: found for pid in tree(self.first) if (found := _process(pid)) is not None}
        own = {pid: process for pid, process in processes.items() if pid != self.first}
        limits = self._limits
        self._count_ticks(processes)
        self.others = tuple(own)
        if self.cpu_s > limits.cpu_s:
            return f"used {self.cpu_s:.2f} s of processor time; the limit is {limits.cpu_s:g} s"
        tasks = sum(process.threads for process in processes.values())
        if tasks > limits.processes + _SPARE_TASKS:
            return f"ran {tasks} processes and threads; the limit is {limits.processes}"
        memory = self._memory(own)
        self.peak_bytes = max(self.peak_bytes, memory)
        if memory > limits.memory_mib * _MIB:
            return f"used {-(-memory // _MIB)} MiB of memory; the limit is {limits.memory_mib} MiB"
        if (files := self._files(processes)) > limits.tmp_files:
            return f"made {files} files in /tmp and /dev/shm; the limit is {limits.tmp_files}"
        sockets = _sockets(self.first) if self._uid is None else _sockets_held(own, limits.descriptors)
        if sockets > limits.descriptors:
            return f"opened {sockets} sockets; the limit is {limits.descriptors}"
        return ""

    def _count_ticks(self, processes: dict[int, _Process]) -> None:
        """Two counts, of which the larger is true: a parent's own record lacks children that it never waited for,
        and what was seen of each process lacks those that came and went between two looks."""
        seen = {(pid, process.started): process.own_ticks for pid, process in processes.items()}
        self._gone_ticks += sum(ticks for known, ticks in self._last.items() if known not in seen)
        self._last = seen
        recorded = sum(process.own_ticks + process.child_ticks for process in processes.values())
        self._ticks = max(self._ticks, recorded, self._gone_ticks + sum(seen.values()))

    def _memory(self, processes: dict[int, _Process]) -> int:
        """Bytes of all processes. It looks no closer than it must: most looks are at bots that use little."""
        most = self._limits.memory_mib * _MIB
        memory = sum(process.resident for process in processes.values())
        tables = sum(process.virtual for process in processes.values()) // _MAPPED_BY_TABLE
        if memory + tables > most:  # a table maps much that is not there: what is read and never written
            tables = sum(map(_tables, processes))
            if memory + tables > most:  # shared pages count once for each process
                memory = sum(_share(pid, process.resident) for pid, process in processes.items())
            memory += tables
        return memory

    def _files(self, processes: dict[int, _Process]) -> int:
        if self._uid is not None:
            return 0  # it has no folder that it could write
        for pid in processes:
            try:
                places = [os.statvfs(f"/proc/{pid}/root{place}") for place in ("/tmp", "/dev/shm")]  # noqa: S108
            except OSError:
                continue
            if all(place.f_blocks * place.f_frsize == self._limits.tmp_mib * _MIB for place in places):
                return sum(place.f_files - place.f_ffree for place in places)
            # else the process still sees the host's files, because bwrap has not moved it yet
        return 0


def tree(first: int) -> Iterator[int]:
    """The process and everything below it."""
    found = [first]
    while found:
        pid = found.pop()
        yield pid
        found += children(pid)


def children(pid: int) -> list[int]:
    """The direct children of all threads of a process; empty if it is gone."""
    pids: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - twenty times a second
            pids += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        pass
    return pids


def _process(pid: int) -> _Process | None:
    try:
        fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return None
    user, system, child_user, child_system = (int(field) for field in fields[11:15])
    return _Process(
        started=int(fields[19]),
        own_ticks=user + system,
        child_ticks=child_user + child_system,
        threads=int(fields[17]),
        virtual=int(fields[20]),
        resident=int(fields[21]) * _PAGE,
    )


def _tables(pid: int) -> int:
    """Bytes of page tables of a process; 0 if it is gone."""
    try:
        for line in _read(f"/proc/{pid}/status").splitlines():
            if line.startswith(b"VmPTE:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _sockets(pid: int) -> int:
    """All sockets of the network namespace of a process, in letters too that nobody has opened; 0 if it is gone."""
    try:
        return int(_read(f"/proc/{pid}/net/sockstat").split(maxsplit=3)[2])
    except OSError:
        return 0


def _sockets_held(pids: Iterable[int], enough: int) -> int:
    """All sockets that the processes hold; no more than their descriptors, if those are not more than enough."""
    held: list[str] = []
    for pid in pids:
        with contextlib.suppress(OSError):  # it is gone
            held += (f"/proc/{pid}/fd/{number}" for number in os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208 - as above
    if len(held) <= enough:
        return len(held)
    found = set()
    for descriptor in held:
        with contextlib.suppress(OSError):
            if (what := os.readlink(descriptor)).startswith("socket:"):  # noqa: PTH115 - thousands of them
                found.add(what)
    return len(found)


@contextlib.contextmanager
def _seen_by(uid: int) -> Iterator[None]:
    """Has this thread look at files as that user. In a container root may lack the right to look into processes of
    others (CAP_SYS_PTRACE), and everybody may look into his own."""
    _libc.setfsgid(uid)
    _libc.setfsuid(uid)
    try:
        yield
    finally:
        _libc.setfsuid(os.geteuid())
        _libc.setfsgid(os.getegid())


def _share(pid: int, resident: int) -> int:
    """The memory of a process, each shared page divided among those that share it; `resident` where it is not told,
    0 if the process is gone."""
    try:
        for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    except ProcessLookupError:
        return 0
    except OSError:
        return resident if Path(f"/proc/{pid}").exists() else 0
    return 0


def _read(path: str) -> bytes:
    return Path(path).read_bytes()
