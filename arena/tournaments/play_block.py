"""The process that plays one block: ``python -m arena.tournaments.play_block BOTS_DIR``. Knows no database.

It reads the block as one line from its standard input, starts the hosted bots in cells, and writes reports as lines to
its standard output. When its input closes, whoever started it is gone: it ends its cells, then itself.

A block with remote bots is played by the referee at ARENA_REFEREE, which is shown ARENA_REFEREE_SECRET; the frames of
the hosted bots are relayed there. ``BOTS_DIR`` has a folder for every content hash. It plays nothing where cells are of
a weaker tier than ARENA_LEAST_TIER.
"""

import asyncio
import contextlib
import functools
import gc
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import BinaryIO

import grpc

from arena.referee.hub import Hub
from arena.referee.relay import OPTIONS, relay
from arena.referee.service import Referee
from arena.tournaments.block import (
    Block,
    Cause,
    Done,
    Failed,
    PlayerKind,
    Progress,
    Report,
    read_block,
    read_report,
    write_block,
    write_report,
)
from arena.tournaments.cells import Cells, Slots
from arena.tournaments.lines import BlockError
from arena.tournaments.logs import Logs
from arena.tournaments.sitting import check_block, play_sitting
from arena.tournaments.strangers import LEAST_TIER, least_tier
from arena.v1 import referee_pb2, referee_pb2_grpc
from sandbox.archive import ArchiveError
from sandbox.host import Host, NoCellError, detect
from sandbox.runner import CellError, Exit

LAST_S = 15.0
"""Time for the cells to be ended when the process must go."""

SPARE_S = 1.0
"""Time for a referee elsewhere to hear that it need not deal."""

_REFUSALS = frozenset(
    {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.RESOURCE_EXHAUSTED}
)
"""Answers of a referee that has not begun."""


