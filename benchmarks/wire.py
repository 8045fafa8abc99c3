"""What the referee costs beside gRPC itself: ``python -m benchmarks.wire``, under four minutes on two free cores;
``--quick``, under one. Knows no server's inside.

Four bots on four streams in one process, one server in another: the referee, the bare echo and the echo with messages,
one after the other and each with as many turns in a frame as the referee had. Compared is the server's processor time
per decision, so the ratios say the same on any machine; the figures themselves do not. Everything is measured in a few
rounds, as far as the time reaches, and the cheapest counts. Then one match beside others, and a crowd of bots.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import engine
from benchmarks.crowd import Crowd
from benchmarks.delays import Delays
from benchmarks.servers import Cost


@dataclass(frozen=True, slots=True)
class Load:
    """What the referee is given: matches at a time, and the batch that the bots declare. ``mean_batch`` is roughly what
    comes of it, by which the goals name it."""

    title: str
    matches: int
    batch: int
    mean_batch: int


ALONE = Load("1 match", 1, 256, 1)
UNBATCHED = Load("256 matches, one turn a frame", 256, 1, 1)
SOME = Load("64 matches", 64, 256, 12)
MANY = Load("256 matches", 256, 256, 50)
MORE = Load("640 matches", 640, 256, 120)
MOST = Load("1,000 matches", 1000, 256, 190)
LOADS = (UNBATCHED, ALONE, Load("16 matches", 16, 256, 4), SOME, MANY, MORE, MOST)

LARGE_BATCH = 64
"""From this mean batch on the referee is compared to the codec echo."""
GOALS = {UNBATCHED: 0.85, SOME: 0.35, MANY: 0.17}
"""The share of the echo's speed that the referee is to have."""
LEAST_ROUNDS = 2
"""One alone may say anything on a machine with other work."""
CODEC_GOAL = 0.5
BATCHED_GOAL = 20.0


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured: the loads, each server for at least ``seconds``, in ``LEAST_ROUNDS``, and up to ``rounds``
    if they end within ``budget_s``; and the crowds, each as bots, seated ones and matches."""

    loads: tuple[Load, ...]
    seconds: float
    rounds: int
    budget_s: float
    beside: tuple[Load, ...]
    crowds: tuple[tuple[int, int, int], ...]


FULL = Size(LOADS, 0.7, 3, 140.0, (SOME, MANY), ((1000, 4, 64), (1000, 1000, 250)))
QUICK = Size((UNBATCHED, SOME, MANY, MORE), 0.3, LEAST_ROUNDS, 0.0, (SOME,), ((100, 100, 25),))


@dataclass(frozen=True, slots=True)
class Row:
    """One load. The costs are those of the cheapest round."""

    load: Load
    referee: Cost
    echo: Cost
    codec: Cost

    @property
    def echo_ratio(self) -> float:
        """How fast the referee is beside the echo."""
        return self.echo.cpu_us / self.referee.cpu_us

    @property
    def codec_ratio(self) -> float:
        """How fast the referee is beside the echo with messages."""
        return self.codec.cpu_us / self.referee.cpu_us


@dataclass(frozen=True, slots=True)
class Ratio:
    """One of the ratios that the referee is to reach: how many times as fast it is as ``beside``."""

    load: str
    beside: str
    reached: float
    goal: float


@dataclass(frozen=True, slots=True)
class Figures:
    """All that was measured. ``lone`` is one match at a table of its own, by what is played beside it; ``match_bytes``
    what the process of the most matches holds more than that of the fewest, over the difference of their numbers."""

    rounds: int
    rows: tuple[Row, ...]
    ratios: tuple[Ratio, ...]
    lone: dict[str, Delays]
    match_bytes: float
    crowds: tuple[Crowd, ...]


def main() -> int:
    """Prints the figures. 1 if a ratio is below the gate or a match in the crowd went wrong, and 0 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wire", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="the loads that have a goal, shortly, and a small crowd")
    parser.add_argument("--gate", type=float, default=0.0, help="fail if a ratio is below this share of its goal")
    asked = parser.parse_args()
    figures = measure(QUICK if asked.quick else FULL)
    wrong = failures(figures, asked.gate)
    if asked.json:
        print(json.dumps(summary(figures) | {"failures": wrong}))
    else:
        show(figures)
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    return 1 if wrong else 0


