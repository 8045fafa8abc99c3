"""What it costs to start a bot in a cell: ``python -m benchmarks.sandbox``, under two minutes. Knows no ratio.

First single bots: the time from their launch until the cell's program runs, the kit is imported, the hello is here and
the first turn is answered, in every tier that this user has, with numpy and without. Then blocks as a worker plays
them: how many a minute, and how many a core could play, by the processor time of the block and all its bots.
"""

import argparse
import asyncio
import contextlib
import ctypes
import json
import os
import re
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import grpc

import engine
from arena.codec import write_view
from arena.tournaments.cells import box_of
from arena.tournaments.libraries import KIT
from arena.v1 import play_pb2, play_pb2_grpc
from benchmarks.block import BOTS, Cost, block_of, play, player_of
from bots import house
from sandbox.box import SEAT, Limits, Tier
from sandbox.host import Host, detect
from sandbox.runner import lend, start

STAGES = ("program", "imports", "hello", "answer")

BOT = """
import time
print("program", time.monotonic(), flush=True)
{imports}
from arena.bot import run
print("imports", time.monotonic(), flush=True)

def choose(turn):
    print("processor", time.process_time(), flush=True)
    return turn.legal[0]

run(choose, name="bench", games=["callbreak"])
"""


@dataclass(frozen=True, slots=True)
class Start:
    """The launch of one bot in milliseconds: how long after it each stage was reached, and the bot's processor time."""

    tier: str
    numpy: bool
    program: float
    imports: float
    hello: float
    answer: float
    processor: float


class Asking(play_pb2_grpc.PlayServiceServicer):
    """Asks a bot one question, and remembers when what came."""

    def __init__(self) -> None:
        self.came: dict[str, float] = {}

    async def Play(  # noqa: N802 - named by the contract
        self, request_iterator: AsyncIterator[play_pb2.PlayRequest], context: object
    ) -> AsyncIterator[play_pb2.PlayResponse]:
        del context
        game = engine.load("callbreak")
        state = game.start(bytes(32))
        (seat,) = state.to_act()
        async for request in request_iterator:
            if not request.HasField("hello"):
                self.came["answer"] = time.monotonic()
                break
            self.came["hello"] = time.monotonic()
            turn = play_pb2.Turn(match_id=1, turn=1, budget_ms=10_000)
            write_view(state.observe(seat), turn)
            turn.first = game.phases[turn.phase].first
            turn.legal = sum(1 << action - turn.first for action in state.legal(seat))
            begin = play_pb2.MatchStart(match_id=1, game=game.id, seat=seat, seats=game.seats, bot_seed=bytes(32))
            begin.options.update(engine.write_options(game.options))
            yield play_pb2.PlayResponse(welcome=play_pb2.Welcome(bot="bench", batch=1), starts=[begin], turns=[turn])
        done = play_pb2.Farewell(reason=play_pb2.FAREWELL_REASON_DONE)
        yield play_pb2.PlayResponse(farewell=done)


