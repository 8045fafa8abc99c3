"""What holds each limit of a cell on this host, found by breaking it there, and what would hold more. Knows no bot."""

import itertools
import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.box import Box, Limits, Tier
from sandbox.cgroup import controllers
from sandbox.ends import Exit
from sandbox.host import Host, Trial
from sandbox.interpreter import packages, python_argv, python_binds
from sandbox.runner import CellError, start

_LIMITS = Limits(memory_mib=80, processes=24, tmp_mib=2, file_mib=1, cpu_s=10)
_PATIENCE_MS = 10_000

_BREAKS = """
import errno, json, os, signal, socket, sys
def said(what, *arguments):
    try:
        what(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno]
    except MemoryError:
        return "ENOMEM"
    return "done"
def fill():
    for number in range(8):
        with open(f"/tmp/{number}", "wb", buffering=0) as file:
            file.write(bytes(1 << 19))
def fork():
    children = []
    try:
        for _ in range(64):
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
told = {
    "network": said(socket.socket, socket.AF_INET),
    "others": said(os.kill, int(sys.argv[1]), 0),
    "disk": said(fill),
    "processes": said(fork),
    "memory": said(bytearray, 1 << 30),
}
print(json.dumps(told), flush=True)
os._exit(0)
"""

_HOARDS = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        hoard = bytearray(b"x") * (40 << 20)
        time.sleep(2)
        os._exit(0)
os.wait()
"""


@dataclass(frozen=True, slots=True)
class Hold:
    """A limit and what holds it; ``by`` is empty if nothing does, ``but`` says what it leaves open."""

    limit: str
    by: str
    but: str = ""


_HOLDERS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "memory": ("memory, one process", {"ENOMEM": "RLIMIT_DATA"}),
    "processes": ("processes", {"EAGAIN": "RLIMIT_NPROC"}),
    "disk": ("disk", {"ENOSPC": "the size of its own /tmp", "EACCES": "Landlock: it can write no folder"}),
    "network": ("network", {"EAFNOSUPPORT": "the system call filter"}),
    "others": ("other processes", {"ESRCH": "a process namespace", "EPERM": "Landlock, and its user id"}),
}
"""What a program in a cell tells: the limit that it tried to break, and who is known by which error."""

_CURES = (
    ("mount proc", "the /proc of this container is masked: with systempaths=unconfined cells get one"),
    (
        "setting up uid map",
        "AppArmor keeps users from namespaces: give bubblewrap a profile with 'userns,' (docs/sandbox.md)",
    ),
    (
        "namespace",
        "namespaces are forbidden: allow them by a seccomp profile, or run as root in no container (docs/sandbox.md)",
    ),
    (
        "ot permitted",
        "root in a container has tier nons at most: run as an ordinary user under a seccomp profile (docs/sandbox.md)",
    ),
    (
        "cannot read",
        "without namespaces every user must be able to read Python and the arena: install them below /opt",
    ),
    ("bot/program", "without namespaces the folder for temporary files, TMPDIR, must not be mounted noexec"),
    ("Landlock has", "without namespaces cells need Linux 6.12 or newer, with Landlock"),
    ("ARENA_CGROUP", "ARENA_CGROUP names no control group that can be divided: mend or unset it"),
)
"""Words of a complaint, and what to do about it; the first that fit count."""


def holds(host: Host, slot: int) -> list[Hold]:
    """What holds each limit, after a second or so in which two cells tried.

    :param slot: of the cells, see `Box`.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        with subprocess.Popen(["/bin/sleep", "60"], stdout=subprocess.DEVNULL) as victim:
            try:
                broken = _told(_run(host, folder, slot, _BREAKS, str(victim.pid)))
            finally:
                victim.kill()
        hoarded = _run(host, folder, slot, _HOARDS)
    found = [_held(key, broken) for key in _HOLDERS]
    return [found[0], _tree(hoarded, host), _share(host), *found[1:], _identity(host.tier), _groups(host)]


def advice(trials: Iterable[Trial], host: Host | None, usable: Sequence[Path]) -> list[str]:
    """What would make this host hold more, in sentences; ``usable`` are places for control groups that are not used."""
    said = []
    for trial in itertools.takewhile(lambda trial: trial.complaint, trials):
        cure = next((cure for words, cure in _CURES if words in trial.complaint), "")
        if cure:
            said.append(cure)
    if host is not None and host.tier is not Tier.ROOT and os.geteuid() != 0:
        said.append("run by root, the worker gives every seat a user id of its own")
    if host is not None and host.tier is Tier.NONS:
        said.append("no strangers' bots run in tier nons unless --least-tier nons says so: with namespaces they do")
    if host is not None and not host.groups:
        said.append(
            f"control groups can be made here: set ARENA_CGROUP={':'.join(map(str, usable))}"
            if usable
            else "give the worker a control group and name it in ARENA_CGROUP: with systemd Delegate=yes, and a group "
            "below the unit's own"
        )
    return list(dict.fromkeys(said))


def _run(host: Host, folder: Path, slot: int, program: str, *arguments: str) -> Exit | CellError:
    box = Box(
        folder,
        python_argv("-c", program, *arguments),
        slot=slot,
        limits=_LIMITS,
        binds=python_binds(),
        hidden=packages(),
    )
    try:
        return start(box, host, {}).stop(_PATIENCE_MS)
    except CellError as error:
        return error


def _told(ended: Exit | CellError) -> Mapping[str, str]:
    if isinstance(ended, CellError):
        return {}
    try:
        told: dict[str, str] = json.loads(ended.log)
    except ValueError:
        return {}
    return told


def _held(key: str, told: Mapping[str, str]) -> Hold:
    limit, holders = _HOLDERS[key]
    answer = told.get(key, "")
    if by := holders.get(answer, ""):
        return Hold(limit, by)
    return Hold(limit, "", "it was not found out: the cell told nothing" if not answer else f"the cell said {answer}")


def _tree(ended: Exit | CellError, host: Host) -> Hold:
    limit = "memory, whole tree"
    reason = str(ended) if isinstance(ended, CellError) else ended.reason
    if "of memory" in reason and "memory" in controllers(host.groups):
        return Hold(limit, "the control group")  # the watch may have seen it in the same moment
    if "of memory" in reason:
        return Hold(limit, "the watch", "what is taken between two looks, 50 ms, may be more")
    return Hold(limit, "", reason)


def _share(host: Host) -> Hold:
    if "cpu" in controllers(host.groups):
        return Hold("processor share", "the control group")
    return Hold("processor share", "", "a bot may use every processor; only its time in all is held")


def _identity(tier: Tier) -> Hold:
    if tier is Tier.ROOT:
        return Hold("other seats", "mounts, and a user id for each")
    if tier is Tier.NONS:
        return Hold(
            "other seats",
            "Landlock, and a user id for each",
            "bots can open sockets that every user of the host may open, and ask about files whose path they know",
        )
    return Hold("other seats", "mounts", "all have the worker's own user id")


def _groups(host: Host) -> Hold:
    if not host.groups:
        return Hold("control groups", "", "ARENA_CGROUP names none")
    version = 2 if all((place / "cgroup.controllers").exists() for place in host.groups) else 1
    held = ", ".join(sorted(controllers(host.groups)))
    return Hold("control groups", f"version {version} for {held} at {':'.join(map(str, host.groups))}")
