"""A bot that never forgets: it leaves traces wherever it can, and looks for those of whoever ran before it.

Beside it lies `settings.json` with the mark that all of its traces bear, a key and the numbers of the system calls. Its
output says `FOUND <way>` of what was there before it, `LEFT <way>` of what it could leave, `AGAIN <way>` of what it
finds afterwards in its own cell. Then it plays.
"""

import ctypes
import fcntl
import json
import mmap
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

HERE = Path(__file__)
SEAT = Path(os.environ.get("ARENA_SOCKET", "").removeprefix("unix:"))
SHARED_FILE = "/usr/bin/env"
PATIENCE_S = 20

settings = json.loads((HERE.parent / "settings.json").read_text()) if __name__ == "__main__" else {}
mark: str = settings.get("mark", "")
key: int = settings.get("key", 0)
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p


def call(name: str, *arguments: object) -> int:
    return int(libc.syscall(settings["numbers"][name], *arguments))


def works(act: Callable[[], object]) -> bool:
    try:
        act()
    except OSError:
        return False
    return True


def folders() -> Iterator[Path]:
    """The root, what is in it, and what is in that; some that there are everywhere, if nobody says what is in it."""
    yield Path("/")
    try:
        tops = list(Path("/").iterdir())
    except OSError:
        tops = [Path(place) for place in ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/home")]
        yield from (HERE.parent, SEAT.parent)
    for first in tops:
        if first.is_dir() and not first.is_symlink() and first.name not in {"proc", "sys"}:
            yield first
            try:
                yield from [second for second in first.iterdir() if second.is_dir() and not second.is_symlink()]
            except OSError:
                continue


def write_everywhere() -> bool:
    return sum(works((folder / mark).touch) for folder in folders()) > 0


def is_anywhere() -> bool:
    return any((folder / mark).exists() for folder in folders() if os.access(folder, os.X_OK))


def bind(address: str) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen()
    return listening


def connects(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as calling:
        return works(lambda: calling.connect(address))


def runs() -> bool:
    return any(mark in line.read_text() for line in Path("/proc").glob("[0-9]*/cmdline"))


def lock() -> object:
    file = os.open(SHARED_FILE, os.O_RDONLY)
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file


def is_locked() -> bool:
    try:
        lock()
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


STAMPED = (SHARED_FILE, str(HERE), str(SEAT), str(SEAT.parent), os.environ.get("PYTHONPATH", ""))


def stamp() -> bool:
    return sum(works(partial(os.utime, path, (12345, 12345))) for path in STAMPED) > 0


def is_stamped() -> bool:
    return any(Path(path).stat().st_mtime == 12345 for path in STAMPED)


def word() -> ctypes.c_void_p:
    """A word of a file that all cells map. Each player has its own: those of one rotation would hear each other."""
    file, size, start = os.open(SHARED_FILE, os.O_RDONLY), ctypes.c_size_t(4096), ctypes.c_long(0)
    place = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_PRIVATE, file, start)
    return ctypes.c_void_p(place + 4 * int(os.environ["ARENA_BOT"][-1]))


def wait() -> None:
    at = word()
    call("futex", at, 0, ctypes.c_uint.from_address(at.value or 0), None, None, 0)


def wakes() -> bool:
    return call("futex", word(), 1, 1, None, None, 0) > 0


def daemon() -> None:
    """Lives on, says in one line which ways it holds open, and waits to be woken for ever."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ways: dict[str, Callable[[], object]] = {
        "program": lambda: None,
        "socket": lambda: bind(f"/tmp/{mark}.sock"),
        "name": lambda: bind(f"\0{mark}"),
        "lock": lock,
    }
    held = {}
    for way, hold in ways.items():
        try:
            held[way] = hold()
        except OSError:
            continue
    print(*held, flush=True)
    wait()
    time.sleep(600)


def living() -> list[str]:
    """The ways that a program holds open which lives on."""
    argv = [sys.executable, "-S", str(HERE), mark]
    child = subprocess.Popen(argv, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert child.stdout is not None
    return child.stdout.readline().decode().split()


LEAVE: dict[str, Callable[[], bool]] = {
    "file": write_everywhere,
    "times": stamp,
    "shared memory": lambda: call("shmget", key, 4096, 0o1666) >= 0,
    "semaphore": lambda: call("semget", key, 1, 0o1666) >= 0,
    "letters": lambda: call("msgget", key, 0o1666) >= 0,
    "queue": lambda: call("mq_open", mark.encode(), 0o102, 0o666, None) >= 0,
    "key": lambda: call("add_key", b"user", mark.encode(), b"x", ctypes.c_size_t(1), -4) >= 0,
    "attribute": lambda: call("setxattr", bytes(HERE), b"user.mark", b"x", ctypes.c_size_t(1), 0) >= 0,
    "host": lambda: call("sethostname", mark.encode(), len(mark)) >= 0,
}

FIND: dict[str, Callable[[], bool]] = {
    "file": is_anywhere,
    "program": runs,
    "socket": lambda: connects(f"/tmp/{mark}.sock"),
    "name": lambda: connects(f"\0{mark}"),
    "lock": is_locked,
    "futex": wakes,
    "times": is_stamped,
    "shared memory": lambda: call("shmget", key, 0, 0) >= 0,
    "semaphore": lambda: call("semget", key, 0, 0) >= 0,
    "letters": lambda: call("msgget", key, 0) >= 0,
    "queue": lambda: call("mq_open", mark.encode(), 0, 0, None) >= 0,
    "key": lambda: call("request_key", b"user", mark.encode(), None, -4) >= 0,
    "attribute": lambda: call("getxattr", bytes(HERE), b"user.mark", None, ctypes.c_size_t(0)) >= 0,
    "host": lambda: os.uname().nodename == mark,
}


def tell(kind: str, ways: Iterator[str]) -> None:
    for way in ways:
        print(f"{kind} <{way}>", flush=True)


def main() -> None:
    from arena.bot import Turn, run

    tell("FOUND", (way for way, found in FIND.items() if found()))
    tell("LEFT", iter(living()))
    tell("LEFT", (way for way, left in LEAVE.items() if left()))
    until = time.monotonic() + PATIENCE_S
    while not (woken := wakes()) and time.monotonic() < until:
        time.sleep(0.01)
    tell("AGAIN", (way for way, found in FIND.items() if (woken if way == "futex" else found())))

    def choose(turn: Turn) -> int:
        return turn.rng.choice(turn.legal)

    run(choose, name="bot", games=["minus_one"], batch=16)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        daemon()
    else:
        main()
