"""How far official ratings are shifted for display, so that a house bot keeps a number of its own. Knows no table.

A fit fixes differences alone. Its mean is 1500 whoever plays, so every number falls when strong bots join; a bot that
is in every pool and never changes stands still instead, and the others keep their numbers beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from bots.house import ANCHORS


@dataclass(frozen=True, slots=True)
class Shift:
    """What is added to every official rating of a pool, in millionths of an Elo, and the bots that it sets at their
    numbers; without any nothing is added."""

    micro_elo: int = 0
    anchors: tuple[str, ...] = ()


def shift(fitted: Mapping[str, int], anchors: Mapping[str, int] = ANCHORS) -> Shift:
    """The shift that sets the anchors at their numbers, on average if there are several.

    :param fitted: by name, what is fitted of the house's bots in millionths of an Elo, but for provisional ratings,
        which would move all others with their luck.
    :param anchors: by name, the numbers in Elo.
    """
    there = sorted(anchors.keys() & fitted.keys())
    if not there:
        return Shift()
    return Shift(round(fmean(1_000_000 * anchors[bot] - fitted[bot] for bot in there)), tuple(there))
