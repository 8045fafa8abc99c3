"""Ends what a starter that was killed has left. Knows our cells by their command line and their rooms alone.

bwrap ties a cell's first process to its own life a moment after it has made it. When it is killed in that moment, the
first process waits for it for ever: no bot has started in it, and none will. A launcher that is killed takes the bot's
first process with it, and leaves the others and the room.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

from sandbox.bare import launcher
from sandbox.box import GATE
from sandbox.host import rooms


def end_orphans() -> int:
    """How many first processes of cells without a bwrap above them were found and ended. Nothing is left of cells whose
    launcher is gone."""
    if os.geteuid() == 0 and rooms().is_dir() and any(place.is_dir() for place in rooms().iterdir()):
        subprocess.run([*launcher(sys.executable), str(rooms())], env={}, check=False)
    found = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            descriptor = os.pidfd_open(int(entry.name))
        except OSError:
            continue
        try:
            if _is_orphan(entry):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                found += 1
        except OSError:
            continue  # gone meanwhile, or somebody else's
        finally:
            os.close(descriptor)
    return found


def _is_orphan(process: Path) -> bool:
    if not _is_ours(process):
        return False
    lines = (process / "status").read_text().splitlines()
    status = {name: values.split() for name, _, values in (line.partition(":") for line in lines)}
    is_first_inside = len(status["NSpid"]) > 1 and status["NSpid"][-1] == "1"
    return is_first_inside and not _is_ours(Path("/proc", *status["PPid"]))


def _is_ours(process: Path) -> bool:
    return f"\0{GATE}\0".encode() in (process / "cmdline").read_bytes()
