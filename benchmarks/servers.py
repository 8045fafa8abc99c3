"""The servers of the wire benchmark: ``python -m benchmarks.servers KIND MATCHES BATCH SECONDS`` measures one of them
and prints its cost as JSON. Knows no ratio and no other server.

- ``echo`` sends ready-made bytes and throws the replies away: what gRPC itself costs.
- ``codec`` writes every turn from a ready-made question and reads every choice, and knows no rules.
- ``referee`` is the real one: hub, rules, clocks and records.
- ``lone`` is the referee with one more match at a table of its own, and tells the delays of that one.

All of them have a unix socket per bot and the same options. Frames of the first two have ``BATCH`` turns in the mean,
and as many streams are busy at a time as matches can keep busy: one where there is one match.
"""

import asyncio
import contextlib
import gc
import itertools
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import grpc

import engine
from arena.referee.frames import write_turn
from arena.referee.hub import Hub
from arena.referee.match import Question
from arena.referee.service import METHOD, socket_options
from arena.referee.session import Context, read, write
from arena.referee.stream import DONE
from arena.v1 import play_pb2
from benchmarks.bots import TICKET
from benchmarks.delays import Delays, TappedReferee, Taps
from benchmarks.tables import GAME, frame_sizes, plan, questions, turns

WARM_UP_S = 0.4
LONGEST_S = 5.0
"""A referee is measured until as many matches have ended as are played at a time, but no longer than so many times the
seconds that were asked for."""
TAPPED_S, LONE_TAPPED_S = 0.4, 2.0
"""The delays are of the time after that: one match makes few turns among many."""
LONE_ID = 1 << 40
"""Ids of the lone table's matches begin here."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What was measured. ``cpu_us`` is the server's processor time per decision, ``batch`` the mean turns a frame,
    ``rss_bytes`` the memory that the process holds; only a referee has delays."""

    cpu_us: float
    decisions: int
    seconds: float
    batch: float
    rss_bytes: int
    delays: Delays | None = None


@dataclass(slots=True)
class Served:
    """How far a server without rules has come."""

    decisions: int = 0
    over: bool = False


async def echo(paths: Sequence[Path], batch: float, seconds: float) -> Cost:
    """The bare echo."""
    ready = turns()
    frames = [
        (size, play_pb2.PlayResponse(turns=itertools.islice(ready, size)).SerializeToString())
        for size in itertools.islice(frame_sizes(batch), 100)
    ]

    async def converse(context: Context, served: Served) -> None:
        for size, frame in itertools.cycle(frames):
            if served.over or not await write(context, frame) or await read(context) is None:
                return
            served.decisions += size

    return await _without_rules(paths, batch, seconds, converse)


async def codec(paths: Sequence[Path], batch: float, seconds: float) -> Cost:
    """Questions into messages, and messages into choices that are looked up."""
    ready = questions(engine.load(GAME))

    async def converse(context: Context, served: Served) -> None:
        asked = itertools.cycle(ready)
        for size in frame_sizes(batch):
            if served.over:
                return
            open_turns: dict[int, Question] = {}
            response = play_pb2.PlayResponse()
            for match_id, question in enumerate(itertools.islice(asked, size)):
                write_turn(response.turns.add(), match_id, question, question.budget_us)
                open_turns[match_id] = question
            if not await write(context, response.SerializeToString()):
                return
            data = await read(context)
            if data is None:
                return
            for choice in play_pb2.PlayRequest.FromString(data).choices:
                question = open_turns.pop(choice.match_id)
                assert choice.turn == question.turn
                assert question.legal_mask >> (choice.action - question.first) & 1
            served.decisions += size

    return await _without_rules(paths, batch, seconds, converse)


