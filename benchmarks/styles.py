"""Whether a higher level plays better Minus One: ``python -m benchmarks.styles``. Knows no formula of a player.

Two levels share a table. Each seats its players in the rotation of the styles, and the next match starts at the next
style. The game deals nothing, so seats are alike, and all chance is in the players' own streams, which the number of
the match seeds.
"""

import argparse
import json
import math
import random
import statistics
from dataclasses import asdict, dataclass

import engine
from arena.referee.local import play_local
from bots import house
from bots.styles.settings import STYLES

PAIRINGS = (("medium", "easy"), ("hard", "medium"))


@dataclass(frozen=True, slots=True)
class Duel:
    """What two levels got at the same tables, as means over matches.

    :ivar first: seats of the first level, the others are of the second.
    :ivar scores: of a seat, by level.
    :ivar places: of a seat, by level.
    :ivar ahead: how much more a seat of the first level scores, and ``error`` is the standard error of that.
    """

    seats: int
    first: int
    levels: tuple[str, str]
    matches: int
    scores: tuple[float, float]
    places: tuple[float, float]
    ahead: float
    error: float


def duel(levels: tuple[str, str], *, seats: int, first: int, matches: int, rounds: int = 18) -> Duel:
    """Plays the matches and counts; the same arguments give the same figures."""
    game = engine.load("minus_one", seats, rounds=rounds)
    styles = list(STYLES)
    bots = {(style, level): house.choose(f"{style}-{level}", game.id) for style in styles for level in levels}
    scores: tuple[list[float], list[float]] = ([], [])
    places: tuple[list[float], list[float]] = ([], [])
    for number in range(matches):
        table = [
            (styles[(number + seat) % len(styles)], level)
            for level, count in zip(levels, (first, seats - first), strict=True)
            for seat in range(count)
        ]
        seed = random.Random(f"{levels} {seats} {first} {number}").randbytes(32)
        verdict = play_local(game, seed, [bots[player] for player in table], names=["-".join(p) for p in table])
        for side, own in enumerate((slice(first), slice(first, None))):
            scores[side].append(statistics.fmean(verdict.scores[own]))
            places[side].append(statistics.fmean(verdict.places[own]))
    ahead = [one - other for one, other in zip(*scores, strict=True)]
    return Duel(
        seats,
        first,
        levels,
        matches,
        (statistics.fmean(scores[0]), statistics.fmean(scores[1])),
        (statistics.fmean(places[0]), statistics.fmean(places[1])),
        statistics.fmean(ahead),
        statistics.stdev(ahead) / math.sqrt(matches),
    )


def main() -> None:
    """Prints a table of Markdown and the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--seats", type=int, nargs="+", default=[4, 7])
    parser.add_argument("--rounds", type=int, default=18)
    arguments = parser.parse_args()
    print(
        "| seats | levels | matches | scores | places | ahead |\n| ---: | --- | ---: | --- | --- | ---: |", flush=True
    )
    duels = []
    for seats in arguments.seats:
        # Alone among players of the other level, and about as many of each.
        for first in dict.fromkeys((1, seats // 2)):
            for levels in PAIRINGS:
                got = duel(levels, seats=seats, first=first, matches=arguments.matches, rounds=arguments.rounds)
                duels.append(got)
                print(
                    f"| {seats} | {first} {levels[0]}, {seats - first} {levels[1]} | {got.matches} "
                    f"| {got.scores[0]:.2f}, {got.scores[1]:.2f} | {got.places[0]:.2f}, {got.places[1]:.2f} "
                    f"| {got.ahead:.2f} ± {got.error:.2f} |",
                    flush=True,
                )
    print(json.dumps([asdict(one) for one in duels]))


if __name__ == "__main__":
    main()
