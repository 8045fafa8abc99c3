"""Results as rows of pairs: who against whom, on which deal, with what weight and score. Knows no rating.

A bot's weights in one match at its table add up to 1. In a *field*, where one deal is played once at each of m tables,
half of the weight is on the pairs at the table and half on those who held the same seat:

    table rows      weight 1/(k-1), in a field 1/(2(k-1))       every pair of the k seats of a match
    same-seat rows  weight 1/(2(m'-1))                          every pair of the m' tables that were done, seat by seat

The score S(i, j) is 1, 1/2 or 0 for i above, level with or below j.
"""

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
    """One deal at several tables: bots and points by table and seat. Only tables that were done."""

    bots: Sequence[Sequence[int]]
    points: Sequence[Sequence[int]]


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
    """The rows of a field. A deal of fewer than two tables that were done has none.

    Scores are by points and not by places, because only points compare two tables.
    """
    parts = []
    for number, deal in enumerate(deals):
        holders, points = np.asarray(deal.bots, np.int64), np.asarray(deal.points, np.int64)
        tables = len(holders)
        if tables < 2:
            continue
        for who, had in ((holders, points), (holders.T, points.T)):
            # Once by table, over pairs of seats, and once by seat, over pairs of tables.
            for one, other in combinations(range(who.shape[1]), 2):
                score = _scores(had[:, one], had[:, other])
                weight = np.full(len(score), 0.5 / (who.shape[1] - 1))
                parts.append((who[:, one], who[:, other], weight, score, np.full(len(score), number)))
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
