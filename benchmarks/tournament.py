"""How tournaments scale: ``python -m benchmarks.tournament``, less than five minutes. Knows no ratio.

Three questions. What a block costs beside the playing, step by step, and how much of it grows with the number of bots:
each step is done once more here, with results of a real block and without playing it again. What more blocks at a time
bring: a worker plays some with cells and all. What a second referee brings to remote bots: they and their referees are
real ones. PostgreSQL and Valkey are those that the arena brings along, safe against a power cut as ever.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import engine
from arena.stack import Stack
from arena.store import Connection
from arena.tournaments import attempt, ledger, worker
from arena.tournaments.attempt import Played
from arena.tournaments.block import Block, MatchReport
from arena.tournaments.brief import fetch_bots, write_brief
from arena.tournaments.shelf import Room, Shelf
from benchmarks.arenas import Arena, arena, cpu_s, hosted_bots, remote_bots, serving, tournament, until, working

UNITS = 4
"""Units of a block. Of a table with remote bots it has four times as many, of one match each."""

BOTS = (7, 28, 100)
WORKERS = (1, 2, 4)
REFEREES = (1, 2)
REMOTE_BOTS = 4
REMOTE_BLOCKS = 8
PATIENCE_S = 60.0

PLAYED_MS = """
SELECT coalesce(sum(ms), 0) FROM (
    SELECT max(ms) AS ms FROM (
        SELECT block, rotation, max((m ->> 'ended_ms')::int) - min((m ->> 'begun_ms')::int) AS ms
        FROM bot_logs, jsonb_array_elements(matches) AS m GROUP BY block, rotation, bot
    ) AS runs GROUP BY block, rotation
) AS rotations
"""
"""How long matches ran in all rotations, from the first card to the last result; only hosted bots have logs."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Milliseconds of a block, by step. ``start`` is its share of the tournament's start with the schedule, ``cells``
    what starts and ends the processes of all rotations, ``rate`` its share of the ratings after the orbit. What was not
    done is 0."""

    bots: int
    blocks: int
    start: float
    lease: float
    brief: float
    cells: float
    play: float
    write: float
    rate: float


@dataclass(frozen=True, slots=True)
class Pace:
    """Blocks that were played at a time. ``play_share`` is the part of the workers' time in which matches were played,
    ``cpu_s`` the processor time of the workers with their bots, and ``referee_cpu_s`` that of the referees, and
    ``shares`` how many blocks each referee played."""

    bots: int
    workers: int
    referees: int
    blocks: int
    matches: int
    decisions: int
    faults: int
    seconds: float
    play_share: float
    cpu_s: float
    referee_cpu_s: float
    shares: list[int]


def main() -> int:
    """Prints the figures. 1 if something could not be played."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tournament", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args()
    began = time.monotonic()
    steps, paces = [], []
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        Path(directory).chmod(0o755)
        with Stack(Path(directory) / "data") as stack:
            whole, reports = one_block(stack)
            steps = [whole, *(without_playing(stack, bots, reports) for bots in BOTS)]
            paces = [hosted(stack, count) for count in WORKERS]
            paces += [remote(stack, count) for count in REFEREES]
    if asked.json:
        print(json.dumps({"steps": [asdict(one) for one in steps], "paces": [asdict(one) for one in paces]}))
    else:
        show(steps, paces)
        print(f"\n{time.monotonic() - began:.0f} s, load {os.getloadavg()[0]:.1f} in the end.")
    return 0


