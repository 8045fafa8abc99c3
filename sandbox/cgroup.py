"""The kernel's own limits for a cell, where somebody has given us a control group to divide. Knows no bot and no bwrap.

A place is a folder of the control group file system that this user may write: one of version 2, or one of version 1
for each controller.
"""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from sandbox.box import Limits

_MIB = 1 << 20
_PERIOD_US = 100_000
_CONTROLLERS = {"memory", "pids", "cpu"}


class Group:
    """A control group for one cell, in each of the places."""

    def __init__(self, places: Iterable[Path], cell: int, limits: Limits) -> None:
        """Makes the group of the cell with that outermost process. Its name says who started it, for `remove_orphans`.

        :raises OSError: if a place cannot be written, or its controllers not be given to a group below it.
        """
        self._limits = limits
        self._folders: list[Path] = []
        try:
            for place in places:
                _give_controllers(place)
                folder = place / f"cell-{os.getpid()}-{cell}"
                folder.mkdir()
                self._folders.append(folder)
                for file, value in _settings(limits):
                    if (folder / file).exists():
                        (folder / file).write_text(value)
        except OSError:
            self.remove()
            raise

    def take(self, pids: Iterable[int]) -> None:
        """Moves processes into the group; what they start is in it from the beginning.

        :raises OSError: if this user may not move them.
        """
        for pid in pids:
            for folder in self._folders:
                (folder / "cgroup.procs").write_text(str(pid))

    def controllers(self) -> frozenset[str]:
        """Which controllers hold something of the group."""
        files = (file for file, _ in _settings(self._limits) for folder in self._folders if (folder / file).exists())
        return frozenset(file.partition(".")[0] for file in files)

    def broken(self) -> str:
        """For what the kernel has killed somebody, and the limit, in words; empty if it has not."""
        for folder in self._folders:
            for file in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(FileNotFoundError):
                    counts = dict(line.split() for line in (folder / file).read_text().splitlines())
                    if int(counts.get("oom_kill", 0)):
                        limit = f"{self._limits.memory_mib} MiB"
                        return f"used {limit} of memory and asked for more; the limit is {limit}"
        return ""

    def remove(self) -> None:
        """Takes the group away; nothing must be in it any more."""
        for folder in self._folders:
            with contextlib.suppress(OSError):
                folder.rmdir()


def places(text: str) -> tuple[Path, ...]:
    """The places that ARENA_CGROUP names, with colons between them."""
    return tuple(Path(place) for place in text.split(":") if place)


def try_out(where: Iterable[Path]) -> str:
    """Why no cell can have a group in these places, in words; empty if one can."""
    where = list(where)
    for place in where:
        if not (place / "cgroup.procs").exists():
            return f"{place} is not a control group"
    try:
        Group(where, os.getpid(), Limits()).remove()
    except OSError as error:
        return str(error)
    return ""


def controllers(where: Iterable[Path]) -> frozenset[str]:
    """Which of memory, pids and cpu a group of a cell in these places has, by making one; none where none can be."""
    try:
        group = Group(where, os.getpid(), Limits())
    except OSError:
        return frozenset()
    try:
        return group.controllers()
    finally:
        group.remove()


def usable() -> tuple[Path, ...]:
    """Places below the groups that this process is in where it may make others, found by making some: those of version
    1, or the one of version 2 where it has memory to divide."""
    own: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        own |= dict.fromkeys(names.split(","), path.rstrip("/"))
    found = []
    for line in Path("/proc/mounts").read_text().splitlines():
        _, mount, kind, options = line.split()[:4]
        if kind == "cgroup" and (name := next((name for name in options.split(",") if name in _CONTROLLERS), "")):
            found.append(Path(mount + own.get(name, "")))
        elif kind == "cgroup2" and "memory" in _text(place := Path(mount + own.get("", "")) / "cgroup.controllers"):
            found.append(place.parent)
    return tuple(place for place in dict.fromkeys(found) if _divides(place))


def _divides(place: Path) -> bool:
    trial = place / f"trial-{os.getpid()}"
    try:
        trial.mkdir()
    except OSError:
        return False
    trial.rmdir()
    return True


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def remove_orphans(where: Iterable[Path]) -> None:
    """Takes away the groups of cells whose starter is gone; one that is not empty yet stays for the next time."""
    for place in where:
        for folder in place.glob("cell-*-*"):
            if not Path("/proc", folder.name.split("-")[1]).exists():
                with contextlib.suppress(OSError):
                    folder.rmdir()


def _give_controllers(place: Path) -> None:
    """Version 2 gives a controller to the groups below only on demand."""
    control = place / "cgroup.subtree_control"
    if control.exists():
        offered = set((place / "cgroup.controllers").read_text().split()) & _CONTROLLERS
        missing = offered - set(control.read_text().split())
        if missing:
            control.write_text(" ".join(f"+{name}" for name in sorted(missing)))


def _settings(limits: Limits) -> list[tuple[str, str]]:
    """Files and what to write to them; those of the controllers that a place lacks are not there."""
    memory = str(limits.memory_mib * _MIB)
    return [
        ("memory.max", memory),
        ("memory.swap.max", "0"),
        ("memory.oom.group", "1"),
        ("memory.limit_in_bytes", memory),
        ("memory.memsw.limit_in_bytes", memory),
        ("pids.max", str(limits.processes + 8)),  # bwrap and the programs that start the bot
        ("cpu.max", f"{_PERIOD_US} {_PERIOD_US}"),  # one processor
        ("cpu.cfs_period_us", str(_PERIOD_US)),
        ("cpu.cfs_quota_us", str(_PERIOD_US)),
    ]
