"""One server process: started, found again, watched and stopped. Knows no PostgreSQL and no Valkey."""

import contextlib
import logging
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from arena.errors import Unavailable
from arena.stack.paths import Account

log = logging.getLogger(__name__)

START_TIMEOUT_S = 30.0
_PROBE_EVERY_S = 0.01
_RETRY_AFTER_S = 0.05
_LOG_BYTES = 16 << 20
_FREE_BYTES = 64 << 20

# Drops root before the server starts. A fresh interpreter does it, because `user=` and `preexec_fn` of subprocess fork
# this process with all its threads (and gRPC in it), and setpriv(1) is not everywhere.
_DROP = (
    "import os,sys; u,g=map(int,sys.argv[1:3]); os.setgroups([]); os.setgid(g); os.setuid(u); os.umask(0o077); "
    "os.execv(sys.argv[3],sys.argv[3:])"
)


class Server(Protocol):
    """What the stack needs to know about a server."""

    @property
    def name(self) -> str: ...

    @property
    def stop_signals(self) -> Sequence[tuple[signal.Signals, float]]:
        """What ends it, politest first, with the seconds to wait after each."""
        ...

    def prepare(self) -> None:
        """Makes what the server needs on disk before it starts, if it is not there."""

    def command(self) -> Sequence[str]:
        """The program and its arguments, in the foreground."""

    def answering(self) -> int | None:
        """Process id of the server that answers at our address and is ours; None if none answers.

        :raises Unavailable: if something answers that is not ours.
        """

    def settle(self) -> None:
        """What can wait until the server answers."""

    def mend(self, last_words: str) -> bool:
        """Whether it is worth starting again after the server ended with these last words in its log."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server lives.

    :ivar data_dir: the stack's directory.
    :ivar sockets: directory of the unix sockets.
    """

    data_dir: Path
    sockets: Path
    account: Account

    def log_file(self, name: str) -> Path:
        """What the server of that name prints."""
        return self.data_dir / "log" / f"{name}.log"


class Running:
    """A server that runs: a child of ours, or a process that another one started. Where the system has them it is held
    by a descriptor of the process, so that a process id with a new owner is never taken for it."""

    def __init__(self, pid: int, child: subprocess.Popen[bytes] | None = None) -> None:
        """:raises ProcessLookupError: if there is no such process."""
        self.pid = pid
        self._child = child
        self.descriptor = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None

    def __del__(self) -> None:
        if getattr(self, "descriptor", None) is not None:
            os.close(self.descriptor)  # type: ignore[arg-type]

    def alive(self) -> bool:
        """Whether the process has not ended; one that nobody has reaped yet has."""
        if self._child is not None:
            return self._child.poll() is None
        if self.descriptor is not None:
            return not select.select([self.descriptor], [], [], 0)[0]
        return is_alive(self.pid)

    def send(self, number: signal.Signals) -> None:
        """Sends the signal, if there is still somebody to get it."""
        with contextlib.suppress(ProcessLookupError):
            if self.descriptor is not None:
                signal.pidfd_send_signal(self.descriptor, number)
            else:
                os.kill(self.pid, number)

    def wait_gone(self, timeout_s: float) -> bool:
        """Whether the process ended within the time."""
        deadline = time.monotonic() + timeout_s
        while self.alive():
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return False
            wait_any([self], None, left_s)
        return True


