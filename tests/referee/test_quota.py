"""How many bots of one owner are let in at the same time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import grpc
import grpc.aio

from arena.api.quota import Quota
from arena.referee.hub import Hub
from arena.referee.plan import PlayerId
from arena.referee.service import Authenticate, Referee, Refusal, server_options
from arena.referee.stream import SHUTDOWN, Hello
from arena.v1 import play_pb2
from tests.referee.wire import Wire


def test_the_bots_of_an_owner_are_counted_while_they_are_connected() -> None:
    async def on_loopback() -> None:
        async with Hub() as hub:
            quota = Quota(hub, bots=2)

            async def by_owner(token: str, hello: Hello) -> PlayerId | Refusal:
                return quota.admit(token, hello.bot)

            async with door(hub, by_owner) as address:
                one, two = Wire(address, "anna", name="one"), Wire(address, "anna", name="two")
                async with one, two:
                    assert await refusal(address, "anna", "three") == (
                        grpc.StatusCode.RESOURCE_EXHAUSTED,
                        "anna has 2 bots connected, and the limit is 2: end one of them first.",
                    )
                    async with Wire(address, "bob", name="four"), Wire(address, "anna", name="two"):
                        assert hub.connected().keys() == {"one", "two", "four"}
                    await one.close()
                    while "one" in hub.connected():  # noqa: ASYNC110 - the hub tells nobody that a stream was lost
                        await asyncio.sleep(0)
                    async with Wire(address, "anna", name="three"):
                        assert "three" in hub.connected()

    asyncio.run(on_loopback())


def test_of_many_that_come_at_once_no_more_than_allowed_get_in() -> None:
    async def on_loopback() -> None:
        async with Hub() as hub:
            quota = Quota(hub, bots=3)

            async def slowly(token: str, hello: Hello) -> PlayerId | Refusal:
                await asyncio.to_thread(str)
                return quota.admit(token, hello.bot)

            async with door(hub, slowly) as address:
                wires = [Wire(address, "anna", name=f"bot-{number}") for number in range(12)]
                answers = await asyncio.gather(*(welcomed(wire, f"bot-{n}") for n, wire in enumerate(wires)))
                assert sum(answers) == len(hub.connected()) == 3
                for wire in wires:
                    await wire.close()

    asyncio.run(on_loopback())


@contextlib.asynccontextmanager
async def door(hub: Hub, authenticate: Authenticate) -> AsyncIterator[str]:
    """The address of a referee that lets in whom ``authenticate`` says."""
    referee = Referee(hub)
    server = grpc.aio.server(options=server_options(2_000))
    referee.add_to(server, authenticate)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield address
    finally:
        await referee.close(SHUTDOWN)
        await server.stop(0)


async def welcomed(wire: Wire, name: str) -> bool:
    """Whether the bot is let in; its stream stays open."""
    await wire.dial()
    await wire.send(play_pb2.PlayRequest(hello=play_pb2.Hello(bot=name, protocol=1)))
    return await wire.read() is not None


async def refusal(address: str, token: str, name: str) -> tuple[grpc.StatusCode, str]:
    """How a bot is refused."""
    wire = Wire(address, token, name=name)
    assert not await welcomed(wire, name)
    answer = await wire.code()
    await wire.close()
    return answer
