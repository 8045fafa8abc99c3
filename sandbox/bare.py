"""A cell without namespaces, for hosts that allow none: where its places really are, and the orders for `launcher` that
makes it. Pure: starts nothing.

Nothing can be mounted, so a place of the cell lies in a folder of its own, its room, that the slot's user id alone may
pass: the bot as a copy, the seat's socket under a second name, and a link to each further place. Paths in the command
and in the environment are those of the room.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from sandbox.box import BOT, FILES, FOLDERS, GATE, SEAT, Box, Tier, resources, slot_uid

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def launcher_argv(box: Box, rooms: Path, python: str, *, filter_fd: int, status_fd: int) -> list[str]:
    """The command line that starts the box as a cell. Its descriptors and its standard input are as `bwrap_argv` has
    them.

    :param rooms: the folder for the rooms of this host's cells, which the launcher makes if it is not there.
    """
    uid = slot_uid(Tier.NONS, box.slot, 0)
    room = str(rooms / str(uid))
    moved = [(source, target) for source, target in box.binds if source != target]
    sources = [source for source, _ in box.binds]
    orders = {
        "uid": uid,
        "room": room,
        "filter": filter_fd,
        "status": status_fd,
        "copies": {room + BOT: str(box.folder)},
        "names": {} if box.seat is None else {room + SEAT: str(box.seat)},
        "links": {room + target: source for source, target in moved},
        "needed": sources,
        "reads": [room, "/usr", *FOLDERS, *FILES, *sources],
        "hidden": list(box.hidden),
        "devices": _DEVICES,
        "limits": resources(box.limits),
        "folder": room + BOT,
        "argv": ["/bin/sh", "-c", GATE, "gate", *map(_placing(box, room), box.argv)],
    }
    return [*launcher(python), json.dumps(orders)]


def launcher(python: str) -> list[str]:
    """The command of the launcher without its orders; alone it ends what launchers have left that were killed."""
    return [python, "-I", "-S", str(Path(__file__).with_name("launcher.py"))]


def placed(environment: Mapping[str, str], box: Box, rooms: Path) -> dict[str, str]:
    """The environment with paths as they are in the box's room."""
    place = _placing(box, str(rooms / str(slot_uid(Tier.NONS, box.slot, 0))))
    return {name: place(value) for name, value in environment.items()}


def _placing(box: Box, room: str) -> Callable[[str], str]:
    """Moves the paths of a text to the room: what a text begins with, and what follows a colon."""
    tops = {"/" + PurePosixPath(target).parts[1] for source, target in box.binds if source != target}
    path = re.compile(rf"(?:^|(?<=:))(?:{'|'.join(map(re.escape, sorted({BOT, SEAT, *tops})))})(?=[/:]|$)")
    return lambda text: path.sub(lambda found: room + found.group(), text)
