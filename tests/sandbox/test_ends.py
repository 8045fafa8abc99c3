"""Every end of a cell is one line with its number, told by real cells in the tier of whoever runs the tests."""

import re

import pytest

from sandbox.box import Limits
from tests.sandbox.attacks import SMALL
from tests.sandbox.attacks.memory import MEMORY_HOGS
from tests.sandbox.attacks.scene import Scene

ENDS = {
    "memory of all its processes": (
        MEMORY_HOGS,
        SMALL,
        r"was killed: it used (?!160)\d{3} MiB of memory(?: and asked for more)?; the limit is 160 MiB",
        "",
    ),
    "memory of one process": (
        "bytearray(1 << 30)",
        SMALL,
        "ended by itself with code 1: it got no more memory; the limit is 160 MiB",
        "MemoryError",
    ),
    "memory in words around it": (
        "class _ArrayMemoryError(MemoryError): pass\nraise _ArrayMemoryError('Unable to allocate 8 GiB')",
        SMALL,
        "ended by itself with code 1: it got no more memory; the limit is 160 MiB",
        "_ArrayMemoryError: Unable to allocate 8 GiB",
    ),
    "processor time": (
        "while True: pass",
        Limits(cpu_s=0.2),
        r"was killed: it used (?!0\.[01])\d+\.\d\d s of processor time; the limit is 0.2 s",
        "",
    ),
    "files": (
        "for number in range(9_000): os.mkdir(f'/tmp/{number}')\ntime.sleep(60)",
        SMALL,
        r"was killed: it made \d+ files in /tmp and /dev/shm; the limit is 500",
        "",
    ),
    "sockets": (
        "for _ in range(4): os.fork()\npairs = [socket.socketpair() for _ in range(9)]; time.sleep(60)",
        SMALL,
        r"was killed: it opened \d+ sockets; the limit is 64",
        "",
    ),
    "output": (
        "while True: os.write(1, bytes(1 << 16))",
        Limits(output_mib=1),
        "was killed: it wrote 2 MiB of output; the limit is 1 MiB",
        "",
    ),
    "processes that it is refused": (
        "while True: os.fork() or signal.pause()",
        SMALL,
        "ended by itself with code 1: it got no more processes or threads; the limit is 32",
        "BlockingIOError: [Errno 11] Resource temporarily unavailable",
    ),
    "descriptors that it is refused": (
        "while True: os.dup(0)",
        SMALL,
        "ended by itself with code 1: it got no more descriptors; the limit is 64",
        "OSError: [Errno 24] Too many open files",
    ),
    "a file too large": (
        "open('/tmp/big', 'wb').truncate(5 << 20)",
        SMALL,
        "ended by itself with code 1: a file of it grew too large; the limit is 4 MiB",
        "OSError: [Errno 27] File too large",
    ),
    "a full disk": (
        "for name in range(9): open(f'/tmp/{name}', 'wb').write(bytes(1 << 20))",
        SMALL,
        "ended by itself with code 1: its /tmp or /dev/shm was full; the limit is 8 MiB each",
        "OSError: [Errno 28] No space left on device",
    ),
    "a fault of its own": (
        "os.kill(os.getpid(), signal.SIGSEGV)",
        SMALL,
        "ended by signal 11 (SIGSEGV)",
        "",
    ),
    "a signal for a file too large": (
        "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\nopen('/tmp/big', 'wb').truncate(5 << 20)",
        SMALL,
        "ended by signal 25 (SIGXFSZ): a file of it grew too large; the limit is 4 MiB",
        "",
    ),
    "killed by nobody of ours": (
        "os.kill(os.getpid(), signal.SIGKILL)",
        SMALL,
        "ended by signal 9 (SIGKILL): not by the arena: it killed itself, or the host had no memory left",
        "",
    ),
    "a module that is not there": (
        "import torch",
        SMALL,
        "ended by itself with code 1",
        "ModuleNotFoundError: No module named 'torch'",
    ),
    "a code": ("print('bye'); sys.exit(7)", SMALL, "ended by itself with code 7", "bye"),
    "success": ("print('all is well: MemoryError')", SMALL, "ended by itself with code 0", ""),
    "deafness": ("time.sleep(60)", SMALL, "was stopped: it still ran 400 ms after its work was over", ""),
}


@pytest.mark.parametrize("name", ENDS)
def test_an_end_is_one_line_with_its_number(scene: Scene, name: str) -> None:
    code, limits, reason, last_line = ENDS[name]
    ended, left = scene.run(code, limits, grace_ms=400 if name == "deafness" else 5_000)
    pattern = reason if "\\d" in reason else re.escape(reason)
    assert re.fullmatch(pattern, ended.reason), ended
    if ended.code or ended.signal:
        assert ended.last_line == last_line
    assert not left


def test_nothing_that_the_bot_wrote_is_in_the_reason(scene: Scene) -> None:
    ended, _ = scene.run("sys.exit('my hand is AS KS')")
    assert ended.reason == "ended by itself with code 1"
    assert ended.last_line == "my hand is AS KS"
