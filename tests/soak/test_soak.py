"""A referee with its whole arena for ten minutes, half of the bots bad: whatever they do, nothing is left of it.

`make soak` runs this, for SECONDS seconds and up to five minutes more until the last match has ended and all is gone.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import engine
from tests.referee.wire import Wire, honest
from tests.soak.crowd import Crowd
from tests.soak.served import Served, Sizes, served
from tests.soak.tables import Tables

SECONDS = float(os.environ.get("SOAK_SECONDS", "600"))
SEED = int(os.environ.get("SOAK_SEED", "4"))
TRACE = bool(os.environ.get("SOAK_TRACE"))
"""Whether to say where memory comes from that is held at the end and was not in the middle. It takes memory, too."""

pytestmark = [pytest.mark.soak, pytest.mark.timeout(SECONDS + 600)]

GOOD = tuple(f"good-{number}" for number in range(8))
BAD = tuple(f"bad-{number}" for number in range(8))
BAD_IN_A_PROCESS = 4

WARM_UP = 0.2
"""Part of the time before sizes are compared."""
DRAIN_S = 240.0
"""Every match has ended so long after the last one began: a bot that does not answer has 32 s for its first turn."""
CALM_S = 60.0
"""Everything is gone so long after the last bot."""
CALLS = {"_schedule_rpc_coro", "Session._read", "Session._write"}
"""Tasks of the server that belong to calls."""
MORE_RSS = 0.05
MORE_RSS_KIB = 8 * 1024
"""Resident memory at the end may be so much more than in the middle."""
MORE_FDS = 2
"""Connections to database and broker that were opened meanwhile."""


@dataclass
class Soak:
    """What was seen."""

    start: tuple[Sizes, dict[str, Any]]
    end: tuple[Sizes, dict[str, Any]]
    middle_report: dict[str, Any]
    last_report: dict[str, Any]
    samples: list[Sizes]
    tables: Tables
    crowd: Crowd
    drained: bool
    drain_s: float = 0.0
    traced: list[Any] = field(default_factory=list)

    def did(self, what: str) -> int:
        """How much the server has done from the start to the end."""
        done: int = self.end[1][what] - self.start[1][what]
        return done

    def rss_kib(self, part: float) -> int:
        """The median at the end of that part of the samples."""
        end = int(len(self.samples) * part)
        return sorted(sample.rss_kib for sample in self.samples[max(0, end - 10) : end])[min(10, end) // 2]

    def complaints(self) -> list[str]:
        """What must not be."""
        (before, first), (after, last) = self.start, self.end
        found = []
        if not self.drained:
            found.append(f"not every match has ended {DRAIN_S:.0f} s after the last one began")
        if self.did("begun") != self.did("finished") + self.did("abandoned"):
            found.append(
                f"{self.did('begun')} matches begun, {self.did('finished')} finished and the rest not abandoned"
            )
        if left := left_over(first, last):
            found.append(f"left when all had left: {dict(left)}")
        if after.fds.total() > before.fds.total() + MORE_FDS:
            found.append(f"file descriptors: {dict(after.fds)} at the end, {dict(before.fds)} at the start")
        middle, end = self.rss_kib(0.5), self.rss_kib(1.0)
        if end > middle * (1 + MORE_RSS) + MORE_RSS_KIB:
            found.append(
                f"memory: {middle} KiB in the middle, {end} KiB at the end, SOAK_TRACE=1 tells where; {self.grown()}"
            )
        for kind, count in self.tables.faults.items():
            if kind.startswith("good"):
                found.append(f"{count} faults of bots that did nothing wrong: {kind}")
        found += [f"a good bot ended: {sentence}" for sentence in self.crowd.ended]
        away = ("FAILED_PRECONDITION: the bot … is not connected", "FAILED_PRECONDITION: the bot … is disabled")
        reasons = ("verdict", "hung up", *away)
        found += [f"a match ended with {end}" for end in self.tables.outcomes if not end.startswith(reasons)]
        if not self.tables.outcomes["verdict"]:
            found.append("no match was played")
        return found

    def grown(self) -> str:
        """Kinds of objects of which there are more at the end than in the middle, and where they come from if that was
        traced."""
        more = Counter(self.last_report["kinds"])
        more.subtract(self.middle_report["kinds"])
        lines = [f"{count:+} {kind}" for kind, count in more.most_common(15)]
        lines += [f"{size} bytes in {count} blocks\n" + "\n".join(where) for size, count, where in self.traced]
        return "\n".join(lines)

    def page(self) -> str:
        """The summary, as lines of `what: value`."""
        (before, first), (after, last) = self.start, self.end
        told = self.crowd.told()
        outcomes = self.tables.outcomes
        rss = [sample.rss_kib / 1024 for sample in self.samples]

        def those(counts: Counter[str], prefix: str) -> str:
            chosen = {key.removeprefix(prefix): count for key, count in counts.items() if key.startswith(prefix)}
            return ", ".join(f"{key} {chosen[key]}" for key in sorted(chosen)) or "none"

        rows = {
            "soak": f"{SECONDS:.0f} s and {self.drain_s:.0f} s until the last match had ended, seed {SEED}; "
            f"{len(GOOD)} good bots, {len(BAD)} bad ones",
            "unrated matches": those(outcomes, ""),
            "tournaments": f"{self.tables.tournaments} with {self.tables.tournament_matches} matches",
            "decisions": f"{self.did('decisions')} in {self.did('begun')} matches: {self.did('finished')} finished, "
            f"{self.did('abandoned')} abandoned",
            "faults": those(self.tables.faults, ""),
            "processes killed": those(self.crowd.kills, ""),
            "lives of bad bots": str(told["lives"]),
            "logins of bad bots": f"{told['logins']}; refused: {those(told, 'refused: ')}",
            "farewells to bad bots": those(told, "farewell: "),
            "loop's lag": f"{self.did('lag_us') / 1e6:.2f} s in all",
            "resident MiB": f"{before.rss_kib / 1024:.0f} at the start, "
            f"{self.rss_kib(0.5) / 1024:.0f} in the middle, {self.rss_kib(1.0) / 1024:.0f} at the end, "
            f"{max(rss):.0f} at most, {after.rss_kib / 1024:.0f} when all had left",
            "file descriptors": f"{before.fds.total()} at the start, "
            f"{max(sample.fds.total() for sample in self.samples)} at most, {after.fds.total()} when all had left",
            "threads": f"{before.threads} at the start, {max(sample.threads for sample in self.samples)} at most, "
            f"{after.threads} when all had left",
            "tasks": f"{sum(first['tasks'].values())} at the start, "
            f"{sum(self.last_report['tasks'].values())} before the bots left, {sum(last['tasks'].values())} after",
            "players and matches": f"{self.last_report['players']} and {self.last_report['matches']} before the bots "
            f"left, {last['players']} and {last['matches']} after",
        }
        return "\n".join(f"{what}: {value}" for what, value in rows.items())


def left_over(before: dict[str, Any], after: dict[str, Any]) -> Counter[str]:
    """What an empty arena should not have: tasks that it did not have before, players, matches, alarms and objects."""
    counted = {what: after[what] for what in ("players", "matches", "alarms")}
    return Counter(after["tasks"]) - Counter(before["tasks"]) + Counter(counted | after["held"])


async def soaked(directory: Path) -> Soak:
    """The whole of it."""
    async with served(directory, [*GOOD, *BAD]) as server:
        tables = Tables(server, GOOD, BAD, SEED)
        crowd = Crowd(server, directory, SEED)
        start = await warmed_up(server, tables)
        samples: list[Sizes] = []
        traced: list[Any] = []
        crowd.come(GOOD, [BAD[at : at + BAD_IN_A_PROCESS] for at in range(0, len(BAD), BAD_IN_A_PROCESS)])
        tables.open()
        try:
            await sampled(server, tables, samples, SECONDS * WARM_UP)
            samples.clear()
            await sampled(server, tables, samples, SECONDS * (1 - WARM_UP) / 2)
            middle_report = await server.report()
            if TRACE:
                await server.report(signal.SIGUSR2)
            await sampled(server, tables, samples, SECONDS * (1 - WARM_UP) / 2)
            last_report = await server.report()
            if TRACE:
                traced = (await server.report(signal.SIGUSR2))["traced"]
        finally:
            await crowd.bad_leave()
        began = time.monotonic()
        try:
            async with asyncio.timeout(DRAIN_S):
                await tables.stop()
            drained = True
        except TimeoutError:
            drained = False
        drain_s = time.monotonic() - began
        await crowd.good_leave()
        end = await calmed(server, start)
        await tables.close()
        return Soak(start, end, middle_report, last_report, samples, tables, crowd, drained, drain_s, traced)


async def warmed_up(server: Served, tables: Tables) -> tuple[Sizes, dict[str, Any]]:
    """What the server holds when it has done once what the soak lets it do all the time, and all have left."""
    async with contextlib.AsyncExitStack() as streams:
        for name in GOOD[:3]:
            wire = Wire(server.address, server.tokens[name], name=name, games=sorted(engine.GAMES), batch=8)
            playing = asyncio.create_task(honest(await streams.enter_async_context(wire)))
            streams.callback(playing.cancel)
        await tables.warm_up(GOOD[:3])
    while (report := await server.report())["tasks"].keys() & CALLS:  # noqa: ASYNC110 - another process ends them
        await asyncio.sleep(0.5)
    return server.sizes(), report


async def sampled(server: Served, tables: Tables, samples: list[Sizes], seconds: float) -> None:
    """Looks at the server every second for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        samples.append(server.sizes())
        tables.check()
        await asyncio.sleep(min(1.0, max(0.0, end - time.monotonic())))


async def calmed(server: Served, start: tuple[Sizes, dict[str, Any]]) -> tuple[Sizes, dict[str, Any]]:
    """What the server holds when it is as it was before the first bot, or when the time for that is over."""
    deadline = time.monotonic() + CALM_S
    before, first = start
    while True:
        sizes, report = server.sizes(), await server.report()
        if (
            not left_over(first, report) and sizes.fds.total() <= before.fds.total() + MORE_FDS
        ) or time.monotonic() > deadline:
            return sizes, report
        await asyncio.sleep(1.0)


def test_half_of_the_bots_are_bad_and_nothing_is_left_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    directory = Path(tempfile.mkdtemp(prefix="arena-soak-"))
    directory.chmod(0o711)
    soak = asyncio.run(soaked(directory))
    with capsys.disabled():
        print(f"\n{soak.page()}")
    complaints = soak.complaints()
    assert not complaints, "\n".join([*complaints, f"the logs are in {directory}"])
    shutil.rmtree(directory)
