"""A deal that was played in a field, and what it does to Elo by periods. Knows no database.

Half of a bot's deal is its table, half are those who held the same seat at the other tables. With k seats and m' tables
that were done

    S(i, j) = 1, 1/2 or 0 for i above, level with or below j: by places at a table, by points in a seat
    K(i)    = min(max(2, 1400 / (n(i) + 32)), 700 / u(i))   n: deals before the period, u: deals within it
    d(i)    = round_half_even(1e6 * K(i) / 2 * (sum over the table of (S - E) / (k - 1) + sum over the seat / (m' - 1)))

Four deals of a field are as many matches as one rotation unit, and as much K.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from arena.ratings.elo import expected

Table = tuple[int, ...]
"""Numbers by seat."""


@dataclass(frozen=True, slots=True)
class PlayedField:
    """A deal of a field that counts: what follows is by table that was done, at least two, and by seat.

    :ivar unit: its number in the tournament.
    :ivar versions: ids of the bots' versions, each once.
    :ivar forfeited: 1 where a seat was forfeited, else 0.
    :raises ValueError: if a bot sits twice, or there is one table only.
    """

    unit: int
    versions: tuple[Table, ...]
    places: tuple[Table, ...]
    scores: tuple[Table, ...]
    faults: tuple[Table, ...]
    forfeited: tuple[Table, ...]

    def __post_init__(self) -> None:
        if len(set(self.bots)) < len(self.bots):
            raise ValueError(f"Unit {self.unit}: a bot sits twice in the field; give every seat to another bot.")
        if len(self.versions) < 2:
            raise ValueError(f"Unit {self.unit}: a field needs at least two tables.")

    @property
    def bots(self) -> tuple[int, ...]:
        """All versions, table by table."""
        return tuple(version for table in self.versions for version in table)

    @property
    def groups(self) -> list[Table]:
        """The numbers of its line, as :func:`arena.ratings.event.line` writes them."""
        columns = (self.versions, self.places, self.scores, self.faults, self.forfeited)
        return [(self.unit,), *(group for table in zip(*columns, strict=True) for group in table)]

    @property
    def lines(self) -> Iterator[tuple[int, tuple[int, ...], int]]:
        """Every version with its score and its faults."""
        for versions, scores, faults in zip(self.versions, self.scores, self.faults, strict=True):
            for version, score, count in zip(versions, scores, faults, strict=True):
                yield version, (score,), count

    @property
    def divisor(self) -> int:
        """Of how many points a bot's surplus is: one for the table and one for the seat."""
        return 2

    def k_factor(self, units_before: int, units_now: int) -> float:
        """K in Elo for a bot with so many deals before the period and within it (at least 1)."""
        return min(max(2.0, 1400 / (units_before + 32)), 700 / units_now)

    def surplus(self, elos: Mapping[int, int]) -> list[float]:
        """How much more every bot won than was expected at its table and in its seat."""
        held = standings(self.scores, self.forfeited)
        tables, seats = range(len(self.versions)), range(len(self.versions[0]))
        results = []
        for table, bots in enumerate(self.versions):
            for seat, bot in enumerate(bots):
                at_table = math.fsum(
                    _score(self.places[table][other], self.places[table][seat]) - expected(elos[bot], elos[bots[other]])
                    for other in seats
                    if other != seat
                )
                in_seat = math.fsum(
                    _score(held[table][seat], held[other][seat]) - expected(elos[bot], elos[self.versions[other][seat]])
                    for other in tables
                    if other != table
                )
                results.append(at_table / (len(seats) - 1) + in_seat / (len(tables) - 1))
        return results


def standings(scores: tuple[Table, ...], forfeited: tuple[Table, ...]) -> tuple[Table, ...]:
    """What those who held the same seat are compared by: their scores, and below all of them a forfeited seat, which
    others have played to its end."""
    last = min(min(table) for table in scores) - 1
    return tuple(
        tuple(last if gone else score for score, gone in zip(*table, strict=True))
        for table in zip(scores, forfeited, strict=True)
    )


def _score(mine: int, theirs: int) -> float:
    """1, 1/2 or 0 where mine is more than theirs, as much, or less."""
    return (1 + (mine > theirs) - (mine < theirs)) / 2