def measure(size: Size) -> Figures:
    """Everything."""
    began = time.monotonic()
    rounds: list[list[Row]] = []
    took = 0.0
    while len(rounds) < LEAST_ROUNDS or (
        len(rounds) < size.rounds and time.monotonic() - began + took <= size.budget_s
    ):
        round_began = time.monotonic()
        known = rounds[0] if rounds else [None] * len(size.loads)
        rounds.append([_row(load, row, size.seconds) for load, row in zip(size.loads, known, strict=True)])
        took = time.monotonic() - round_began
    rows = tuple(_cheapest(list(of_load)) for of_load in zip(*rounds, strict=True))
    lone = {load.title: _lone(load, size.seconds) for load in size.beside}
    crowds = tuple(_crowd(*crowd) for crowd in size.crowds)
    return Figures(len(rounds), rows, ratios(rows), lone, _match_bytes(rows), crowds)


def ratios(rows: Sequence[Row]) -> tuple[Ratio, ...]:
    """The ratios that have a goal."""
    reached = [Ratio(row.load.title, "echo", row.echo_ratio, GOALS[row.load]) for row in rows if row.load in GOALS]
    large = min((row for row in rows if row.referee.batch >= LARGE_BATCH), key=lambda row: row.codec_ratio)
    reached.append(Ratio(large.load.title, "codec echo", large.codec_ratio, CODEC_GOAL))
    cpu_us = {row.load: row.referee.cpu_us for row in rows}
    reached.append(Ratio(MANY.title, "referee, one turn a frame", cpu_us[UNBATCHED] / cpu_us[MANY], BATCHED_GOAL))
    return tuple(reached)


def failures(figures: Figures, gate: float) -> list[str]:
    """A sentence for every ratio below this share of its goal, and for every crowd in which something went wrong."""
    return [
        f"{ratio.load} beside {ratio.beside}: {ratio.reached:.2f} is below {gate:.2f} of the goal, {ratio.goal:.2f}."
        for ratio in figures.ratios
        if ratio.reached < gate * ratio.goal
    ] + [
        f"A crowd of {crowd.bots}: {crowd.connected} came, {crowd.ended} of {crowd.matches} matches ended, "
        f"{crowd.faults} faults."
        for crowd in figures.crowds
        if (crowd.connected, crowd.ended, crowd.faults) != (crowd.bots, crowd.matches, 0)
    ]


def summary(figures: Figures) -> dict[str, Any]:
    """The figures for JSON. ``echo_ratio`` is by the rough mean batch; the single match is among the rows only."""
    by_beside = {ratio.beside: ratio.reached for ratio in figures.ratios}
    return {
        "compiled": engine.COMPILED,
        "echo_ratio": {str(row.load.mean_batch): row.echo_ratio for row in figures.rows if row.load is not ALONE},
        "codec_ratio": by_beside["codec echo"],
        "unbatched_ratio": by_beside["referee, one turn a frame"],
        **asdict(figures),
        "rows": [asdict(row) | {"echo_ratio": row.echo_ratio, "codec_ratio": row.codec_ratio} for row in figures.rows],
    }


