"""How bots did in one tournament: mean points, and what each took of each other, with intervals. Knows no rating."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from psycopg.rows import class_row

from arena.errors import Exhausted
from arena.ratings.luck import Luck, luck
from arena.ratings.points import Mean, mean_points
from arena.store import Connection
from arena.store.sql import statements

SQL = statements(__file__)

MOST_MATCHES = 50_000
"""More are not added up while somebody waits."""

MOST_BESIDE = 100
"""Of more bots no others than the first are set beside each other: the pairs would be too many to send."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A match that counts: bots, their scores and places by seat."""

    unit: int
    bots: list[str]
    scores: list[int]
    places: list[int]


@dataclass(frozen=True, slots=True)
class Standing:
    """The points of one bot over so many matches, and in how many of these it sat in each seat."""

    bot: str
    matches: int
    points: Mean
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """How ``bot`` did against ``other`` over so many matches: the mean of 1, 1/2 or 0 for above, level or below."""

    bot: str
    other: str
    matches: int
    share: Mean


_Against = dict[tuple[str, str], list[tuple[int, float]]]
"""By bot and other one: the unit of every match in which both sat, and what the bot took of it."""


def extent(connection: Connection, tournament: str) -> tuple[int, int]:
    """How many matches were played, and how many corrections were made: standings are the same while these are.

    :raises Exhausted: as :func:`standings_of`.
    """
    row = connection.execute(SQL["extent"], {"tournament": tournament}).fetchone()
    assert row is not None
    matches, corrections = row
    _check(tournament, matches)
    return matches, corrections


def standings_of(connection: Connection, tournament: str) -> tuple[list[Standing], list[Share], Luck | None]:
    """The standings of what was played, and the luck in it; None of nothing.

    :raises Exhausted: if that is more than :data:`MOST_MATCHES`.
    """
    matches = _scored(connection, tournament, None)
    return *standings(matches), luck([(match.unit, match.scores) for match in matches]) if matches else None


def shares_of(connection: Connection, tournament: str, bot: str) -> list[Share]:
    """What a bot took of every other one that it met in what was played, by name.

    :raises Exhausted: if it played more than :data:`MOST_MATCHES`.
    """
    against: _Against = defaultdict(list)
    for match in _scored(connection, tournament, bot):
        # Of a field the table at which it sat.
        if bot in match.bots:
            _compare(match, {bot}, against)
    return _shares(against, sorted(against))


def standings(matches: Sequence[Scored]) -> tuple[list[Standing], list[Share]]:
    """Bots, best first, and every two of the first :data:`MOST_BESIDE` that met, in both directions and in the same
    order. A deal is one observation, however often it was played."""
    points: dict[str, list[tuple[int, float]]] = defaultdict(list)
    sat: Counter[tuple[str, int]] = Counter()
    for match in matches:
        for bot, score in zip(match.bots, match.scores, strict=True):
            points[bot].append((match.unit, score))
        sat.update(zip(match.bots, itertools.count()))
    seats = range(len(matches[0].bots)) if matches else range(0)
    lines = [
        Standing(bot, len(seen), _mean(seen), tuple(sat[bot, seat] for seat in seats)) for bot, seen in points.items()
    ]
    lines.sort(key=lambda line: (-line.points.mean, line.bot))
    order = [line.bot for line in lines[:MOST_BESIDE]]
    first = set(order)
    against: _Against = defaultdict(list)
    for match in matches:
        _compare(match, first, against)
    return lines, _shares(against, [pair for pair in itertools.permutations(order, 2) if pair in against])


def _compare(match: Scored, bots: set[str], against: _Against) -> None:
    """Notes what each of the bots took of each other one; of several, of each other alone."""
    placed = list(zip(match.bots, match.places, strict=True))
    for (bot, place), (other, others) in itertools.permutations(placed, 2):
        if bot in bots and (other in bots or len(bots) == 1):
            against[bot, other].append((match.unit, 0.5 + 0.5 * ((place < others) - (place > others))))


def _shares(against: _Against, pairs: Sequence[tuple[str, str]]) -> list[Share]:
    return [Share(*pair, len(against[pair]), _mean(against[pair])) for pair in pairs]


def _scored(connection: Connection, tournament: str, bot: str | None) -> list[Scored]:
    asked = {"tournament": tournament, "bot": bot, "most": MOST_MATCHES + 1}
    matches = connection.cursor(row_factory=class_row(Scored)).execute(SQL["scored"], asked).fetchall()
    _check(tournament, len(matches))
    return matches


def _check(tournament: str, matches: int) -> None:
    if matches > MOST_MATCHES:
        raise Exhausted(
            f"'{tournament}' has more than {MOST_MATCHES:,} matches; 'arena ratings' and 'arena export' have them all"
        )


def _mean(seen: Sequence[tuple[int, float]]) -> Mean:
    deals, values = zip(*seen, strict=True)
    return mean_points(np.array(values, np.float64), np.array(deals))
