"""A referee with a crowd of connected bots: ``python -m benchmarks.crowd BOTS SEATED MATCHES`` prints what it cost as
JSON. Knows no ratio.

All bots are remote ones: one TCP server, a connection each, tokens that a function checks, the limits of remote bots.
The first ``SEATED`` play ``MATCHES`` matches in all, four at a table, all at the same time and each to its end; the
others are connected and idle.
"""

import asyncio
import gc
import hashlib
import json
import os
import resource
import secrets
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import grpc

import engine
from arena.referee.hub import Hub
from arena.referee.plan import PlayerId
from arena.referee.presets import REMOTE
from arena.referee.service import Refusal, server_options
from arena.referee.stream import DONE, Hello
from benchmarks.delays import Delays, TappedReferee, Taps
from benchmarks.servers import rss_bytes
from benchmarks.tables import GAME, plan

BOT_PROCESSES = 2
ARRIVAL_MS = 60_000
IDLE_S = 1.0
TAPPED_AFTER_S, TAPPED_S = 0.1, 0.4
FILES_PER_BOT = 4


@dataclass(frozen=True, slots=True)
class Crowd:
    """One run. ``connected``, ``ended`` and ``faults`` count bots, matches and faults. ``cpu_us`` is the referee's
    processor time per decision, ``idle_share`` the share of a core that all the streams take while nobody plays,
    ``stream_bytes`` the memory of a stream: what the process grew by while all bots came, over their number.
    """

    bots: int
    seated: int
    matches: int
    connected: int
    arrival_s: float
    idle_share: float
    ended: int
    faults: int
    decisions: int
    seconds: float
    batch: float
    cpu_us: float
    stream_bytes: float
    rss_bytes: int
    delays: Delays


async def crowd(bots: int, seated: int, matches: int) -> Crowd:
    """One run."""
    game = engine.load(GAME)
    tokens = {f"bot-{number}": secrets.token_hex(32) for number in range(bots)}
    known: dict[bytes, PlayerId] = {_hashed(token): player for player, token in tokens.items()}

    async def authenticate(token: str, _hello: Hello) -> PlayerId | Refusal:
        player = known.get(_hashed(token))
        return player or Refusal(grpc.StatusCode.UNAUTHENTICATED, "The token is unknown: ask for a new one.")

    taps = Taps()
    async with Hub() as hub:
        referee = TappedReferee(hub, taps)
        server = grpc.aio.server(options=server_options(REMOTE.move_ms))
        referee.add_to(server, authenticate)
        address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        await server.start()
        gc.collect()
        empty_bytes = rss_bytes()
        began = time.monotonic()
        for player in tokens:
            hub.expect(player)
        processes = [await _start(address, [*tokens.values()][part::BOT_PROCESSES]) for part in range(BOT_PROCESSES)]
        missing = await hub.arrival(tokens, ARRIVAL_MS)
        arrival_s = time.monotonic() - began
        stream_bytes = (rss_bytes() - empty_bytes) / bots

        cpu = time.process_time()
        await asyncio.sleep(IDLE_S)
        idle_share = (time.process_time() - cpu) / IDLE_S

        tables = [[f"bot-{seat}" for seat in range(first, first + 4)] for first in range(0, seated, 4)]
        before, cpu, began = hub.decisions, time.process_time(), time.monotonic()
        playing = [
            asyncio.create_task(hub.play(plan(game, tables[match % len(tables)], match + 1, REMOTE)))
            for match in range(matches)
        ]
        tapping = asyncio.create_task(_tap(taps, 8 * matches))
        verdicts = await asyncio.gather(*playing)
        cpu_s, seconds, decisions = time.process_time() - cpu, time.monotonic() - began, hub.decisions - before
        held_bytes = rss_bytes()
        await tapping

        await referee.close(DONE)
        counts = [json.loads((await process.communicate())[0]) for process in processes]
        await server.stop(1)
    return Crowd(
        bots=bots,
        seated=seated,
        matches=matches,
        connected=bots - len(missing),
        arrival_s=arrival_s,
        idle_share=idle_share,
        ended=len(verdicts),
        faults=sum(len(verdict.faults) for verdict in verdicts),
        decisions=decisions,
        seconds=seconds,
        batch=sum(count["turns"] for count in counts) / sum(count["frames"] for count in counts),
        cpu_us=cpu_s * 1e6 / decisions,
        stream_bytes=stream_bytes,
        rss_bytes=held_bytes,
        delays=taps.delays(),
    )


async def _tap(taps: Taps, frames: int) -> None:
    """Opens the taps for a while, once all tables play."""
    await asyncio.sleep(TAPPED_AFTER_S)
    await taps.sample(TAPPED_S, frames)


async def _start(address: str, tokens: Sequence[str]) -> asyncio.subprocess.Process:
    """A process with the bots of these tokens."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "benchmarks.crowd_bots",
        address,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write("\n".join(tokens).encode())
    process.stdin.close()
    return process


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def main() -> None:
    """Measures one crowd."""
    bots, seated, matches = map(int, sys.argv[1:4])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_PER_BOT * bots + 256
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard < 0 else min(wanted, hard), hard))
    # As in the process of a block.
    gc.freeze()
    gc.set_threshold(100_000, 50, 1000)
    print(json.dumps(asdict(asyncio.run(crowd(bots, seated, matches)))))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
