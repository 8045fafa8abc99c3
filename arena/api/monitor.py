"""What an operator's tools ask over HTTP: /metrics and /healthz. Knows no caller, and gives nothing but numbers away.

It answers from threads of its own, so also while the event loop stands still, which is when it matters.
"""

import asyncio
import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, Self, TypeVar
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import make_wsgi_app

from arena.api.access import Database
from arena.api.metrics import registry
from arena.api.pulse import Pulse
from arena.errors import ArenaError, Unavailable
from arena.referee.hub import Hub
from arena.store import Connection, alarms

DATABASE_S = 1.0
"""Within this time the database has to answer."""

READ_S = 5.0
"""Who connects and does not ask within this time is hung up on."""

Answer = TypeVar("Answer")
Environment = dict[str, Any]
Respond = Callable[[str, list[tuple[str, str]]], object]


class Monitor:
    """Listens at ``listen`` (HOST:PORT) from entering to leaving; not at all where that is empty.

    :ivar address: the address that was had, with its port; empty if there is none.
    """

    def __init__(self, hub: Hub, pulse: Pulse, database: Database, listen: str) -> None:
        self.address = ""
        self._listen = listen
        self._hub = hub
        self._pulse = pulse
        self._is_there = _Question(database, _ask)
        self._alarms = _Question(database, alarms.open_alarms)
        metrics = registry(hub, pulse, self._open_alarms)
        self._metrics: Callable[[Environment, Respond], Iterable[bytes]] = make_wsgi_app(metrics)
        self._server: WSGIServer | None = None

    async def __aenter__(self) -> Self:
        """
        :raises Unavailable: if the address cannot be had.
        """
        if self._listen:
            host, _, port = self._listen.rpartition(":")
            try:
                kind = _Server6 if ":" in host else _Server
                self._server = make_server(host.strip("[]"), int(port), self._answer, kind, _Handler)
            except OSError as error:
                raise Unavailable(
                    f"cannot listen on {self._listen}: it is in use or is no address of this host; choose another one "
                    f"with --metrics"
                ) from error
            self.address = f"{host}:{self._server.server_port}"
            threading.Thread(target=self._server.serve_forever, args=(0.1,), name="monitor", daemon=True).start()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            await asyncio.to_thread(self._server.shutdown)
            self._server.server_close()
        self._is_there.close()
        self._alarms.close()

    def _answer(self, environment: Environment, respond: Respond) -> Iterable[bytes]:
        if environment["REQUEST_METHOD"] != "GET":
            return _text(respond, "405 Method Not Allowed", "Only GET is answered here.")
        if environment["PATH_INFO"] == "/metrics":
            return self._metrics(environment, respond)
        if environment["PATH_INFO"] != "/healthz":
            return _text(respond, "404 Not Found", "There are /metrics and /healthz.")
        if complaint := self.complaint():
            return _text(respond, "503 Service Unavailable", complaint)
        depth = self._hub.depth()
        respond("200 OK", [("Content-Type", "application/json")])
        return [json.dumps({"status": "ok", "bots": depth.bots, "matches": depth.matches}).encode() + b"\n"]

    def complaint(self) -> str:
        """What is wrong, as a sentence; empty if nothing is."""
        if stalled_s := self._pulse.stalled_s():
            return f"The event loop has not ticked for {stalled_s:.1f} s: look at what this process is busy with."
        try:
            self._is_there.answer()
        except (ArenaError, TimeoutError):
            return f"The database has not answered within {DATABASE_S:.0f} s: see whether it runs and can be reached."
        return ""

    def _open_alarms(self) -> int | None:
        """How many alarms are open; None if the database does not say so in time."""
        try:
            return self._alarms.answer()
        except (ArenaError, TimeoutError):
            return None


class _Question(Generic[Answer]):
    """One question to the database at a time, however many ask: a database that hangs costs one thread."""

    def __init__(self, database: Database, question: Callable[[Connection], Answer]) -> None:
        self._database = database
        self._question = question
        self._asker = ThreadPoolExecutor(1, thread_name_prefix="asks the database")
        self._asking: Future[Answer] | None = None
        self._lock = threading.Lock()

    def answer(self) -> Answer:
        """
        :raises ArenaError: if the database is away.
        :raises TimeoutError: if it does not answer within DATABASE_S.
        """
        with self._lock:
            if self._asking is None or self._asking.done():
                self._asking = self._asker.submit(self._database.ask_here, self._question)
            asking = self._asking
        return asking.result(DATABASE_S)

    def close(self) -> None:
        """Asks nothing any more, and waits for no answer."""
        self._asker.shutdown(wait=False)


def _ask(connection: Connection) -> None:
    connection.execute("SELECT 1")


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing of who hangs up or asks nothing."""


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    timeout = READ_S

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
        """Says nothing: who is looked at every few seconds would fill the log with it."""


def _text(respond: Respond, status: str, sentence: str) -> list[bytes]:
    respond(status, [("Content-Type", "text/plain; charset=utf-8")])
    return [f"{sentence}\n".encode()]
