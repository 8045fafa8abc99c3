"""What stands around the cells of the attacks, and the verdict on each. Knows no attack by name.

The standard library and the sandbox are enough, so that another user and another Python can run the attacks, too:
`python -m tests.sandbox.attacks FOLDER` runs all in its own name and prints one line of JSON for each.
"""

import json
import os
import re
import secrets
import socket
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import sandbox.box
from sandbox.box import BOT, SEAT, Box, Limits
from sandbox.host import Host
from sandbox.interpreter import packages, python_argv, python_binds
from sandbox.runner import Exit, lend, start
from sandbox.seccomp import MISSING, NOT_PERMITTED
from sandbox.syscalls import NUMBERS
from tests.sandbox.attacks.attack import HEAD, MACHINE, SMALL, Attack

SECRET = "hush-" + "hush"
"""What stands in the worker's environment; no program has it in one piece."""

SLOT = 5_000 + os.getpid() % 50_000
"""Beyond those of real blocks, and not that of other tests on this host: a slot's processes are counted by its user."""


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
            "BOT": BOT,
            "SEAT": SEAT,
            "VICTIM_FILE": str(self.folder / "other" / "secret.txt"),
            "VICTIM_SOCKET": str(self.folder / "other" / "seat.sock"),
            "VICTIM_DOOR": str(self.folder / "other" / "door.sock"),
            "VICTIM_SOURCE": sandbox.box.__file__,
            "VICTIM_NAME": self.folder.name,
            "VICTIM_PID": str(os.getpid()),
        }

    def run(self, code: str, limits: Limits = SMALL, grace_ms: int = 5_000, slot: int = SLOT) -> tuple[Exit, list[int]]:
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
    sockets = [socket.socket(socket.AF_UNIX) for _ in range(4)]
    sockets[0].bind(str(folder / "seat" / "seat.sock"))
    sockets[1].bind(str(folder / "other" / "seat.sock"))
    sockets[2].bind(f"\0{folder.name}")
    sockets[3].bind(str(folder / "other" / "door.sock"))
    (folder / "other" / "door.sock").chmod(0o777)
    for each in sockets:
        each.listen()
    lend(folder / "seat", host, SLOT)
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
    """What went wrong, empty if the attack went as it must; see `Attack.in_tier`."""
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