def is_alive(pid: int) -> bool:
    """Whether that process exists and is not a zombie, which keeps its process id and is as dead as any."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True


def wait_any(running: Sequence[Running], wake: int | None, timeout_s: float) -> None:
    """Returns when one of the servers ends, when ``wake`` becomes readable, or after the time."""
    descriptors = [server.descriptor for server in running if server.descriptor is not None]
    if len(descriptors) < len(running):
        timeout_s = min(timeout_s, 0.1)  # no descriptors of processes here: look often
    select.select([*descriptors, *([] if wake is None else [wake])], [], [], timeout_s)


def start(server: Server, place: Place, timeout_s: float = START_TIMEOUT_S) -> Running:
    """The server, answering: the one that runs already, else a new one.

    :raises Unavailable: if it does not come up; the sentence has its last words.
    """
    deadline = time.monotonic() + timeout_s
    if found := find(server):
        log.info("%s runs already as process %d", server.name, found.pid)
        return found
    server.prepare()
    while True:
        if found := _forerunner(server, place, timeout_s / 2):
            return found
        child = _launch(server, place)
        running = Running(child.pid, child)
        while running.alive():
            if server.answering() == child.pid:
                return running
            if time.monotonic() > deadline:
                child.kill()
                child.wait()
                raise _failure(server, place, f"did not answer within {timeout_s:.0f} s")
            wait_any([running], None, _PROBE_EVERY_S)
        if time.monotonic() > deadline or not server.mend(_last_words(server, place)):
            raise _failure(server, place, f"ended at once with code {child.returncode}")
        time.sleep(_RETRY_AFTER_S)
        if found := find(server):
            return found


def find(server: Server) -> Running | None:
    """The server that answers already.

    :raises Unavailable: if something answers that is not ours.
    """
    pid = server.answering()
    try:
        return Running(pid) if pid else None
    except ProcessLookupError:
        return None


def stop(server: Server, running: Running, place: Place) -> None:
    """Ends the server, politely at first, and returns when it is gone."""
    for number, patience_s in server.stop_signals:
        running.send(number)
        if running.wait_gone(patience_s):
            break
        log.warning("%s did not end within %.0f s of %s", server.name, patience_s, number.name)
    _pid_file(server, place).unlink(missing_ok=True)


def _forerunner(server: Server, place: Place, patience_s: float) -> Running | None:
    """A server of ours that somebody started before us and that does not answer yet, once it does. One that hangs is
    killed: two servers on the same files must not be."""
    try:
        running = Running(int(_pid_file(server, place).read_text("ascii")))
    except (OSError, ValueError):
        return None
    deadline = time.monotonic() + patience_s
    while running.alive() and _works_in(running.pid, place.data_dir):
        if found := find(server):
            return found
        if time.monotonic() > deadline:
            log.warning("%s (process %d) is alive and does not answer: killed", server.name, running.pid)
            running.send(signal.SIGKILL)
            running.wait_gone(patience_s)
        wait_any([running], None, _RETRY_AFTER_S)
    return None


def _works_in(pid: int, directory: Path) -> bool:
    """Whether the process works below the directory, as our servers do; a process id may have a new owner."""
    try:
        return Path(f"/proc/{pid}/cwd").readlink().is_relative_to(directory)
    except OSError:
        return False


def run_as(command: Sequence[str], account: Account) -> list[str]:
    """The command as the account runs it."""
    if not account.switch:
        return list(command)
    return [sys.executable, "-I", "-S", "-c", _DROP, str(account.uid), str(account.gid), *command]


def environment() -> dict[str, str]:
    """What servers see of the environment: nothing of ours."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


def _launch(server: Server, place: Place) -> subprocess.Popen[bytes]:
    log_file = place.log_file(server.name)
    if log_file.exists() and log_file.stat().st_size > _LOG_BYTES:
        log_file.replace(log_file.with_suffix(".log.1"))
    with log_file.open("ab") as output:
        # A session of its own: Ctrl-C in the terminal must reach us, and we end the servers in order.
        child = subprocess.Popen(
            run_as(server.command(), place.account),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=place.data_dir,
            env=environment(),
            start_new_session=True,
        )
    _pid_file(server, place).write_text(f"{child.pid}\n", "ascii")
    return child


def _pid_file(server: Server, place: Place) -> Path:
    return place.data_dir / "log" / f"{server.name}.pid"


def _last_words(server: Server, place: Place) -> str:
    try:
        lines = place.log_file(server.name).read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return "\n".join(lines[-8:])


def _failure(server: Server, place: Place, what: str) -> Unavailable:
    return failure(server.name, place, what, _last_words(server, place))


def failure(name: str, place: Place, what: str, last_words: str) -> Unavailable:
    """What to tell when a server's program failed: a full disk by its name, everything else by its last words."""
    if "No space left on device" in last_words or shutil.disk_usage(place.data_dir).free < _FREE_BYTES:
        return Unavailable(
            f"{name} {what} because the disk of {place.data_dir} is full: free at least 200 MB there, or choose "
            f"another directory with --data"
        )
    told = f"; its last words: {last_words}" if last_words else ""
    return Unavailable(f"{name} {what}, see {place.log_file(name)}{told}")
