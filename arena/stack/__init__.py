"""The database and the broker that the arena brings along. Knows no table, no task and no game.

`Stack(data_dir)` starts PostgreSQL and Valkey, keeps them running, and stops them when its block ends. A second stack
on the same directory finds the running servers and uses them; the last one to end stops them, and if the first one goes
before, another one looks after them from then on. After kill -9 of everything the next start goes on where the last
one was cut.
"""

import contextlib
import fcntl
import os
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from arena.errors import Unavailable
from arena.stack.paths import account_for, default_data_dir, make_data_dir, socket_dir
from arena.stack.postgres import Postgres
from arena.stack.programs import find_programs
from arena.stack.server import START_TIMEOUT_S, Place, Running, Server, find, log, start, stop, wait_any
from arena.stack.valkey import Valkey

__all__ = ["Stack", "default_data_dir"]

_LONGEST_PAUSE_S = 10.0
_TURN_S = 0.5
"""So often a stack looks whether it is its turn to look after the servers."""


class Stack:
    """The servers of one data directory, running from `start` (or `with`) to `stop`.

    :ivar database_url: address of the database, with its password.
    :ivar broker_url: address of the broker in the form that Celery reads, with its password.
    """

    def __init__(
        self, data_dir: Path | None = None, *, database_url: str | None = None, broker_url: str | None = None
    ) -> None:
        """Where an address is given, here or in ARENA_DATABASE_URL and ARENA_BROKER_URL, that server is not started."""
        self.data_dir = Path(os.path.abspath(data_dir or default_data_dir()))  # noqa: PTH100 - links stay as they are
        self.database_url = database_url or os.environ.get("ARENA_DATABASE_URL") or ""
        self.broker_url = broker_url or os.environ.get("ARENA_BROKER_URL") or ""
        self._place: Place | None = None
        self._servers: list[Server] = []
        self._running: dict[str, Running] = {}
        self._lock: int | None = None
        self._use: int | None = None
        self._ending = threading.Event()
        self._supervisor: threading.Thread | None = None
        self._wake = (-1, -1)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def owner(self) -> bool:
        """Whether this stack looks after the servers; else it uses those of another process."""
        return self._lock is not None

    def pid(self, name: str) -> int:
        """Process id of the server called `postgres` or `valkey`, as last seen."""
        return self._running[name].pid

    def start(self) -> None:
        """Returns when every server answers.

        :raises Unavailable: if one does not come up; none is left running then.
        """
        if self.database_url and self.broker_url:
            return
        account = account_for(self.data_dir)
        make_data_dir(self.data_dir, account)
        place = self._place = Place(self.data_dir, socket_dir(self.data_dir, account), account)
        # While the last one that used the servers stops them, this waits.
        self._use = _flock(self.data_dir / "stack.users", fcntl.LOCK_SH)
        self._take_lock()
        try:
            programs = find_programs(self.data_dir, account)
            password = _password(self.data_dir)
            if not self.database_url:
                postgres = Postgres(place, programs, password)
                self._servers.append(postgres)
                self.database_url = postgres.url()
            if not self.broker_url:
                valkey = Valkey(place, programs, password)
                self._servers.append(valkey)
                self.broker_url = valkey.url()
            if self.owner:
                self._start_servers(place)
            else:
                self._find_servers(place)
        except BaseException as error:
            self._stop_servers(place)
            if isinstance(error, OSError):
                raise Unavailable(
                    f"{self.data_dir} cannot be used ({error}): choose another one with --data"
                ) from error
            raise
        self._wake = os.pipe()
        self._supervisor = threading.Thread(target=self._attend, args=(place,), name="stack", daemon=True)
        self._supervisor.start()

    def stop(self) -> None:
        """Stops the servers if nobody else uses them. Returns when they are gone."""
        if self._supervisor is not None:
            self._ending.set()
            os.write(self._wake[1], b".")
            self._supervisor.join()
            self._supervisor = None
            for end in self._wake:
                os.close(end)
        if self._place is not None:
            self._stop_servers(self._place)

    def _take_lock(self) -> None:
        self._lock = _flock(self.data_dir / "stack.lock", fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _start_servers(self, place: Place) -> None:
        with ThreadPoolExecutor(len(self._servers)) as pool:
            started = [(server, pool.submit(start, server, place)) for server in self._servers]
        # Whatever came up is known before an error is raised, so that it can be stopped.
        for server, future in started:
            if future.exception() is None:
                self._running[server.name] = future.result()
        for _, future in started:
            future.result()

    def _find_servers(self, place: Place) -> None:
        """Waits for the servers of the process that holds the lock; takes its place if it goes away meanwhile."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while missing := [server for server in self._servers if server.name not in self._running]:
            for server in missing:
                if found := find(server):
                    self._running[server.name] = found
            self._take_lock()
            if self.owner:
                self._running.clear()
                self._start_servers(place)
                return
            if time.monotonic() > deadline:
                raise Unavailable(
                    f"another process holds {self.data_dir} and its {missing[0].name} does not answer: stop that "
                    f"'arena up', or choose another directory with --data"
                )
            time.sleep(0.05)

    def _stop_servers(self, place: Place) -> None:
        """Stops them, if this was the last stack that uses them."""
        if self._use is None:
            return
        os.close(self._use)
        self._use = None
        alone = _flock(self.data_dir / "stack.users", fcntl.LOCK_EX | fcntl.LOCK_NB)
        if alone is not None:
            if not self.owner:
                # Whoever looked after them may have started them again.
                with contextlib.suppress(Unavailable):
                    self._running |= {server.name: found for server in self._servers if (found := find(server))}
            for server in reversed(self._servers):
                if running := self._running.get(server.name):
                    stop(server, running, place)
        self._running.clear()
        self._servers.clear()
        for descriptor in (self._lock, alone):
            if descriptor is not None:
                os.close(descriptor)
        self._lock = None

    def _attend(self, place: Place) -> None:
        """Looks after the servers as soon as nobody else does, until the stack ends."""
        while not self.owner and not self._ending.wait(_TURN_S):
            self._take_lock()
        if self.owner:
            self._supervise(place)

    def _supervise(self, place: Place) -> None:
        """Starts again what dies, at once at first and then ever more slowly, until the stack ends."""
        pauses_s = dict.fromkeys(self._running, 0.0)
        retry_at = dict.fromkeys(self._running, 0.0)
        started_at = dict.fromkeys(self._running, time.monotonic())
        for server in self._servers:
            server.settle()
        while not self._ending.is_set():
            now = time.monotonic()
            dead = [server for server in self._servers if not self._running[server.name].alive()]
            for server in dead:
                name = server.name
                if retry_at[name] > now:
                    continue
                if now - started_at[name] > 60:
                    pauses_s[name] = 0.0
                log.warning("%s (process %d) has died and is started again", name, self._running[name].pid)
                try:
                    self._running[name] = start(server, place)
                except (Unavailable, OSError) as error:
                    log.error("%s", error)
                started_at[name] = time.monotonic()
                pauses_s[name] = min(max(0.1, pauses_s[name] * 2), _LONGEST_PAUSE_S)
                retry_at[name] = started_at[name] + pauses_s[name]
            alive = [running for running in self._running.values() if running.alive()]
            wait_any(alive, self._wake[0], 60.0 if len(alive) == len(self._running) else 0.1)


def _flock(file: Path, operation: int) -> int | None:
    """A descriptor that holds the lock as long as it is open; None if it cannot be had now. It is one of flock, not of
    lockf: bound to this open file, so that a second stack in the same process is not taken for the first, and gone with
    the process, however that ends."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, operation)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _password(data_dir: Path) -> str:
    """The password of both servers, made at the first start. Hex, so that it needs no quoting anywhere."""
    path = data_dir / "password"
    with contextlib.suppress(FileNotFoundError):
        return path.read_text("ascii").strip()
    unfinished = path.with_name(f"password.{secrets.token_hex(4)}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(16) + "\n")
    with contextlib.suppress(FileExistsError):
        os.link(unfinished, path)  # the first one wins, whole
    unfinished.unlink()
    return path.read_text("ascii").strip()
