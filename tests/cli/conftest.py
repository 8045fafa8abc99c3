"""Services of the API that read, for commands of this process."""

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from arena.api.access import Database
from arena.api.catalogue import Catalogue
from arena.api.export import Exports
from arena.api.rating import Ratings
from arena.api.tournament import Tournaments
from arena.store import Connection, people
from arena.v1 import catalogue_pb2_grpc, export_pb2_grpc, rating_pb2_grpc, tournament_pb2_grpc


@pytest.fixture
def served(database_url: str, connection: Connection, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The services of the API that are asked, for commands of this process."""
    loop = asyncio.new_event_loop()
    database = Database(database_url)
    ready: list[int] = []

    async def start() -> grpc.aio.Server:
        server = grpc.aio.server()
        tournament_pb2_grpc.add_TournamentServiceServicer_to_server(Tournaments(database, lambda: None), server)
        export_pb2_grpc.add_ExportServiceServicer_to_server(Exports(database), server)
        rating_pb2_grpc.add_RatingServiceServicer_to_server(Ratings(database), server)
        catalogue_pb2_grpc.add_CatalogueServiceServicer_to_server(Catalogue(), server)
        ready.append(server.add_insecure_port("127.0.0.1:0"))
        await server.start()
        return server

    server = loop.run_until_complete(start())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    monkeypatch.setattr("arena.cli.client.LOGIN_FILE", Path(os.devnull))
    monkeypatch.setenv("ARENA_SERVER", f"127.0.0.1:{ready[0]}")
    monkeypatch.setenv("ARENA_TOKEN", people.keep_token(connection, "reader", None))
    yield
    asyncio.run_coroutine_threadsafe(server.stop(None), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
    database.close()