def show(figures: Figures) -> None:
    """Prints everything as Markdown."""
    print(f"{'Compiled' if engine.COMPILED else 'Interpreted'}; the cheapest of {figures.rounds} rounds.\n")
    print(
        "| load | turns a frame | echo µs | codec echo µs | referee µs | of the echo | of the codec echo "
        "| decisions/s of a core | own delay ms, p50 | p99 | worked, p50 | p99 | MB |"
    )
    print("| --- |" + " ---: |" * 12)
    for row in figures.rows:
        cost = row.referee
        print(
            f"| {row.load.title} | {cost.batch:.1f} | {row.echo.cpu_us:.1f} | {row.codec.cpu_us:.1f} "
            f"| {cost.cpu_us:.1f} | {row.echo_ratio:.2f} | {row.codec_ratio:.2f} | {1e6 / cost.cpu_us:,.0f} "
            f"| {_delay(cost.delays)} | {cost.rss_bytes / 1e6:.0f} |"
        )
    print("\n| load | beside | reached | goal | share |")
    print("| --- | --- | ---: | ---: | ---: |")
    for ratio in figures.ratios:
        share = ratio.reached / ratio.goal
        print(f"| {ratio.load} | {ratio.beside} | {ratio.reached:.2f} | {ratio.goal:.2f} | {share:.0%} |")
    print("\n| one match beside | turns | own delay ms, p50 | p99 | worked, p50 | p99 | within 1 ms |")
    print("| --- |" + " ---: |" * 6)
    for title, delays in figures.lone.items():
        print(f"| {title} of others | {delays.turns} | {_delay(delays)} | {delays.prompt:.0%} |")
    print(f"\nAn open match takes {figures.match_bytes / 1000:.1f} kB.")
    print(
        "\n| bots | seated | matches | ended | faults | came in s | kB a stream | idle, of a core | turns a frame "
        "| referee µs | seconds | own delay ms, p50 | p99 | worked, p50 | p99 | MB |"
    )
    print("|" + " ---: |" * 16)
    for crowd in figures.crowds:
        print(
            f"| {crowd.bots:,} | {crowd.seated:,} | {crowd.matches} | {crowd.ended} | {crowd.faults} "
            f"| {crowd.arrival_s:.1f} | {crowd.stream_bytes / 1000:.0f} | {crowd.idle_share:.1%} | {crowd.batch:.1f} "
            f"| {crowd.cpu_us:.1f} | {crowd.seconds:.1f} | {_delay(crowd.delays)} | {crowd.rss_bytes / 1e6:.0f} |"
        )


def _delay(delays: Delays | None) -> str:
    """Four cells."""
    assert delays is not None
    figures = (delays.own_p50_us, delays.own_p99_us, delays.worked_p50_us, delays.worked_p99_us)
    return " | ".join(f"{figure / 1000:.2f}" for figure in figures)


def _row(load: Load, known: Row | None, seconds: float) -> Row:
    """One round of the load: the referee first, for the others take its mean batch. That of the first round stays, for
    costs of different batches cannot be compared."""
    referee = _server("referee", load.matches, load.batch, seconds)
    batch = max(1.0, known.echo.batch if known is not None else referee.batch)
    return Row(load, referee, *(_server(kind, load.matches, batch, seconds) for kind in ("echo", "codec")))


def _cheapest(rows: Sequence[Row]) -> Row:
    def least(costs: Sequence[Cost]) -> Cost:
        return min(costs, key=lambda cost: cost.cpu_us)

    return Row(
        rows[0].load,
        least([row.referee for row in rows]),
        least([row.echo for row in rows]),
        least([row.codec for row in rows]),
    )


def _match_bytes(rows: Sequence[Row]) -> float:
    batched = sorted((row for row in rows if row.load.batch > 1), key=lambda row: row.load.matches)
    few, many = batched[0], batched[-1]
    return (many.referee.rss_bytes - few.referee.rss_bytes) / (many.load.matches - few.load.matches)


def _lone(load: Load, seconds: float) -> Delays:
    delays = _server("lone", load.matches, load.batch, seconds).delays
    assert delays is not None
    return delays


def _server(kind: str, matches: int, batch: float, seconds: float) -> Cost:
    """One server, in a fresh process."""
    cost = _run("benchmarks.servers", kind, matches, batch, seconds)
    delays = cost.pop("delays")
    return Cost(**cost, delays=Delays(**delays) if delays else None)


def _crowd(bots: int, seated: int, matches: int) -> Crowd:
    """One crowd, in a fresh process."""
    crowd = _run("benchmarks.crowd", bots, seated, matches)
    return Crowd(**{**crowd, "delays": Delays(**crowd["delays"])})


def _run(module: str, *arguments: object) -> dict[str, Any]:
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120)
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


if __name__ == "__main__":
    sys.exit(main())
