"""Whether a higher level plays better Minus One: ``python -m benchmarks.styles``. Knows no formula of a player.

First each level of a style sits at a table of three, then a player of each style and level has three of the others
beside it that are drawn, and last two levels share a table. There each seats its players in the rotation of the styles,
and the next match starts at the next style. The game deals nothing, so seats are alike, and all chance is in the
players' own streams, which the number of the match seeds.
"""

import argparse
import json
import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import engine
from arena.referee.local import play_local
from bots import house
from bots.styles.settings import LEVELS, STYLES

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


@dataclass(frozen=True, slots=True)
class Won:
    """How a player did: the share of those beside it that it came out above, level counting half, with its 95 %
    interval, and its mean score."""

    player: str
    matches: int
    share: float
    margin: float
    score: float


def mixed(players: Sequence[str], *, seats: int, matches: int, rounds: int = 18) -> list[Won]:
    """Plays matches between players that are drawn for each, and counts."""
    game = engine.load("minus_one", seats, rounds=rounds)
    bots = {player: house.choose(player, game.id) for player in players}
    shares: dict[str, list[float]] = {player: [] for player in players}
    scores: dict[str, list[float]] = {player: [] for player in players}
    for number in range(matches):
        rng = random.Random(f"{players} {seats} {number}")
        table = rng.sample(players, seats)
        verdict = play_local(game, rng.randbytes(32), [bots[player] for player in table], names=table)
        for player, place, score in zip(table, verdict.places, verdict.scores, strict=True):
            above = sum((place < other) + (place == other) / 2 for other in verdict.places) - 0.5
            shares[player].append(above / (seats - 1))
            scores[player].append(score)
    return [
        Won(
            player,
            len(own),
            statistics.fmean(own),
            1.96 * statistics.stdev(own) / math.sqrt(len(own)),
            statistics.fmean(scores[player]),
        )
        for player, own in shares.items()
    ]


def main() -> None:
    """Prints a table of Markdown and the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--seats", type=int, nargs="+", default=[4, 7])
    parser.add_argument("--rounds", type=int, default=18)
    arguments = parser.parse_args()
    print("| player | matches | above | score |\n| --- | ---: | ---: | ---: |", flush=True)
    styles = [[f"{style}-{level}" for level in LEVELS] for style in STYLES]
    together = [(players, 3, arguments.matches) for players in styles]
    everybody = [player for players in styles for player in players]
    for players, seats, matches in [*together, (everybody, 4, 3 * arguments.matches)]:
        for won in mixed(players, seats=seats, matches=matches, rounds=arguments.rounds):
            print(
                f"| {won.player} | {won.matches} | {won.share:.3f} ± {won.margin:.3f} | {won.score:.2f} |", flush=True
            )
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
