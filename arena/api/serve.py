"""The process `arena serve`: every service of the API and the referee on one address. Knows no SQL and no game.

It registers itself for the workers, and sends to the broker what the database says is still to be played.
"""

import asyncio
import contextlib
import logging
import secrets
import threading
from collections.abc import Callable

import grpc
from celery import Celery
from grpc_reflection.v1alpha import reflection
from kombu.exceptions import OperationalError

from arena.api import (
    access,
    account,
    catalogue,
    export,
    health,
    match,
    oversight,
    rating,
    room,
    submission,
    tournament,
    webhook,
)
from arena.api.blocks import Blocks
from arena.api.clock import LONGEST_MOVE_MS
from arena.api.drain import Drain
from arena.api.health import Health
from arena.api.listen import Tls, listen_plain, listen_tls
from arena.api.lobby import Lobby
from arena.api.login import remote_bots
from arena.api.monitor import Monitor
from arena.api.pulse import Pulse
from arena.api.quota import Quota
from arena.errors import ArenaError
from arena.referee.hub import Hub
from arena.referee.service import Referee, server_options
from arena.referee.stream import SHUTDOWN, Farewell
from arena.store import migrate, notices, referees
from arena.store.referees import Place
from arena.tournaments import sweeper
from arena.tournaments.broker import application
from arena.v1 import (
    account_pb2,
    account_pb2_grpc,
    catalogue_pb2,
    catalogue_pb2_grpc,
    export_pb2,
    export_pb2_grpc,
    match_pb2,
    match_pb2_grpc,
    oversight_pb2,
    oversight_pb2_grpc,
    play_pb2,
    rating_pb2,
    rating_pb2_grpc,
    referee_pb2_grpc,
    room_pb2,
    room_pb2_grpc,
    submission_pb2,
    submission_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)

log = logging.getLogger("arena.serve")

PART_S = 5.0
GRACE_S = 2.0


async def serve(
    database_url: str,
    broker_url: str,
    *,
    listen: str,
    tls: Tls | None,
    advertise: str = "",
    metrics: str,
    on_ready: Callable[[str, str, str], None],
    drain_s: float,
    on_drain: Callable[[str], None],
) -> None:
    """Serves until SIGTERM or SIGINT, and then for at most ``drain_s`` until what has begun has ended. ``on_ready`` is
    told the address, the one with TLS and the one of the metrics, empty if there is none, once everything answers;
    ``on_drain`` is told what is waited for. ``advertise`` is where workers, and bots of other referees, are told that
    this one is; where it listens, if that is empty.

    :raises Unavailable: if the database does not answer, an address cannot be had or the certificate is none.
    """
    await asyncio.to_thread(migrate, database_url)
    database = access.Database(database_url)
    secret = secrets.token_bytes(32)
    drain = Drain()
    drain.listen()
    wake = asyncio.Event()
    async with Hub() as hub, Pulse() as pulse, Monitor(hub, pulse, database, metrics) as monitor:
        referee = Referee(hub)
        server = grpc.aio.server(options=server_options(LONGEST_MOVE_MS))
        blocks = Blocks(hub, secret.hex(), drain, lambda bots: database.ask(notices.disabled, bots))
        quota = Quota(hub)
        account_pb2_grpc.add_AccountServiceServicer_to_server(account.Accounts(database, quota), server)
        matches = match.Matches(database, hub, quota, drain)
        rooms = room.Rooms(database, hub, quota, drain)
        checks = _add_services(server, database, matches, rooms, blocks, wake=wake.set)
        address = listen_plain(server, listen)
        tls_address = listen_tls(server, tls) if tls is not None else ""
        here = Place(advertise or address, (tls.advertise if tls is not None else "") or tls_address)
        lobby = Lobby(here, hub)
        let_in = blocks.seated(rooms.seated(remote_bots(database, hub, quota, drain)))
        referee.add_to(server, let_in, rooms.metered(quota.meter), news_of=lobby.news_of)
        await server.start()
        await checks.tell(True)
        pulse.follow(checks.tell)
        log.info("serving at %s", address)
        on_ready(address, tls_address, monitor.address)
        ending = threading.Event()
        threads = [
            asyncio.create_task(asyncio.to_thread(sweeper.run, database_url, broker_url, ending)),
            asyncio.create_task(asyncio.to_thread(webhook.run, database_url, ending)),
        ]
        try:
            try:
                async with asyncio.TaskGroup() as group:
                    tasks = [
                        group.create_task(lobby.attend(database, secret)),
                        group.create_task(_part(database, hub)),
                        group.create_task(rooms.attend()),
                        group.create_task(_hint(database, application(broker_url), wake)),
                    ]
                    await drain.asked()
                    for task in tasks:
                        task.cancel()
            finally:
                # Also after a failure: the process ends when its threads do.
                ending.set()
            await checks.leave()
            with contextlib.suppress(ArenaError):
                await database.ask(referees.leave, here.address)
            if waits_for := drain.waits_for():
                on_drain(waits_for)
                if not await drain.quiet(drain_s):
                    log.warning("%s did not end in time and is handed back", drain.waits_for())
        finally:
            await referee.close(SHUTDOWN)
            await server.stop(GRACE_S)
        await asyncio.gather(*threads)
    database.close()


def _add_services(
    server: grpc.aio.Server,
    database: access.Database,
    matches: match.Matches,
    rooms: room.Rooms,
    blocks: Blocks,
    *,
    wake: Callable[[], None],
) -> Health:
    catalogue_pb2_grpc.add_CatalogueServiceServicer_to_server(catalogue.Catalogue(), server)
    submission_pb2_grpc.add_SubmissionServiceServicer_to_server(submission.Submission(database, wake), server)
    tournament_pb2_grpc.add_TournamentServiceServicer_to_server(tournament.Tournaments(database, wake), server)
    rating_pb2_grpc.add_RatingServiceServicer_to_server(rating.Ratings(database), server)
    oversight_pb2_grpc.add_OversightServiceServicer_to_server(oversight.Oversight(database), server)
    match_pb2_grpc.add_MatchServiceServicer_to_server(matches, server)
    room_pb2_grpc.add_RoomServiceServicer_to_server(rooms, server)
    export_pb2_grpc.add_ExportServiceServicer_to_server(export.Exports(database), server)
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
                (room_pb2, "RoomService"),
                (export_pb2, "ExportService"),
                (oversight_pb2, "OversightService"),
                (play_pb2, "PlayService"),
            )
        ),
        reflection.SERVICE_NAME,
        health.NAME,
    ]
    reflection.enable_server_reflection(names, server)
    return Health(server, names)


async def _part(database: access.Database, hub: Hub) -> None:
    """Shows those bots the door that were disabled and have no open match any more."""
    while True:
        await asyncio.sleep(PART_S)
        idle = [bot for bot in hub.connected() if not hub.plays(bot)]
        with contextlib.suppress(ArenaError):
            for bot in await database.ask(notices.disabled, idle):
                hub.dismiss(bot, Farewell("BROKEN", f"{notices.sentence(bot)}."))


async def _hint(database: access.Database, app: Celery, wake: asyncio.Event) -> None:
    """Sends what has just begun to wait; whatever is missed here, the sweeper finds."""
    while True:
        await wake.wait()
        wake.clear()
        try:
            await database.ask(sweeper.sweep, app)
        except (ArenaError, OperationalError) as error:
            log.warning("nothing is sent to the workers before the next sweep: %s", error)
