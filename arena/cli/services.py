"""`arena up`, and its parts alone: `arena serve` and `arena worker`. Knows no service's inside."""

import argparse
import asyncio
import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.cli.data import (
    add_data_option,
    add_log_option,
    add_tier_option,
    address,
    advertised,
    configure_logs,
    duration,
    positive,
)
from arena.cli.web import LISTEN as WEB
from arena.errors import ArenaError, BadRequest, Unavailable

if TYPE_CHECKING:
    from arena.api.listen import Tls
    from arena.cli.client import Server

LISTEN = "127.0.0.1:7000"
LOOK_S = 0.1
DRAIN_S = 20.0
"""How long what is being played may go on once the services are told to stop."""
IDLE_S = 2.0
"""A worker that plays nothing ends within this time."""


def add_commands(commands: Any) -> None:
    """Adds `arena up`, `arena serve` and `arena worker`."""
    up = commands.add_parser("up", help="all services on this host, until Ctrl-C")
    up.set_defaults(run=run_up)
    serve = commands.add_parser("serve", help="the referee and the API alone")
    serve.set_defaults(run=run_serve)
    worker = commands.add_parser("worker", help="a worker alone")
    worker.set_defaults(run=run_worker)
    for parser in (up, serve):
        parser.add_argument("--listen", type=address, default=LISTEN, metavar="HOST:PORT", help=f"default {LISTEN}")
        parser.add_argument(
            "--metrics",
            type=address,
            metavar="HOST:PORT",
            help="answers /metrics and /healthz over HTTP there; to nobody unless given",
        )
        parser.add_argument(
            "--advertise",
            type=advertised,
            metavar="HOST:PORT",
            help="where workers and other referees' bots are told that it is; default where it listens",
        )
        tls = parser.add_argument_group("TLS for whoever dials in from elsewhere; the first three or none")
        tls.add_argument("--tls-listen", type=address, metavar="HOST:PORT", help="a second address, with TLS")
        tls.add_argument("--certificate", type=Path, metavar="FILE", help="the certificate and its chain, in PEM")
        tls.add_argument("--key", type=Path, metavar="FILE", help="its private key, in PEM")
        tls.add_argument(
            "--tls-advertise",
            type=advertised,
            metavar="HOST:PORT",
            help="where other referees' bots are told that it is, with a host of the certificate",
        )
    for parser in (up, worker):
        parser.add_argument(
            "--concurrency",
            type=positive,
            default=usual_concurrency(),
            metavar="N",
            help="blocks at a time; default one for two cores",
        )
        add_tier_option(parser)
    up.add_argument("--web", type=address, default=WEB, metavar="HOST:PORT", help=f"where the pages are; default {WEB}")
    up.add_argument("--no-web", action="store_true", help="no pages")
    for parser in (up, serve, worker):
        add_log_option(parser)
        parser.add_argument(
            "--drain",
            type=duration,
            default=DRAIN_S,
            metavar="SECONDS",
            help=f"how long what is being played may go on when it is told to stop; default {DRAIN_S:g}",
        )
        add_data_option(parser)


def usual_concurrency() -> int:
    """One block for two cores, so that bots do not time each other out."""
    return max(1, len(os.sched_getaffinity(0)) // 2)


def _tls(arguments: argparse.Namespace) -> "Tls | None":
    """The listener with TLS that the arguments ask for.

    :raises BadRequest: if they say half of it.
    """
    from arena.api.listen import Tls

    given = (arguments.tls_listen, arguments.certificate, arguments.key)
    if all(value is None for value in (*given, arguments.tls_advertise)):
        return None
    if any(value is None for value in given):
        raise BadRequest("TLS needs all of --tls-listen HOST:PORT, --certificate FILE and --key FILE")
    return Tls(*given, arguments.tls_advertise or "")


def run_up(arguments: argparse.Namespace) -> int:
    """Starts everything, submits the house bots that are missing, and waits."""
    from arena.cli.client import Server, find_login_in
    from arena.stack import Stack
    from arena.stack.services import Services
    from arena.store.pruning import kept_days
    from arena.tournaments.strangers import LEAST_TIER, refusal
    from sandbox.host import NoCellError, detect

    tls = _tls(arguments)
    kept_days()
    stop = threading.Event()
    running: list[Services] = []

    def leave(*_: object) -> None:
        if stop.is_set():
            for services in running:
                services.hurry()
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, leave)
    configure_logs(arguments, logging.WARNING, text="%(message)s")
    os.environ[LEAST_TIER] = arguments.least_tier.value
    print(f"starting PostgreSQL, Valkey, the referee and a worker in {arguments.data} …", flush=True)
    with (
        Stack(arguments.data) as stack,
        Services(
            stack,
            listen=arguments.listen,
            concurrency=arguments.concurrency,
            tls=tls,
            advertise=arguments.advertise or "",
            metrics=arguments.metrics or "",
            web="" if arguments.no_web else arguments.web,
            drain_s=arguments.drain,
            tell=lambda sentence: print(f"{sentence}; Ctrl-C again hands back at once", flush=True),
        ) as services,
    ):
        running.append(services)
        admin, house = services.logins()
        encrypted = f", with TLS at {services.tls_address}" if tls is not None else ""
        print(f"Card Arena is up at {services.address}{encrypted}; the admin's token is in {admin}", flush=True)
        if services.web_address:
            print(f"pages at http://{services.web_address}/", flush=True)
        if services.metrics_address:
            print(f"metrics at http://{services.metrics_address}/metrics", flush=True)
        try:
            if refused := refusal(detect().tier, arguments.least_tier):
                print(refused, flush=True)
        except NoCellError as error:
            print(f"arena: no bot is run here: {error}", file=sys.stderr, flush=True)
        threading.Thread(
            target=_house, args=(Server(find_login_in(house)), stop), name="house bots", daemon=True
        ).start()
        stop.wait()
        print("stopping …", flush=True)
    return 0


