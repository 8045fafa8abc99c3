"""Makes a cell without namespaces and sees that nothing of it is left: a trusted program of its own, run by root. Knows
nothing but its orders, see `bare`, and imports nothing of ours.

    python -I -S launcher.py ORDERS    a cell; it speaks like bubblewrap on the status descriptor
    python -I -S launcher.py ROOMS     ends what launchers have left that were killed

Its standard input is the bot's gate. When the other end of that is closed, it ends the cell: who wants it ended
closes it, and so does who dies. A slot's user id has one launcher at a time, which holds its lock.
"""

import ctypes
import fcntl
import json
import os
import resource
import select
import shutil
import signal
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

TYPE_CHECKING = False  # the import of typing itself takes as long as half of what Python needs to start
if TYPE_CHECKING:
    from typing import Any

LEAST_ABI = 6
"""Of Landlock, the first that keeps signals and abstract sockets within the cell: Linux 6.12."""

_libc = ctypes.CDLL(None, use_errno=True)
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_EVERY_FILE_ACCESS = (1 << 16) - 1
_TCP = 3
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2
_SET_PDEATHSIG, _SET_SECCOMP, _SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVS = 1, 22, 36, 38
_FILTER = 2

Orders = Mapping[str, "Any"]


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("place", ctypes.c_int32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def landlock_abi() -> int:
    """The version of Landlock here; 0 if there is none."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))))


def refusal(abi: int) -> str:
    """Why Landlock of that version is not enough, in words; empty if it is."""
    if abi >= LEAST_ABI:
        return ""
    return f"Landlock has version {abi} here and must have {LEAST_ABI}, as Linux 6.12 and newer ones have"


def main(orders: Orders) -> int:
    """The exit code of a bot, when nothing of its cell is left."""
    woken, wakes = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    # Whoever started us may be a process of which another one, forked from it, holds the gate open as well.
    _checked(_libc.prctl(_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0), "parent-death signal")
    _checked(_libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "subreaper")
    _tell(orders, "child-pid", os.getpid())
    room, uid = Path(orders["room"]), orders["uid"]
    _make(room.parent)
    _lock(room, wait=True)
    if room.exists():
        _clear(room, uid)
    # From here on we and what we start can signal each other only: no stranger with the slot's user id is killed.
    _restrict(_ruleset(_Ruleset(scoped=_SIGNALS)))
    try:
        _furnish(orders, room)
        first = _start(orders)
        code = _live(first, woken, uid)
    finally:
        _bury(uid)
        shutil.rmtree(room, ignore_errors=True)
    _tell(orders, "exit-code", code)
    return code


def end_left(rooms: Path) -> None:
    """Ends what is left in rooms whose launcher was killed."""
    _make(rooms)
    for room in [place for place in rooms.iterdir() if place.is_dir()]:
        if _lock(room, wait=False):
            _clear(room, int(room.name))


def _make(rooms: Path) -> None:
    """The folder of the rooms. Others may pass it, and nobody but us put anything there."""
    rooms.mkdir(mode=0o711, exist_ok=True)
    found = rooms.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"{rooms} belongs to somebody else; remove it.")
    rooms.chmod(0o711)


def _lock(room: Path, *, wait: bool) -> bool:
    """Whether we hold the lock of the room's user id now, and until we end."""
    descriptor = os.open(f"{room}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(descriptor)
        return False
    os.utime(descriptor)  # young: what cleans folders for temporary files removes what nobody has touched for days
    return True


def _clear(room: Path, uid: int) -> None:
    """Nothing of a launcher that was killed is left after this."""
    while True:
        os.waitpid(_kill(uid), 0)
        if not any(_lives(entry, uid) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
            break
        time.sleep(0.005)
    shutil.rmtree(room, ignore_errors=True)


def _lives(process: Path, uid: int) -> bool:
    try:
        status = (process / "status").read_text()
    except OSError:
        return False
    return f"\nUid:\t{uid}\t" in status and "\nState:\tZ" not in status


def _furnish(orders: Orders, room: Path) -> None:
    os.umask(0o022)
    uid = orders["uid"]
    room.mkdir(mode=0o750)
    os.chown(room, 0, uid)
    for target, source in orders["copies"].items():
        shutil.copytree(source, target, symlinks=True)
    for target, source in orders["names"].items():
        Path(target).mkdir(parents=True)
        for entry in Path(source).iterdir():
            (Path(target) / entry.name).hardlink_to(entry)
    for target, source in orders["links"].items():
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(target).symlink_to(source)


def _start(orders: Orders) -> int:
    """The bot's first process, which waits at the gate."""
    program = os.pread(orders["filter"], 1 << 20, 0)
    us = os.getpid()
    first = os.fork()
    if first == 0:
        try:
            _confine(orders, program, us)
            os.execv(orders["argv"][0], orders["argv"])  # noqa: S606 - a shell is what it starts
        except BaseException as error:
            os.write(2, f"{error}\n".encode())
        finally:
            os._exit(126)
    return first


def _confine(orders: Orders, program: bytes, starter: int) -> None:
    """Gives up everything. What is opened is opened before, as root."""
    for descriptor in (orders["filter"], orders["status"]):
        os.set_inheritable(descriptor, False)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    os.setsid()
    os.chdir(orders["folder"])
    rules = _rules(orders)
    uid = orders["uid"]
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    for place in orders["needed"]:
        if not os.access(place, os.R_OK):
            raise PermissionError(
                f"user id {uid} cannot read {place}: bots here need a Python and libraries that every user may read, "
                f"such as below /usr or /opt"
            )
    _checked(_libc.prctl(_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "parent-death signal")
    if os.getppid() != starter:
        raise ProcessLookupError("the launcher is gone")
    _restrict(rules)
    for name, value in orders["limits"].items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (value, value))
    rules_of_calls = _Program(len(program) // 8, program)
    _checked(_libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(rules_of_calls), 0, 0), "the system call filter")


def _rules(orders: Orders) -> int:
    """Landlock's rules: nothing but the places of the orders can be opened, and nothing be written but devices.

    What is hidden is left out of what lies around it; its names can be seen, as no rule is for one folder without what
    is below it."""
    rules = _ruleset(_Ruleset(_EVERY_FILE_ACCESS, _TCP, _ABSTRACT_SOCKETS | _SIGNALS))
    hidden = {os.path.realpath(place) for place in orders["hidden"]}
    around = {str(above) for place in hidden for above in Path(place).parents}
    for place in orders["reads"]:
        for part, access in _without(os.path.realpath(place), hidden, around):
            _allow(rules, part, access)
    for place in orders["devices"]:
        _allow(rules, place, _READ_FILE | _WRITE_FILE)
    return rules


def _ruleset(handled: _Ruleset) -> int:
    if refused := refusal(landlock_abi()):
        raise OSError(refused)
    rules = int(_libc.syscall(_CREATE_RULESET, ctypes.byref(handled), ctypes.sizeof(handled), 0))
    _checked(rules, "Landlock")
    return rules


def _restrict(rules: int) -> None:
    """Puts this process, and what it starts from now on, under the rules, for good."""
    _checked(_libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    _checked(_libc.syscall(_RESTRICT_SELF, rules, 0), "Landlock")
    os.close(rules)


def _without(place: str, hidden: set[str], around: set[str]) -> Iterator[tuple[str, int]]:
    """What may be done with which parts of a place."""
    if place in hidden:
        return
    if place not in around:
        yield place, _EXECUTE | _READ_FILE | _READ_DIR
        return
    yield place, _READ_DIR
    with os.scandir(place) as parts:
        for part in parts:
            if not part.is_symlink():
                yield from _without(part.path, hidden, around)


def _allow(rules: int, place: str, access: int) -> None:
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= ~_READ_DIR
        rule = _Beneath(access, descriptor)
        _checked(_libc.syscall(_ADD_RULE, rules, _BENEATH, ctypes.byref(rule), 0), f"Landlock for {place}")
    finally:
        os.close(descriptor)


def _live(first: int, woken: int, uid: int) -> int:
    """The exit code of the first process. Whatever else ends meanwhile is buried: the dead count as processes, too."""
    poll = select.poll()
    poll.register(0, select.POLLRDHUP)
    poll.register(woken, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == 0:
                poll.unregister(0)
                _kill(uid)
            elif signal.SIGTERM in os.read(woken, 1 << 16):
                _kill(uid)
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == first:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code


def _bury(uid: int) -> None:
    """Ends what the first process has left."""
    while True:
        _kill(uid)
        try:
            while True:
                os.wait()
        except ChildProcessError:
            return


def _kill(uid: int) -> int:
    """Kills everything of the user id at once, so that nobody can fork meanwhile. What comes back is a child that
    has it and does so: root would kill everybody."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    return child


def _tell(orders: Orders, name: str, value: int) -> None:
    os.write(orders["status"], f'{{"{name}": {value}}}\n'.encode())


def _checked(result: int, what: str) -> None:
    if result < 0:
        raise OSError(f"{what}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    try:
        if sys.argv[1].startswith("{"):
            sys.exit(main(json.loads(sys.argv[1])))
        end_left(Path(sys.argv[1]))
    except OSError as error:
        sys.exit(f"launcher: {error}")
