"""Does one bot let another one win, when both sit at a table? Knows no database and no name.

By the fit a bot i is expected to score E(i, j) against j; in a unit at a table of k it does better by

    r(i) = 1/(k-1) * sum over j of (S(i, j) - E(i, j))

A bot's gain beside another is its mean of r in the n units that they share less its mean in the n(i) others. One that
gives games away loses by them and its friend gains, so what is tested is the friend's gain less the helper's:

    D = gain(i) - gain(j)
    z = D / sqrt(max(w/n + w(i)/n(i) + w(j)/n(j), k/(k-1) (v(i) + v(j))/n + v(i)/n(i) + v(j)/n(j)))

with w the variance of r(i) - r(j) in shared units, w(i) that of r(i) in the others and v(i) in all; k/(k-1), because at
a table the r add up to 0. The greater of two, because a few units that happen to be alike would prove anything. A unit
is a deal, so what hangs together is one observation. Every pair is a test with Student's t, two-sided, and the p-values
become q-values after Benjamini and Hochberg: of all pairs with q up to 5 % one in twenty is expected to be chance.

It shows whom to look at. A bot may also do better beside another because of how the two play, with no ill will.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

import numpy as np
from scipy.special import stdtr

from arena.ratings.event import PlayedUnit
from arena.ratings.rows import Floats, Ints

Who = TypeVar("Who", bound=Hashable)

FEWEST = 8
"""Units that two share, and as many of each without the other, below which they are not tested."""
SUSPECT = 0.05
"""Of q-values."""


@dataclass(frozen=True, slots=True)
class Beside(Generic[Who]):
    """What two do beside each other that they do not elsewhere. The friend is who gains more by it.

    :ivar together: units that they share.
    :ivar gain: of the friend, per opponent, as a share of one match; 0.1 is about 70 Elo between equals.
    :ivar helper_gain: of the helper; far below 0 for one that gives games away.
    :ivar z, p, q: as above.
    """

    helper: Who
    friend: Who
    together: int
    gain: float
    helper_gain: float
    z: float
    p: float
    q: float

    @property
    def suspect(self) -> bool:
        """Whether somebody should look at the two."""
        return self.q <= SUSPECT


def soft_play(units: Iterable[PlayedUnit], elo: Mapping[int, float], who: Mapping[int, Who]) -> list[Beside[Who]]:
    """Every pair that could be tested, the least likely by chance first.

    :param elo: by version, as fitted.
    :param who: by version, whom it counts for: its bot, or its owner, whose bots at one table count as one.
    """
    names = sorted({who[version] for version in elo}, key=str)
    seen = _seen(units, elo, {version: names.index(name) for version, name in who.items() if version in elo})
    whole = _Sums.of(seen.bot, seen.gain, len(names))
    keys, place = np.unique(seen.one * len(names) + seen.other, return_inverse=True)
    pairs = len(keys)
    one, other = keys // len(names), keys % len(names)
    between = _Sums.of(place, seen.one_gain - seen.other_gain, pairs)
    ones, others = _Sums.of(place, seen.one_gain, pairs), _Sums.of(place, seen.other_gain, pairs)
    one_apart, other_apart = whole.at(one).less(ones), whole.at(other).less(others)
    one_v, other_v = whole.variance[one], whole.variance[other]
    fewest = np.minimum(np.minimum(one_apart.count, other_apart.count), between.count)
    with np.errstate(divide="ignore", invalid="ignore"):
        one_gain, other_gain = ones.mean - one_apart.mean, others.mean - other_apart.mean
        own = between.variance / between.count + one_apart.error + other_apart.error
        tied = np.bincount(place, seen.tie, pairs) / between.count
        pooled = tied * (one_v + other_v) / between.count + one_v / one_apart.count + other_v / other_apart.count
        error = np.sqrt(np.maximum(own, pooled))
        z = np.where(error > 0, np.abs(one_gain - other_gain) / error, 0.0)
    degrees = between.count + np.minimum(one_apart.count, other_apart.count) - 2
    tested = np.flatnonzero(fewest >= FEWEST)
    p = 2 * stdtr(degrees[tested], -z[tested])
    found = []
    for at, chance, q in zip(tested, p, q_values(p), strict=True):
        sides = (names[one[at]], float(one_gain[at])), (names[other[at]], float(other_gain[at]))
        (helper, helper_gain), (friend, gain) = sorted(sides, key=lambda side: side[1])
        found.append(
            Beside(helper, friend, int(between.count[at]), gain, helper_gain, float(z[at]), float(chance), float(q))
        )
    return sorted(found, key=lambda pair: (pair.p, -pair.z))


def q_values(p: Floats) -> Floats:
    """Of Benjamini and Hochberg: the least share of chance findings at which each p-value is one."""
    order = np.argsort(p)
    steps = p[order] * len(p) / np.arange(1, len(p) + 1)
    found = np.empty(len(p))
    found[order] = np.minimum.accumulate(steps[::-1])[::-1]
    return found


@dataclass(frozen=True, slots=True)
class _Seen:
    """Gains by bot and unit, and by pair of bots at one table, ``one`` below ``other``, as arrays. ``tie`` is k/(k-1)
    of the table."""

    bot: Ints
    gain: Floats
    one: Ints
    other: Ints
    one_gain: Floats
    other_gain: Floats
    tie: Floats


def _seen(units: Iterable[PlayedUnit], elo: Mapping[int, float], number: Mapping[int, int]) -> _Seen:
    alone: list[tuple[int, float]] = []
    pairs: list[tuple[int, int, float, float, float]] = []
    for unit in units:
        seated: dict[int, list[float]] = {}
        for version, gain in zip(unit.versions, _gains(unit, elo), strict=True):
            seated.setdefault(number[version], []).append(gain)
        means = [(bot, sum(gains) / len(gains)) for bot, gains in sorted(seated.items())]
        tie = len(unit.versions) / (len(unit.versions) - 1)
        alone += means
        pairs += [(one, other, gain, gave, tie) for (one, gain), (other, gave) in combinations(means, 2)]
    own, both = np.array(alone).reshape(-1, 2), np.array(pairs).reshape(-1, 5)
    ones, others = both[:, 0].astype(np.int64), both[:, 1].astype(np.int64)
    return _Seen(own[:, 0].astype(np.int64), own[:, 1], ones, others, both[:, 2], both[:, 3], both[:, 4])


@dataclass(frozen=True, slots=True)
class _Sums:
    """By number: how many values, their sum and that of their squares."""

    count: Floats
    total: Floats
    squares: Floats

    @staticmethod
    def of(place: Ints, values: Floats, length: int) -> "_Sums":
        parts = [np.bincount(place, weights, length).astype(np.float64) for weights in (None, values, values**2)]
        return _Sums(*parts)

    def at(self, numbers: Ints) -> "_Sums":
        return _Sums(self.count[numbers], self.total[numbers], self.squares[numbers])

    def less(self, part: "_Sums") -> "_Sums":
        return _Sums(self.count - part.count, self.total - part.total, self.squares - part.squares)

    @property
    def mean(self) -> Floats:
        mean: Floats = self.total / self.count
        return mean

    @property
    def variance(self) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            variance: Floats = np.maximum(self.squares - self.total * self.mean, 0.0) / (self.count - 1)
        return variance

    @property
    def error(self) -> Floats:
        """The square of the mean's standard error."""
        error: Floats = self.variance / self.count
        return error


def _gains(unit: PlayedUnit, elo: Mapping[int, float]) -> list[float]:
    """By version at the table: how much better it did than expected, per opponent and match."""
    ratings = np.array([elo[version] for version in unit.versions])
    places = np.array(unit.places)
    above = places[:, :, None] < places[:, None, :]
    level = places[:, :, None] == places[:, None, :]
    score = (above + level / 2).mean(axis=0)
    better = score - 1 / (1 + 10 ** (np.subtract.outer(ratings, ratings).T / 400))
    np.fill_diagonal(better, 0.0)
    gains: list[float] = (better.sum(axis=1) / (len(ratings) - 1)).tolist()
    return gains
