"""How much of the points of a tournament is luck: of the seat, and of the cards. Knows no bot and no database.

Every rotation of a unit gives a seat the same cards. With MSB the mean square between the (unit, seat) pairs, MSW the
one within them and k rotations, the share of the variance of points that the cards explain is

    (MSB - MSW) / (MSB + (k - 1) MSW),

the intraclass correlation. What it leaves is how the bots differ, and chance of their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Luck:
    """Mean points by seat, in the game's score unit, and the share of the cards, from 0 to 1; None where no cards were
    played more than once."""

    seats: tuple[float, ...]
    cards: float | None


def luck(units: Sequence[tuple[int, Sequence[float]]]) -> Luck:
    """The luck in matches, at least one: each with its unit and its scores by seat. Units that were not played as often
    as the most are left out of the share of the cards."""
    scores = np.array([scored for _, scored in units], np.float64)
    _, of_unit, often = np.unique([unit for unit, _ in units], return_inverse=True, return_counts=True)
    seats = tuple(float(mean) for mean in scores.mean(axis=0))
    rotations = int(often.max())
    whole = np.flatnonzero(often == rotations)
    if rotations < 2 or len(whole) < 2:
        return Luck(seats, None)
    by_unit = np.stack([scores[of_unit == unit] for unit in whole])  # unit, rotation, seat
    holders = by_unit.transpose(0, 2, 1).reshape(-1, rotations)
    means = holders.mean(axis=1)
    between = rotations * float(means.var(ddof=1))
    within = float(holders.var(axis=1, ddof=1).mean())
    spread = between + (rotations - 1) * within
    return Luck(seats, max(0.0, (between - within) / spread) if spread > 0 else None)
