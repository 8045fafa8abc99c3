"""A control group to divide, where this user can make one. Knows no attack and no cell."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from sandbox.cgroup import places, try_out

CONTROLLERS = ("pids", "cpu")
"""Of version 1: those that can be divided beside whatever else divides the host."""


@contextlib.contextmanager
def divided(owner: int | None = None) -> Iterator[tuple[Path, ...]]:
    """A group of our own in the place that ARENA_CGROUP names, or below the controllers of version 1; it must be empty
    at the end.

    :param owner: the user who may divide it, us if None.
    :raises OSError: if none can be divided here, in words.
    """
    above = places(os.environ.get("ARENA_CGROUP", ""))
    above = above or tuple(Path("/sys/fs/cgroup", controller) for controller in CONTROLLERS)
    complaint = try_out(above)
    if complaint:
        raise OSError(f"no control group can be divided here ({complaint}); set ARENA_CGROUP to one that can")
    own = tuple(place / f"arena-test-{os.getpid()}" for place in above)
    for place in own:
        place.mkdir()
        if owner is not None:
            for path in (place, place / "cgroup.procs"):
                os.chown(path, owner, owner)
    try:
        yield own
    finally:
        for place in own:
            place.rmdir()  # fails if a cell has left its group behind


def described(own: tuple[Path, ...]) -> str:
    """Which kind of group that is."""
    if (own[0] / "cgroup.controllers").exists():
        return f"version 2, {(own[0] / 'cgroup.controllers').read_text().strip()}"
    return f"version 1, {' and '.join(place.parent.name for place in own)}"
