"""The process `arena serve`: every service of the API and the referee on one address. Knows no SQL and no game.

It registers itself for the workers, and sends to the broker what the database says is still to be played.
"""

import asyncio
import contextlib
import logging
import secrets
import signal
import threading
from collections.abc import Awaitable, Callable

import grpc
from celery import Celery
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from kombu.exceptions import OperationalError

from arena.api import access, account, catalogue, match, rating, submission, tournament
from arena.api.blocks import Blocks
from arena.api.clock import LONGEST_MOVE_MS
from arena.api.listen import Tls, listen_plain, listen_tls
from arena.api.monitor import Monitor
from arena.api.pulse import Pulse
from arena.api.quota import Quota
from arena.errors import ArenaError, NotLoggedIn, Unavailable
from arena.referee.hub import Hub
from arena.referee.plan import PlayerId
from arena.referee.service import Referee, Refusal, server_options
from arena.referee.stream import SHUTDOWN, Hello
from arena.scopes import PLAY
from arena.store import bots, migrate, people, referees
from arena.tournaments import sweeper
from arena.tournaments.broker import application
from arena.v1 import (
    account_pb2,
    account_pb2_grpc,
    catalogue_pb2,
    catalogue_pb2_grpc,
    match_pb2,
    match_pb2_grpc,
    play_pb2,
    rating_pb2,
    rating_pb2_grpc,
    referee_pb2_grpc,
    submission_pb2,
    submission_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)

log = logging.getLogger("arena.serve")

HEARTBEAT_S = 5.0
GRACE_S = 2.0


async def serve(
    database_url: str,
    broker_url: str,
    *,
    listen: str,
    tls: Tls | None,
    metrics: str,
    on_ready: Callable[[str, str, str], None],
) -> None:
    """Serves until SIGTERM or SIGINT. ``on_ready`` is told the address, the one with TLS and the one of the metrics,
    empty if there is none, once everything answers.

    :raises Unavailable: if the database does not answer, an address cannot be had or the certificate is none.
    """
    await asyncio.to_thread(migrate, database_url)
    database = access.Database(database_url)
    secret = secrets.token_bytes(32)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    wake = asyncio.Event()
    async with Hub() as hub, Pulse() as pulse, Monitor(hub, pulse, database, metrics) as monitor:
        referee = Referee(hub)
        server = grpc.aio.server(options=server_options(LONGEST_MOVE_MS))
        blocks = Blocks(hub, secret.hex())
        quota = Quota(hub)
        account_pb2_grpc.add_AccountServiceServicer_to_server(account.Accounts(database, quota), server)
        tell_health = await _add_services(server, database, match.Matches(database, hub, quota), blocks, wake.set)
        referee.add_to(
            server, blocks.seated(lambda token, hello: _authenticate(database, quota, token, hello)), quota.meter
        )
        address = listen_plain(server, listen)
        tls_address = listen_tls(server, tls) if tls is not None else ""
        await server.start()
        pulse.follow(tell_health)
        log.info("serving at %s", address)
        on_ready(address, tls_address, monitor.address)
        ending = threading.Event()
        sweeping = asyncio.create_task(asyncio.to_thread(sweeper.run, database_url, broker_url, ending))
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(_register(database, address, secret)),
                group.create_task(_hint(database, application(broker_url), wake)),
            ]
            await stop.wait()
            for task in tasks:
                task.cancel()
        ending.set()
        await sweeping
        await referee.close(SHUTDOWN)
        await server.stop(GRACE_S)
    with contextlib.suppress(ArenaError):
        await database.ask(referees.leave, address)
    database.close()


async def _add_services(
    server: grpc.aio.Server,
    database: access.Database,
    matches: match.Matches,
    blocks: Blocks,
    wake: Callable[[], None],
) -> Callable[[bool], Awaitable[None]]:
    """Adds them and comes back with what tells the health service whether they serve."""
    catalogue_pb2_grpc.add_CatalogueServiceServicer_to_server(catalogue.Catalogue(), server)
    submission_pb2_grpc.add_SubmissionServiceServicer_to_server(submission.Submission(database, wake), server)
    tournament_pb2_grpc.add_TournamentServiceServicer_to_server(tournament.Tournaments(database, wake), server)
    rating_pb2_grpc.add_RatingServiceServicer_to_server(rating.Ratings(database), server)
    match_pb2_grpc.add_MatchServiceServicer_to_server(matches, server)
    referee_pb2_grpc.add_RefereeServiceServicer_to_server(blocks, server)
    names = [
        *(
            file.DESCRIPTOR.services_by_name[service].full_name
            for file, service in (
                (account_pb2, "AccountService"),
                (catalogue_pb2, "CatalogueService"),
                (submission_pb2, "SubmissionService"),
                (tournament_pb2, "TournamentService"),
                (rating_pb2, "RatingService"),
                (match_pb2, "MatchService"),
                (play_pb2, "PlayService"),
            )
        ),
        reflection.SERVICE_NAME,
        health.SERVICE_NAME,
    ]
    checks = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    reflection.enable_server_reflection(names, server)

    async def tell_health(serving: bool) -> None:
        status = health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
        for name in ("", *names):
            await checks.set(name, status)

    await tell_health(True)
    return tell_health


async def _authenticate(database: access.Database, quota: Quota, token: str, hello: Hello) -> PlayerId | Refusal:
    """The player id of a remote bot is its name; its owner is whoever has the token."""
    if not token:
        return Refusal(grpc.StatusCode.UNAUTHENTICATED, access.NO_TOKEN)
    try:
        user, _ = await database.ask(people.holder, token, PLAY)
        await database.ask(
            bots.declare_version,
            user,
            name=hello.bot,
            declared=hello.version or "1",
            games=list(hello.games),
            batch=hello.batch,
        )
    except Unavailable as error:
        return Refusal(grpc.StatusCode.UNAVAILABLE, str(error))
    except NotLoggedIn as error:
        return Refusal(grpc.StatusCode.UNAUTHENTICATED, str(error))
    except ArenaError as error:
        return Refusal(grpc.StatusCode.PERMISSION_DENIED, str(error))
    return quota.admit(user.name, hello.bot)


async def _register(database: access.Database, address: str, secret: bytes) -> None:
    """Tells the workers, again and again, where remote bots are."""
    while True:
        with contextlib.suppress(Unavailable):
            await database.ask(referees.beat, address, secret)
        await asyncio.sleep(HEARTBEAT_S)


async def _hint(database: access.Database, app: Celery, wake: asyncio.Event) -> None:
    """Sends what has just begun to wait; whatever is missed here, the sweeper finds."""
    while True:
        await wake.wait()
        wake.clear()
        try:
            await database.ask(sweeper.sweep, app)
        except (ArenaError, OperationalError) as error:
            log.warning("nothing is sent to the workers before the next sweep: %s", error)