def run_serve(arguments: argparse.Namespace) -> int:
    """Serves until it is told to stop."""
    from arena.api.serve import serve
    from arena.stack import Stack
    from arena.stack.services import DRAINING, READY, READY_METRICS, READY_TLS
    from arena.store.pruning import kept_days

    kept_days()
    drain_s = arguments.drain
    tls = _tls(arguments)

    def say(address: str, tls_address: str, metrics_address: str) -> None:
        # The plain address comes last: whoever waits for it knows all then.
        if metrics_address:
            print(f"{READY_METRICS}{metrics_address}", flush=True)
        if tls_address:
            print(f"{READY_TLS}{tls_address}", flush=True)
        print(f"{READY}{address}", flush=True)

    configure_logs(arguments)
    with Stack(arguments.data) as stack:
        asyncio.run(
            serve(
                stack.database_url,
                stack.broker_url,
                listen=arguments.listen,
                tls=tls,
                advertise=arguments.advertise or "",
                metrics=arguments.metrics or "",
                on_ready=say,
                drain_s=drain_s,
                on_drain=lambda what: print(f"{DRAINING}{what}, at most {drain_s:g} s", flush=True),
            )
        )
    return 0


def run_worker(arguments: argparse.Namespace) -> int:
    """Works until it is told to stop. Blocks that are being played may end then, if they do it in time; a second
    signal, or one after our parent has gone, hands them back at once.

    :raises Unavailable: if no cell can be started here, or the database is of a newer version.
    """
    import psycopg

    from arena.stack import Stack
    from arena.stack.leash import leashed
    from arena.store import connect, workers
    from arena.store.pruning import kept_days
    from arena.tournaments import sweeper
    from arena.tournaments.strangers import LEAST_TIER, TIER, refusal
    from arena.tournaments.tasks import worker_command
    from sandbox.host import NoCellError, detect

    configure_logs(arguments)
    kept_days()
    try:
        tier, least = detect().tier, arguments.least_tier
    except NoCellError as error:
        raise Unavailable(f"a worker needs cells: {error}") from error
    if refused := refusal(tier, least):
        print(refused, flush=True)
    here = workers.Worker(f"{socket.gethostname()}:{os.getpid()}", tier.value, least.value, not refused)
    with Stack(arguments.data) as stack, tempfile.TemporaryDirectory(prefix="arena-worker-") as folder:
        _refuse_newer(stack.database_url)
        hand_back = Path(folder) / "hand-back"
        environment = {
            **os.environ,
            "ARENA_DATABASE_URL": stack.database_url,
            "ARENA_BROKER_URL": stack.broker_url,
            "ARENA_BOTS": str(stack.data_dir / "bots"),
            "ARENA_HAND_BACK": str(hand_back),
            LEAST_TIER: least.value,
            TIER: tier.value,
            "C_FORCE_ROOT": "1",  # Celery warns root of pickled messages; ours are JSON
            "OPENBLAS_NUM_THREADS": "1",  # the fit of a table must not take the processors of the blocks beside it
        }
        name = f"worker-{os.getpid()}"
        command = leashed(worker_command(name, arguments.concurrency, strangers=here.strangers), os.getpid())
        celery = subprocess.Popen(command, env=environment)
        parent, told = os.getppid(), False

        def leave(*_: object) -> None:
            nonlocal told
            if told or os.getppid() != parent:
                hand_back.touch()
            told = True
            celery.terminate()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, leave)
        ending = threading.Event()
        sweeping = threading.Thread(
            target=sweeper.run,
            args=(stack.database_url, stack.broker_url, ending),
            kwargs={"beat": lambda connection: workers.beat(connection, here)},
            name="sweeper",
        )
        sweeping.start()
        while celery.poll() is None and not told:
            time.sleep(LOOK_S)
        _drain(celery, hand_back, arguments.drain)
        ending.set()
        sweeping.join()
        with contextlib.suppress(Unavailable, psycopg.OperationalError), connect(stack.database_url) as connection:
            workers.leave(connection, here.name)
    return 0 if celery.returncode == 0 else 1


def _refuse_newer(database_url: str) -> None:
    """Returns if the database is away, which is waited for, or not of a newer version.

    :raises Unavailable: if it is of one.
    """
    from arena.store import connect, refuse_newer

    try:
        connection = connect(database_url)
    except Unavailable:
        return
    with connection:
        refuse_newer(connection)


def _drain(celery: "subprocess.Popen[bytes]", hand_back: Path, drain_s: float) -> None:
    """Returns when the worker has ended. What it plays is handed back after a while."""
    from arena.stack.services import DRAINING

    waited_s = min(IDLE_S, drain_s)
    with contextlib.suppress(subprocess.TimeoutExpired):
        celery.wait(waited_s)
        return
    if drain_s > waited_s:
        print(f"{DRAINING}the blocks of this worker, at most {drain_s:g} s", flush=True)
        with contextlib.suppress(subprocess.TimeoutExpired):
            celery.wait(drain_s - waited_s)
    hand_back.touch()
    celery.wait()


def _house(server: "Server", stop: threading.Event) -> None:
    """Submits the house bots. What goes wrong is told in a line, and the services stay up."""
    from arena.cli.housing import submit_house_bots

    try:
        submit_house_bots(server, lambda sentence: print(sentence, flush=True))
    except ArenaError as error:
        if not stop.is_set():  # then it is only that the server has gone
            print(f"arena: {error}; the next 'arena up' tries it again", file=sys.stderr, flush=True)
