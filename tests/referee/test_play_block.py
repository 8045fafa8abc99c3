"""The process of a block with real cells: what it reports, and that nothing of it stays behind."""

import asyncio
import dataclasses
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc.aio
import pytest

from arena.api.blocks import Blocks
from arena.api.drain import Drain
from arena.cli import main
from arena.referee.hub import Hub
from arena.referee.plan import PlayerId
from arena.referee.service import Referee, Refusal, server_options
from arena.referee.stream import Hello
from arena.tournaments.block import (
    Block,
    BotLog,
    Cause,
    Done,
    Failed,
    MatchReport,
    PlayerReport,
    Progress,
    Report,
    UnitKind,
    read_report,
    write_block,
)
from arena.tournaments.cells import Cells, Slots, limits_of
from arena.v1 import referee_pb2, referee_pb2_grpc
from engine.record import digest, verify
from sandbox.host import NoCellError, detect
from sandbox.watch import tree
from tests.referee.blocks import BOT, CRASHING, GREEDY, SILENT, SLOW, block_of, hosted, remote, write_bot
from tests.referee.wire import Wire, honest

try:
    detect()
except NoCellError as error:
    pytest.skip(f"no cells on this host: {error}", allow_module_level=True)


@contextmanager
def block_process(block: Block, bots_dir: Path, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    """The process, with the block in its input; PYTHON in the environment names another Python than ours."""
    process = subprocess.Popen(
        [environment.get("PYTHON", sys.executable), "-m", "arena.tournaments.play_block", str(bots_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **environment},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write(write_block(block).encode() + b"\n")
        process.stdin.flush()
        yield process


def reports_of(block: Block, bots_dir: Path, **environment: str) -> list[Report]:
    """Everything that is reported."""
    with block_process(block, bots_dir, **environment) as process:
        assert process.stdout is not None
        reports = [read_report(line) for line in process.stdout]
    assert process.returncode == 0
    return reports


def test_a_block_reports_every_match_once_and_the_same_every_time(short_dir: Path) -> None:
    bot = write_bot(short_dir, BOT)
    block = block_of([hosted(f"bot-{number}", bot) for number in range(3)], units=2, kind=UnitKind.ROTATION)
    once, again = reports_of(block, short_dir), reports_of(block, short_dir)
    matches = {(report.unit, report.rotation): report for report in once if isinstance(report, MatchReport)}
    assert matches.keys() == {(unit, rotation) for unit in (100, 101) for rotation in range(3)}
    assert len([report for report in once if isinstance(report, MatchReport)]) == 6
    for (unit, rotation), report in matches.items():
        verified = verify(report.record)
        assert report.seats == block.units[unit - 100].seats(rotation)
        assert list(verified.header["players"]) == [f"bot-{index}" for index in report.seats]
        assert verified.header["commitment"] == bytes(32).hex()
        players = [block.players[index] for index in report.seats]
        assert verified.header["versions"] == [str(player.version) for player in players]
        assert verified.header["contents"] == [player.content_hash for player in players]
        assert (verified.scores, verified.places, digest(report.record)) == (
            report.scores,
            report.places,
            report.digest,
        )
        assert report.faults == ()
    assert isinstance(once[-1], Done)
    steps = [(report.matches, report.decisions) for report in once if isinstance(report, Progress)]
    assert steps == sorted(steps)
    assert steps[-1] == (6, sum(report.decisions for report in matches.values()))
    logs = [(log.rotation, log.player, log.run.exit) for log in once if isinstance(log, BotLog)]
    assert logs == [(rotation, player, "ended by itself with code 0") for rotation in range(3) for player in range(3)]
    digests = {(report.unit, report.rotation): report.digest for report in again if isinstance(report, MatchReport)}
    assert digests == {key: report.digest for key, report in matches.items()}


@pytest.mark.parametrize(
    ("code", "reason", "said"),
    [
        (CRASHING, "The bot's process ended by itself with code 1.", "SystemError: what a pity"),
        (SILENT, "The bot did not connect within its start-up limit.", ""),
    ],
)
def test_a_bot_that_fails_is_forfeited_and_the_match_is_played(
    code: str, reason: str, said: str, short_dir: Path
) -> None:
    good, bad = write_bot(short_dir, BOT), write_bot(short_dir, code)
    players = [hosted("good", good), hosted("bad", bad), hosted("fine", good)]
    reports = reports_of(block_of(players, units=1, kind=UnitKind.SINGLE, startup_ms=3_000), short_dir)
    (match,) = [report for report in reports if isinstance(report, MatchReport)]
    assert match.forfeited == (1,)
    assert [(fault.kind, fault.reason) for fault in match.faults] == [("GONE", reason)] * 3
    (log,) = [report for report in reports if isinstance(report, BotLog) and report.player == 1]
    assert said in log.text
    assert isinstance(reports[-1], Done)


def cells_of(marker: str) -> list[int]:
    """Ids of the processes that have the marker in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if marker.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def test_a_block_process_whose_input_closes_takes_its_cells_with_it(short_dir: Path) -> None:
    silent = write_bot(short_dir, SILENT)
    block = block_of([hosted(f"bot-{n}", silent) for n in range(3)], units=1, kind=UnitKind.SINGLE, startup_ms=60_000)
    marker = f"{short_dir}/{silent}"
    with block_process(block, short_dir) as process:
        assert process.stdin is not None
        while not cells_of(marker):
            assert process.poll() is None
            time.sleep(0.02)
        process.stdin.close()
        assert process.wait(60) == 0
    assert cells_of(marker) == []


def test_a_block_process_that_is_told_to_stop_says_that_nobody_is_to_blame(short_dir: Path) -> None:
    silent = write_bot(short_dir, SILENT)
    block = block_of([hosted(f"bot-{n}", silent) for n in range(3)], units=1, kind=UnitKind.SINGLE, startup_ms=60_000)
    marker = f"{short_dir}/{silent}"
    with block_process(block, short_dir) as process:
        while not cells_of(marker):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        reports = [read_report(line) for line in process.stdout]
    assert reports[-1] == Failed("The block process was told to stop.", Cause.LOST)
    assert process.returncode == 0
    assert cells_of(marker) == []


def test_a_block_that_is_not_dealt_when_the_drain_begins_is_handed_back_unseen() -> None:
    block = block_of([remote("one"), remote("two"), remote("three")], units=1, kind=UnitKind.SINGLE, startup_ms=60_000)
    request = referee_pb2.PlayBlockRequest(block=write_block(block))
    secret = (("authorization", "Bearer secret"),)

    async def drained() -> None:
        drain = Drain()
        async with Hub() as hub, asyncio.timeout(60):
            server = grpc.aio.server()
            referee_pb2_grpc.add_RefereeServiceServicer_to_server(Blocks(hub, "secret", drain), server)
            port = server.add_insecure_port("127.0.0.1:0")
            await server.start()
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                stub = referee_pb2_grpc.RefereeServiceStub(channel)
                responses = aiter(stub.PlayBlock(request, metadata=secret))
                assert read_report((await anext(responses)).report) == Progress(0, 0)
                assert drain.waits_for() == "1 block"
                drain.ask()
                failed = read_report((await anext(responses)).report)
                assert isinstance(failed, Failed)
                assert failed.cause is Cause.UNSEEN
                assert await drain.quiet(60)
                (refused,) = [response async for response in stub.PlayBlock(request, metadata=secret)]
                assert read_report(refused.report) == failed
            await server.stop(0)

    asyncio.run(drained())


def test_nobody_waits_for_a_disabled_bot_and_what_else_it_plays_goes_on() -> None:
    block = block_of([remote("one"), remote("bad"), remote("two")], units=2, kind=UnitKind.SINGLE, startup_ms=60_000)
    request = referee_pb2.PlayBlockRequest(block=write_block(block))

    async def disabled(bots: Collection[str]) -> Collection[str]:
        return [bot for bot in bots if bot == "bad"]

    async def played() -> list[Report]:
        async with Hub() as hub, asyncio.timeout(60):
            blocks = Blocks(hub, "secret", Drain(), disabled)
            server = grpc.aio.server(options=server_options(2_000))
            Referee(hub).add_to(server, blocks.seated(_no_strangers))
            referee_pb2_grpc.add_RefereeServiceServicer_to_server(blocks, server)
            address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
            await server.start()
            async with (
                Wire(address, "one", name="one", batch=16) as one,
                Wire(address, "two", name="two", batch=16) as two,
                Wire(address, "bad", name="bad", batch=16),
                grpc.aio.insecure_channel(address) as channel,
            ):
                playing = [asyncio.create_task(honest(wire)) for wire in (one, two)]
                call = referee_pb2_grpc.RefereeServiceStub(channel).PlayBlock(
                    request, metadata=(("authorization", "Bearer secret"),)
                )
                reports = [read_report(response.report) async for response in call]
                assert hub.connected().keys() == {"one", "two", "bad"}
                for task in playing:
                    task.cancel()
            await server.stop(0)
            return reports

    reports = asyncio.run(played())
    assert isinstance(reports[-1], Done)
    matches = [report for report in reports if isinstance(report, MatchReport)]
    assert len(matches) == 2
    for match in matches:
        assert [match.seats[seat] for seat in match.forfeited] == [1]
        assert {fault.kind for fault in match.faults} == {"GONE"}
        assert "arena bot enable bad" in match.faults[0].reason


@pytest.mark.parametrize("units", [1, 40])
def test_a_bot_may_think_for_as_long_as_its_clock_allows_in_every_match(units: int) -> None:
    block = block_of([hosted(f"bot-{n}", "") for n in range(3)], units=units, kind=UnitKind.ROTATION)
    longest_match_s = (block.limits.bank_ms + 18 * 2 * block.limits.move_ms) / 1000
    assert limits_of(block).cpu_s >= units * longest_match_s


def test_a_cell_that_was_being_started_when_all_was_called_off_is_stopped_too(short_dir: Path) -> None:
    silent = write_bot(short_dir, SILENT)
    block = block_of([hosted(f"bot-{n}", silent) for n in range(3)], units=1, kind=UnitKind.SINGLE)
    marker = f"{short_dir}/{silent}"

    async def no_socket(_path: Path, _index: int) -> None:
        pass

    async def call_off() -> int:
        cells = Cells(block, short_dir, detect(), Slots())
        starting = asyncio.create_task(cells.start(no_socket))
        while not cells_of(marker):  # noqa: ASYNC110 - no event tells when a process is there
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        return len(await cells.stop())

    assert asyncio.run(call_off()) >= 1
    assert cells_of(marker) == []


def test_a_block_process_that_is_killed_takes_its_cells_with_it_and_the_next_one_removes_their_seats(
    short_dir: Path,
) -> None:
    silent, good = write_bot(short_dir, SILENT), write_bot(short_dir, BOT)
    block = block_of([hosted(f"bot-{n}", silent) for n in range(3)], units=1, kind=UnitKind.SINGLE, startup_ms=60_000)
    marker = f"{short_dir}/{silent}"
    with block_process(block, short_dir, TMPDIR=str(short_dir)) as process:
        while not cells_of(marker):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    deadline = time.monotonic() + 60
    while cells_of(marker) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert cells_of(marker) == []

    (places,) = short_dir.glob("arena-slots-*")
    assert list(places.glob("*.seat/seat.sock"))
    (places / "9.seat").mkdir()  # as of a block with more bots
    again = block_of([hosted(f"bot-{n}", good) for n in range(3)], units=1, kind=UnitKind.SINGLE)
    assert isinstance(reports_of(again, short_dir, TMPDIR=str(short_dir))[-1], Done)
    assert {place.name for place in places.iterdir()} == {"0", "1", "2", "9"}
    assert all(place.stat().st_size == 0 for place in places.iterdir())
    assert {place.name for place in short_dir.iterdir()} == {silent, good, places.name}


def test_a_cell_that_bubblewrap_cannot_make_is_nobodys_fault(short_dir: Path) -> None:
    bots = [write_bot(short_dir, body) for body in (BOT, SILENT, GREEDY)]
    failing = short_dir / "bwrap"
    failing.write_text(
        f"#!/bin/sh\ncase \"$*\" in *{bots[1]}*) echo 'bwrap: Creating new namespace failed' >&2; exit 1;; esac\n"
        f'exec {detect().program} "$@"\n'
    )
    failing.chmod(0o755)
    block = block_of([hosted(f"bot-{n}", bot) for n, bot in enumerate(bots)], units=1, kind=UnitKind.SINGLE)
    reports = reports_of(block, short_dir, ARENA_BWRAP=str(failing))
    assert [report for report in reports if isinstance(report, MatchReport)] == []
    assert reports[-1] == Failed(
        "a cell did not start: bwrap: Creating new namespace failed; run 'arena doctor' on this host.", Cause.UNSEEN
    )


def test_a_folder_of_slots_that_somebody_else_put_there_is_not_used_and_the_doctor_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("ARENA_DATABASE_URL", "postgresql://nobody@127.0.0.1:9/nothing")
    place = tmp_path / f"arena-slots-{os.geteuid()}"
    place.symlink_to(tmp_path)
    told = f"{place} belongs to somebody else; remove it."
    with pytest.raises(OSError, match=re.escape(told)):
        Slots()
    assert main(["doctor", "--data", str(tmp_path / "data")]) == 1
    assert f"bots run  not at all: {told}" in capsys.readouterr().err.splitlines()


def test_a_block_for_other_rules_is_refused(short_dir: Path) -> None:
    bot = write_bot(short_dir, BOT)
    block = block_of([hosted(f"bot-{number}", bot) for number in range(3)], units=1, kind=UnitKind.SINGLE)
    object.__setattr__(block, "engine", "0")
    (report,) = reports_of(block, short_dir)
    assert isinstance(report, Failed)
    assert report.reason.startswith("The block is for rules of version 0")


async def _no_strangers(token: str, hello: Hello) -> PlayerId | Refusal:
    """Remote bots have their name for a token."""
    if token == hello.bot:
        return hello.bot
    return Refusal(grpc.StatusCode.UNAUTHENTICATED, "Log in again.")


def test_a_block_with_a_remote_bot_is_played_where_that_bot_is(short_dir: Path) -> None:
    bot = write_bot(short_dir, BOT)
    block = block_of([hosted("one", bot), remote("far"), hosted("two", bot)], units=3, kind=UnitKind.SINGLE)

    async def at_the_referee() -> list[Report]:
        async with Hub() as hub:
            blocks = Blocks(hub, "secret", Drain())
            server = grpc.aio.server(options=server_options(2_000))
            Referee(hub).add_to(server, blocks.seated(_no_strangers))
            referee_pb2_grpc.add_RefereeServiceServicer_to_server(blocks, server)
            address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
            await server.start()
            async with Wire(address, "far", name="far", batch=16) as far:
                playing = asyncio.create_task(honest(far))
                reports = await asyncio.to_thread(
                    reports_of, block, short_dir, ARENA_REFEREE=address, ARENA_REFEREE_SECRET="secret"
                )
                refused = await asyncio.to_thread(
                    reports_of, block, short_dir, ARENA_REFEREE=address, ARENA_REFEREE_SECRET="guess"
                )
                assert hub.connected().keys() == {"far"}
                playing.cancel()
            assert isinstance(refused[-1], Failed)
            assert refused[-1].cause is Cause.UNSEEN
            await server.stop(0)
            return reports

    reports = asyncio.run(at_the_referee())
    matches = [report for report in reports if isinstance(report, MatchReport)]
    assert sorted(match.unit for match in matches) == [100, 101, 102]
    assert not any(match.faults for match in matches)
    assert {verify(match.record).header["players"][match.seats.index(1)] for match in matches} == {"far"}
    assert {verify(match.record).header["versions"][match.seats.index(1)] for match in matches} == {"1"}
    assert {verify(match.record).header["contents"][match.seats.index(1)] for match in matches} == {""}
    logs = [(log.player, log.run.exit) for log in reports if isinstance(log, BotLog)]
    assert logs == [(0, "ended by itself with code 0"), (2, "ended by itself with code 0")]
    for run, spans in ((log.run, log.matches) for log in reports if isinstance(log, BotLog)):
        # The referee elsewhere has measured them, and its times are told from the launch here.
        assert run.hello_ms is not None
        assert run.answer_ms is not None
        assert 0 < run.hello_ms <= run.answer_ms <= max(span.ended_ms for span in spans)
        assert run.thinking[0].answers == sum(match.decisions for match in matches) // 3
    assert not any(isinstance(report, PlayerReport) for report in reports)
    assert isinstance(reports[-1], Done)


class Dying(referee_pb2_grpc.RefereeServiceServicer):
    """A referee that ends when it has a block, before it says a word."""

    def __init__(self) -> None:
        self.has_it = asyncio.Event()

    async def PlayBlock(  # noqa: N802 - the name is the contract's
        self, request: referee_pb2.PlayBlockRequest, context: "grpc.aio.ServicerContext[object, object]"
    ) -> AsyncIterator[referee_pb2.PlayBlockResponse]:
        self.has_it.set()
        await asyncio.Event().wait()
        yield referee_pb2.PlayBlockResponse()


@pytest.mark.parametrize(("there", "cause"), [(True, Cause.LOST), (False, Cause.UNSEEN)])
def test_cards_count_as_seen_once_a_referee_has_the_block(short_dir: Path, there: bool, cause: Cause) -> None:
    """It may have dealt when its word is lost with it. Nothing is dealt by one that nobody reaches."""
    block = block_of([remote("one"), remote("two"), remote("three")], units=1, kind=UnitKind.SINGLE)

    async def at_the_referee() -> list[Report]:
        dying = Dying()
        server = grpc.aio.server()
        referee_pb2_grpc.add_RefereeServiceServicer_to_server(dying, server)
        address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        await server.start()
        if not there:
            await server.stop(0)
        playing = asyncio.create_task(
            asyncio.to_thread(reports_of, block, short_dir, ARENA_REFEREE=address, ARENA_REFEREE_SECRET="secret")
        )
        if there:
            await dying.has_it.wait()
            await server.stop(0)
        return await playing

    (failed,) = asyncio.run(at_the_referee())
    assert isinstance(failed, Failed)
    assert failed.cause is cause


@pytest.mark.parametrize(("startup_ms", "cause"), [(10_000, Cause.UNSEEN), (500, Cause.DIED)])
def test_a_bot_that_cannot_be_started_costs_nothing_if_no_card_was_dealt(
    short_dir: Path, startup_ms: int, cause: Cause
) -> None:
    """A remote bot that may have seen cards must not get the same ones again."""
    bot = write_bot(short_dir, BOT)
    (short_dir / bot).chmod(0o700)
    block = block_of([hosted("one", bot), remote("far"), remote("off")], units=1, kind=UnitKind.SINGLE)
    block = dataclasses.replace(block, limits=dataclasses.replace(block.limits, startup_ms=startup_ms))

    async def at_the_referee() -> list[Report]:
        async with Hub() as hub:
            blocks = Blocks(hub, "secret", Drain())
            server = grpc.aio.server(options=server_options(2_000))
            referee_pb2_grpc.add_RefereeServiceServicer_to_server(blocks, server)
            address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
            await server.start()
            reports = await asyncio.to_thread(
                reports_of, block, short_dir, ARENA_REFEREE=address, ARENA_REFEREE_SECRET="secret"
            )
            await server.stop(0)
            return reports

    failed = asyncio.run(at_the_referee())[-1]
    assert isinstance(failed, Failed)
    assert "closed to other users" in failed.reason
    assert failed.cause is cause


def test_a_bot_that_works_out_of_turn_is_stopped_and_still_plays(short_dir: Path) -> None:
    greedy, slow = write_bot(short_dir, GREEDY), write_bot(short_dir, SLOW)
    players = [hosted("greedy", greedy), hosted("slow", slow), hosted("slower", slow)]
    block = block_of(players, units=1, kind=UnitKind.SINGLE)
    marker, stopped = f"{short_dir}/{greedy}", False
    with block_process(block, short_dir) as process:
        while not stopped:
            assert process.poll() is None, "it was never stopped"
            for first in cells_of(marker):
                stopped = stopped or any(state_of(pid) == "T" for pid in tree(first))
        assert process.stdout is not None
        reports = [read_report(line) for line in process.stdout]
    (match,) = (report for report in reports if isinstance(report, MatchReport))
    assert match.faults == ()
    assert isinstance(reports[-1], Done)


def state_of(pid: int) -> str:
    """How a process is, as /proc has it; empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""
