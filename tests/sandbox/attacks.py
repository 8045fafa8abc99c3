"""What a hostile bot tries, as data: a program, and what must be seen of it from outside.

The standard library and the sandbox are enough to run them, so that another user and another Python can, too:
`python -m tests.sandbox.attacks FOLDER` runs all in its own name and prints one line of JSON for each.
"""

import json
import os
import re
import secrets
import socket
import sys
import tempfile
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.box import Box, Limits
from sandbox.host import Host, detect
from sandbox.interpreter import packages, python_argv, python_binds
from sandbox.runner import Exit, lend, start
from sandbox.seccomp import MISSING, NOT_PERMITTED
from sandbox.syscalls import NUMBERS

MACHINE = os.uname().machine
SMALL = Limits(
    memory_mib=160,
    processes=32,
    descriptors=64,
    tmp_mib=8,
    tmp_files=500,
    file_mib=4,
    output_mib=2,
    kept_kib=32,
    cpu_s=20,
)


@dataclass(frozen=True, slots=True)
class Attack:
    """`says` must be found in the output and `reason` in how it ended; `never` must not be found in the output."""

    name: str
    code: str
    says: str = ""
    reason: str = "ended by itself with code 0"
    never: str = "REACHED"
    limits: Limits = SMALL
    grace_ms: int = 5_000
    machines: frozenset[str] = field(default_factory=lambda: frozenset(NUMBERS))


HEAD = """
import ctypes, errno, json, mmap, os, signal, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
numbers = json.loads(os.environ["NUMBERS"])
def call(name, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(numbers[name] if isinstance(name, str) else name, *arguments)
    return "REACHED" if result >= 0 else errno.errorcode[ctypes.get_errno()]
def attempt(what, *arguments):
    try:
        return ["REACHED", what(*arguments)]
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))
    except MemoryError:
        return "ENOMEM"
"""

FOREIGN_FILES = """
for path in ("/etc/shadow", "/etc/passwd", "/home", "/var", "/srv", "/root/.ssh", "/proc/kcore", "/dev/mem", "/dev/vda",
             "/dev/kmsg", "/sys", os.environ["VICTIM_FILE"], os.path.dirname(os.environ["VICTIM_FILE"]),
             f"/proc/{os.environ['VICTIM_PID']}/environ"):
    print(path, attempt(os.open, path, os.O_RDONLY))
print(os.listdir("/run/arena"), os.listdir("/run"))
"""

WRITING = """
for folder in ("/", "/bot", "/run/arena", "/run", "/usr", "/usr/bin", "/dev", "/etc", "/proc", "/proc/sys/kernel",
               sys.prefix, *{os.path.dirname(place) for place in (sys.executable, *sys.path) if place.startswith("/")}):
    print(folder, attempt(os.open, folder + "/x", os.O_WRONLY | os.O_CREAT), attempt(os.mkdir, folder + "/y"))
for path in ("/bot/main.py", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger", sys.executable):
    print(path, attempt(os.open, path, os.O_WRONLY), attempt(os.chmod, path, 0o777), attempt(os.unlink, path))
print(attempt(os.link, "/bot/main.py", "/tmp/hard"), attempt(os.mknod, "/tmp/device", 0o20666, os.makedev(1, 1)))
print(attempt(os.rename, "/bot/main.py", "/tmp/main.py"), "end")
"""

MEMORY_HOGS = """
for _ in range(4):
    if os.fork() == 0:
        hoard = bytearray(60 << 20)
        for place in range(0, len(hoard), 4096): hoard[place] = 1
        time.sleep(60)
time.sleep(60)
"""

