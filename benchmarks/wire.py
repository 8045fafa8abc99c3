"""What the referee costs beside gRPC itself: ``python -m benchmarks.wire``, about a minute. Knows no server's inside.

Four bots on four streams in one process, one server in another: the bare echo, the echo with messages, and the referee,
one after the other and each with as many turns in a frame as the referee had. Compared is the server's processor time
per decision, so the ratios say the same on any machine; the figures themselves do not.
"""

import argparse
import json
import subprocess
import sys
from dataclasses import asdict, dataclass

SERVERS = "benchmarks.servers"


@dataclass(frozen=True, slots=True)
class Load:
    """What the referee is given: matches at a time, and the batch that the bots declare."""

    title: str
    matches: int
    batch: int


UNBATCHED = Load("one turn a frame", 256, 1)
BUSY = Load("256 matches", 256, 256)
LOADS = (UNBATCHED, Load("64 matches", 64, 256), BUSY, Load("640 matches", 640, 256))


@dataclass(frozen=True, slots=True)
class Row:
    """One load. Costs are microseconds of the server's processor per decision; ``batch`` is the mean turns a frame."""

    load: str
    batch: float
    echo_us: float
    codec_us: float
    referee_us: float

    @property
    def per_second(self) -> float:
        """Decisions that the referee takes in a second of one core."""
        return 1e6 / self.referee_us


@dataclass(frozen=True, slots=True)
class Ratio:
    """One of the ratios that the referee is to reach: how many times as fast it is as ``beside``."""

    load: str
    beside: str
    reached: float
    goal: float


def main() -> int:
    """Prints the figures. 1 if a ratio is below the gate, and 0 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wire", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--seconds", type=float, default=1.0, help="measure each server for at least so long")
    parser.add_argument("--gate", type=float, default=0.0, help="fail if a ratio is below this share of its goal")
    asked = parser.parse_args()
    rows = [measure(load, asked.seconds) for load in LOADS]
    reached = ratios(rows)
    if asked.json:
        print(json.dumps({"rows": [asdict(row) for row in rows], "ratios": [asdict(ratio) for ratio in reached]}))
    else:
        show(rows, reached)
    return 1 if any(ratio.reached < asked.gate * ratio.goal for ratio in reached) else 0


def measure(load: Load, seconds: float) -> Row:
    """The row of the load: the referee first, for the others take its mean batch."""
    referee_us, batch = _cost("referee", load.matches, load.batch, seconds)
    echo_us, _ = _cost("echo", load.matches, max(1, round(batch)), seconds)
    codec_us, _ = _cost("codec", load.matches, max(1, round(batch)), seconds)
    return Row(load.title, batch, echo_us, codec_us, referee_us)


def ratios(rows: list[Row]) -> list[Ratio]:
    """The ratios that have a goal."""
    one, some, many, most = rows
    return [
        Ratio(one.load, "echo", one.echo_us / one.referee_us, 0.85),
        Ratio(some.load, "echo", some.echo_us / some.referee_us, 0.35),
        Ratio(many.load, "echo", many.echo_us / many.referee_us, 0.17),
        Ratio(most.load, "codec echo", most.codec_us / most.referee_us, 0.5),
        Ratio(many.load, "referee, one turn a frame", one.referee_us / many.referee_us, 20.0),
    ]


def show(rows: list[Row], reached: list[Ratio]) -> None:
    """Prints both tables as Markdown."""
    print("| load | turns a frame | echo µs | codec echo µs | referee µs | referee, decisions/s of a core |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        costs = f"{row.echo_us:.1f} | {row.codec_us:.1f} | {row.referee_us:.1f}"
        print(f"| {row.load} | {row.batch:.1f} | {costs} | {row.per_second:,.0f} |")
    print("\n| load | beside | reached | goal |")
    print("| --- | --- | ---: | ---: |")
    for ratio in reached:
        print(f"| {ratio.load} | {ratio.beside} | {ratio.reached:.2f} | {ratio.goal:.2f} |")


def _cost(kind: str, matches: int, batch: int, seconds: float) -> tuple[float, float]:
    """Microseconds per decision and the mean batch of one server, in a fresh process."""
    command = [sys.executable, "-m", SERVERS, kind, str(matches), str(batch), str(seconds)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=60)
    cost = json.loads(done.stdout)
    return cost["cpu_us"], cost["batch"]


if __name__ == "__main__":
    sys.exit(main())
