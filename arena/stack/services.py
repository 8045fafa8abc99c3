"""The arena's own processes on this host: one `arena serve`, one `arena worker` and, if they are wanted, the pages of
one `arena web`; whichever dies is started again.

Knows what they are called and not what they do. Their messages go to DATA/log.
"""

import fcntl
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol, Self

from arena.errors import Unavailable
from arena.scopes import READ, SCOPES
from arena.stack import Stack
from arena.stack.leash import leashed
from arena.store import connect, migrate
from arena.store.people import HOUSE, WEB, keep_token

READY = "serving at "
"""`arena serve` writes this and its address to its standard output when it answers."""

DRAINING = "waiting for "
"""It writes this and what it waits for when it was told to stop while something is played; so does `arena worker`."""

READY_TLS = "serving with TLS at "
"""It writes this and that address before, if there is one."""

READY_METRICS = "metrics at "
"""It writes this and the address of its metrics before, if there is one."""

READY_WEB = "pages at "
"""`arena web` writes this and its address when it answers."""

LOGIN = ("ARENA_SERVER", "ARENA_TOKEN", "ARENA_CA")
"""Where commands of whoever starts the services go, and as whom. The pages have a login of their own."""

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 20.0
"""How much longer they may take: a block process has 15 s to end its cells."""

LONGEST_PAUSE_S = 10.0


class Encrypted(Protocol):
    """A listener with TLS: HOST:PORT, the files with certificate and key, and where it is said to be."""

    @property
    def listen(self) -> str: ...
    @property
    def certificate(self) -> Path: ...
    @property
    def key(self) -> Path: ...
    @property
    def advertise(self) -> str: ...