ATTACKS = [
    Attack("fork bomb", """
        children = 0
        while True:
            try:
                if os.fork() == 0:
                    signal.pause()
                children += 1
            except OSError as error:
                print("held" if children < 32 else "REACHED", children, error)
                break
        """, says="held"),
    Attack("thread bomb", """
        import threading
        threading.stack_size(65536)
        begun = 0
        try:
            while True:
                threading.Thread(target=signal.pause, daemon=True).start()
                begun += 1
        except RuntimeError as error:
            print("held" if begun < 32 else "REACHED", begun, error, flush=True)
            os._exit(0)
        """, says="held"),
    Attack("memory by one process", """
        hoard = []
        while True:
            hoard.append(bytearray(b"x") * (4 << 20))
        """, says="MemoryError", reason="code 1: it got no more memory; the limit is 160 MiB|MiB of memory"),
    Attack("memory by many processes", MEMORY_HOGS, reason=r"used \d{3} MiB of memory.*; the limit is 160 MiB"),
    Attack("memory in a shared mapping", """
        hoard = mmap.mmap(-1, 600 << 20)
        for place in range(0, len(hoard), 4096): hoard[place] = 1
        print("REACHED")
        """, reason=r"used \d{3} MiB of memory.*; the limit is 160 MiB"),
    Attack("memory in a shared mapping that many share counts once", """
        shared = mmap.mmap(-1, 60 << 20)
        for place in range(0, len(shared), 4096): shared[place] = 1
        for _ in range(4):
            if os.fork() == 0:
                for place in range(0, len(shared), 4096): shared[place] = 2
                time.sleep(0.3)
                os._exit(0)
        for _ in range(4): os.wait()
        print("done")
        """, says="done"),
    Attack("memory that belongs to no process", """
        print(call("memfd_create", b"x", 0), call("shmget", 0, 1 << 20, 0o1600), call("mq_open", b"x", 0o102, 0o600, 0))
        print(call("semget", 0, 1, 0o1600), call("msgget", 0, 0o1600))
        """, says=r"ENOSYS EPERM EPERM\nEPERM EPERM"),
    Attack("memory in pipes", """
        import fcntl
        filled, pipes = 0, []
        try:
            while True:
                pipes.append(os.pipe())
                attempt(fcntl.fcntl, pipes[-1][1], 1031, 1 << 20)
                os.set_blocking(pipes[-1][1], False)
                try:
                    while True: filled += os.write(pipes[-1][1], bytes(1 << 16))
                except BlockingIOError: pass
        except OSError as error:
            print("held" if filled <= 32 << 20 else "REACHED", filled, error)
        """, says="held.*Too many open files"),
    Attack("one big file", """
        with open("/tmp/big", "wb", buffering=0) as file:
            written = 0
            try:
                while True: written += file.write(bytes(1 << 16))
            except OSError as error: print(errno.errorcode[error.errno], written)
        """, says="EFBIG 4194304"),
    Attack("a full disk", """
        for place in ("/tmp", "/dev/shm"):
            written = 0
            try:
                for number in range(100):
                    with open(f"{place}/{number}", "wb", buffering=0) as file: written += file.write(bytes(1 << 20))
            except OSError as error: print(errno.errorcode[error.errno], "REACHED" if written > 8 << 20 else "held")
        """, says=r"ENOSPC held\nENOSPC held"),
    Attack("countless files", """
        for number in range(300_000): os.mkdir(f"/tmp/{number}")
        print("REACHED")
        """, reason=r"made \d+ files in /tmp and /dev/shm; the limit is 500"),
    Attack("countless descriptors", """
        opened = 0
        try:
            while True: os.dup(0); opened += 1
        except OSError as error: print(errno.errorcode[error.errno], "held" if opened < 64 else "REACHED")
        """, says="EMFILE held"),
    Attack("others' files", FOREIGN_FILES, says=r"\['seat.sock'\] \['arena'\]"),
    Attack("others' environment", """
        needle = b"hush-" + b"hush"
        for pid in filter(str.isdigit, os.listdir("/proc") if os.path.exists("/proc/self") else []):
            for name in ("environ", "cmdline", "maps"):
                try: found = needle in open(f"/proc/{pid}/{name}", "rb").read()
                except OSError: found = False
                if found: print("REACHED", pid, name)
        print(sorted(os.environ))
        """, says=r"\['HOME', 'LANG', 'NUMBERS', 'PATH', 'PWD', 'PYTHON\w+', 'PYTHON\w+', 'REFUSED', 'VICTIM_FILE'"),
    Attack("others' processes", """
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()] if os.path.exists("/proc/self") else [1]
        print("held" if len(pids) <= 4 and max(pids) < 10 else "REACHED", pids)
        print(attempt(os.kill, int(os.environ["VICTIM_PID"]), 0))
        """, says="held"),
    Attack("inherited descriptors", """
        found = []
        for number in range(64):
            try: os.fstat(number); found.append(number)
            except OSError: pass
        print(found)
        """, says=r"\[0, 1, 2\]"),
    Attack("killing everything", """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for pid in (1, os.getppid(), -1, int(os.environ["VICTIM_PID"])): attempt(os.kill, pid, signal.SIGTERM)
        for pid in (1, os.getppid(), int(os.environ["VICTIM_PID"])): attempt(os.kill, pid, signal.SIGKILL)
        print("alive")
        """, says="alive"),
    Attack("networks", """
        for family in range(48):
            for kind in (1, 2, 3, 5):
                said = call("socket", family, kind, 0)
                if family != 1 and said != "EAFNOSUPPORT": print("REACHED", family, kind, said)
        names = open("/proc/net/dev").read() if os.path.exists("/proc/net/dev") else "lo: eth0 gone"
        print(sorted(line.split(":")[0].strip() for line in names.splitlines()[2:] or ["lo"]))
        """, says=r"\['lo'\]"),
    Attack("abstract sockets", """
        print(attempt(socket.socket(socket.AF_UNIX).connect, "\\0" + os.environ["VICTIM_NAME"]))
        """, says="ECONNREFUSED"),
    Attack("the other seat's socket", """
        print(attempt(socket.socket(socket.AF_UNIX).connect, os.environ["VICTIM_SOCKET"]))
        """, says="ENOENT"),
    Attack("every call of the refused lists", """
        for name in json.loads(os.environ["REFUSED"]):
            said = call(name, 0, 0, 0, 0, 0, 0)
            if said not in ("EPERM", "ENOSYS"): print("REACHED", name, said)
        print(call("sched_setaffinity", 0, 8, b"\\1" + bytes(7)), call("personality", 0x40000), call(471, 0, 0, 0))
        """, says="EPERM EPERM ENOSYS"),
    Attack("new namespaces by every door", """
        print([call("clone", flag | 17, 0, 0, 0, 0) for flag in (0x20000, 0x10000000, 0x20000000, 0x40000000)])
        print(call("unshare", 0x10000000), call("unshare", 0x20000), call("clone3", bytes(88), 88), call("setns", 0, 0))
        print(call("mount", b"/tmp", b"/bot", b"", 4096, 0), call("umount2", b"/bot", 2), call("chroot", b"/tmp"))
        """, says=r"\['EPERM', 'EPERM', 'EPERM', 'EPERM'\]\nEPERM EPERM ENOSYS EPERM\nEPERM EPERM EPERM"),
    Attack("tracing", """
        parent = os.getppid()
        print(call("ptrace", 16, parent, 0, 0), call("ptrace", 0, 0, 0, 0))
        print(call("process_vm_readv", parent, 0, 0, 0, 0, 0))
        print(call("pidfd_getfd", 0, 0, 0), call("kcmp", parent, 1, 0, 0, 0))
        """, says=r"EPERM EPERM\nEPERM\nEPERM EPERM"),
    Attack("becoming somebody", """
        print(attempt(os.setuid, 0), attempt(os.setgroups, [0]), attempt(os.setresuid, 0, 0, 0), attempt(os.nice, -5))
        if os.path.exists("/proc/self"):
            status = dict(line.split(":", 1) for line in open("/proc/self/status"))
            print({status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")})
            print("new privileges:", status["NoNewPrivs"].strip())
            print("first to go:", open("/proc/self/oom_score_adj").read().strip())
            print(attempt(os.write, os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"-500"))
        else: print("no /proc")
        """, says=r"E\w+ E\w+ E\w+ E\w+\n(\{'0{16}'\}\nnew privileges: 1\nfirst to go: 1000\nEACCES|no /proc)"),
    Attack("signals through a file that all cells read", """
        import fcntl
        file = open("/usr/bin/env", "rb")
        print(attempt(fcntl.flock, file, fcntl.LOCK_EX | fcntl.LOCK_NB),
              attempt(fcntl.lockf, file, fcntl.LOCK_SH | fcntl.LOCK_NB),
              *(attempt(fcntl.fcntl, file, command, bytes(32)) for command in (5, 36, 37)),
              *(attempt(fcntl.fcntl, file, command, 0) for command in (1024, 1025)),
              attempt(fcntl.fcntl, os.open("/usr", os.O_RDONLY), 1026, 0x21), call("inotify_init1", 0))
        """, says="(EPERM ?){9}"),
    Attack("typing into a terminal", """
        import fcntl
        print([attempt(fcntl.ioctl, number, 0x5412, b"x") for number in (0, 1, 2)])
        print(attempt(os.open, "/dev/tty", os.O_RDWR))
        main, other = os.openpty()
        print(attempt(fcntl.ioctl, other, 0x5412, b"x"), attempt(fcntl.ioctl, other, 0x541C, b"x"))
        """, says=r"\['EPERM', 'EPERM', 'EPERM'\]\nE\w+\nEPERM EPERM"),
    Attack("calls of 32-bit programs", """
        code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3]))  # mov eax, getpid; int 0x80; ret
        address = ctypes.addressof(ctypes.c_char.from_buffer(code))
        print("REACHED", ctypes.CFUNCTYPE(ctypes.c_int)(address)())
        """, reason="signal 31 .SIGSYS", machines=frozenset({"x86_64"})),
    Attack("calls of x32 programs", """
        print("REACHED", call(0x40000000 | numbers["getpid"]))
        """, reason="signal 31 .SIGSYS", machines=frozenset({"x86_64"})),
    Attack("a flood of output", """
        while True: os.write(1, b"flood" * 10_000)
        """, says="flood", reason="wrote 3 MiB of output; the limit is 2 MiB"),
    Attack("ignoring signals", """
        for number in range(1, 65):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        print("deaf", flush=True)
        time.sleep(60)
        """, says="deaf", reason="stopped: it still ran 400 ms after", grace_ms=400),
    Attack("daemons", """
        for _ in range(5):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.closerange(0, 64)
                    signal.signal(signal.SIGHUP, signal.SIG_IGN)
                    time.sleep(60)
                os._exit(0)
        print("left five behind")
        """, says="left five behind"),
    Attack("daemons that hold the output open", """
        if os.fork() == 0:
            time.sleep(60)
        print("left one behind")
        """, says="left one behind"),
    Attack("busy processors", """
        for _ in range(3): os.fork()
        while True: pass
        """, reason=r"used 0\.[5-9]\d s of processor time; the limit is 0.5 s", limits=Limits(cpu_s=0.5)),
    Attack("busy processors by children that nobody waits for", """
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            if os.fork() == 0:
                until = time.monotonic() + 0.15
                while time.monotonic() < until: pass
                os._exit(0)
            time.sleep(0.1)
        """, reason=r"used 0\.[5-9]\d s of processor time; the limit is 0.5 s", limits=Limits(cpu_s=0.5)),
    Attack("writing anywhere", WRITING, says="end"),
    Attack("leaving a note for the next bot", """
        for place in ("/tmp", "/dev/shm"):
            # Python itself is bound in where it is, and that may be below /tmp.
            print([name for name in os.listdir(place) if not sys.prefix.startswith(f"{place}/{name}/")])
            open(place + "/note", "w").write("REACHED")
        """, says=r"\[\]\n\[\]"),
    Attack("finding the last bot's note", """
        print([[name for name in os.listdir(place) if not sys.prefix.startswith(f"{place}/{name}/")]
               for place in ("/tmp", "/dev/shm")], attempt(open, "/tmp/note"))
        """, says=r"\[\[\], \[\]\] ENOENT"),
]  # fmt: skip