def one_block(stack: Stack) -> tuple[Steps, list[MatchReport]]:
    """A real block of seven bots, with the matches of it."""
    with arena(stack, "block") as (_, connection), tempfile.TemporaryDirectory(dir=stack.data_dir) as bots_dir:
        Path(bots_dir).chmod(0o755)
        watch = Watch()
        blocks = tournament(connection, hosted_bots(connection, 7), UNITS)
        watch.lap("start", blocks)
        with ExitStack() as held:
            lease, brief = leased(connection, watch, 1)
            fetch_bots(connection, brief, Shelf(Path(bots_dir), Room()), held)
            watch.lap("brief")
            command = (sys.executable, "-m", "arena.tournaments.play_block", bots_dir)
            outcome = attempt.play(
                command, brief, silence_s=PATIENCE_S, tell=lambda _matches, _decisions: None, stopped=lambda: ""
            )
        if not isinstance(outcome, Played):
            sys.exit(f"The block was not played: {getattr(outcome, 'reason', 'stopped')}")
        watch.lap("play")
        play_ms = playing_ms(outcome.reports)
        ledger.finish(connection, lease, outcome.reports, outcome.logs)
        watch.lap("write")
        watch.add("cells", watch.ms["play"] - play_ms)
        watch.ms["play"] = play_ms
    return watch.steps(7, blocks), list(outcome.reports)


def without_playing(stack: Stack, bots: int, reports: list[MatchReport]) -> Steps:
    """An orbit of so many bots in which every block has the results of the one that was played."""
    with arena(stack, f"orbit_{bots}") as (_, connection):
        names = hosted_bots(connection, bots)
        worker.settle(connection)  # the first time it imports what it needs
        watch = Watch()
        blocks = tournament(connection, names, UNITS)
        watch.lap("start", blocks)
        while ledger.pending(connection, 1):
            lease, brief = leased(connection, watch, blocks)
            watch.lap("brief", blocks)
            shift = brief.units[0].unit - min(report.unit for report in reports)
            shifted = [replace(report, unit=report.unit + shift) for report in reports]
            ledger.finish(connection, lease, shifted)
            watch.lap("write", blocks)
        worker.settle(connection)
        watch.lap("rate", blocks)
    return watch.steps(bots, blocks)


def hosted(stack: Stack, workers: int) -> Pace:
    """28 bots in cells, and a worker that plays so many blocks at a time."""
    with arena(stack, f"workers_{workers}") as (place, connection):
        bots = hosted_bots(connection, 28)
        tournament(connection, bots, UNITS)
        return paced(place, connection, len(bots), workers, [], blocks=2 + workers)


def remote(stack: Stack, referees: int) -> Pace:
    """Four bots that are connected to every referee, and a worker with four blocks at a time."""
    with arena(stack, f"referees_{referees}") as (place, connection), ExitStack() as open_:
        served = [open_.enter_context(serving(place)) for _ in range(referees)]
        address, _ = served[-1]
        bots = open_.enter_context(remote_bots(connection, address, REMOTE_BOTS, place.environment))
        tournament(connection, bots, UNITS, orbits=4, remote=True)
        return paced(place, connection, len(bots), 4, [pid for _, pid in served], blocks=REMOTE_BLOCKS)


def paced(place: Arena, connection: Connection, bots: int, workers: int, referees: list[int], *, blocks: int) -> Pace:
    """The pace of the first so many blocks, from the first lease on."""
    with working(place, workers) as pid:
        until(connection, "SELECT count(*) > 0 FROM attempts", PATIENCE_S)
        before_s, referee_before_s = cpu_s(pid), sum(map(cpu_s, referees))
        until(connection, f"SELECT count(*) >= {blocks} FROM blocks WHERE state = 'done'", PATIENCE_S)
        used_s, referee_used_s = cpu_s(pid) - before_s, sum(map(cpu_s, referees)) - referee_before_s
        done, seconds, open_s = one_row(
            connection,
            "SELECT count(*), extract(epoch FROM max(ended_at) - min(leased_at))::float,"
            " sum(extract(epoch FROM ended_at - leased_at))::float FROM attempts WHERE outcome = 'done'",
        )
        matches, decisions, faults = one_row(
            connection,
            "SELECT count(*), sum(decisions)::bigint, sum((SELECT sum(f) FROM unnest(faults) AS f))::bigint"
            " FROM results",
        )
        shares = connection.execute(
            "SELECT count(*) FROM attempts WHERE outcome = 'done' AND referee IS NOT NULL GROUP BY referee"
        ).fetchall()
        (played_ms,) = one_row(connection, PLAYED_MS)
    return Pace(
        bots=bots,
        workers=workers,
        referees=len(referees),
        blocks=done,
        matches=matches,
        decisions=decisions,
        faults=faults,
        seconds=seconds,
        play_share=float(played_ms) / 1000 / open_s,
        cpu_s=used_s,
        referee_cpu_s=referee_used_s,
        shares=sorted(row[0] for row in shares),
    )


