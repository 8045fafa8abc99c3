"""Submits the house bots like anybody's bots. Knows no game and no cell."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from arena.cli.bot import upload, wait_until_judged
from arena.cli.client import Server
from arena.errors import ArenaError
from arena.v1 import submission_pb2 as pb
from bots import house
from sandbox.archive import pack


def submit_house_bots(
    server: Server, say: Callable[[str], None], on_progress: Callable[[int, int], None] = lambda _done, _all: None
) -> None:
    """Uploads every house bot, which does nothing where it is known, and waits until all are active.

    :raises ArenaError: if one is rejected, with its log.
    """
    versions = []
    with tempfile.TemporaryDirectory() as directory:
        for entry in house.ENTRIES:
            folder = house.folder(entry, Path(directory))
            versions.append(upload(server, entry.name, pack(folder)))
    fresh = sum(version.state == pb.VERSION_STATE_VALIDATING for version in versions)
    if fresh:
        say(f"{fresh} house bots are submitted and play their validation matches …")
    for number, version in enumerate(versions):
        on_progress(number, len(versions))
        judged = wait_until_judged(server, version)
        if judged.state == pb.VERSION_STATE_REJECTED:
            raise ArenaError(
                f"the house bot '{judged.bot}' is rejected: {judged.reason} 'arena bot log {judged.bot}' shows its log"
            )
    on_progress(len(versions), len(versions))
    if fresh:
        say(f"{fresh} house bots are active")
