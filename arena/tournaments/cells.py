"""The hosted bots of a block in their cells: one fresh process and one fresh socket per player and rotation. Knows no
match."""

import asyncio
import contextlib
import fcntl
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import arena
import engine
from arena.tournaments.block import Block, BotLog, PlayerKind
from sandbox.archive import read_manifest
from sandbox.box import SEAT, Bind, Box, Limits, python_binds
from sandbox.host import Host
from sandbox.runner import Cell, Exit, lend, start

KIT = "/kit"
"""Where a cell finds what a bot may import of ours."""

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
    """A player's process of one rotation."""

    player: int
    cell: Cell


class Cells:
    """The cells of one rotation."""

    def __init__(self, block: Block, bots_dir: Path, host: Host, rotation: int, slots: "Slots") -> None:
        self._block = block
        self._bots_dir = bots_dir
        self._host = host
        self._rotation = rotation
        self._slots = slots
        self._seated: list[Seated] = []
        self._folder = Path(tempfile.mkdtemp(prefix="arena-seats-"))

    async def start(self, open_socket: OpenSocket) -> None:
        """Opens a socket for every hosted player, then starts its process.

        :raises CellError: if one cannot be started. Call :meth:`stop` then, too.
        """
        for index, player in enumerate(self._block.players):
            if player.kind is not PlayerKind.HOSTED:
                continue
            seat = self._folder / str(index)
            seat.mkdir(mode=0o700)
            await open_socket(seat / "seat.sock", index)
            slot = self._slots.take()
            lend(seat, self._host, slot)
            folder = self._bots_dir / player.content_hash
            box = Box(
                folder=folder,
                argv=(sys.executable, read_manifest(folder).entry),
                seat=seat,
                slot=slot,
                limits=limits_of(self._block),
                binds=(*python_binds(), *kit_binds()),
            )
            environment = {
                "PYTHONPATH": KIT,
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

    async def watch(self, ended: Callable[[int, Exit], None]) -> None:
        """Tells every process that ends, once. Runs until it is cancelled."""
        running = list(self._seated)
        while True:
            for seated in running.copy():
                if (how := seated.cell.poll()) is not None:
                    running.remove(seated)
                    ended(seated.player, how)
            await asyncio.sleep(LOOK_S)

    async def stop(self) -> list[BotLog]:
        """What the processes wrote and how they ended; nothing of them is left.

        :raises CellError: if one cannot be ended.
        """
        exits = await asyncio.gather(*(asyncio.to_thread(seated.cell.stop, GRACE_MS) for seated in self._seated))
        logs = [
            BotLog(seated.player, self._rotation, how.log.decode("utf-8", "replace"), how.reason)
            for seated, how in zip(self._seated, exits, strict=True)
        ]
        self._seated = []
        for path in sorted(self._folder.rglob("*"), reverse=True):
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        with contextlib.suppress(OSError):
            self._folder.rmdir()
        return logs


class Slots:
    """Slots of this host that belong to this process for as long as it lives, whatever other processes there are."""

    def __init__(self) -> None:
        self._held: list[int] = []
        self._numbers = self._free()

    def take(self) -> int:
        """A slot that no live process has.

        :raises OSError: if all are taken.
        """
        return next(self._numbers)

    def _free(self) -> Iterator[int]:
        folder = Path(tempfile.gettempdir()) / f"arena-slots-{os.geteuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
            raise OSError(f"{folder} belongs to somebody else; remove it.")
        for slot in range(SLOTS):
            descriptor = os.open(folder / str(slot), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                continue
            # Kept open: the lock is gone when this process is.
            self._held.append(descriptor)
            yield slot
        raise OSError(f"All {SLOTS} slots of this host are taken.")


def limits_of(block: Block) -> Limits:
    """What a cell of the block may use. Its processor time is what the clock gives the bot in all matches of a
    rotation, so that no bot is ended for the thinking that it may do."""
    clock = block.limits.clock
    match_ms = clock.bank_ms + DECISIONS * (clock.longest_move_ms + clock.increment_ms)
    usual = Limits()
    return replace(usual, cpu_s=max(usual.cpu_s, len(block.units) * match_ms / 1000))


def kit_binds() -> tuple[Bind, ...]:
    """The kit and the engine, and nothing else of ours, at :data:`KIT`."""
    rooms = Path(arena.__file__).parent
    rules = Path(engine.__file__).parent
    ours = [rooms / "__init__.py", rooms / "bot", rooms / "codec", rooms / "v1", rules]
    binds = [
        (str(path), f"{KIT}/{path.relative_to(rooms.parent)}") for path in ours if path.is_relative_to(rooms.parent)
    ]
    # The compiled engine has a part beside its folder.
    binds += [(str(path), f"{KIT}/{path.name}") for path in rules.parent.glob("*__mypyc*.so")]
    return tuple(binds)
