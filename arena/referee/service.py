"""PlayService on sockets: who is it, and then a session. Knows no tickets' origin and no database: who a token belongs
to is asked of a function that is passed in."""

import asyncio
import hmac
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import grpc
from google.protobuf.message import DecodeError
from grpc_status import rpc_status

from arena.referee.hub import Hub
from arena.referee.logins import Logins, too_often
from arena.referee.meter import Meter
from arena.referee.plan import PlayerId
from arena.referee.session import Context, News, OnTurn, Session, no_news, read, unheard
from arena.referee.stream import LARGEST_BATCH, Farewell, Hello
from arena.status import status
from arena.v1 import play_pb2

PROTOCOLS = (1,)
"""Versions of the protocol that this referee speaks."""
METHOD = "arena.v1.PlayService"

HELLO_S = 10.0
"""A stream must say hello within this time."""

STREAMS = 8
"""Streams of one player that have not ended. One plays; of those that it took over, a stream whose last frames the bot
does not read ends only when the bot ends it."""

NAME_LENGTH = 64

CALLS = 128
"""Calls at the same time on one connection over a network; those beyond may fail as UNAVAILABLE at its very start."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a bot may not play. ``sentence`` says what to do about it."""

    code: grpc.StatusCode
    sentence: str


Authenticate = Callable[[str, Hello], Awaitable[PlayerId | Refusal]]
"""Token and hello to the player's id. The token is empty when the call brought none."""

MeterOf = Callable[[PlayerId], Meter | None]
"""A player who is let in to what counts the bytes that it sends."""


def unmetered(_player: PlayerId) -> None:
    """For players whose bytes nobody counts."""


NewsOf = Callable[[PlayerId, Context], News]
"""A player who is let in, and its call, to what it is told of the arena's other referees."""


def alone(_player: PlayerId, _context: Context) -> News:
    """For a referee that knows of no other."""
    return no_news


