"""What a cell is: limits and places as values, and the command line of bubblewrap that makes them true. Pure.

Inside a cell there are `/usr` and the libraries, the Pythons that the caller binds, the bot at `/bot`, its seat at
`/run/arena`, all read-only, and a small private `/tmp`. There is no network, no home, no other process, no other bot.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path, PurePosixPath

BOT = "/bot"
SEAT = "/run/arena"
FIRST_SLOT_UID = 61_000
TRIAL_SLOT = -1
"""The slot of what is started to see whether it can be."""

Bind = tuple[str, str]
"""A read-only place: the path on the host, the path in the cell."""

ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",  # noqa: S108 - private to the cell
    "LANG": "C.UTF-8",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""What every bot's environment begins with; nothing of the caller's own environment is ever added."""

GATE = 'echo ready >&0 2>/dev/null; read go || exit 125; exec "$@" </dev/null'
"""What runs first in a cell: it says that it is ready, and starts the bot when it is told to."""

FOLDERS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")
FILES = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf")
"""What a cell has of the system besides /usr, as far as the host has it."""

_MIB = 1 << 20


class Tier(Enum):
    """How a cell is closed, strongest first."""

    ROOT = "root"
    """Started by root without a user namespace; each slot has a user id of its own."""
    USERNS = "userns"
    """Started by anybody in a user namespace; all slots have the user id of the one who started them."""
    USERNS_BARE = "userns-bare"
    """As USERNS, without /proc, for containers whose own /proc is masked."""
    NONS = "nons"
    """Started by root without any namespace, for containers that allow none; see `bare`. Each slot has a user id of
    its own, and there is no folder that the bot can write."""

    def is_at_least(self, other: "Tier") -> bool:
        """Whether this tier closes a cell as well as the other does."""
        tiers = list(Tier)
        return tiers.index(self) <= tiers.index(other)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one cell may use. Memory, processor time, processes and files are those of its whole tree."""

    memory_mib: int = 512
    processes: int = 64
    """Threads count. A Python bot that speaks gRPC has nine."""
    descriptors: int = 256
    tmp_mib: int = 32
    """For /tmp and for /dev/shm each."""
    tmp_files: int = 4_096
    file_mib: int = 16
    output_mib: int = 16
    """More output than this ends the cell."""
    kept_kib: int = 256
    """Of the output, half from the beginning and half from the end."""
    cpu_s: float = 600.0


@dataclass(frozen=True, slots=True)
class Box:
    """A cell before it is started."""

    folder: Path
    """The bot's folder on the host; readable by everybody, since the slot's user id must read it."""
    argv: tuple[str, ...]
    """The command, with paths as they are inside the cell; it runs in the bot's folder."""
    seat: Path | None = None
    """The folder that holds the seat's socket, see `runner.lend`."""
    slot: int = 0
    """Which of the host's slots, 0 or more; two live cells never share one."""
    limits: Limits = field(default_factory=Limits)
    binds: tuple[Bind, ...] = ()
    """Further read-only places, such as `interpreter.python_binds()` and the folders that PYTHONPATH names."""
    hidden: tuple[str, ...] = ()
    """Folders of the host that are empty in the cell, if what lies around them can be seen there at all."""


def slot_uid(tier: Tier, slot: int, own_uid: int) -> int:
    """The user id, as the host sees it, of whatever runs in the slot; the seat's socket must be its to connect to."""
    return FIRST_SLOT_UID + slot if tier in {Tier.ROOT, Tier.NONS} else own_uid


def resources(limits: Limits) -> dict[str, int]:
    """The kernel's limits for each process of a cell, by their names after RLIMIT_, in small letters."""
    return {
        "nproc": limits.processes,
        "nofile": limits.descriptors,
        "fsize": limits.file_mib * _MIB,
        "data": limits.memory_mib * _MIB,  # not as: Node and gRPC reserve far more than they use
        "cpu": int(limits.cpu_s) + 1,
        "core": 0,
        "memlock": 65536,
        "msgqueue": 0,
        "sigpending": 1024,
    }


