"""The servers of the wire benchmark: ``python -m benchmarks.servers KIND MATCHES BATCH SECONDS`` measures one of them
and prints its cost as JSON. Knows no ratio and no other server.

- ``echo`` sends ready-made bytes and throws the replies away: what gRPC itself costs.
- ``codec`` writes every turn from a ready-made question and reads every choice, and knows no rules.
- ``referee`` is the real one: hub, rules, clocks and records.

All of them have a unix socket per bot and the same options; a frame of the first two has exactly ``BATCH`` turns.
"""

import asyncio
import contextlib
import gc
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import grpc

import engine
from arena.referee.clock import Limits
from arena.referee.frames import write_turn
from arena.referee.hub import Hub
from arena.referee.match import Answer, Question, match
from arena.referee.plan import MatchPlan
from arena.referee.service import METHOD, Referee, socket_options
from arena.referee.session import Context, read, write
from arena.referee.stream import DONE
from arena.v1 import play_pb2
from benchmarks.bots import TICKET
from engine.game import Game
from engine.record import Recorder

GAME = "callbreak"
LIMITS = Limits(move_ms=60_000, bank_ms=60_000, max_faults=3)
SEED = bytes(32)

WARM_UP_S = 0.4
LONGEST_S = 6.0
"""A referee is measured until as many matches have ended as are played at a time, but no longer than this."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What was measured. ``cpu_us`` is the server's processor time per decision, ``batch`` the mean turns a frame."""

    cpu_us: float
    decisions: int
    seconds: float
    batch: float


@dataclass(slots=True)
class Served:
    """How far a server without rules has come."""

    decisions: int = 0
    over: bool = False


async def echo(paths: Sequence[Path], batch: int, seconds: float) -> Cost:
    """The bare echo."""
    turns = _turns()
    frames = [play_pb2.PlayResponse(turns=itertools.islice(turns, batch)).SerializeToString() for _ in range(64)]

    async def converse(context: Context, served: Served) -> None:
        for frame in itertools.cycle(frames):
            if served.over or not await write(context, frame) or await read(context) is None:
                return
            served.decisions += batch

    return await _without_rules(paths, batch, seconds, converse)


async def codec(paths: Sequence[Path], batch: int, seconds: float) -> Cost:
    """Questions into messages, and messages into choices that are looked up."""
    questions = _questions(engine.load(GAME))

    async def converse(context: Context, served: Served) -> None:
        asked = itertools.cycle(questions)
        while not served.over:
            open_turns: dict[int, Question] = {}
            response = play_pb2.PlayResponse()
            for match_id, question in enumerate(itertools.islice(asked, batch)):
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
            served.decisions += batch

    return await _without_rules(paths, batch, seconds, converse)


async def referee(paths: Sequence[Path], matches: int, batch: int, seconds: float) -> Cost:
    """The real referee with so many matches at a time."""
    game = engine.load(GAME)
    players = tuple(path.stem for path in paths)
    match_ids = itertools.count(1)

    async def one_after_the_other() -> None:
        while True:
            await hub.play(_plan(game, players, next(match_ids)))

    async with Hub() as hub, _bots(paths, batch) as sent:
        served = Referee(hub)
        for path, player in zip(paths, players, strict=True):
            hub.expect(player)
            await served.serve_socket(path, player, TICKET)
        await hub.arrival(players, 10_000)
        playing = [asyncio.create_task(one_after_the_other()) for _ in range(matches)]
        await asyncio.sleep(WARM_UP_S)
        finished = hub.finished + matches
        cost = await _measured(lambda: hub.decisions, seconds, lambda: hub.finished >= finished)
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await served.close(DONE)
        frames, turns = await sent()
    return replace(cost, batch=turns / frames)


async def _without_rules(
    paths: Sequence[Path], batch: int, seconds: float, converse: Callable[[Context, Served], Awaitable[None]]
) -> Cost:
    """Serves the conversation on every socket."""
    served = Served()
    came = asyncio.Event()
    welcome = play_pb2.PlayResponse(welcome=play_pb2.Welcome(bot="highest", batch=batch)).SerializeToString()

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
    async with _bots(paths, batch) as sent:
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
        if took >= LONGEST_S or (took >= seconds and enough()):
            break
    made = decisions() - before
    return Cost((time.process_time() - cpu) * 1e6 / made, made, took, 0.0)


@contextlib.asynccontextmanager
async def _bots(paths: Sequence[Path], batch: int) -> AsyncIterator[Callable[[], Awaitable[tuple[int, int]]]]:
    """Bots at the sockets; what is yielded waits for their end and gives frames and turns."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.bots", str(batch), *map(str, paths), stdout=subprocess.PIPE
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


def _plan(game: Game, players: Sequence[str], match_id: int) -> MatchPlan:
    return MatchPlan(
        match_id=match_id,
        game=game,
        options=engine.write_options(game.options),
        seed=match_id.to_bytes(32, "big"),
        players=tuple(players),
        names=tuple(players),
        limits=(LIMITS,) * game.seats,
        bot_seeds=(SEED,) * game.seats,
        header={"seed": match_id.to_bytes(32, "big")},
    )


def _questions(game: Game) -> list[Question]:
    """Every question of one match in which everybody gives the highest answer."""
    play = match(game, game.start(SEED), (LIMITS,) * game.seats, Recorder(game, players=["highest"] * 4, seed=SEED))
    asked: list[Question] = []
    with contextlib.suppress(StopIteration):
        questions = next(play)
        while True:
            asked += questions
            questions = play.send([Answer(question.seat, _highest(question), None, "", 0) for question in questions])
    return asked


def _highest(question: Question) -> int:
    return question.first + question.legal_mask.bit_length() - 1


def _turns() -> Iterator[play_pb2.Turn]:
    """The questions of one match over and over, each in a match of its own."""
    for match_id, question in enumerate(itertools.cycle(_questions(engine.load(GAME)))):
        turn = play_pb2.Turn()
        write_turn(turn, match_id, question, question.budget_us)
        yield turn


def main() -> None:
    """Measures one server."""
    kind, matches, batch, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    # As in the process of a block.
    gc.freeze()
    gc.set_threshold(100_000, 50, 1000)
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        paths = [Path(directory) / f"{seat}.sock" for seat in range(engine.load(GAME).seats)]
        if kind == "referee":
            cost = asyncio.run(referee(paths, matches, batch, seconds))
        else:
            cost = asyncio.run((echo if kind == "echo" else codec)(paths, batch, seconds))
    print(json.dumps(asdict(cost)))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