class Referee:
    """A hub with its sockets: bots of this host on a unix socket each, others on any server it is added to."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._servers: list[grpc.aio.Server] = []
        self._logins = Logins()
        self._streams: Counter[PlayerId] = Counter()

    async def serve_socket(
        self, path: Path, player: PlayerId, ticket: str, on_turn: OnTurn = unheard
    ) -> grpc.aio.Server:
        """Opens a socket of its own for one player: whoever connects there is that player if it shows the ticket. The
        path is shorter than 100 bytes, and its folder says who reaches it. Closed by :meth:`close`, or by stopping what
        is returned."""

        async def authenticate(token: str, _hello: Hello) -> PlayerId | Refusal:
            if hmac.compare_digest(token.encode(), ticket.encode()):
                return player
            return Refusal(grpc.StatusCode.UNAUTHENTICATED, "The ticket does not belong to this socket.")

        server = grpc.aio.server(options=socket_options())
        self.add_to(server, authenticate, on_turn=on_turn)
        server.add_insecure_port(f"unix:{path}")
        await server.start()
        self._servers.append(server)
        return server

    def add_to(
        self,
        server: grpc.aio.Server,
        authenticate: Authenticate,
        meter_of: MeterOf = unmetered,
        on_turn: OnTurn = unheard,
        news_of: NewsOf = alone,
    ) -> None:
        """Adds PlayService to a server, which should have the options of :func:`server_options`."""

        async def play(_requests: object, context: Context) -> None:
            await self._play(context, authenticate, meter_of, on_turn, news_of)

        # Bytes in, bytes out: a frame that cannot be read is the bot's fault on a turn, not the end of its stream.
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(METHOD, {"Play": handler}),))

    async def close(self, farewell: Farewell, grace_s: float = 1.0) -> None:
        """Says farewell to every player and closes the sockets that were opened here."""
        self.hub.close(farewell)
        await self.close_sockets(grace_s)

    async def close_sockets(self, grace_s: float = 0.2) -> None:
        """Closes the sockets that were opened here; streams that are still open end after ``grace_s``."""
        servers, self._servers = self._servers, []
        await asyncio.gather(*(server.stop(grace_s) for server in servers))

    async def _play(
        self, context: Context, authenticate: Authenticate, meter_of: MeterOf, on_turn: OnTurn, news_of: NewsOf
    ) -> None:
        hello = await _hello(context)
        if isinstance(hello, Refusal):
            await self._refuse(context, hello, "")
        answer = await authenticate(token_of(context), hello)
        if isinstance(answer, Refusal):
            await self._refuse(context, answer, hello.bot)
        # Each costs as much as several frames.
        if not self._logins.take(answer):
            await self._refuse(context, Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, too_often(hello.bot)), hello.bot)
        if self._streams[answer] >= STREAMS:
            sentence = f"{hello.bot} has {STREAMS} streams that it does not read; close those that it does not need."
            await self._refuse(context, Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, sentence), hello.bot)
        self._count(context, answer)
        news = news_of(answer, context)
        await Session(self.hub, context, hello, meter_of(answer), on_turn, news=news).serve(answer)

    async def _refuse(self, context: Context, refusal: Refusal, bot: str) -> NoReturn:
        """Counted and logged by the status code: the name of a bot that is refused may be anything."""
        code = refusal.code.name
        self.hub.tally.refused[code] += 1
        sentence = f"a login{f' of {bot!r}' if bot else ''} is refused: {refusal.sentence}"
        self.hub.journal.tell(f"logins refused with {code}", sentence, bot=bot, code=code, reason=refusal.sentence)
        await context.abort_with_status(rpc_status.to_status(status(refusal.code, refusal.sentence)))

    def _count(self, context: Context, player: PlayerId) -> None:
        """One more stream of the player, until the call has ended, which may be long after it was served."""

        def ended(_: Context) -> None:
            self._streams[player] -= 1
            if not self._streams[player]:
                del self._streams[player]

        self._streams[player] += 1
        context.add_done_callback(ended)  # type: ignore[arg-type]  # the stub wants a class


async def _hello(context: Context) -> Hello | Refusal:
    """The first frame, or what is wrong with it."""
    reading = asyncio.create_task(read(context))
    # Not a time-out around the read: the task is left alone and ends with the call.
    await asyncio.wait({reading}, timeout=HELLO_S)
    if not reading.done():
        return Refusal(grpc.StatusCode.DEADLINE_EXCEEDED, f"No hello came within {HELLO_S:.0f} s.")
    data = reading.result()
    invalid = grpc.StatusCode.INVALID_ARGUMENT
    if data is None:
        return Refusal(invalid, "The stream ended before its hello.")
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return Refusal(invalid, "The first frame could not be read as a PlayRequest.")
    if not request.HasField("hello"):
        return Refusal(invalid, "The first frame must be a hello.")
    said = request.hello
    if said.protocol not in PROTOCOLS:
        return Refusal(grpc.StatusCode.FAILED_PRECONDITION, unknown_protocol(said.protocol))
    if not said.bot or len(said.bot) > NAME_LENGTH or len(said.version) > NAME_LENGTH:
        sentence = f"A hello needs a name of 1 to {NAME_LENGTH} characters, and a version of at most {NAME_LENGTH}."
        return Refusal(invalid, sentence)
    return Hello(said.bot, said.version, tuple(said.games), min(max(1, said.batch), LARGEST_BATCH))


def unknown_protocol(version: int) -> str:
    """The sentence for a bot whose version of the protocol is not spoken here; it names those that are. A hello that
    leaves the version out says 0."""
    spoken = " or ".join(map(str, PROTOCOLS))
    if version > max(PROTOCOLS):
        step = "use an older kit, or ask the organiser for a newer referee"
    else:
        step = "install the newest card-arena, or set protocol in the hello"
    return f"The bot speaks protocol {version}, this referee {spoken}: {step}."


def server_options(longest_limit_ms: int) -> list[tuple[str, int]]:
    """Options of a server that bots reach over a network. ``longest_limit_ms`` is the longest move limit on offer: a
    bot that is busy for so long answers no ping, and must not be taken for dead."""
    silence_ms = longest_limit_ms + 10_000
    return [
        *_options(CALLS),
        ("grpc.keepalive_time_ms", 10_000),
        ("grpc.keepalive_timeout_ms", silence_ms),
        # Without this one the two above find a dead peer after a minute at the earliest.
        ("grpc.http2.ping_timeout_ms", silence_ms),
        ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ]


def socket_options() -> list[tuple[str, int]]:
    """Options of a server on a unix socket: the kernel says when the other side is dead, so no keepalive."""
    return _options(16)


def _options(calls: int) -> list[tuple[str, int]]:
    return [
        # A second server on the same address must fail, and not take half of the bots.
        ("grpc.so_reuseport", 0),
        # Keeps the window at 64 KiB: a flooding bot can park that much here and not 4 MiB.
        ("grpc.http2.bdp_probe", 0),
        ("grpc.max_receive_message_length", 262_144),
        ("grpc.max_concurrent_streams", calls),
    ]


def token_of(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    """The token that the call brought, empty if it brought none."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str) and value.startswith("Bearer "):
            return value.removeprefix("Bearer ").strip()
    return ""
