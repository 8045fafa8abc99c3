"""Mean points with intervals that know which results hang together. Knows no rating and no database.

With y the points of n matches and C deals,

    mean +- t(.975, C - 1) * sqrt(C / (C - 1) * sum over deals of (sum within the deal of (y - mean))^2) / n
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
from scipy.special import stdtrit

from arena.ratings.intervals import SURE
from arena.ratings.rows import FieldDeal, Floats, Ints


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of points, and half the width of its 95 % interval; nan below two deals."""

    mean: float
    margin: float
    standard_error: float


def mean_points(points: Floats, deal: Ints) -> Mean:
    """The mean of one bot's points, at least one, and what its deals say of it."""
    _, place = np.unique(deal, return_inverse=True)
    return mean_of_deals(np.bincount(place, points), np.bincount(place))


def mean_of_deals(sums: Floats | Ints, matches: Ints) -> Mean:
    """The same of points that are added up deal by deal, at least one: their sums, and of how many matches."""
    deals, played = len(sums), int(matches.sum())
    mean = float(sums.sum()) / played
    if deals < 2:
        return Mean(mean, nan, nan)
    beyond = sums - mean * matches
    error = sqrt(deals / (deals - 1) * float(beyond @ beyond)) / played
    return Mean(mean, float(stdtrit(deals - 1, SURE)) * error, error)


def against_the_field(deal: FieldDeal) -> list[list[float]]:
    """By table and seat: the points less the *datum*, the mean of the others who held the same seat of the deal. Needs
    two tables at least."""
    points = np.asarray(deal.points, np.float64)
    others = len(points) - 1
    result: Sequence[Sequence[float]] = (points - (points.sum(axis=0) - points) / others).tolist()
    return [list(table) for table in result]
