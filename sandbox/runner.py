"""Starts a box as a cell and ends it: the part of the sandbox that callers talk to. Knows no arena and no protocol."""

import os
import stat
import threading
from collections.abc import Mapping
from pathlib import Path

from sandbox.box import ENVIRONMENT, Box, slot_uid
from sandbox.cgroup import remove_orphans
from sandbox.ends import Exit
from sandbox.host import Host
from sandbox.keeper import Keeper, Life
from sandbox.orphans import end_orphans

__all__ = ["Cell", "CellError", "Exit", "lend", "start"]

_PATIENCE_S = 10.0


class CellError(RuntimeError):
    """A cell could not be started or ended; the text says what to do."""


class Cell:
    """A bot that runs, or has run. Its methods may be called from any thread."""

    def __init__(self, keeper: Keeper, life: Life) -> None:
        self._keeper = keeper
        self._life = life

    @property
    def pid(self) -> int:
        """The host's id of the cell's outermost process."""
        return self._life.pid

    def poll(self) -> Exit | None:
        """How the cell ended, None while it runs."""
        return self._life.exit

    def wait_begun(self) -> None:
        """Comes back when the bot's program was started.

        :raises CellError: if it was not and never will be: that is this host's failure and not the bot's.
        """
        if not self._life.opened.wait(_PATIENCE_S):
            raise CellError(
                f"the cell of process {self.pid} is not ready after {_PATIENCE_S:g} s; is the host overloaded?"
            )
        if not self._life.begun:
            raise CellError(f"a cell {self.wait_gone().reason}; run 'arena doctor' on this host.")

    def wake(self) -> None:
        """The bot has something to do, as it has from its start on. One that was stopped goes on."""
        self._life.rest.wake()

    def rest(self) -> None:
        """The bot has nothing to do until it is woken; if it works all the same, it is stopped until then."""
        self._life.rest.rest()

    def stop(self, grace_ms: int = 200) -> Exit:
        """How the cell ended, after giving it some time to end by itself. Nothing of it is left when this returns.

        :raises CellError: if its processes cannot be ended.
        """
        self.wake()
        if not self._life.gone.wait(grace_ms / 1000):
            self._keeper.kill(self._life, f"was stopped: it still ran {grace_ms} ms after its work was over")
        return self.wait_gone()

    def wait_gone(self, patience_s: float = _PATIENCE_S) -> Exit:
        """How the cell ended; waits until its last process is gone.

        :raises CellError: if something of it is still there after so many seconds.
        """
        if not self._life.gone.wait(patience_s) or self._life.exit is None:
            raise CellError(
                f"the cell of process {self.pid} is still there after {patience_s:g} s; look at it with ps."
            )
        return self._life.exit


def start(box: Box, host: Host, environment: Mapping[str, str]) -> Cell:
    """A cell that has just been started; `environment` is all that the bot gets besides `box.ENVIRONMENT`.

    The cell ends with this process, however that ends.

    :raises CellError: if the folders are not as they must be or the host's program cannot be started.
    """
    _check_folder(box.folder)
    keeper = _keeper(host)
    try:
        life = keeper.begin(box, host, {**ENVIRONMENT, **environment})
    except OSError as error:
        raise CellError(f"{host.program} cannot be started ({error}); run 'arena doctor' on this host.") from error
    return Cell(keeper, life)


def lend(seat: Path, host: Host, slot: int) -> None:
    """Gives a seat's folder and what is in it to the slot's user id, and to nobody else: 0700, sockets 0600.

    :raises PermissionError: if this process may not give files away.
    """
    uid = slot_uid(host.tier, slot, os.geteuid())
    for path in (seat, *seat.iterdir()):
        os.chown(path, uid, uid if uid != os.geteuid() else -1)
        path.chmod(0o700 if path.is_dir() else 0o600)


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise CellError(f"{folder} is not a folder; extract the bot first.")
    mode = folder.stat().st_mode
    if not mode & stat.S_IROTH or not mode & stat.S_IXOTH:
        raise CellError(f"{folder} is closed to other users; set its mode to 0755, so that the bot can read itself.")


_keepers: dict[int, Keeper] = {}
_keepers_lock = threading.Lock()


def _keeper(host: Host) -> Keeper:
    """This process's keeper; a process that was forked needs its own, as threads do not survive a fork."""
    with _keepers_lock:
        pid = os.getpid()
        if pid not in _keepers:
            _keepers.clear()
            end_orphans()
            remove_orphans(host.groups)
            _keepers[pid] = Keeper()
            _keepers[pid].start()
        return _keepers[pid]
