"""What an operator's tools see of a running `arena serve`: numbers, health, and which services there are."""

import asyncio
import contextlib
import functools
import importlib
import json
import signal
import threading
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import psycopg
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from prometheus_client.parser import text_string_to_metric_families

import arena.v1
from arena.api import pulse
from arena.api.access import Database
from arena.api.monitor import Monitor
from arena.api.pulse import Pulse
from arena.api.serve import serve
from arena.errors import Unavailable
from arena.referee.hub import Hub
from arena.stack import Stack
from arena.stack.services import Services
from arena.store import people
from tests.referee.wire import Wire

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def page(address: str, path: str) -> tuple[int, str]:
    """Its status and its text."""
    try:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


@dataclass(frozen=True, slots=True)
class Served:
    """An `arena serve` in this process."""

    address: str
    metrics: str

    async def ask(self, path: str) -> tuple[int, str]:
        """A page, while the loop goes on."""
        return await asyncio.to_thread(page, self.metrics, path)

    async def numbers(self) -> dict[str, float]:
        """Every number of /metrics by its name and labels."""
        status, text = await self.ask("/metrics")
        assert status == 200
        return {
            sample.name + "".join(f" {label}={value}" for label, value in sample.labels.items()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }


@contextlib.asynccontextmanager
async def served(database_url: str, broker_url: str) -> AsyncIterator[Served]:
    """It runs until it is left."""
    ready: asyncio.Future[Served] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(
        serve(
            database_url,
            broker_url,
            listen="127.0.0.1:0",
            tls=None,
            metrics="127.0.0.1:0",
            on_ready=lambda address, _, metrics: ready.set_result(Served(address, metrics)),
            drain_s=0,
            on_drain=print,
        )
    )
    serving.add_done_callback(lambda _: ready.cancel())
    try:
        yield await ready
    finally:
        if not serving.done():
            signal.raise_signal(signal.SIGTERM)
        await serving


def test_the_numbers_follow_what_bots_do(database_url: str, broker_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        token = people.add_user(connection, "anna")

    async def watched() -> None:
        async with served(database_url, broker_url) as arena:
            before = await arena.numbers()
            assert (before["arena_bots_connected"], before["arena_matches_open"]) == (0, 0)
            assert before["arena_think_seconds_bucket le=+Inf"] == before["arena_decisions_total"] == 0
            async with Wire(arena.address, token, name="seen"):
                assert (await arena.numbers())["arena_bots_connected"] == 1
                assert json.loads((await arena.ask("/healthz"))[1]) == {"status": "ok", "bots": 1, "matches": 0}
            stranger = Wire(arena.address, "no token of ours")
            with pytest.raises(AssertionError):
                await stranger.__aenter__()
            await stranger.close()
            after = await arena.numbers()
            assert after["arena_logins_refused_total reason=UNAUTHENTICATED"] == 1
            assert after["process_resident_memory_bytes"] > 0
            assert (await arena.ask("/"))[0] == 404
            while (await arena.numbers())["arena_loop_lag_seconds_count"] == 0:
                pass

    asyncio.run(watched())


def test_a_loop_that_stands_still_is_told_at_once_and_the_service_is_well_again_later(
    database_url: str, broker_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulse, "CALM_S", 1.0)
    said: list[str] = []

    def look(arena: Served, seen: threading.Event) -> None:
        """Looks from a thread until it is told that the loop stands still."""
        status, text = page(arena.metrics, "/healthz")
        while status == 200:
            status, text = page(arena.metrics, "/healthz")
        said.append(text)
        said.append(page(arena.metrics, "/metrics")[1])
        seen.set()

    async def watched() -> None:
        async with served(database_url, broker_url) as arena, grpc.aio.insecure_channel(arena.address) as channel:
            assert (await arena.ask("/healthz"))[0] == 200
            states = health_pb2_grpc.HealthStub(channel).Watch(
                health_pb2.HealthCheckRequest(service="arena.v1.PlayService")
            )
            assert (await states.read()).status == SERVING
            seen = threading.Event()
            threading.Thread(target=look, args=(arena, seen), daemon=True).start()
            assert seen.wait(20)  # here the loop stands still
            assert said[0].startswith("The event loop has not ticked for ")
            assert "arena_loop_overdue_seconds" in said[1]
            assert (await states.read()).status == NOT_SERVING
            assert (await states.read()).status == SERVING
            assert (await arena.numbers())["arena_loop_stalls_total"] >= 1
            assert (await arena.ask("/healthz"))[0] == 200
            states.cancel()

    asyncio.run(asyncio.wait_for(watched(), 60))


def test_a_database_that_does_not_answer_is_told(database_url: str, stack: Stack, broker_url: str) -> None:
    name = database_url.rpartition("/")[2].partition("?")[0]

    async def watched() -> None:
        async with served(database_url, broker_url) as arena:
            assert (await arena.ask("/healthz"))[0] == 200
            with psycopg.connect(stack.database_url, autocommit=True) as connection:
                connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
                connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
                status, text = await arena.ask("/healthz")
                assert (status, text[:17]) == (503, "The database has ")
                connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
            while (await arena.ask("/healthz"))[0] != 200:
                pass

    asyncio.run(asyncio.wait_for(watched(), 60))


def test_an_address_that_cannot_be_had_is_refused(database_url: str) -> None:
    async def listens(database: Database) -> None:
        async with Monitor(Hub(), Pulse(), database, "127.0.0.1:0") as first:
            with pytest.raises(
                Unavailable, match=f"cannot listen on {first.address}: .* choose another one with --metr"
            ):
                await Monitor(Hub(), Pulse(), database, first.address).__aenter__()

    database = Database(database_url)
    asyncio.run(listens(database))
    database.close()


def public() -> set[str]:
    """Every service of the contract but the one that is for workers."""
    names = set()
    for file in Path(arena.v1.__path__[0]).glob("*_pb2.py"):
        contract = importlib.import_module(f"arena.v1.{file.stem}").DESCRIPTOR
        names |= {service.full_name for service in contract.services_by_name.values()}
    return names - {"arena.v1.RefereeService"}


def test_whoever_looks_finds_every_service_and_its_messages(database_url: str, broker_url: str) -> None:
    """As grpcurl does it: by reflection, from the running server alone."""

    def look(address: str) -> dict[str, dict[str, tuple[str, str]]]:
        with grpc.insecure_channel(address) as channel:
            database = ProtoReflectionDescriptorDatabase(channel)
            pool = DescriptorPool(database)
            assert {"match_id", "legal", "trick"} <= set(pool.FindMessageTypeByName("arena.v1.Turn").fields_by_name)
            return {
                name: {
                    method.name: (method.input_type.full_name, method.output_type.full_name)
                    for method in pool.FindServiceByName(name).methods
                }
                for name in database.get_services()
                if name.startswith("arena.")
            }

    async def watched() -> None:
        async with served(database_url, broker_url) as arena:
            found = await asyncio.to_thread(functools.partial(look, arena.address))
        assert set(found) == public()
        assert found["arena.v1.PlayService"]["Play"] == ("arena.v1.PlayRequest", "arena.v1.PlayResponse")
        assert all(methods for methods in found.values())

    asyncio.run(watched())


def test_the_numbers_of_a_whole_arena_are_where_it_says(services: Services) -> None:
    status, text = page(services.metrics_address, "/metrics")
    assert status == 200
    assert "arena_turn_delay_seconds_count" in text