async def referee(paths: Sequence[Path], matches: int, batch: int, seconds: float, *, lone: bool = False) -> Cost:
    """The real referee with so many matches at a time among the first bots; the others, if any, play one by one."""
    game = engine.load(GAME)
    players = tuple(path.stem for path in paths)
    taps = Taps()

    async def one_after_the_other(seated: Sequence[str], match_ids: Iterator[int]) -> None:
        while True:
            await hub.play(plan(game, seated, next(match_ids)))

    async with Hub() as hub, _bots(paths, batch) as sent:
        served = TappedReferee(hub, taps)
        for path, player in zip(paths, players, strict=True):
            hub.expect(player)
            await served.serve_socket(path, player, TICKET)
        await hub.arrival(players, 10_000)
        match_ids, lone_ids = itertools.count(1), itertools.count(LONE_ID)
        playing = [asyncio.create_task(one_after_the_other(players[: game.seats], match_ids)) for _ in range(matches)]
        if lone:
            playing.append(asyncio.create_task(one_after_the_other(players[game.seats :], lone_ids)))
        await asyncio.sleep(WARM_UP_S)
        finished = hub.finished + matches
        cost = await _measured(lambda: hub.decisions, seconds, lambda: hub.finished >= finished)
        await taps.sample(LONE_TAPPED_S if lone else TAPPED_S, 8 * matches if batch == 1 else 0)
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await served.close(DONE)
        frames, made = await sent()
    delays = taps.delays(lambda match_id: match_id >= LONE_ID) if lone else taps.delays()
    return replace(cost, batch=made / frames, delays=delays)


async def _without_rules(
    paths: Sequence[Path], batch: float, seconds: float, converse: Callable[[Context, Served], Awaitable[None]]
) -> Cost:
    """Serves the conversation on every socket."""
    served = Served()
    came = asyncio.Event()
    welcome = play_pb2.PlayResponse(welcome=play_pb2.Welcome(bot="highest", batch=1)).SerializeToString()

    async def play(_requests: object, context: Context) -> None:
        await read(context)
        came.set()
        await write(context, welcome)
        await converse(context, served)

    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
    servers = []
    for path in paths:
        server = grpc.aio.server(options=socket_options())
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(METHOD, {"Play": handler}),))
        server.add_insecure_port(f"unix:{path}")
        await server.start()
        servers.append(server)
    async with _bots(paths, 1) as sent:
        await came.wait()
        await asyncio.sleep(WARM_UP_S)
        cost = await _measured(lambda: served.decisions, seconds, lambda: True)
        served.over = True
        await asyncio.gather(*(server.stop(1) for server in servers))
        await sent()
    return replace(cost, batch=batch)


async def _measured(decisions: Callable[[], int], seconds: float, enough: Callable[[], bool]) -> Cost:
    before, cpu, began = decisions(), time.process_time(), time.monotonic()
    while True:
        await asyncio.sleep(0.05)
        took = time.monotonic() - began
        if took >= LONGEST_S * seconds or (took >= seconds and enough()):
            break
    made = decisions() - before
    return Cost((time.process_time() - cpu) * 1e6 / made, made, took, 0.0, rss_bytes())


def rss_bytes() -> int:
    """Memory that this process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextlib.asynccontextmanager
async def _bots(paths: Sequence[Path], batch: int) -> AsyncIterator[Callable[[], Awaitable[tuple[int, int]]]]:
    """Bots at the sockets; what is yielded waits for their end and gives frames and turns."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.bots", str(batch), *map(str, paths), stdout=asyncio.subprocess.PIPE
    )

    async def sent() -> tuple[int, int]:
        output, _ = await process.communicate()
        counts = json.loads(output)
        return counts["frames"], counts["turns"]

    try:
        yield sent
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def main() -> None:
    """Measures one server."""
    kind, matches, batch, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
    # As in the process of a block.
    gc.freeze()
    gc.set_threshold(100_000, 50, 1000)
    seats = engine.load(GAME).seats
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        paths = [Path(directory) / f"{bot}.sock" for bot in range(2 * seats)]
        if kind == "lone":
            cost = asyncio.run(referee(paths, matches, int(batch), seconds, lone=True))
        elif kind == "referee":
            cost = asyncio.run(referee(paths[:seats], matches, int(batch), seconds))
        else:
            cost = asyncio.run((echo if kind == "echo" else codec)(paths[: min(matches, seats)], batch, seconds))
    print(json.dumps(asdict(cost)))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
