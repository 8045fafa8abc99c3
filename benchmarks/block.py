"""What a block costs, bots in cells and all: ``python -m benchmarks.block``, less than half a minute. Knows no ratio.

It plays a block of one unit and then one of ``--units`` with the same house bots. The line through both says what it
takes to start a rotation, and what a unit takes.
"""

import argparse
import json
import resource
import secrets
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import engine
from arena.tournaments import admission, attempt, units
from arena.tournaments.attempt import Played
from arena.tournaments.block import Block, Player, PlayerKind, UnitKind
from bots import house
from engine.game import Game
from sandbox.archive import content_hash, extract, pack, read_manifest

SILENCE_S = 60.0
BOTS = ("random-1", "steady", "bold", "sly", "cautious", "patient", "random-2")


@dataclass(frozen=True, slots=True)
class Cost:
    """One block. ``cpu_s`` is the processor time of the block process; that of its bots is not in it."""

    units: int
    rotations: int
    matches: int
    decisions: int
    faults: int
    seconds: float
    cpu_s: float


def main() -> int:
    """Prints the figures. 1 if a block could not be played."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.block", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("game", nargs="?", default="callbreak", choices=sorted(engine.GAMES))
    parser.add_argument("--units", type=int, default=16, help="units of the block, more than 1")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args()
    game = engine.load(asked.game)
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        bots_dir = Path(directory)
        # The bots of other users than ours must reach it.
        bots_dir.chmod(0o755)
        players = tuple(player_of(house.entry(name), bots_dir) for name in BOTS[: game.seats])
        small = play(block_of(game, players, 1), bots_dir)
        large = play(block_of(game, players, asked.units), bots_dir)
    if small is None or large is None:
        return 1
    unit_s = (large.seconds - small.seconds) / (large.units - small.units)
    start_s = (small.seconds - unit_s) / small.rotations
    if asked.json:
        blocks = [asdict(small), asdict(large)]
        print(json.dumps({"game": game.id, "blocks": blocks, "unit_s": unit_s, "rotation_start_s": start_s}))
        return 0
    print("| game | units | matches | seconds | decisions | decisions/s | processor s | faults |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for cost in (small, large):
        played = f"{cost.units} | {cost.matches} | {cost.seconds:.2f} | {cost.decisions}"
        rate = f"{cost.decisions / cost.seconds:,.0f} | {cost.cpu_s:.2f} | {cost.faults}"
        print(f"| {game.id} | {played} | {rate} |")
    print(f"\nStarting a rotation takes {start_s:.2f} s, a unit {unit_s:.3f} s more.")
    return 0


def play(block: Block, bots_dir: Path) -> Cost | None:
    """What the block cost; None, with a sentence on standard error, if it could not be played."""
    began, cpu_s = time.monotonic(), _cpu_s()
    outcome = attempt.play(
        (sys.executable, "-m", "arena.tournaments.play_block", str(bots_dir)),
        block,
        silence_s=SILENCE_S,
        tell=lambda _matches, _decisions: None,
        stopped=lambda: "",
    )
    seconds = time.monotonic() - began
    if not isinstance(outcome, Played):
        print(f"The block was not played: {getattr(outcome, 'reason', 'stopped')}", file=sys.stderr)
        return None
    return Cost(
        units=len(block.units),
        rotations=block.rotations,
        matches=len(outcome.reports),
        decisions=sum(report.decisions for report in outcome.reports),
        faults=sum(len(report.faults) for report in outcome.reports),
        seconds=seconds,
        cpu_s=_cpu_s() - cpu_s,
    )


def block_of(game: Game, players: tuple[Player, ...], count: int) -> Block:
    secret = secrets.token_bytes(32)
    return Block(
        id=1,
        attempt=secrets.token_hex(16),
        tournament="benchmark",
        game=game.id,
        engine=engine.VERSION,
        seats=game.seats,
        options=engine.write_options(game.options),
        limits=admission.LIMITS,
        kind=UnitKind.ROTATION,
        rotations=game.seats,
        players=players,
        units=tuple(units.plan(secret, number, game.seats, UnitKind.ROTATION) for number in range(count)),
        commitment=units.commitment(secret),
    )


def player_of(entry: house.Entry, bots_dir: Path) -> Player:
    """The house bot, unpacked as a worker does it."""
    with tempfile.TemporaryDirectory() as directory:
        archive = pack(house.folder(entry, Path(directory)))
    content = content_hash(archive)
    if not (bots_dir / content).exists():
        extract(archive, bots_dir / content)
    batch = read_manifest(archive).batch
    ticket = secrets.token_hex(16)
    return Player(entry.name, entry.name, 1, content, PlayerKind.HOSTED, True, batch, ticket)


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    sys.exit(main())
