"""How many bots of one owner are let in at the same time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import grpc
import grpc.aio

from arena.api.quota import BYTES, BYTES_PER_S, Quota, Usage
from arena.referee.hub import Hub
from arena.referee.meter import Meter
from arena.referee.plan import PlayerId
from arena.referee.service import Authenticate, Referee, Refusal, server_options, unmetered
from arena.referee.stream import DONE, LARGEST_BATCH, SHUTDOWN, Hello
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


def test_the_bytes_of_all_bots_of_an_owner_count_together_and_one_too_many_ends_the_stream() -> None:
    # What nobody asked for, in a frame that answers: 1 KiB in a field that there is not.
    padded = play_pb2.PlayRequest(choices=[play_pb2.Choice()]).SerializeToString() + b"\x7a\x80\x08" + bytes(1024)

    async def on_loopback() -> None:
        async with Hub() as hub:
            quota = Quota(hub, bytes_in_a_row=4 * len(padded), bytes_per_s=0)

            async def by_owner(token: str, hello: Hello) -> PlayerId | Refusal:
                return quota.admit(token, hello.bot)

            async with door(hub, by_owner, quota) as address:
                one, two = Wire(address, "anna", name="one"), Wire(address, "anna", name="two")
                async with one, two, Wire(address, "bob", name="three") as three:
                    for wire in (one, two, one, two, three):
                        await wire.send(padded)
                    while sum(hub.counters(bot).stale for bot in ("one", "two", "three")) < 5:  # noqa: ASYNC110
                        await asyncio.sleep(0)
                    assert quota.usage("anna")[-1] == Usage("received bytes", 4 * len(padded), 4 * len(padded))
                    assert quota.usage("bob")[-1].used == len(padded)
                    await two.send(padded)
                    last = await two.read()
                    assert last is not None
                    assert last.farewell.reason == play_pb2.FAREWELL_REASON_BROKEN
                    assert last.farewell.message == (
                        f"The bots and guests of anna send too much: {4 * len(padded):,} bytes in a row is the "
                        "limit, and 0 a second from then on."
                    )
                    assert hub.connected().keys() == {"one", "three"}

    asyncio.run(on_loopback())


def test_received_bytes_are_forgiven_at_a_steady_rate() -> None:
    meter = Meter(1000, 100, DONE)
    assert meter.take(900, 0)
    assert not meter.take(101, 0)
    assert meter.take(100, 0)
    assert not meter.take(101, 1_000_000)
    assert meter.take(100, 1_000_000)
    assert meter.used(3_000_000) == 800
    assert meter.used(60_000_000) == 0
    assert meter.take(1000, 60_000_000)
    assert not meter.take(1, 60_000_000)


def test_what_a_bot_of_the_largest_batch_sends_is_far_from_the_limit() -> None:
    choices = [play_pb2.Choice(match_id=(1 << 53) - 1, turn=1 << 14, action=1 << 14) for _ in range(LARGEST_BATCH)]
    frame = len(play_pb2.PlayRequest(choices=choices).SerializeToString())
    # No referee takes 200,000 decisions a second, and no owner makes them all.
    assert frame * 200_000 / LARGEST_BATCH < BYTES_PER_S
    assert frame * 10_000 < BYTES


@contextlib.asynccontextmanager
async def door(hub: Hub, authenticate: Authenticate, quota: Quota | None = None) -> AsyncIterator[str]:
    """The address of a referee that lets in whom ``authenticate`` says."""
    referee = Referee(hub)
    server = grpc.aio.server(options=server_options(2_000))
    referee.add_to(server, authenticate, quota.meter if quota is not None else unmetered)
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
