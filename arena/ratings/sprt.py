"""Is one bot better than another, asked while the results come in: a sequential test on unit scores. Knows no bot.

The generalised sequential probability ratio test, of "elo1 better" against "elo0 better". A unit's score is the mean of
S over its matches; n units have mean m and variance v:

    s(e) = 1 / (1 + 10^(-e / 400))
    LLR  = n * (s(elo1) - s(elo0)) * (2 m - s(elo0) - s(elo1)) / (2 v)

It ends at ln((1 - beta) / alpha) and at ln(beta / (1 - alpha)), and not before :data:`FIRST_LOOK` units, because a
variance of few units is too uncertain. Nor is v ever less than :data:`RARE` / n: two bots that differ on few deals look
like twins until such a deal comes. The units are looked at in their order, as far as they are all there: in the
order in which they end, slow matches would come late and bend the test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import fsum, inf, log
from operator import mul
from statistics import fmean

FIRST_LOOK = 32
"""Units."""

RARE = 3 / 4
"""What n units of equal scores may still hide, with 95 %: three in n that lie 1/2 off, a variance of 3/n times 1/4."""


class Answer(Enum):
    """What the test says."""

    BETTER = "better"
    """By elo1 rather than by elo0."""
    NOT_BETTER = "not better"
    OPEN = "not known"


@dataclass(frozen=True, slots=True)
class Sequential:
    """The question, as two differences in Elo, and how often the answer may be wrong either way."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -inf < self.elo0 < self.elo1 < inf:
            raise ValueError(f"elo0 is {self.elo0:g} and elo1 {self.elo1:g}; elo1 must be the greater one.")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("alpha and beta must be between 0 and 0.5.")

    @property
    def bounds(self) -> tuple[float, float]:
        """Below the first the answer is NOT_BETTER, above the second BETTER."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def likelihood_ratio(self, scores: Sequence[float]) -> float:
        """The logarithm of the likelihood ratio of one score or more."""
        units, mean = len(scores), fmean(scores)
        variance = max(fsum(map(mul, scores, scores)) - units * mean**2, RARE) / units
        low, high = expected(self.elo0), expected(self.elo1)
        return units * (high - low) * (2 * mean - low - high) / (2 * variance)

    def answer(self, scores: Sequence[float]) -> Answer:
        """What so many units say, in their order and without gaps."""
        if len(scores) < FIRST_LOOK:
            return Answer.OPEN
        ratio = self.likelihood_ratio(scores)
        low, high = self.bounds
        return Answer.NOT_BETTER if ratio <= low else Answer.BETTER if ratio >= high else Answer.OPEN


def expected(elo: float) -> float:
    """The score that a difference of so many Elo makes."""
    return float(1 / (1 + 10 ** (-elo / 400)))
