"""A real `arena serve` that is told to stop while remote bots play: what it refuses, what it lets end and what it hands
back."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import grpc
import psycopg
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.stack.services import DRAINING, READY
from arena.store import Connection, people
from arena.tournaments import ledger, worker
from arena.tournaments.block import UnitKind
from arena.tournaments.worker import Settings
from arena.v1 import match_pb2 as pb
from arena.v1 import play_pb2
from arena.v1.match_pb2_grpc import MatchServiceStub
from engine.record import verify
from tests.referee.wire import Wire, honest
from tests.tournaments.ground import BOTS, make_tournament, one

SHUTDOWN = play_pb2.FAREWELL_REASON_SHUTDOWN
GATED = """
import os
from arena.bot import Turn, run

def choose(turn: Turn) -> int:
    if turn.number > 8 and "passed" not in turn.notes:
        turn.notes["passed"] = True
        open(os.environ["REACHED"], "w").close()
        open(os.environ["GATE"]).close()
    return turn.legal[0]

if __name__ == "__main__":
    run(choose, name="far", games=["callbreak"])
"""


@dataclass
class Serving:
    """An `arena serve` over a database of the test's own; ``address`` outlives its processes."""

    environment: dict[str, str]
    data: Path
    address: str = "127.0.0.1:0"
    process: subprocess.Popen[str] | None = None

    def start(self, drain_s: float) -> "subprocess.Popen[str]":
        """Another process at the same address, once it answers."""
        self.stop()
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "arena", "serve", "--listen", self.address, "--drain", str(drain_s)),
                *("--data", str(self.data)),
            ],
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline().strip()
        assert said.startswith(READY)
        self.address = said.removeprefix(READY)
        return self.process

    def stop(self) -> None:
        """Ends the process if there is one."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()


@pytest.fixture
def serving(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[Serving]:
    addresses = {"ARENA_DATABASE_URL": database_url, "ARENA_BROKER_URL": broker_url}
    made = Serving({**os.environ, **addresses}, tmp_path / "data")
    yield made
    made.stop()


def said_by(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_match_ends_whole_nothing_else_begins_and_the_bot_comes_back_to_the_next_server(
    serving: Serving, connection: Connection, tmp_path: Path
) -> None:
    token = people.add_user(connection, "author")
    bearer = (("authorization", f"Bearer {token}"),)
    program, gate, reached = tmp_path / "far.py", tmp_path / "gate", tmp_path / "reached"
    program.write_text(GATED)
    os.mkfifo(gate)
    os.mkfifo(reached)
    request = pb.PlayMatchRequest(game="callbreak", bots=["remote:far", "steady", "random", "random"])

    async def visit() -> None:
        first = serving.start(60)
        bot = await asyncio.create_subprocess_exec(
            *(sys.executable, str(program)),
            env={
                **os.environ,
                "ARENA_SERVER": serving.address,
                "ARENA_TOKEN": token,
                "GATE": str(gate),
                "REACHED": str(reached),
            },
            stderr=subprocess.PIPE,
        )
        assert bot.stderr is not None
        assert b"far plays at" in await bot.stderr.readline()
        async with grpc.aio.insecure_channel(serving.address) as channel:
            stub = MatchServiceStub(channel)
            match = asyncio.ensure_future(stub.PlayMatch(request, metadata=bearer))
            await asyncio.to_thread(reached.read_bytes)
            first.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(said_by, first) == f"{DRAINING}1 match, at most 60 s"

            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.PlayMatch(request, metadata=bearer)
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
            assert "shutting down" in (refused.value.details() or "")
            health = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
            assert health.status == health_pb2.HealthCheckResponse.NOT_SERVING
            stranger = Wire(serving.address, token, name="late")
            await stranger.dial()
            assert await stranger.hello() is None
            code, sentence = await stranger.code()
            assert code is grpc.StatusCode.UNAVAILABLE
            assert "shutting down" in sentence
            await stranger.close()

            await asyncio.to_thread(gate.write_bytes, b"")
            record = verify((await match).text)
        assert not any(decision.fault for decision in record.decisions)
        assert await asyncio.to_thread(first.wait, 20) == 0
        assert b"shutting down" in await bot.stderr.readline()
        serving.start(0)
        while b"far plays at" not in (said := await bot.stderr.readline()):
            assert b"Trying again" in said
        bot.kill()
        await bot.communicate()

    asyncio.run(asyncio.wait_for(visit(), 60))


def test_a_server_that_stops_in_mid_block_costs_no_death_and_no_deal_is_seen_twice(
    serving: Serving, connection: Connection, database_url: str, tmp_path: Path
) -> None:
    make_tournament(connection, units=4, kind=UnitKind.SINGLE, move_ms=20_000)
    connection.execute("UPDATE bots SET kind = 'remote'")
    token = people.add_token(connection, "owner")
    settings = Settings(database_url, tmp_path / "bots", name="tester")

    async def at_a_table(
        behave: Callable[[Wire], Coroutine[None, None, None]], dealt: Callable[[], Awaitable[None]]
    ) -> list[Wire]:
        """Four bots and one attempt at the block that waits; ``dealt`` is called meanwhile."""
        (block,) = ledger.pending(connection, 10)
        async with AsyncExitStack() as streams:
            wires = [
                await streams.enter_async_context(Wire(serving.address, token, name=name, games=["callbreak"], batch=4))
                for name in BOTS
            ]
            playing = [asyncio.create_task(behave(wire)) for wire in wires]
            attempt = asyncio.create_task(asyncio.to_thread(worker.play_block, settings, block))
            await dealt()
            await attempt
        await asyncio.gather(*playing)
        return wires

    async def interrupted() -> None:
        process, dealt = serving.start(0), asyncio.Event()

        async def silent(wire: Wire) -> None:
            while (frame := await wire.read()) is not None:
                if frame.turns:
                    dealt.set()

        async def end() -> None:
            await dealt.wait()
            process.send_signal(signal.SIGTERM)

        for wire in await at_a_table(silent, end):
            assert wire.frames[-1].farewell.reason == SHUTDOWN
            ends = [end for frame in wire.frames for end in frame.ends]
            assert len(ends) == len({end.match_id for end in ends}) == 4
            assert all(end.abandoned for end in ends)
        assert await asyncio.to_thread(process.wait, 20) == 0

    async def visit() -> None:
        await interrupted()
        assert one(connection, "SELECT max(deaths) FROM blocks") == 0
        assert one(connection, "SELECT count(*) FROM alarms") == 0
        assert one(connection, "SELECT count(*) FROM results") == 0
        serving.start(0)
        await at_a_table(honest, nothing)

    async def nothing() -> None:
        pass

    asyncio.run(asyncio.wait_for(visit(), 90))
    with psycopg.connect(database_url) as again:
        assert one(again, "SELECT string_agg(state, ' ' ORDER BY id) FROM blocks") == "void done"
        assert one(again, "SELECT string_agg(outcome, ' ' ORDER BY leased_at) FROM attempts") == "abandoned done"
        # Eight deals were drawn, and those that were played to the end count.
        assert again.execute("SELECT unit FROM results ORDER BY unit").fetchall() == [(unit,) for unit in range(4, 8)]
        assert one(again, "SELECT closed_at IS NOT NULL FROM tournaments")
