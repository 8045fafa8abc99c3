"""Versions of bots that play without having been submitted. Knows no match and no server."""

import tempfile
from functools import cache
from pathlib import Path

from arena.tournaments.versions import Version
from bots import house
from sandbox.archive import ArchiveError, content_hash, examine, pack


@cache
def of_house(name: str) -> Version:
    """A house bot that plays in this process: the files are those that the house submits.

    :raises ValueError: if the house has no such bot.
    """
    with tempfile.TemporaryDirectory() as directory:
        return Version("", content_hash(pack(house.folder(house.entry(name), Path(directory)))))


def of_folder(folder: Path) -> Version:
    """A bot that plays from its folder; what could not be submitted has no name and no hash."""
    try:
        manifest, content = examine(pack(folder))
    except ArchiveError:
        return Version("")
    return Version(manifest.version, content)
