"""What a fit lets us say of each bot: interval, likelihood of superiority, ranks. Knows no result and no database.

With u deals behind a bot and V the covariance of the fit,

    interval of i   R(i) +- t(.975, u - 1) * sqrt(V(i, i) * u / (u - 1)),  none below two deals
    LOS(i, j)       T(m - 1)((R(i) - R(j)) / sqrt((V(i, i) + V(j, j) - 2 V(i, j)) * m / (m - 1))),  m the smaller u
    ranks of i      from 1 + how many j have LOS(j, i) > .975, to N - how many j have LOS(i, j) > .975
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from arena.ratings.fit import Fit
from arena.ratings.rows import Floats, Ints

Bools = NDArray[np.bool_]

SURE = 0.975
"""Both ends of an interval leave out so much: it holds 95 %."""

_LEVEL = 1e-6
"""Elo that are no difference."""


def half_widths(fit: Fit) -> Floats:
    """Of the 95 % intervals, in Elo; nan below two deals."""
    deals = np.where(fit.deals > 1, fit.deals, np.nan)
    widths: Floats = stdtrit(deals - 1, SURE) * np.sqrt(fit.variance * deals / (deals - 1))
    return widths


def superiority(fit: Fit) -> Floats | None:
    """LOS of row over column: the likelihood that it is the stronger one. 1/2 where nothing is known, since one of the
    two has fewer than two deals; None for a fit without a covariance."""
    if fit.covariance is None:
        return None
    own = np.diag(fit.covariance)
    fewer = np.minimum.outer(fit.deals, fit.deals)
    known = fewer > 1
    deals = np.where(known, fewer, 2)
    variance = np.maximum(np.add.outer(own, own) - 2 * fit.covariance, 0.0) * deals / (deals - 1)
    ahead = np.subtract.outer(fit.elo, fit.elo)
    with np.errstate(divide="ignore", invalid="ignore"):
        likely = stdtr(deals - 1, ahead / np.sqrt(variance))
    # Two that behave alike have neither a variance between them nor a difference, but for rounding.
    return np.where(known & (np.abs(ahead) > _LEVEL), likely, 0.5)


def rank_intervals(fit: Fit, among: Bools | None = None) -> Ints | None:
    """First and last rank of each bot among those that have played, from 1, or among those of them that are asked for;
    None for a fit without a covariance."""
    likely = superiority(fit)
    if likely is None:
        return None
    playing = (fit.deals > 0) if among is None else (fit.deals > 0) & among
    better = (likely > SURE) & playing[:, None] & playing[None, :]
    return np.column_stack([1 + better.sum(axis=0), playing.sum() - better.sum(axis=1)])
