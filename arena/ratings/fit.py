"""The official rating: Bradley-Terry over all results at once, with a covariance that knows which hang together.
Knows no table of ratings, no clock and no database.

With the rows of :mod:`arena.ratings.rows`, p(i, j) = 1 / (1 + exp(theta(j) - theta(i))) and lambda = (SCALE / 350)^2,
the strengths are those that maximise

    sum over rows of weight * (S ln p + (1 - S) ln(1 - p)) - lambda / 2 * sum of theta^2,

a rating is 1500 + SCALE * theta, and the covariance is the sandwich

    SCALE^2 * inv(H) * (sum over deals of g g') * inv(H) * C / (C - 1),

H the Hessian, g the gradient of the rows of one deal, and C how many deals there are.
"""

from dataclasses import dataclass
from math import inf, log

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import cg

from arena.ratings.rows import Floats, Ints, Rows

SCALE = 400.0 / log(10.0)
"""Elo of one unit of strength: 173.717793."""
MEAN = 1500.0
PRIOR_SD = 350.0
"""Elo. It keeps a bot that never lost finite, and holds apart groups that never met."""

DENSE = 400
"""Up to so many bots a step is solved exactly, beyond by conjugate gradients."""
FULL = 3_000
"""Up to so many bots the whole covariance is computed, beyond its diagonal only."""

_CLOSE = 1e-9 / SCALE
_NEAR = 1e-4
_STEPS = 100


@dataclass(frozen=True, slots=True)
class Fit:
    """The strengths of bots 0, 1, ... and how sure they are.

    :ivar elo: ratings, whose mean is 1500.
    :ivar variance: of each rating, in Elo squared; nan if fewer than two deals were played in all.
    :ivar covariance: of every two ratings, nan likewise; None beyond :data:`FULL` bots.
    :ivar deals: on how many deals each bot played.
    """

    elo: Floats
    variance: Floats
    covariance: Floats | None
    deals: Ints


def fit(rows: Rows, prior_sd: float = PRIOR_SD) -> Fit:
    """The fit. ``prior_sd`` is in Elo; without a prior (``inf``) every bot must have met every other, directly or over
    others, and none may have won or lost everything.

    :raises ArithmeticError: if no maximum is found, which a finite prior rules out.
    """
    pull = _pull(prior_sd)
    pairs = _pairs(rows)
    theta = _climb(pairs, pull)
    variance, covariance = _spread(rows, pairs, theta, pull)
    return Fit(MEAN + SCALE * theta, variance, covariance, _deals_of_bots(rows))


def elo(rows: Rows) -> Floats:
    """The ratings of :func:`fit`, without how sure they are, which is what takes long."""
    return MEAN + SCALE * _climb(_pairs(rows), _pull(PRIOR_SD))


def _pull(prior_sd: float) -> float:
    return (SCALE / prior_sd) ** 2 if prior_sd < inf else 0.0


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Rows added up: each two bots once, ``one`` below ``other``; ``won`` is weight times score of ``one``."""

    bots: int
    one: Ints
    other: Ints
    weight: Floats
    won: Floats


def _pairs(rows: Rows) -> _Pairs:
    turned = rows.one > rows.other
    one, other = np.where(turned, rows.other, rows.one), np.where(turned, rows.one, rows.other)
    score = np.where(turned, 1.0 - rows.score, rows.score)
    keys, place = np.unique(one * rows.bots + other, return_inverse=True)
    weight, won = _sums(place, rows.weight, len(keys)), _sums(place, rows.weight * score, len(keys))
    return _Pairs(rows.bots, keys // rows.bots, keys % rows.bots, weight, won)


def _sums(place: Ints, values: Floats, length: int) -> Floats:
    """The values added up by place."""
    return np.bincount(place, values, length).astype(np.float64, copy=False)


def _climb(pairs: _Pairs, pull: float) -> Floats:
    """The strengths at the maximum, by Newton's steps, each halved until it leads upwards."""
    theta = np.zeros(pairs.bots)
    height = _height(pairs, theta, pull)
    for _ in range(_STEPS):
        step = _solved(pairs, theta, pull)
        far = float(np.max(np.abs(step), initial=0.0))
        # Close to the top the heights differ by less than their rounding, and a whole step is right.
        while far > _NEAR and _height(pairs, theta + step, pull) < height:
            step, far = step / 2.0, far / 2.0
        theta = theta + step
        height = _height(pairs, theta, pull)
        if far < _CLOSE:
            return theta
    raise ArithmeticError("The fit does not settle: some bot won or lost everything, or two groups of bots never met.")


