"""Who may play: tickets, tokens and hellos, on unix sockets and on loopback."""

import asyncio
import contextlib
from pathlib import Path

import grpc
import grpc.aio
import pytest

from arena.referee.hub import Hub
from arena.referee.logins import LOGINS
from arena.referee.plan import PlayerId
from arena.referee.service import STREAMS, Referee, Refusal, server_options
from arena.referee.stream import SHUTDOWN, Hello
from arena.v1 import play_pb2
from tests.referee.tables import games
from tests.referee.wire import Wire, room

GAME = games()[0]

HELLO = play_pb2.PlayRequest(hello=play_pb2.Hello(bot="bot", protocol=1))
NO_HELLO = play_pb2.PlayRequest(choices=[play_pb2.Choice()])
NEWER = play_pb2.PlayRequest(hello=play_pb2.Hello(bot="bot", protocol=9))
UNSAID = play_pb2.PlayRequest(hello=play_pb2.Hello(bot="bot"))
NAMELESS = play_pb2.PlayRequest(hello=play_pb2.Hello(protocol=1))


@pytest.mark.parametrize(
    ("ticket", "first", "code", "said"),
    [
        ("ticket 1", HELLO, grpc.StatusCode.UNAUTHENTICATED, "The ticket does not belong to this socket."),
        ("", HELLO, grpc.StatusCode.UNAUTHENTICATED, "The ticket does not belong to this socket."),
        ("ticket 0", NO_HELLO, grpc.StatusCode.INVALID_ARGUMENT, "The first frame must be a hello."),
        ("ticket 0", b"\xff", grpc.StatusCode.INVALID_ARGUMENT, "The first frame could not be read"),
        (
            "ticket 0",
            NEWER,
            grpc.StatusCode.FAILED_PRECONDITION,
            "The bot speaks protocol 9, this referee 1: use an older",
        ),
        ("ticket 0", UNSAID, grpc.StatusCode.FAILED_PRECONDITION, "The bot speaks protocol 0, this referee 1: install"),
        ("ticket 1", NEWER, grpc.StatusCode.FAILED_PRECONDITION, "The bot speaks protocol 9"),
        ("ticket 0", NAMELESS, grpc.StatusCode.INVALID_ARGUMENT, "A hello needs a name"),
    ],
)
def test_a_stranger_is_refused_with_a_sentence(
    ticket: str, first: play_pb2.PlayRequest | bytes, code: grpc.StatusCode, said: str, short_dir: Path
) -> None:
    async def at_the_door() -> None:
        async with room(short_dir, GAME) as table:
            wire = Wire(table.addresses[0], ticket)
            await wire.dial()
            await wire.send(first)
            assert await wire.read() is None
            ended, details = await wire.code()
            assert (ended, details[: len(said)]) == (code, said)
            assert table.hub.connected() == {}
            await wire.close()

    asyncio.run(at_the_door())


def test_a_socket_is_one_player_whatever_the_hello_says(short_dir: Path) -> None:
    async def at_the_door() -> None:
        async with room(short_dir, GAME) as table, Wire(table.addresses[3], "ticket 3", name="player 0"):
            assert table.hub.connected().keys() == {"player 3"}

    asyncio.run(at_the_door())


def test_logging_in_without_end_is_refused(short_dir: Path) -> None:
    async def at_the_door() -> None:
        async with room(short_dir, GAME) as table:
            logins = 0
            while logins < 10 * LOGINS:
                wire = table.wire(0)
                await wire.dial()
                await wire.send(HELLO)
                if await wire.read() is None:
                    break
                logins += 1
                await wire.close()
            assert logins >= LOGINS
            assert (await wire.code())[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
            await wire.close()

    asyncio.run(at_the_door())


def test_streams_that_a_bot_does_not_read_are_counted_until_it_ends_them(short_dir: Path) -> None:
    """They are taken over, and yet cannot be ended: the farewell waits until there is room for it."""

    async def at_the_door() -> None:
        async with asyncio.timeout(60), room(short_dir, GAME) as table, contextlib.AsyncExitStack() as streams:
            unread = [table.wire(0, window=8) for _ in range(STREAMS)]
            for wire in unread:
                streams.push_async_callback(wire.close)
                await wire.dial()
                await wire.send(HELLO)
                await wire.answered()
            refused = table.wire(0)
            streams.push_async_callback(refused.close)
            await refused.dial()
            assert await refused.hello() is None
            code, sentence = await refused.code()
            assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert sentence == f"bot has {STREAMS} streams that it does not read; close those that it does not need."

            for wire in unread:
                await wire.close()
            while table.referee._streams:  # noqa: ASYNC110 - no call tells when the server is through with it
                await asyncio.sleep(0.01)
            await streams.enter_async_context(table.wire(0))

    asyncio.run(at_the_door())


async def by_token(token: str, hello: Hello) -> PlayerId | Refusal:
    """A token is ``for NAME``."""
    if token == f"for {hello.bot}":
        return hello.bot
    return Refusal(grpc.StatusCode.UNAUTHENTICATED, "Log in again.")


def test_on_a_network_the_token_decides() -> None:
    async def on_loopback() -> None:
        async with Hub() as hub:
            referee = Referee(hub)
            server = grpc.aio.server(options=server_options(2_000))
            referee.add_to(server, by_token)
            port = server.add_insecure_port("127.0.0.1:0")
            await server.start()
            async with Wire(f"127.0.0.1:{port}", "for anna", name="anna", batch=400):
                assert hub.connected() == {"anna": Hello("anna", "1", (), 256)}
                wire = Wire(f"127.0.0.1:{port}", "for anna", name="bob")
                await wire.dial()
                await wire.send(play_pb2.PlayRequest(hello=play_pb2.Hello(bot="bob", protocol=1)))
                assert await wire.read() is None
                assert await wire.code() == (grpc.StatusCode.UNAUTHENTICATED, "Log in again.")
                await wire.close()
            await referee.close(SHUTDOWN)
            await server.stop(0)

    asyncio.run(on_loopback())


def test_two_referees_cannot_share_a_port() -> None:
    async def on_loopback() -> None:
        one = grpc.aio.server(options=server_options(2_000))
        port = one.add_insecure_port("127.0.0.1:0")
        await one.start()
        with pytest.raises(RuntimeError):
            grpc.aio.server(options=server_options(2_000)).add_insecure_port(f"127.0.0.1:{port}")
        await one.stop(0)

    asyncio.run(on_loopback())