def main() -> int:
    """Prints the figures. 1 if a bot or a block failed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sandbox", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--starts", type=int, default=9, help="how often each bot is started")
    parser.add_argument("--units", type=int, default=8, help="units of the larger block, more than 1")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args()
    host = detect()
    # Who may start cells as root may start them in a user namespace as well.
    hosts = [host, replace(host, tier=Tier.USERNS)] if host.tier is Tier.ROOT else [host]
    try:
        starts = [launch for each in hosts for numpy in (False, True) for launch in launches(each, numpy, asked.starts)]
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    adopt()
    blocks = [cost for cost in (block(1), block(asked.units)) if cost is not None]
    if asked.json:
        print(json.dumps({"starts": [asdict(one) for one in starts], "blocks": [asdict(one) for one in blocks]}))
    else:
        show(starts, blocks)
    return 0 if len(blocks) == 2 else 1


def launches(host: Host, numpy: bool, count: int) -> list[Start]:
    """The launches of a bot, one after the other, after one that does not count."""
    with open_folder() as folder:
        (folder / "main.py").write_text(BOT.format(imports="import numpy" if numpy else ""))
        (folder / "bot.toml").write_text('name = "bench"\nentry = "main.py"\ngames = ["callbreak"]\n')
        return [asyncio.run(launch(host, folder, numpy)) for _ in range(count + 1)][1:]


async def launch(host: Host, folder: Path, numpy: bool) -> Start:
    """One launch.

    :raises RuntimeError: if the bot did not answer; the text is what it wrote.
    """
    asking = Asking()
    server = grpc.aio.server()
    play_pb2_grpc.add_PlayServiceServicer_to_server(asking, server)
    with open_folder() as seat:
        server.add_insecure_port(f"unix:{seat}/seat.sock")
        await server.start()
        lend(seat, host, 0)
        box = box_of(folder, seat, 0, Limits())
        environment = {"PYTHONPATH": KIT, "ARENA_SOCKET": f"unix:{SEAT}/seat.sock", "OPENBLAS_NUM_THREADS": "1"}
        began = time.monotonic()
        cell = await asyncio.to_thread(start, box, host, environment)
        ended = await asyncio.to_thread(cell.stop, 20_000)
        await server.stop(None)
    said = dict(re.findall(r"^(\w+) ([\d.]+)$", ended.log.decode(), re.MULTILINE))
    if ended.code != 0 or "answer" not in asking.came:
        raise RuntimeError(f"The bot {ended.reason} and wrote: {ended.log.decode()}")
    at = {stage: float(said[stage]) for stage in STAGES[:2]} | asking.came
    took = {stage: 1000 * (at[stage] - began) for stage in STAGES}
    return Start(host.tier.value, numpy, **took, processor=1000 * float(said["processor"]))


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A folder for a while, through which the bots of other users than ours may pass."""
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        Path(directory).chmod(0o755)
        yield Path(directory)


def adopt() -> None:
    """Makes this process the parent of what its children leave behind, such as the first process of a cell, so that
    their processor time can be counted."""
    set_child_subreaper = 36
    if ctypes.CDLL(None, use_errno=True).prctl(set_child_subreaper, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "this process cannot adopt others")


def processor_s() -> float:
    """Processor seconds of everything that this process has started and that has ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def block(units: int) -> Cost | None:
    """A block of house bots in all rotations, with the processor time of the bots; None if it could not be played."""
    game = engine.load("callbreak")
    with open_folder() as bots_dir:
        players = tuple(player_of(house.entry(name), bots_dir) for name in BOTS[: game.seats])
        before = processor_s()
        cost = play(block_of(game, players, units), bots_dir)
        return cost and replace(cost, cpu_s=processor_s() - before)


def show(starts: list[Start], blocks: list[Cost]) -> None:
    """Prints both tables."""
    print("Milliseconds after the launch, median (least):\n")
    print("| tier | imports | program runs | kit imported | hello | first answer | processor |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for tier, numpy in dict.fromkeys((one.tier, one.numpy) for one in starts):
        rows = [one for one in starts if (one.tier, one.numpy) == (tier, numpy)]
        columns = [[getattr(row, stage) for row in rows] for stage in (*STAGES, "processor")]
        told = " | ".join(f"{statistics.median(column):.0f} ({min(column):.0f})" for column in columns)
        print(f"| {tier} | kit{' and numpy' if numpy else ''} | {told} |")
    print("\n| units | matches | decisions | seconds | processor s | blocks a minute | blocks a minute and core |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for cost in blocks:
        rates = f"{60 / cost.seconds:.1f} | {60 / cost.cpu_s:.1f}"
        print(f"| {cost.units} | {cost.matches} | {cost.decisions} | {cost.seconds:.2f} | {cost.cpu_s:.2f} | {rates} |")


if __name__ == "__main__":
    sys.exit(main())
