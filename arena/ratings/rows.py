"""Results as rows of pairs: who against whom, on which deal, with what weight and score. Knows no rating.

A bot's weights in one match at its table add up to 1. In a *field*, where one deal is played once at each of m tables,
half of the weight is on the pairs at the table and half on those who held the same seat:

    table rows      weight 1/(k-1), in a field 1/(2(k-1))       every pair of the k seats of a match
    same-seat rows  weight 1/(2(m'-1))                          every pair of the m' tables that were done, seat by seat

The score S(i, j) is 1, 1/2 or 0 for i above, level with or below j.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rows:
    """Pairs of bots that met, as arrays of one length.

    :ivar bots: how many bots there are; they are numbered from 0.
    :ivar one, other: the two bots of a row.
    :ivar weight: above 0.
    :ivar score: of ``one`` against ``other``, between 0 and 1.
    :ivar deal: number of the deal, from 0. What happened on one deal hangs together, on two deals it does not.
    """

    bots: int
    one: Ints
    other: Ints
    weight: Floats
    score: Floats
    deal: Ints


@dataclass(frozen=True, slots=True)
class Matches:
    """Matches of as many seats as the arrays have columns: bots and places by seat, and the deal of each match."""

    bots: Ints
    places: Ints
    deal: Ints


@dataclass(frozen=True, slots=True)
class FieldDeal:
    """One deal at several tables: bots, places and points by table and seat. Only tables that were done.

    :ivar standings: what those in the same seat are compared by: points, and less than anybody's for a forfeited seat.
    """

    bots: Sequence[Sequence[int]]
    places: Sequence[Sequence[int]]
    points: Sequence[Sequence[int]]
    standings: Sequence[Sequence[int]]


def table_rows(bots: int, groups: Iterable[Matches]) -> Rows:
    """The rows of matches at tables. Tables may have different sizes, one for each group."""
    parts = []
    for group in groups:
        seats = group.bots.shape[1]
        for one, other in combinations(range(seats), 2):
            score = _scores(-group.places[:, one], -group.places[:, other])
            weight = np.full(len(score), 1.0 / (seats - 1))
            parts.append((group.bots[:, one], group.bots[:, other], weight, score, group.deal))
    return _joined(bots, parts)


def field_rows(bots: int, deals: Iterable[FieldDeal]) -> Rows:
    """The rows of fields, a deal each. A deal of fewer than two tables that were done has none.

    At a table the places count, and in a seat the points, because places do not compare two tables.
    """
    shapes: dict[tuple[int, int], list[tuple[int, FieldDeal]]] = defaultdict(list)
    for number, deal in enumerate(deals):
        if len(deal.bots) > 1:
            shapes[len(deal.bots), len(deal.bots[0])].append((number, deal))
    parts = []
    for group in shapes.values():
        numbers = np.array([number for number, _ in group])
        holders = np.array([deal.bots for _, deal in group])
        places = np.array([deal.places for _, deal in group])
        standings = np.array([deal.standings for _, deal in group])
        # Once by table, over pairs of seats, and once by seat, over pairs of tables.
        for who, had in ((holders, -places), (holders.swapaxes(1, 2), standings.swapaxes(1, 2))):
            _, times, across = who.shape
            for one, other in combinations(range(across), 2):
                score = _scores(had[..., one].ravel(), had[..., other].ravel())
                weight = np.full(len(score), 0.5 / (across - 1))
                parts.append((who[..., one].ravel(), who[..., other].ravel(), weight, score, numbers.repeat(times)))
    return _joined(bots, parts)


def _scores(mine: Ints, theirs: Ints) -> Floats:
    """1, 1/2 or 0 where mine is more than theirs, as much, or less."""
    scores: Floats = (1.0 + np.sign(mine - theirs)) / 2.0
    return scores


def _joined(bots: int, parts: Sequence[tuple[Ints, Ints, Floats, Floats, Ints]]) -> Rows:
    if not parts:
        none, nothing = np.empty(0, np.int64), np.empty(0)
        return Rows(bots, none, none, nothing, nothing, none)
    one, other, weight, score, deal = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Rows(bots, one, other, weight, score, deal)
