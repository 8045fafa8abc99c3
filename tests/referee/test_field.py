"""A field at the referee of its remote bots: one deal at four tables at once, and what ends one table ends no other."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc.aio
import pytest

import engine
from arena.api.blocks import Blocks
from arena.api.drain import Drain
from arena.referee.hub import Hub
from arena.referee.plan import MatchPlan, PlayerId
from arena.referee.service import Referee, server_options
from arena.referee.stream import SHUTDOWN, Hello
from arena.tournaments.block import (
    Block,
    BotLog,
    Cause,
    Done,
    Failed,
    MatchReport,
    Report,
    UnitKind,
    read_report,
    write_block,
)
from arena.v1 import referee_pb2, referee_pb2_grpc
from engine.record import verify
from sandbox.host import NoCellError, detect
from tests.referee.blocks import BOT, block_of, hosted, remote, write_bot
from tests.referee.test_play_block import reports_of
from tests.referee.wire import Wire, honest

FAR = [f"far-{number}" for number in range(12)]
"""The bots of four tables of three."""


@dataclass(frozen=True, slots=True)
class Place:
    """A referee and its bots."""

    hub: Hub
    address: str
    wires: dict[str, Wire]


async def _by_name(token: str, _: Hello) -> PlayerId:
    return token


@asynccontextmanager
async def place(names: list[str]) -> AsyncIterator[Place]:
    """A referee with these bots connected."""
    async with Hub() as hub, AsyncExitStack() as streams:
        blocks = Blocks(hub, "secret", Drain())
        server = grpc.aio.server(options=server_options(2_000))
        Referee(hub).add_to(server, blocks.seated(_by_name))
        referee_pb2_grpc.add_RefereeServiceServicer_to_server(blocks, server)
        address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        await server.start()
        streams.push_async_callback(server.stop, 0)
        wires = {name: await streams.enter_async_context(Wire(address, name, name=name)) for name in names}
        yield Place(hub, address, wires)


async def played(at: Place, block: Block, heard: Callable[[Report], None] = lambda _: None) -> list[Report]:
    """Everything that the referee reports of the block."""
    async with grpc.aio.insecure_channel(at.address) as channel:
        call = referee_pb2_grpc.RefereeServiceStub(channel).PlayBlock(
            referee_pb2.PlayBlockRequest(block=write_block(block)), metadata=(("authorization", "Bearer secret"),)
        )
        reports = []
        async for response in call:
            reports.append(read_report(response.report))
            heard(reports[-1])
        return reports


def tables_of(reports: list[Report]) -> dict[int, MatchReport]:
    return {report.rotation: report for report in reports if isinstance(report, MatchReport)}


def visit(
    block: Block, course: Callable[[Place], Awaitable[list[Report]]], silent: frozenset[str] = frozenset()
) -> list[Report]:
    """What is reported in that course of things; the bots answer, but for the silent ones."""

    async def whole() -> list[Report]:
        async with place([player.bot for player in block.players]) as at:
            playing = [asyncio.create_task(honest(wire)) for name, wire in at.wires.items() if name not in silent]
            reports = await course(at)
            for one in playing:
                one.cancel()
            return reports

    return asyncio.run(asyncio.wait_for(whole(), 60))


def test_every_bot_of_a_field_plays_the_deal_once_at_its_table() -> None:
    block = block_of([remote(name) for name in FAR], units=1, kind=UnitKind.FIELD)
    starts: dict[str, int] = {}

    async def course(at: Place) -> list[Report]:
        reports = await played(at, block)
        for name, wire in at.wires.items():
            starts[name] = sum(len(frame.starts) for frame in wire.frames)
        return reports

    reports = visit(block, course)
    tables = tables_of(reports)
    assert sorted(tables) == [0, 1, 2, 3]
    assert isinstance(reports[-1], Done)
    assert starts == dict.fromkeys(FAR, 1)
    assert sorted(player for report in tables.values() for player in report.seats) == list(range(12))
    records = [verify(report.record) for report in tables.values()]
    for record, report in zip(records, tables.values(), strict=True):
        assert (record.header["unit"], record.header["rotation"]) == (100, report.rotation)
        assert record.header["players"] == [FAR[player] for player in report.seats]


def test_a_table_that_fails_leaves_the_others_alone() -> None:
    block = block_of([remote(name) for name in FAR], units=1, kind=UnitKind.FIELD)

    async def course(at: Place) -> list[Report]:
        # The number of the second table's match is taken, so that the hub refuses to play it.
        other = MatchPlan(
            match_id=block.match_id(0, 1),
            game=(game := engine.load(block.game, 3)),
            options=block.options,
            seed=bytes(32),
            players=("x", "y", "z"),
            names=("x", "y", "z"),
            limits=(block.limits.clock,) * game.seats,
            bot_seeds=(bytes(32),) * game.seats,
            header={"seed": bytes(32)},
        )
        taken = asyncio.create_task(at.hub.play(other))
        reports = await played(at, block)
        taken.cancel()
        return reports

    reports = visit(block, course)
    assert sorted(tables_of(reports)) == [0, 2, 3]
    assert isinstance(reports[-1], Failed)
    assert reports[-1].cause is Cause.DIED
    assert "being played already" in reports[-1].reason


def test_a_referee_that_ends_hands_in_the_tables_that_were_done() -> None:
    block = block_of([remote(name) for name in FAR], units=1, kind=UnitKind.FIELD)
    silent = FAR[block.units[0].seats(2)[0]]

    async def course(at: Place) -> list[Report]:
        done: list[int] = []

        def heard(report: Report) -> None:
            if isinstance(report, MatchReport):
                done.append(report.rotation)
            if len(done) == 3:
                at.hub.close(SHUTDOWN)

        return await played(at, block, heard)

    reports = visit(block, course, frozenset({silent}))
    assert sorted(tables_of(reports)) == [0, 1, 3]
    assert isinstance(reports[-1], Failed)
    assert reports[-1].cause is Cause.LOST


def test_a_rotation_unit_is_not_played_with_remote_bots() -> None:
    block = block_of([remote(name) for name in FAR[:3]], units=1, kind=UnitKind.ROTATION)
    reports = visit(block, lambda at: played(at, block))
    assert reports == [Failed("A block with a remote bot has no rotation units.", Cause.DIED)]


def test_a_hosted_bot_of_a_field_plays_at_one_table_and_its_log_says_at_which(short_dir: Path) -> None:
    try:
        detect()
    except NoCellError as error:
        pytest.skip(f"no cells on this host: {error}")
    bot = write_bot(short_dir, BOT)
    players = [remote(name) for name in FAR[:10]] + [hosted("ten", bot), hosted("eleven", bot)]
    block = block_of(players, units=1, kind=UnitKind.FIELD)

    async def course() -> list[Report]:
        async with place(FAR[:10]) as at:
            playing = [asyncio.create_task(honest(wire)) for wire in at.wires.values()]
            address = {"ARENA_REFEREE": at.address, "ARENA_REFEREE_SECRET": "secret"}
            reports = await asyncio.to_thread(reports_of, block, short_dir, **address)
            for one in playing:
                one.cancel()
            return reports

    reports = asyncio.run(asyncio.wait_for(course(), 60))
    tables = tables_of(reports)
    assert len(tables) == 4
    assert not any(report.faults for report in tables.values())
    logs = [report for report in reports if isinstance(report, BotLog)]
    assert [log.player for log in logs] == [10, 11]
    for log in logs:
        assert log.player in tables[log.rotation].seats
        assert [span.match_id for span in log.matches] == [block.match_id(0, log.rotation)]