class Reports:
    """Writes reports from a thread of its own: whoever reads slowly does not hold up the matches."""

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="reports", daemon=True)
        self._thread.start()

    async def tell(self, report: Report) -> None:
        """Writes the report soon, in order."""
        self._lines.put(f"{write_report(report)}\n".encode())

    def close(self) -> None:
        """Comes back when everything is written."""
        self._lines.put(None)
        self._thread.join()

    def _write(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            while (line := self._lines.get()) is not None:
                self._output.write(line)
                self._output.flush()


async def play_block(block: Block, bots_dir: Path, reports: Reports) -> None:
    """Plays the block and tells everything, Done or Failed last. Its cells are gone when this comes back or is
    cancelled."""
    try:
        check_block(block)
        host = detect(least_tier(os.environ.get(LEAST_TIER, "")))
        if any(player.kind is PlayerKind.REMOTE for player in block.players):
            await _play_elsewhere(block, bots_dir, host, reports)
        else:
            await _play_here(block, bots_dir, host, reports)
    except (BlockError, ArchiveError) as error:
        await reports.tell(Failed(str(error), Cause.DIED))
    except (NoCellError, CellError, OSError) as error:
        # It is this host that fails. Fresh processes will play the same cards, and these ones are gone.
        await reports.tell(Failed(str(error), Cause.UNSEEN))


async def _play_here(block: Block, bots_dir: Path, host: Host, reports: Reports) -> None:
    slots = Slots()
    progress = Progress(0, 0)
    async with Hub() as hub:
        for sitting in block.sittings:
            cells = Cells(block, bots_dir, host, slots)
            progress = await _play_sitting(hub, block, cells, sitting, so_far=progress, reports=reports)
    await reports.tell(Done(host.tier.value))


async def _play_sitting(
    hub: Hub, block: Block, cells: Cells, sitting: range, *, so_far: Progress, reports: Reports
) -> Progress:
    referee = Referee(hub)
    logs = Logs(block, sitting)
    players = [f"{sitting.start}/{index}" for index in range(len(block.players))]

    async def open_socket(path: Path, index: int) -> None:
        hub.expect(players[index])
        on_turn = functools.partial(cells.turn, index)
        await referee.serve_socket(path, players[index], block.players[index].ticket, on_turn)

    def ended(index: int, how: Exit) -> None:
        hub.gone(players[index], f"The bot's process {how.reason}.")

    async def tell(report: Report) -> None:
        if not logs.take(report):
            await reports.tell(report)

    try:
        await cells.start(open_socket)
        watching = asyncio.create_task(cells.watch(ended))
        try:
            logs.begin(time.monotonic())
            return await play_sitting(hub, block, sitting, players, so_far=so_far, tell=tell)
        finally:
            watching.cancel()
            for player in players:
                hub.forget(player)
    finally:
        gone = await cells.stop()
        await referee.close_sockets()
        for one in gone:
            await reports.tell(logs.of(one.player, one.exit))


async def _play_elsewhere(block: Block, bots_dir: Path, host: Host, reports: Reports) -> None:
    address = os.environ.get("ARENA_REFEREE", "")
    if not address:
        await reports.tell(Failed("No referee is known to which the remote bots are connected.", Cause.UNSEEN))
        return
    cells = Cells(block, bots_dir, host, Slots())
    logs = Logs(block, block.sittings[0])
    sockets: list[grpc.aio.Server] = []

    async def open_socket(path: Path, index: int) -> None:
        sockets.append(await relay(path, block.players[index].ticket, address))

    last: Report | None = None
    try:
        async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
            if not await _connected(channel):
                await reports.tell(Failed(f"The referee at {address} cannot be reached.", Cause.UNSEEN))
                return
            call = referee_pb2_grpc.RefereeServiceStub(channel).PlayBlock(
                referee_pb2.PlayBlockRequest(block=write_block(block)),
                metadata=(("authorization", f"Bearer {os.environ.get('ARENA_REFEREE_SECRET', '')}"),),
            )
            async for response in call:
                report = read_report(response.report)
                if last is None and isinstance(report, Progress):
                    logs.begin(time.monotonic())
                    # The referee knows the tickets now. It deals when the bots had their time to come, come or not.
                    dealt_at = time.monotonic() + block.arrival_ms / 1000 - SPARE_S
                    try:
                        await cells.start(open_socket)
                    except (CellError, OSError) as error:
                        last = Failed(str(error), Cause.UNSEEN if time.monotonic() < dealt_at else Cause.DIED)
                        break
                last = report
                if not logs.take(last) and not isinstance(last, Done | Failed):
                    await reports.tell(last)
    except grpc.aio.AioRpcError as error:
        # Once it has the block, a remote bot may have seen cards, whether we heard of it or not. A referee that stops
        # in good order says Failed before.
        cause = Cause.DIED
        if last is None:
            cause = Cause.UNSEEN if error.code() in _REFUSALS else Cause.LOST
        last = Failed(f"The referee at {address} failed: {error.details()}", cause)
    finally:
        gone = await cells.stop()
        await asyncio.gather(*(server.stop(0.2) for server in sockets))
    for one in gone:
        await reports.tell(logs.of(one.player, one.exit))
    if not isinstance(last, Done | Failed):
        last = Failed(f"The referee at {address} ended without a result.", Cause.DIED)
    await reports.tell(Done(host.tier.value) if isinstance(last, Done) else last)


async def _connected(channel: grpc.aio.Channel) -> bool:
    """Whether somebody answers at the other end."""
    while (state := channel.get_state(try_to_connect=True)) in (
        grpc.ChannelConnectivity.IDLE,
        grpc.ChannelConnectivity.CONNECTING,
    ):
        await channel.wait_for_state_change(state)
    return state is grpc.ChannelConnectivity.READY


def main() -> None:
    """Plays the block of the standard input; ends the process."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m arena.tournaments.play_block BOTS_DIR < block")
    # The matches make no cycles: the collector has little to find and takes a third of the time to look for it.
    gc.freeze()
    gc.set_threshold(100_000, 50, 1000)
    # What anything prints in this process must not get between the reports.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    reports = Reports(output)
    try:
        block = read_block(sys.stdin.buffer.readline())
    except BlockError as error:
        asyncio.run(reports.tell(Failed(str(error), Cause.DIED)))
    else:
        try:
            asyncio.run(_while_wanted(play_block(block, Path(sys.argv[1]), reports)))
        except asyncio.CancelledError:
            asyncio.run(reports.tell(Failed("The block process was told to stop.", Cause.LOST)))
    reports.close()
    sys.stderr.flush()
    # A gRPC client hangs in the interpreter's clean-up now and then.
    os._exit(0)


async def _while_wanted(playing: Coroutine[None, None, None]) -> None:
    """Plays until it is done, the standard input closes, or somebody sends SIGTERM."""
    loop = asyncio.get_running_loop()
    task = loop.create_task(playing)

    def leave() -> None:
        task.cancel()
        loop.call_later(LAST_S, os._exit, 1)

    def wait_for_the_end_of_input() -> None:
        while os.read(0, 4096):
            pass
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(leave)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, leave)
    threading.Thread(target=wait_for_the_end_of_input, name="input", daemon=True).start()
    await task


if __name__ == "__main__":
    main()
