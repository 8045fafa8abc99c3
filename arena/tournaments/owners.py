"""Separates bots of one owner by swapping seats between tables of an orbit. Knows only labels and their owners.

A swap exchanges two bots at the same position, so every bot keeps its number of tables and its positions.
"""

from collections import Counter
from collections.abc import Sequence

from arena.tournaments.cyclic import SplitMix64

Seating = tuple[int, ...]


def separate(passes: Sequence[Sequence[Seating]], owners: Sequence[int], rng: SplitMix64) -> list[list[Seating]] | None:
    """The tables of every orbit with no two labels of one owner together, and the meetings of others still about even.
    None when the search finds no such tables.

    :param owners: the owner of each label.
    """
    swaps = _Swaps(passes, owners)
    for tables in swaps.passes:
        if not swaps.mend(tables, rng):
            return None
    for _ in range(3):
        for tables in swaps.passes:
            swaps.level(tables, rng)
    return [[tuple(table) for table in tables] for tables in swaps.passes]


class _Swaps:
    """Tables under repair, with the meetings of every pair over all orbits."""

    def __init__(self, passes: Sequence[Sequence[Seating]], owners: Sequence[int]) -> None:
        self.passes = [[list(table) for table in tables] for tables in passes]
        self._owners = owners
        self._meetings: Counter[tuple[int, int]] = Counter()
        for tables in self.passes:
            for table in tables:
                for at, one in enumerate(table):
                    self._meet(one, table[:at], 1)

    def mend(self, tables: list[list[int]], rng: SplitMix64) -> bool:
        """Swaps until no owner meets himself; False when that takes too long."""
        for _ in range(40 * len(tables)):
            clashing = [
                (at, position)
                for at, table in enumerate(tables)
                for position in range(len(table))
                if self._clashes(table, position, table[position])
            ]
            if not clashing:
                return True
            at, position = rng.choice(clashing)
            prices = [
                (self._price(tables, at, other, position), rng.draw(), other)
                for other in range(len(tables))
                if self._possible(tables, at, other, position)
            ]
            if prices:
                self._swap(tables, at, min(prices)[2], position)
        return False

    def level(self, tables: list[list[int]], rng: SplitMix64) -> None:
        """Makes swaps that bring no clash and make the meetings more even."""
        for _ in range(20 * len(tables) * len(tables[0])):
            at, other, position = rng.below(len(tables)), rng.below(len(tables)), rng.below(len(tables[0]))
            if self._possible(tables, at, other, position) and self._price(tables, at, other, position) < (0, 0):
                self._swap(tables, at, other, position)

    def _possible(self, tables: list[list[int]], at: int, other: int, position: int) -> bool:
        mine, theirs = tables[at][position], tables[other][position]
        return mine != theirs and theirs not in tables[at] and mine not in tables[other]

    def _price(self, tables: list[list[int]], at: int, other: int, position: int) -> tuple[int, int]:
        """What the swap adds: clashes, and the sum over pairs of meetings squared."""
        mine, theirs = tables[at][position], tables[other][position]
        clashes = (
            self._clashes(tables[at], position, theirs)
            + self._clashes(tables[other], position, mine)
            - self._clashes(tables[at], position, mine)
            - self._clashes(tables[other], position, theirs)
        )
        squares = 0
        for table, leaves, comes in ((tables[at], mine, theirs), (tables[other], theirs, mine)):
            for label in table:
                if label != leaves and (label not in tables[at] or label not in tables[other]):
                    squares += 2 * (self._meetings[_pair(comes, label)] - self._meetings[_pair(leaves, label)] + 1)
        return clashes, squares

    def _swap(self, tables: list[list[int]], at: int, other: int, position: int) -> None:
        mine, theirs = tables[at][position], tables[other][position]
        for table, leaves, comes in ((tables[at], mine, theirs), (tables[other], theirs, mine)):
            rest = table[:position] + table[position + 1 :]
            self._meet(leaves, rest, -1)
            self._meet(comes, rest, 1)
            table[position] = comes

    def _meet(self, one: int, others: Sequence[int], times: int) -> None:
        for other in others:
            self._meetings[_pair(one, other)] += times

    def _clashes(self, table: Sequence[int], position: int, label: int) -> int:
        """How many others of its owner the label would meet at that position."""
        owner = self._owners[label]
        return sum(owner == self._owners[other] for at, other in enumerate(table) if at != position)


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