BY_NAME = {attack.name: attack for attack in ATTACKS}


@dataclass(frozen=True, slots=True)
class Scene:
    """What stands around the cells: a folder with a bot and a seat, a secret, and sockets that are not the bot's."""

    host: Host
    folder: Path

    def environment(self) -> Mapping[str, str]:
        return {
            "NUMBERS": json.dumps(NUMBERS[MACHINE]),
            "REFUSED": json.dumps(
                [
                    name
                    for table in (NOT_PERMITTED, MISSING)
                    for names in table.values()
                    for name in names.split()
                    if name in NUMBERS[MACHINE]
                ]
            ),
            "VICTIM_FILE": str(self.folder / "other" / "secret.txt"),
            "VICTIM_SOCKET": str(self.folder / "other" / "seat.sock"),
            "VICTIM_NAME": self.folder.name,
            "VICTIM_PID": str(os.getpid()),
        }

    def run(self, code: str, limits: Limits = SMALL, grace_ms: int = 5_000, slot: int = 0) -> tuple[Exit, list[int]]:
        """How the program ended in a cell, and which of its processes were left on the host (none, one hopes)."""
        mark = f"mark-{secrets.token_hex(8)}"
        box = Box(
            self.folder / "bot",
            python_argv("-c", HEAD + textwrap.dedent(code), mark),
            seat=self.folder / "seat",
            slot=slot,
            limits=limits,
            binds=python_binds(),
            hidden=packages(),
        )
        ended = start(box, self.host, self.environment()).stop(grace_ms)
        return ended, marked(mark)


