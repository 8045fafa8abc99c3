"""Is B better than A: units as they come in, the answer, and how sure the estimates are. Knows no bot and no process.

A unit's score is the mean over its matches of 1, 1/2 or 0 for B placed above, level with or below A. Units are looked
at in their order, as far as all before them are there, and none is looked at after the answer: so what is found does
not depend on which match took how long.
"""

from collections import defaultdict
from dataclasses import dataclass
from math import inf, log10
from statistics import fmean

import numpy as np

from arena.ratings.points import mean_points
from arena.ratings.sprt import Answer, Sequential


@dataclass(frozen=True, slots=True)
class Meeting:
    """One match between the two, seen from B. ``score`` is 1, 1/2 or 0; ``points`` are B's less A's."""

    score: float
    points: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """How much better B is, as far as it is known. Intervals hold 95 %, of one look: who stops because of the answer
    looks where the difference is large just now, and finds it a little larger than it is.

    :ivar above, level, below: shares of the matches, by B's place beside A's.
    :ivar elo: of B less that of A; infinite if B was always above or always below.
    :ivar elo_low, elo_high: its interval.
    :ivar points: B's less A's, per match.
    :ivar points_margin: half the width of its interval; nan below two units.
    """

    units: int
    matches: int
    llr: float
    above: float
    level: float
    below: float
    elo: float
    elo_low: float
    elo_high: float
    points: float
    points_margin: float


class Comparison:
    """A sequential test in which units of so many matches come in, in any order."""

    def __init__(self, test: Sequential, matches_per_unit: int) -> None:
        self.test = test
        self.answer = Answer.OPEN
        self._whole = matches_per_unit
        self._waiting: dict[int, list[Meeting]] = defaultdict(list)
        self._meetings: list[Meeting] = []
        self._scores: list[float] = []
        self._points: list[float] = []

    @property
    def units(self) -> int:
        """How many units were looked at."""
        return len(self._scores)

    def add(self, unit: int, meeting: Meeting) -> None:
        """One more match of a unit; units count from 0."""
        self._waiting[unit].append(meeting)
        while self.answer is Answer.OPEN and len(self._waiting.get(self.units, ())) == self._whole:
            meetings = self._waiting.pop(self.units)
            self._meetings += meetings
            self._points.append(fmean(one.points for one in meetings))
            self._scores.append(fmean(one.score for one in meetings))
            self.answer = self.test.answer(self._scores)

    def estimate(self) -> Estimate | None:
        """What the units so far say; None before the first."""
        if not self.units:
            return None
        each = np.arange(self.units)
        score = mean_points(np.array(self._scores), each)
        points = mean_points(np.array(self._points), each)
        margin = score.margin if self.units > 1 else inf
        matches = len(self._meetings)

        def share(of: float) -> float:
            return sum(one.score == of for one in self._meetings) / matches

        return Estimate(
            units=self.units,
            matches=matches,
            llr=self.test.likelihood_ratio(self._scores),
            above=share(1.0),
            level=share(0.5),
            below=share(0.0),
            elo=elo_of(score.mean),
            elo_low=elo_of(score.mean - margin),
            elo_high=elo_of(score.mean + margin),
            points=points.mean,
            points_margin=points.margin,
        )


def elo_of(score: float) -> float:
    """The difference in Elo that makes such a score; infinite from 1 on and down from 0."""
    if score <= 0:
        return -inf
    return inf if score >= 1 else 400 * log10(score / (1 - score))