@dataclass(slots=True)
class _Service:
    """A process to be kept alive."""

    name: str
    arguments: list[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    pause_s: float = 0.0
    ready: threading.Event = field(default_factory=threading.Event)
    address: str = ""
    tls_address: str = ""
    metrics_address: str = ""
    web_address: str = ""


class Services:
    """`arena serve`, `arena worker` and `arena web` over a stack, from entering to leaving.

    :ivar address: where the API is.
    :ivar tls_address: where it is with TLS; empty if it is not.
    :ivar metrics_address: where its metrics are; empty if they are nowhere.
    :ivar web_address: where the pages are; empty if they are nowhere.
    :ivar database_url: the database that they work with.
    """

    def __init__(
        self,
        stack: Stack,
        *,
        listen: str,
        concurrency: int,
        tls: Encrypted | None = None,
        advertise: str = "",
        metrics: str = "",
        web: str = "",
        drain_s: float = 0.0,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """``web`` is where the pages are to be, nowhere if it is empty. ``drain_s`` is how long what is played may
        go on when they are left. ``tell`` is told from threads, in words, what is waited for then."""
        self._stack = stack
        self._tls = tls
        self._advertise = advertise
        self._drain_s = drain_s
        self._tell = tell
        self._serve = _Service("serve", self._serving(listen, tls.listen if tls is not None else "", metrics))
        working = ["worker", "--concurrency", str(concurrency), "--drain", f"{drain_s:g}"]
        self._services = [self._serve, _Service("worker", working)]
        self._web = _Service("web", ["web", "--listen", web]) if web else None
        self._lock: int | None = None
        self._ending = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="services", daemon=True)
        self.address = ""
        self.tls_address = ""
        self.metrics_address = ""
        self.web_address = ""
        self.database_url = stack.database_url

    def __enter__(self) -> Self:
        """Returns when the API answers.

        :raises Unavailable: if it does not, or other services use the data directory; nothing is left running then.
        """
        self._take_lock()
        try:
            migrate(self._stack.database_url)
            for service in self._services:
                self._start(service)
            self._wait_for(self._serve)
            self.address, self.tls_address = self._serve.address, self._serve.tls_address
            self.metrics_address = self._serve.metrics_address
            if self._web is not None:
                self._log_in(WEB, "web.json", scopes=(READ,))
                self._services.append(self._web)
                self._start(self._web)
                self._wait_for(self._web)
                self.web_address = self._web.web_address
                self._web.arguments = ["web", "--listen", self.web_address]
        except BaseException:
            self._stop()
            raise
        # Whoever knows the address finds the next one there, too.
        self._serve.arguments = self._serving(self.address, self.tls_address, self.metrics_address)
        self._keeper.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ending.set()
        self._keeper.join()
        self._stop()

    def hurry(self) -> None:
        """Lets nothing be waited for any more while they are left."""
        if self._ending.is_set():
            for service in self._services:
                if service.process is not None:
                    service.process.terminate()

    def pid(self, name: str) -> int:
        """Process id of `serve`, `worker` or `web`."""
        (process,) = (service.process for service in self._services if service.name == name)
        assert process is not None
        return process.pid

    def logins(self) -> tuple[Path, Path]:
        """The files with address and token of the admin and of the house, written at the first start, mode 0600."""
        return self._log_in("admin", "login.json", admin=True), self._log_in(HOUSE, "house.json")

    def _log_in(self, user: str, name: str, *, admin: bool = False, scopes: Sequence[str] = tuple(SCOPES)) -> Path:
        """The file with the address and the user's token."""
        file = self._stack.data_dir / name
        with connect(self._stack.database_url) as connection:
            token = keep_token(connection, user, _kept_token(file), admin=admin, scopes=scopes)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as out:
            json.dump({"address": self.address, "token": token}, out)
        return file

    def _wait_for(self, service: _Service) -> None:
        """Returns when it has said that it is ready.

        :raises Unavailable: if it ends before, or does not say it in time.
        """
        deadline = time.monotonic() + START_TIMEOUT_S
        while not service.ready.wait(0.1):
            assert service.process is not None
            if service.process.poll() is not None or time.monotonic() > deadline:
                raise Unavailable(f"'arena {service.name}' did not start: {self._last_words(service.name)}")

    def _take_lock(self) -> None:
        """Two would write their address into one login file. The lock goes with the process, however that ends."""
        data_dir = self._stack.data_dir
        try:
            (data_dir / "log").mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(data_dir / "services.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._unlock()
            raise Unavailable(
                f"the services of {data_dir} are up already: use them, or stop them first, or choose another directory "
                f"with --data"
            ) from None
        except OSError as error:
            raise Unavailable(f"{data_dir} cannot be used ({error}): choose another one with --data") from error

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _serving(self, listen: str, tls_listen: str, metrics: str) -> list[str]:
        """What `arena serve` is told."""
        arguments = ["serve", "--listen", listen, "--drain", f"{self._drain_s:g}"]
        if self._advertise:
            arguments += ["--advertise", self._advertise]
        if metrics:
            arguments += ["--metrics", metrics]
        if (tls := self._tls) is not None:
            # It reads them in the same folder, but whoever starts it again may have moved.
            files = ["--certificate", str(tls.certificate.absolute()), "--key", str(tls.key.absolute())]
            arguments += ["--tls-listen", tls_listen, *files]
            if tls.advertise:
                arguments += ["--tls-advertise", tls.advertise]
        return arguments

    def _start(self, service: _Service) -> None:
        environment = {
            **{name: value for name, value in os.environ.items() if name not in LOGIN},
            "ARENA_DATABASE_URL": self._stack.database_url,
            "ARENA_BROKER_URL": self._stack.broker_url,
        }
        with self._log(service.name).open("ab") as log:
            service.process = subprocess.Popen(
                leashed(
                    [sys.executable, "-m", "arena", *service.arguments, "--data", str(self._stack.data_dir)],
                    os.getpid(),
                ),
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        service.started_at = time.monotonic()
        assert service.process.stdout is not None
        threading.Thread(target=self._listen, args=(service, service.process.stdout), daemon=True).start()

    def _listen(self, service: _Service, out: IO[bytes]) -> None:
        """Hears where the service is ready; everything else that it says goes to its log."""
        with out, self._log(service.name).open("ab") as log:
            for line in out:
                text = line.decode(errors="replace").strip()
                if text.startswith(READY_TLS):
                    service.tls_address = text.removeprefix(READY_TLS)
                elif text.startswith(READY_METRICS):
                    service.metrics_address = text.removeprefix(READY_METRICS)
                elif text.startswith(READY):
                    service.address = text.removeprefix(READY)
                    service.ready.set()
                elif text.startswith(READY_WEB):
                    service.web_address = text.removeprefix(READY_WEB)
                    service.ready.set()
                elif text.startswith(DRAINING):
                    self._tell(text)
                else:
                    log.write(line)
                    log.flush()

    def _keep(self) -> None:
        """Starts again what dies: at once, and more slowly if it keeps dying."""
        while not self._ending.wait(0.1):
            for service in self._services:
                if service.process is not None and service.process.poll() is None:
                    continue
                now = time.monotonic()
                if now - service.started_at > 60:
                    service.pause_s = 0.0
                if now - service.started_at < service.pause_s:
                    continue
                service.pause_s = min(max(0.5, service.pause_s * 2), LONGEST_PAUSE_S)
                self._start(service)

    def _stop(self) -> None:
        processes = [service.process for service in reversed(self._services) if service.process is not None]
        for process in processes:
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + self._drain_s + STOP_TIMEOUT_S
        for process in processes:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._unlock()

    def _last_words(self, name: str) -> str:
        lines = self._log(name).read_text(errors="replace").strip().splitlines()
        return lines[-1].removeprefix("arena: ") if lines else "it said nothing"

    def _log(self, name: str) -> Path:
        return self._stack.data_dir / "log" / f"{name}.log"


def _kept_token(file: Path) -> str | None:
    try:
        token: str = json.loads(file.read_text())["token"]
    except (OSError, ValueError, KeyError):
        return None
    return token