def set_up(folder: Path, host: Host) -> tuple[Scene, list[socket.socket]]:
    """The scene in an empty folder, with the sockets that stay open as long as somebody holds them."""
    folder.chmod(0o755)
    for name in ("bot", "seat", "other"):
        (folder / name).mkdir(mode=0o755)
    (folder / "bot" / "main.py").write_text("print('REACHED')\n")
    (folder / "other" / "secret.txt").write_text("REACHED")
    sockets = [socket.socket(socket.AF_UNIX) for _ in range(3)]
    sockets[0].bind(str(folder / "seat" / "seat.sock"))
    sockets[1].bind(str(folder / "other" / "seat.sock"))
    sockets[2].bind(f"\0{folder.name}")
    for each in sockets:
        each.listen()
    lend(folder / "seat", host, 0)
    return Scene(host, folder), sockets


def marked(mark: str) -> list[int]:
    """The processes on the host whose command line holds the mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def verdict(attack: Attack, ended: Exit, left: list[int]) -> str:
    """What went wrong, empty if the attack was held."""
    log = ended.log.decode(errors="replace")
    faults = []
    if attack.says and not re.search(attack.says, log, re.DOTALL):
        faults.append(f"it did not say {attack.says!r}")
    if not re.search(attack.reason, ended.reason):
        faults.append(f"it ended otherwise than {attack.reason!r}")
    if re.search(attack.never, log):
        faults.append("it reached what it should not")
    if left:
        faults.append(f"processes {left} are left")
    return f"{'; '.join(faults)}: {ended.reason}\n{log[-3000:]}" if faults else ""


def main(folder: str) -> None:
    os.environ["ARENA_SECRET"] = "hush-" + "hush"
    scene, sockets = set_up(Path(tempfile.mkdtemp(dir=folder)), detect())
    print(json.dumps({"tier": scene.host.tier.value, "uid": os.geteuid()}), flush=True)
    for attack in ATTACKS:
        if MACHINE in attack.machines:
            ended, left = scene.run(attack.code, attack.limits, attack.grace_ms)
            print(json.dumps({"name": attack.name, "fault": verdict(attack, ended, left)}), flush=True)
    for each in sockets:
        each.close()


if __name__ == "__main__":
    main(sys.argv[1])
