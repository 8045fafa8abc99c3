"""Many remote bots in one process: ``python -m benchmarks.crowd_bots ADDRESS``, their tokens on standard input, one
a line. Knows no rules.

Each has a connection of its own and answers as those of :mod:`benchmarks.bots` do. In the end it prints how many frames
and turns all of them were sent, as JSON.
"""

import asyncio
import json
import os
import sys
from typing import Any

import grpc

from arena.v1 import play_pb2, play_pb2_grpc
from benchmarks.bots import Sent, highest

BATCH = 256


async def play(address: str, token: str, sent: Sent) -> None:
    """Plays until the stream ends."""
    channel = grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
    stub: Any = play_pb2_grpc.PlayServiceStub(channel)
    call = stub.Play(metadata=(("authorization", f"Bearer {token}"),), wait_for_ready=True)
    try:
        await call.write(play_pb2.PlayRequest(hello=play_pb2.Hello(bot="highest", games=[], batch=BATCH, protocol=1)))
        while isinstance(frame := await call.read(), play_pb2.PlayResponse):
            if frame.turns:
                sent.frames += 1
                sent.turns += len(frame.turns)
                await call.write(play_pb2.PlayRequest(choices=map(highest, frame.turns)))
    except (grpc.RpcError, asyncio.InvalidStateError):
        return


async def crowd(address: str, tokens: list[str]) -> Sent:
    """All of them."""
    sent = Sent()
    await asyncio.gather(*(play(address, token, sent) for token in tokens))
    return sent


def main() -> None:
    """Plays with every token; ends the process."""
    sent = asyncio.run(crowd(sys.argv[1], sys.stdin.read().split()))
    print(json.dumps({"frames": sent.frames, "turns": sent.turns}))
    sys.stdout.flush()
    # A gRPC client hangs in the interpreter's clean-up now and then.
    os._exit(0)


if __name__ == "__main__":
    main()