def _height(pairs: _Pairs, theta: Floats, pull: float) -> float:
    ahead = theta[pairs.one] - theta[pairs.other]
    lost = pairs.weight - pairs.won
    # ln p = -ln(1 + exp(-ahead)), written so that it never overflows.
    found = -pairs.won @ np.logaddexp(0.0, -ahead) - lost @ np.logaddexp(0.0, ahead) - pull / 2.0 * (theta @ theta)
    return float(found)


def _chance(ahead: Floats) -> Floats:
    return 0.5 * (1.0 + np.tanh(0.5 * ahead))


def _solved(pairs: _Pairs, theta: Floats, pull: float) -> Floats:
    """Newton's step."""
    chance = _chance(theta[pairs.one] - theta[pairs.other])
    surplus = pairs.won - pairs.weight * chance
    gradient = _sums(pairs.one, surplus, pairs.bots) - _sums(pairs.other, surplus, pairs.bots) - pull * theta
    hessian = _hessian(pairs, theta, pull)
    if pairs.bots <= DENSE:
        step: Floats = linalg.solve(_anchored(hessian, pull), gradient, assume_a="pos")
        return step
    diagonal = hessian.diagonal()
    step, failed = cg(hessian, gradient, rtol=1e-10, M=sparse.diags_array(1.0 / diagonal))
    if failed:
        raise ArithmeticError("The fit does not settle: its equations are too close to singular.")
    return step


def _hessian(pairs: _Pairs, theta: Floats, pull: float) -> sparse.csr_array:
    """Of the negative objective: a Laplacian of the pairs, and the prior."""
    chance = _chance(theta[pairs.one] - theta[pairs.other])
    weight = pairs.weight * chance * (1.0 - chance)
    diagonal = _sums(pairs.one, weight, pairs.bots) + _sums(pairs.other, weight, pairs.bots) + pull
    every = np.arange(pairs.bots)
    across = np.concatenate([pairs.one, pairs.other, every])
    down = np.concatenate([pairs.other, pairs.one, every])
    values = np.concatenate([-weight, -weight, diagonal])
    return sparse.csr_array((values, (across, down)), shape=(pairs.bots, pairs.bots))


def _anchored(hessian: sparse.csr_array, pull: float) -> Floats:
    """The whole matrix. Without a prior only differences are determined; then the mean is held."""
    whole: Floats = hessian.toarray()
    return whole if pull else whole + 1.0 / len(whole)


def _spread(rows: Rows, pairs: _Pairs, theta: Floats, pull: float) -> tuple[Floats, Floats | None]:
    """The variance of each rating, and the covariance where it is computed."""
    numbers, deal = np.unique(rows.deal, return_inverse=True)
    clusters = len(numbers)
    if clusters < 2:
        unknown = np.full((pairs.bots, pairs.bots), np.nan) if pairs.bots <= FULL else None
        return np.full(pairs.bots, np.nan), unknown
    surplus = rows.weight * (rows.score - _chance(theta[rows.one] - theta[rows.other]))
    places = (np.concatenate([deal, deal]), np.concatenate([rows.one, rows.other]))
    gradients = sparse.csr_array((np.concatenate([surplus, -surplus]), places), shape=(clusters, pairs.bots))
    factor = SCALE**2 * clusters / (clusters - 1)
    hessian = _hessian(pairs, theta, pull)
    if pairs.bots > FULL:
        meat = np.asarray(gradients.power(2).sum(axis=0)).ravel()
        diagonal: Floats = factor * meat / hessian.diagonal() ** 2
        return diagonal, None
    inverse = linalg.inv(_anchored(hessian, pull), assume_a="pos")
    covariance = factor * inverse @ (gradients.T @ gradients).toarray() @ inverse
    return np.diag(covariance).copy(), covariance


def _deals_of_bots(rows: Rows) -> Ints:
    """On how many deals each bot has a row."""
    if not len(rows.deal):
        return np.zeros(rows.bots, np.int64)
    last = int(rows.deal.max()) + 1
    seen = np.unique(np.concatenate([rows.one * last + rows.deal, rows.other * last + rows.deal]))
    return np.bincount(seen // last, minlength=rows.bots)