def bwrap_argv(box: Box, tier: Tier, bwrap: str, *, filter_fd: int, status_fd: int) -> list[str]:
    """The command line that starts the box as a cell.

    bwrap reads the system call filter from one descriptor and writes its status (lines of JSON) to the other. The
    standard input, best a socket, is the bot's gate: it says `ready` there, and starts the bot when it reads a line.
    The order matters: a later mount hides an earlier one, so the tmpfs come before the binds.
    """
    places = [*box.binds, (str(box.folder), BOT)]
    if box.seat is not None:
        places.append((str(box.seat), SEAT))
    return [
        bwrap,
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
        *_identity(tier),
        *("--hostname", "cell", "--die-with-parent", "--new-session"),
        *("--json-status-fd", str(status_fd), "--seccomp", str(filter_fd)),
        *_system(),
        *(() if tier is Tier.USERNS_BARE else ("--proc", "/proc")),
        *("--dev", "/dev", *_tmpfs("/dev/shm", box.limits), "--remount-ro", "/dev"),  # noqa: S108 - private to the cell
        *_tmpfs("/tmp", box.limits),  # noqa: S108 - private to the cell
        *_mounts(places),
        *_hidden(box.hidden, {"/usr", *(source for source, target in box.binds if source == target)}),
        *("--remount-ro", "/", "--chdir", BOT, "--"),
        *_inside(tier, box.limits, box.slot),
        *box.argv,
    ]


def _identity(tier: Tier) -> Sequence[str]:
    if tier is Tier.ROOT:
        # No user namespace: root inside one is still root to every bound file and to RLIMIT_NPROC. setpriv, inside,
        # takes the slot's user id and gives up these three capabilities.
        return ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP")
    return ("--unshare-user", "--uid", "1000", "--gid", "1000")


def _system() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for place in FOLDERS:
        yield from ("--ro-bind-try", place, place)
    for folder in ("/etc", "/etc/ssl", "/run"):
        yield from _folder(folder)  # bwrap would make missing ones 0700, closed to the slot's user id
    for place in FILES:
        yield from ("--ro-bind-try", place, place)


def _folder(path: str) -> Sequence[str]:
    return ("--perms", "0755", "--dir", path)


def _tmpfs(path: str, limits: Limits) -> Sequence[str]:
    return ("--perms", "1777", "--size", str(limits.tmp_mib * _MIB), "--tmpfs", path)


def _mounts(places: Iterable[Bind]) -> Iterator[str]:
    made = {"/", "/etc", "/run", "/tmp", "/dev"}  # noqa: S108 - private to the cell
    for source, target in sorted(places, key=lambda place: place[1]):
        parents = [str(parent) for parent in reversed(PurePosixPath(target).parents)]
        if "/usr" in (target, *parents):
            continue
        for parent in parents:
            if parent not in made:
                made.add(parent)
                yield from _folder(parent)
        made.add(target)
        yield from ("--ro-bind", source, target)


def _hidden(folders: Iterable[str], seen: set[str]) -> Iterator[str]:
    for folder in folders:
        if not seen.isdisjoint((folder, *map(str, PurePosixPath(folder).parents))):
            yield from ("--size", "4096", "--tmpfs", folder, "--remount-ro", folder)


def _inside(tier: Tier, limits: Limits, slot: int) -> Iterator[str]:
    """The programs that run before the bot: a gate, then the limits, set where only the bot's own processes count.

    The gate says `ready` when bwrap has tied the cell's life to its starter's, and waits for a line. It ends the cell
    when none comes, because the starter died in the meantime: then nothing else would end it.
    """
    yield from ("/bin/sh", "-c", GATE, "gate")
    yield "/usr/bin/prlimit"
    yield from (f"--{name}={value}" for name, value in resources(limits).items())
    yield "--"
    if tier is Tier.ROOT:
        uid = str(FIRST_SLOT_UID + slot)
        yield from ("/usr/bin/setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", "--no-new-privs")
        yield from ("--inh-caps=-all", "--bounding-set=-all", "--")
