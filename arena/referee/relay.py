"""Passes the frames of a hosted bot on to a referee elsewhere, and back, unread. Knows no frame."""

import asyncio
import hmac
from pathlib import Path

import grpc

from arena.referee.service import METHOD, socket_options, token_of
from arena.referee.session import Context, read, write

OPTIONS = [("grpc.use_local_subchannel_pool", 1)]


async def relay(path: Path, ticket: str, referee: str) -> grpc.aio.Server:
    """Opens a socket for one hosted bot. Whoever shows the ticket there speaks with the referee at that address."""
    busy = asyncio.Lock()

    async def play(_requests: object, context: Context) -> None:
        if not hmac.compare_digest(token_of(context).encode(), ticket.encode()):
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "The ticket does not belong to this socket.")
        if busy.locked():
            await context.abort(grpc.StatusCode.ALREADY_EXISTS, "The bot has a stream already.")
        async with busy, grpc.aio.insecure_channel(referee, options=OPTIONS) as channel:
            await _pass_on(context, channel, ticket)

    server = grpc.aio.server(options=socket_options())
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(METHOD, {"Play": handler}),))
    server.add_insecure_port(f"unix:{path}")
    await server.start()
    return server


async def _pass_on(context: Context, channel: grpc.aio.Channel, ticket: str) -> None:
    """Until either side ends. Each direction reads only when its last frame was taken."""
    method: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(f"/{METHOD}/Play")
    call = method(metadata=(("authorization", f"Bearer {ticket}"),))

    async def there() -> None:
        while (frame := await read(context)) is not None:
            await call.write(frame)
        await call.done_writing()

    async def back() -> None:
        while isinstance(frame := await call.read(), bytes):
            if not await write(context, frame):
                return

    ways = {asyncio.create_task(there()), asyncio.create_task(back())}
    try:
        # A bot that is silent has not ended; a bot that has ended is to be heard to its end by the referee.
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        call.cancel()
        for way in ways:
            if way.done():
                way.exception()
            else:
                way.add_done_callback(lambda task: task.cancelled() or task.exception())
