"""The bots of the wire benchmark, all in one process: ``python -m benchmarks.bots BATCH SOCKET …``. Knows no rules.

Each answers every frame at once and in one frame, with the highest legal action: so the server has little to wait for,
and nobody calls so low that the cards are dealt again. In the end it prints how many frames and turns all of them were
sent, as JSON.
"""

import json
import os
import queue
import sys
import threading
from dataclasses import dataclass

import grpc

from arena.v1 import play_pb2, play_pb2_grpc

TICKET = "benchmark"


@dataclass(slots=True)
class Sent:
    """What one bot was sent."""

    frames: int = 0
    turns: int = 0


def highest(turn: play_pb2.Turn) -> play_pb2.Choice:
    """The highest legal action of the turn."""
    action = turn.first + turn.legal.bit_length() - 1
    return play_pb2.Choice(match_id=turn.match_id, turn=turn.turn, action=action)


def play(socket: str, batch: int, sent: Sent) -> None:
    """Plays at the socket until the stream ends."""
    outgoing: queue.SimpleQueue[play_pb2.PlayRequest] = queue.SimpleQueue()
    outgoing.put(play_pb2.PlayRequest(hello=play_pb2.Hello(bot="highest", games=[], batch=batch, protocol=1)))
    channel = grpc.insecure_channel(f"unix:{socket}", options=[("grpc.use_local_subchannel_pool", 1)])
    call = play_pb2_grpc.PlayServiceStub(channel).Play(
        iter(outgoing.get, None), metadata=(("authorization", f"Bearer {TICKET}"),), wait_for_ready=True
    )
    try:
        for frame in call:
            if frame.turns:
                sent.frames += 1
                sent.turns += len(frame.turns)
                outgoing.put(play_pb2.PlayRequest(choices=map(highest, frame.turns)))
    except grpc.RpcError:
        return


def main() -> None:
    """Plays at every socket; ends the process."""
    batch, sockets = int(sys.argv[1]), sys.argv[2:]
    counts = [Sent() for _ in sockets]
    threads = [
        threading.Thread(target=play, args=(socket, batch, sent)) for socket, sent in zip(sockets, counts, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({"frames": sum(sent.frames for sent in counts), "turns": sum(sent.turns for sent in counts)}))
    sys.stdout.flush()
    # A gRPC client hangs in the interpreter's clean-up now and then.
    os._exit(0)


if __name__ == "__main__":
    main()
