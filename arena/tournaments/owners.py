"""Separates bots of one owner by swapping seats between tables of an orbit. Knows only labels and their owners.

A swap exchanges two bots at the same position, so every bot keeps its number of tables and its positions.
"""

from collections import Counter
from collections.abc import Sequence

from arena.tournaments.cyclic import SplitMix64

Seating = tuple[int, ...]

_LEVELLINGS = 3
_TRIALS = 150_000
"""Of swaps that level, in all: some seconds, whatever the number of tables."""
_LOOKED_AT = 24
"""Tables that are looked at for one swap: among so many one is good, and all are too many of ten thousand."""


def separate(passes: Sequence[Sequence[Seating]], owners: Sequence[int], rng: SplitMix64) -> list[list[Seating]] | None:
    """The tables of every orbit with no two labels of one owner together, and the meetings of others still about even.
    None when the search finds no such tables.

    :param owners: the owner of each label.
    """
    swaps = _Swaps(passes, owners)
    for tables in swaps.passes:
        if not swaps.mend(tables, rng):
            return None
    for tables in swaps.passes * _LEVELLINGS:
        most = _TRIALS // (_LEVELLINGS * len(swaps.passes))
        swaps.level(tables, min(20 * len(tables) * len(tables[0]), most), rng)
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
        doubtful = list(range(len(tables)))
        for _ in range(40 * len(tables)):
            while doubtful and not (clashing := self._clashing(tables[doubtful[-1]])):
                doubtful.pop()
            if not doubtful:
                return True
            at, position = doubtful[-1], rng.choice(clashing)
            others = [other for other in _some(len(tables), rng) if self._possible(tables, at, other, position)]
            clean = [other for other in others if self._is_clean(tables, at, other, position)]
            prices = [(self._price(tables, at, other, position), rng.draw(), other) for other in (clean or others)]
            if prices:
                other = min(prices)[2]
                self._swap(tables, at, other, position)
                doubtful.append(other)
        return False

    def level(self, tables: list[list[int]], trials: int, rng: SplitMix64) -> None:
        """Makes swaps that bring no clash and make the meetings more even."""
        for _ in range(trials):
            at, other, position = rng.below(len(tables)), rng.below(len(tables)), rng.below(len(tables[0]))
            crowded = self._meets_again(tables[at], position) or self._meets_again(tables[other], position)
            if not crowded or not self._possible(tables, at, other, position):
                continue
            if self._price(tables, at, other, position) < (0, 0):
                self._swap(tables, at, other, position)

    def _clashing(self, table: Sequence[int]) -> list[int]:
        """Positions at which an owner meets himself."""
        return [at for at, label in enumerate(table) if self._clashes(table, at, label)]

    def _possible(self, tables: list[list[int]], at: int, other: int, position: int) -> bool:
        mine, theirs = tables[at][position], tables[other][position]
        return mine != theirs and theirs not in tables[at] and mine not in tables[other]

    def _is_clean(self, tables: list[list[int]], at: int, other: int, position: int) -> bool:
        """Whether the swap leaves neither of the two where its owner is."""
        mine, theirs = tables[at][position], tables[other][position]
        return not (self._clashes(tables[at], position, theirs) or self._clashes(tables[other], position, mine))

    def _meets_again(self, table: Sequence[int], position: int) -> bool:
        """Whether one at the table meets the label at that position more than once: else no swap makes it more even."""
        label = table[position]
        return any(other != label and self._meetings[_pair(label, other)] > 1 for other in table)

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


def _some(tables: int, rng: SplitMix64) -> Sequence[int]:
    """All of so few tables, a drawn part of more."""
    return range(tables) if tables <= _LOOKED_AT else [rng.below(tables) for _ in range(_LOOKED_AT)]
