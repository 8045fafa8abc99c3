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


def superiority(fit: Fit, among: Ints | None = None) -> Floats | None:
    """LOS of row over column: the likelihood that it is the stronger one, of all bots or of those in ``among`` in their
    order. 1/2 where nothing is known, since one of the two has fewer than two deals; None for a fit without a
    covariance."""
    if fit.covariance is None:
        return None
    if among is not None:
        within = fit.covariance[np.ix_(among, among)]
        return superiority(Fit(fit.elo[among], fit.variance[among], within, fit.deals[among]))
    fewer = np.minimum.outer(fit.deals, fit.deals)
    apart = _apart(fit, fit.covariance, fewer)
    return np.where(np.isnan(apart), 0.5, stdtr(np.maximum(fewer - 1, 1), apart))


def rank_intervals(fit: Fit, among: Bools | None = None) -> Ints | None:
    """First and last rank of each bot among those that have played, from 1, or among those of them that are asked for;
    None for a fit without a covariance."""
    if fit.covariance is None:
        return None
    playing = (fit.deals > 0) if among is None else (fit.deals > 0) & among
    fewer = np.minimum.outer(fit.deals, fit.deals)
    # LOS > SURE, asked of the quantiles, of which there are far fewer than pairs.
    counts, place = np.unique(fewer, return_inverse=True)
    sure = stdtrit(np.maximum(counts - 1, 1), SURE)[place].reshape(fewer.shape)
    better = (_apart(fit, fit.covariance, fewer) > sure) & playing[:, None] & playing[None, :]
    return np.column_stack([1 + better.sum(axis=0), playing.sum() - better.sum(axis=1)])


def _apart(fit: Fit, covariance: Floats, fewer: Ints) -> Floats:
    """How far row is ahead of column, in standard errors; nan where nothing is known or the two are level."""
    own = np.diag(covariance)
    deals = np.where(fewer > 1, fewer, np.nan)
    ahead = np.subtract.outer(fit.elo, fit.elo)
    # Two that behave alike have neither a variance between them nor a difference, but for rounding.
    ahead[np.abs(ahead) <= _LEVEL] = np.nan
    variance = np.maximum(np.add.outer(own, own) - 2 * covariance, 0.0) * deals / (deals - 1)
    with np.errstate(divide="ignore"):
        apart: Floats = ahead / np.sqrt(variance)
    return apart
