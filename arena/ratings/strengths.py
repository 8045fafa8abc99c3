"""How strong each bot of one tournament has shown itself so far, for a draw. Knows no rating and no database."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from arena.ratings.fit import elo
from arena.ratings.rows import Matches, table_rows


@dataclass(frozen=True, slots=True)
class Placed:
    """A match: bots and their places by seat."""

    unit: int
    bots: list[str]
    places: list[int]


def strengths(matches: Iterable[Placed]) -> dict[str, int]:
    """Thousandths of an Elo above the mean of those who played, by bot: the official fit of these matches alone.

    As whole numbers, because a draw must come out alike on every machine, and fits differ in their last digits.
    """
    played = list(matches)
    if not played:
        return {}
    bots = sorted({bot for match in played for bot in match.bots})
    number = {bot: index for index, bot in enumerate(bots)}
    seated = np.array([[number[bot] for bot in match.bots] for match in played])
    places = np.array([match.places for match in played])
    found = elo(table_rows(len(bots), [Matches(seated, places, np.array([match.unit for match in played]))]))
    return {bot: round(1000 * float(found[index] - found.mean())) for bot, index in number.items()}
