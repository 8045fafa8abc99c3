"""The tickets of hosted bots: each opens its own socket, and the network's address only while its block is played."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import grpc.aio

from arena.api.blocks import Blocks
from arena.api.drain import Drain
from arena.referee.hub import Hub
from arena.referee.plan import PlayerId
from arena.referee.relay import relay
from arena.referee.service import Referee, Refusal, server_options
from arena.referee.stream import DONE, Hello
from arena.tournaments.block import Done, UnitKind, read_report, write_block
from arena.v1 import play_pb2, referee_pb2, referee_pb2_grpc
from tests.referee.blocks import block_of, hosted, remote
from tests.referee.wire import Wire, honest

BLOCK = block_of([hosted("one", "-"), remote("far"), hosted("two", "-")], units=1, kind=UnitKind.SINGLE)
ONE, TWO = (BLOCK.players[index].ticket for index in (0, 2))

NOBODYS = (grpc.StatusCode.UNAUTHENTICATED, "nobody has this token")
ANOTHERS = (grpc.StatusCode.UNAUTHENTICATED, "The ticket does not belong to this socket.")


async def by_name(token: str, hello: Hello) -> PlayerId | Refusal:
    """Remote bots have their name for a token."""
    return hello.bot if token == hello.bot else Refusal(*NOBODYS)


@contextlib.asynccontextmanager
async def referee() -> AsyncIterator[tuple[Hub, str]]:
    """A referee that plays blocks with remote bots, and its address."""
    async with Hub() as hub:
        blocks = Blocks(hub, "secret", Drain())
        playing = Referee(hub)
        server = grpc.aio.server(options=server_options(2_000))
        playing.add_to(server, blocks.seated(by_name))
        referee_pb2_grpc.add_RefereeServiceServicer_to_server(blocks, server)
        address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        await server.start()
        try:
            yield hub, address
        finally:
            await playing.close(DONE)
            await server.stop(0)


async def refusal(address: str, ticket: str) -> tuple[grpc.StatusCode, str]:
    """How a bot with that ticket is refused."""
    wire = Wire(address, ticket, name="one")
    await wire.dial()
    await wire.send(play_pb2.PlayRequest(hello=play_pb2.Hello(bot="one", protocol=1)))
    assert await wire.read() is None
    answer = await wire.code()
    await wire.close()
    return answer


@contextlib.asynccontextmanager
async def socket(path: Path, ticket: str, address: str) -> AsyncIterator[str]:
    """The address of a hosted bot's socket at the worker."""
    server = await relay(path, ticket, address)
    yield f"unix:{path}"
    await server.stop(0)


def test_a_ticket_opens_its_own_socket_and_nothing_once_its_block_is_over(short_dir: Path) -> None:
    async def at_the_referee() -> None:
        async with (
            referee() as (hub, address),
            socket(short_dir / "one.sock", ONE, address) as one,
            socket(short_dir / "two.sock", TWO, address) as two,
            Wire(address, "far", name="far", batch=16) as far,
            grpc.aio.insecure_channel(address) as channel,
        ):
            assert await refusal(address, ONE) == NOBODYS
            call = referee_pb2_grpc.RefereeServiceStub(channel).PlayBlock(
                referee_pb2.PlayBlockRequest(block=write_block(BLOCK)), metadata=(("authorization", "Bearer secret"),)
            )
            reports = aiter(call)
            await anext(reports)
            assert await refusal(one, TWO) == ANOTHERS
            assert await refusal(two, ONE) == ANOTHERS
            assert await refusal(address, "far") == NOBODYS  # not its name
            async with Wire(one, ONE, name="one", batch=16) as first, Wire(two, TWO, name="two", batch=16) as second:
                assert hub.connected().keys() == {"far", "attempt/0", "attempt/2"}
                async with asyncio.TaskGroup() as group:
                    bots = [group.create_task(honest(wire)) for wire in (first, second, far)]
                    last = [read_report(response.report) async for response in reports][-1]
                    # A hosted bot is told that the work is done; a remote one waits for more.
                    await asyncio.wait(bots[:2])
                    bots[2].cancel()
            assert isinstance(last, Done)
            for stream in (first, second):
                assert stream.frames[-1].farewell.reason == play_pb2.FAREWELL_REASON_DONE
            assert await refusal(address, ONE) == await refusal(address, TWO) == NOBODYS
            assert not hub.connected().keys() - {"far"}

    asyncio.run(asyncio.wait_for(at_the_referee(), 60))


def test_the_tickets_of_a_block_whose_caller_goes_away_end_with_it() -> None:
    async def at_the_referee() -> None:
        async with referee() as (hub, address), grpc.aio.insecure_channel(address) as channel:
            call = referee_pb2_grpc.RefereeServiceStub(channel).PlayBlock(
                referee_pb2.PlayBlockRequest(block=write_block(BLOCK)), metadata=(("authorization", "Bearer secret"),)
            )
            await call.read()
            async with Wire(address, ONE, name="one") as one:
                assert hub.connected().keys() == {"attempt/0"}
                call.cancel()
                await honest(one)
                assert one.frames[-1].farewell.reason == play_pb2.FAREWELL_REASON_DONE
            assert await refusal(address, ONE) == NOBODYS

    asyncio.run(asyncio.wait_for(at_the_referee(), 60))


def test_a_ticket_of_a_seat_here_opens_nothing_on_the_network(short_dir: Path) -> None:
    async def at_the_referee() -> None:
        async with referee() as (hub, address):
            sockets = Referee(hub)
            await sockets.serve_socket(short_dir / "one.sock", "0/0", ONE)
            await sockets.serve_socket(short_dir / "two.sock", "0/1", TWO)
            async with Wire(f"unix:{short_dir}/one.sock", ONE, name="one"):
                assert await refusal(f"unix:{short_dir}/two.sock", ONE) == ANOTHERS
                assert await refusal(address, ONE) == NOBODYS
                assert hub.connected().keys() == {"0/0"}
            await sockets.close_sockets()
            assert not (short_dir / "one.sock").exists()

    asyncio.run(asyncio.wait_for(at_the_referee(), 60))
