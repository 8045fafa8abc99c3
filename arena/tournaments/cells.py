"""The hosted bots of a block in their cells: one fresh process and one fresh socket per player and sitting. Knows no
match."""

import asyncio
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from arena.tournaments.block import Block, PlayerKind
from arena.tournaments.libraries import KIT, MissingLibraryError, library_binds
from sandbox.archive import read_manifest
from sandbox.box import BOT, SEAT, Box, Limits
from sandbox.host import Host
from sandbox.interpreter import packages, python_argv, python_binds
from sandbox.runner import Cell, CellError, Exit, lend, start

LOOK_S = 0.05
GRACE_MS = 200

DECISIONS = 1000
"""More than one bot makes in a match of any game that is usual."""

SLOTS = 4096
"""How many cells a host can have at the same time."""

OpenSocket = Callable[[Path, int], Awaitable[None]]
"""Opens the socket at that path for the player of that index."""


@dataclass(frozen=True, slots=True)
class Seated:
    """A player's process of one sitting."""

    player: int
    cell: Cell


@dataclass(frozen=True, slots=True)
class Ended:
    """How a player's process of one sitting ended."""

    player: int
    exit: Exit


class Cells:
    """The cells of one sitting."""

    def __init__(self, block: Block, bots_dir: Path, host: Host, slots: "Slots") -> None:
        self._block = block
        self._bots_dir = bots_dir
        self._host = host
        self._slots = slots
        self._seated: list[Seated] = []
        self._seats: list[Path] = []

    async def start(self, open_socket: OpenSocket) -> None:
        """Opens a socket for every hosted player, then starts its process. Comes back when the programs of all were
        started: a cell that fails before that is nobody's fault at the table.

        :raises CellError: if one cannot be started. Call :meth:`stop` then, too.
        """
        for index, player in enumerate(self._block.players):
            if player.kind is not PlayerKind.HOSTED:
                continue
            slot = self._slots.take()
            seat = self._slots.seat(slot)
            self._seats.append(seat)
            await open_socket(seat / "seat.sock", index)
            lend(seat, self._host, slot)
            box = box_of(self._bots_dir / player.content_hash, seat, slot, limits_of(self._block))
            environment = {
                "PYTHONPATH": KIT,
                # A thread for each core of a large host would be more than a cell may have.
                "OPENBLAS_NUM_THREADS": "1",
                "GOMAXPROCS": "1",
                "ARENA_SOCKET": f"unix:{SEAT}/seat.sock",
                "ARENA_TICKET": player.ticket,
                "ARENA_BOT": player.bot,
            }
            starting = asyncio.create_task(asyncio.to_thread(start, box, self._host, environment))
            try:
                await asyncio.shield(starting)
            finally:
                # If we are cancelled in between, the cell is started all the same and must be stopped with the others.
                self._seated.append(Seated(index, await starting))
        for seated in self._seated:
            await asyncio.to_thread(seated.cell.wait_begun)

    def turn(self, player: int, is_open: bool) -> None:
        """The player has a turn to answer, or has none: one that works all the same is stopped until its next."""
        for seated in self._seated:
            if seated.player == player:
                seated.cell.wake() if is_open else seated.cell.rest()

    async def watch(self, ended: Callable[[int, Exit], None]) -> None:
        """Tells every process that ends, once. Runs until it is cancelled."""
        running = list(self._seated)
        while True:
            for seated in running.copy():
                if (how := seated.cell.poll()) is not None:
                    running.remove(seated)
                    ended(seated.player, how)
            await asyncio.sleep(LOOK_S)

    async def stop(self) -> list[Ended]:
        """How the processes ended and what they wrote; nothing of them is left.

        :raises CellError: if one cannot be ended.
        """
        exits = await asyncio.gather(*(asyncio.to_thread(seated.cell.stop, GRACE_MS) for seated in self._seated))
        ended = [Ended(seated.player, how) for seated, how in zip(self._seated, exits, strict=True)]
        self._seated = []
        for seat in self._seats:
            shutil.rmtree(seat, ignore_errors=True)
        return ended


class Slots:
    """Slots of this host that belong to this process for as long as it lives, whatever other processes there are.

    The seat of a slot is a folder beside its lock, so that one whose process was killed is found and removed.
    """

    def __init__(self) -> None:
        self._held: list[int] = []
        self._folder = Path(tempfile.gettempdir()) / f"arena-slots-{os.geteuid()}"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        # One look, or its owner could put another thing in its place between two. Nobody else can replace what is ours.
        found = self._folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise OSError(f"{self._folder} belongs to somebody else; remove it.")
        for left in self._folder.glob("*.seat"):
            if (lock := self._lock(left.stem)) is not None:
                shutil.rmtree(left, ignore_errors=True)
                os.close(lock)
        self._numbers = self._free()

    def take(self) -> int:
        """A slot that no live process has.

        :raises OSError: if all are taken.
        """
        return next(self._numbers)

    def seat(self, slot: int) -> Path:
        """A new folder for the seat of a slot that was taken, closed to others. Whoever asks for it removes it."""
        folder = self._folder / f"{slot}.seat"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        return folder

    def _free(self) -> Iterator[int]:
        for slot in range(SLOTS):
            if (lock := self._lock(str(slot))) is not None:
                # Kept open: the lock is gone when this process is. And young: what cleans folders for temporary files
                # removes what nobody has touched for days, and with a file its lock.
                os.utime(lock)
                self._held.append(lock)
                yield slot
        raise OSError(f"All {SLOTS} slots of this host are taken.")

    def _lock(self, slot: str) -> int | None:
        """A descriptor that holds the slot, None if a live process does."""
        descriptor = os.open(self._folder / slot, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor


def limits_of(block: Block) -> Limits:
    """What a cell of the block may use. Its processor time is what the clock gives the bot in all matches of a
    sitting, so that no bot is ended for the thinking that it may do. What is kept of its output is shared out among
    the sittings, so that a bot's logs of a block are bounded however many there are."""
    clock = block.limits.clock
    match_ms = clock.bank_ms + DECISIONS * (clock.longest_move_ms + clock.increment_ms)
    usual = Limits()
    return replace(
        usual,
        cpu_s=max(usual.cpu_s, len(block.units) * match_ms / 1000),
        kept_kib=usual.kept_kib // len(block.sittings),
    )


def box_of(folder: Path, seat: Path, slot: int, limits: Limits) -> Box:
    """The cell of the bot in the folder: its entry point run by Python, with the list of libraries, or as it is.

    :raises CellError: if a library is not installed here.
    """
    manifest = read_manifest(folder)
    if not manifest.is_python:
        return Box(folder, (f"{BOT}/{manifest.entry}",), seat, slot, limits)
    try:
        binds = (*python_binds(), *library_binds())
    except MissingLibraryError as error:
        raise CellError(str(error)) from error
    return Box(folder, python_argv(manifest.entry), seat, slot, limits, binds, packages())