class Watch:
    """How long each step took, in milliseconds of a block."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}
        self._at = time.monotonic()

    def lap(self, step: str, blocks: int = 1) -> None:
        """The step has ended, and was one of so many blocks, or for so many."""
        now = time.monotonic()
        self.add(step, 1000 * (now - self._at) / blocks)
        self._at = now

    def add(self, step: str, ms: float) -> None:
        """The step took so long, beside what it took before."""
        self.ms[step] = self.ms.get(step, 0.0) + ms

    def steps(self, bots: int, blocks: int) -> Steps:
        """All of it."""
        names = ("start", "lease", "brief", "cells", "play", "write", "rate")
        return Steps(bots, blocks, *(self.ms.get(name, 0.0) for name in names))


def leased(connection: Connection, watch: Watch, blocks: int) -> tuple[ledger.Lease, Block]:
    """The block that waits first, its lease and its brief."""
    (block,) = ledger.pending(connection, 1)
    lease = ledger.claim(connection, block, "benchmark", engine.VERSION)
    assert lease is not None
    watch.lap("lease", blocks)
    return lease, write_brief(connection, lease)


def playing_ms(reports: Sequence[MatchReport]) -> int:
    """How long matches ran, in all rotations."""
    rotations: dict[int, list[MatchReport]] = {report.rotation: [] for report in reports}
    for report in reports:
        rotations[report.rotation].append(report)
    return sum(
        max(report.ended_ms for report in matches) - min(report.begun_ms for report in matches)
        for matches in rotations.values()
    )


def one_row(connection: Connection, question: str) -> tuple[Any, ...]:
    row = connection.execute(question.encode()).fetchone()
    assert row is not None
    return row


def show(steps: Sequence[Steps], paces: Sequence[Pace]) -> None:
    """The figures as tables."""
    print("| bots | blocks | start | lease | brief | cells | play | write | rate |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for step in steps:
        ms = (step.start, step.lease, step.brief, step.cells, step.play, step.write, step.rate)
        print(f"| {step.bots} | {step.blocks} | {' | '.join(f'{each:.1f}' if each else '' for each in ms)} |")
    print(
        "\n| bots | blocks at a time | referees | blocks | matches | decisions | faults | seconds | units/min "
        "| units/min of a core | play | processor s a unit | of it referees | blocks by referee |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for pace in paces:
        # A unit of remote bots is a match; four of them are as much to play as a unit in cells.
        units = pace.matches / 4
        per_minute = 60 * units / pace.seconds
        cpu = pace.cpu_s + pace.referee_cpu_s
        kind = "remote" if pace.referees else "hosted"
        print(
            f"| {pace.bots} {kind} | {pace.workers} | {pace.referees or ''} | {pace.blocks} | {pace.matches} "
            f"| {pace.decisions:,} | {pace.faults} | {pace.seconds:.1f} | {per_minute:.1f} "
            f"| {60 * units / cpu:.1f} | {f'{pace.play_share:.0%}' if pace.play_share else ''} | {cpu / units:.2f} "
            f"| {f'{pace.referee_cpu_s / units:.2f}' if pace.referees else ''} | {' + '.join(map(str, pace.shares))} |"
        )


if __name__ == "__main__":
    sys.exit(main())
