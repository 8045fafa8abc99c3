"""The bots that are unpacked on this host: a folder for each, no more than there is room for, and none goes while it is
used. Knows no database and no process.

A shared lock on a folder says that it is used; whoever takes one away has the lock alone while it loses its name.
"""

import contextlib
import errno
import fcntl
import functools
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sandbox import archive

_MIB = 1 << 20
_FULL = {errno.ENOSPC, errno.EDQUOT}
_BOT = re.compile("[0-9a-f]{64}")
_ASIDE = re.compile("[0-9a-f]{64}[.][0-9a-f]{8}")
"""Names of a bot's folder, and of one that becomes a bot's or was one. What has another name was put there by somebody
else, and is left alone."""

_LEFT_AFTER_S = 3600
"""What is aside for longer was left by a worker that was killed while it unpacked or took away."""


class UnpackError(RuntimeError):
    """A bot cannot be unpacked on this host, through no fault of its own; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Room:
    """How much may stay unpacked. What was used least recently goes first."""

    mib: int = 4096
    folders: int = 512


class Shelf:
    """The folder with the bots, and the room that they may take."""

    def __init__(self, place: Path, room: Room) -> None:
        self._place = place
        self._room = room

    def take(self, content_hash: str, fetch: Callable[[], bytes]) -> int:
        """A descriptor of the bot's folder, which stays for as long as that is open; ``fetch`` gives the archive if it
        has to be unpacked.

        :raises UnpackError: if there is no room left, or the place cannot be written.
        :raises ArchiveError: if the archive is refused.
        """
        try:
            self._place.mkdir(mode=0o700, parents=True, exist_ok=True)
            # The folders in it are open, for the users of the cells, who find them elsewhere; other users of this host
            # have no business with the work of strangers.
            self._place.chmod(0o700)
            folder, unpacked = self._place / content_hash, False
            while (held := _hold(folder)) is None:
                self._unpack(content_hash, fetch())
                unpacked = True
            os.utime(held)
            if unpacked:
                self.tidy()
        except OSError as error:
            raise UnpackError(
                f"No bot can be unpacked into {self._place} ({error.strerror}): make room there, let the worker write "
                f"there, or choose another directory with --data."
            ) from error
        return held

    def tidy(self, room: Room | None = None) -> None:
        """Takes away what was used least recently and is not used now, until the rest has room."""
        room = self._room if room is None else room
        found = sorted(self._bots())
        mib = sum(size for _, size, _ in found) / _MIB
        count = len(found)
        for _, size, folder in found:
            if mib <= room.mib and count <= room.folders:
                break
            if _drop(folder):
                mib -= size / _MIB
                count -= 1

    def _unpack(self, content_hash: str, data: bytes) -> None:
        try:
            self._extract(content_hash, data)
        except OSError as error:
            if error.errno not in _FULL:
                raise
            self.tidy(Room(0, 0))
            self._extract(content_hash, data)

    def _extract(self, content_hash: str, data: bytes) -> None:
        """Aside, and then renamed, so that two workers of a host, or one that is killed, leave whole folders only."""
        folder = self._place / content_hash
        unfinished = _aside(folder)
        try:
            archive.extract(data, unfinished)
            unfinished.rename(folder)
        except OSError:
            if not folder.exists():
                raise
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    def _bots(self) -> Iterator[tuple[float, int, Path]]:
        """When each was used last, its size in bytes, and its folder. What a killed worker left is taken away."""
        for folder in self._place.iterdir():
            with contextlib.suppress(FileNotFoundError):
                used_s = folder.stat().st_mtime
                if _BOT.fullmatch(folder.name):
                    yield used_s, _size(folder), folder
                elif _ASIDE.fullmatch(folder.name) and time.time() - used_s > _LEFT_AFTER_S:
                    shutil.rmtree(folder, ignore_errors=True)


@functools.lru_cache(maxsize=4096)
def _size(folder: Path) -> int:
    """Bytes of its files. A bot's folder never changes and is measured once: hundreds with 2,000 files each take longer
    than a lease has time for."""
    return sum(file.stat().st_size for file in folder.rglob("*"))


def _hold(folder: Path) -> int | None:
    """A descriptor of the folder with a shared lock; None if there is no such folder."""
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    fcntl.flock(held, fcntl.LOCK_SH)
    # It may have lost its name while we waited.
    with contextlib.suppress(FileNotFoundError):
        if folder.stat().st_ino == os.fstat(held).st_ino:
            return held
    os.close(held)
    return None


def _drop(folder: Path) -> bool:
    """Whether the folder was taken away; it is left if somebody uses it."""
    try:
        alone = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    gone = _aside(folder)
    try:
        fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
        folder.rename(gone)
    except (BlockingIOError, FileNotFoundError):
        return False
    finally:
        os.close(alone)
    shutil.rmtree(gone, ignore_errors=True)
    return True


def _aside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.{secrets.token_hex(4)}")
