"""Tables at which no owner meets himself, each bot at one of them at most: who plays, and who may still sit down where.
Knows no strength and no result.

As many tables are made as different owners can fill. An owner who has a bot left for every table to come must have one
at the table that is made.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from arena.tournaments.schedule import Owner


def meetings_of(tables: Iterable[Sequence[str]]) -> Counter[frozenset[str]]:
    """How often two have met at these tables."""
    found: Counter[frozenset[str]] = Counter()
    for entries in tables:
        found.update(map(frozenset, itertools.combinations(entries, 2)))
    return found


def who_plays(
    order: Sequence[str], seats: int, owner_of: Mapping[str, Owner], most: int | None = None
) -> tuple[set[str], int]:
    """Those who play, the first ones in the order that can, and at how many tables; ``most`` is the most of these."""
    sizes = Counter(owner_of[entry] for entry in order)
    tables = len(order) // seats if most is None else min(most, len(order) // seats)
    while sum(min(size, tables) for size in sizes.values()) < seats * tables:
        tables -= 1
    playing: set[str] = set()
    of_owner: Counter[Owner] = Counter()
    for entry in order:
        if len(playing) < seats * tables and of_owner[owner_of[entry]] < tables:
            of_owner[owner_of[entry]] += 1
            playing.add(entry)
    return playing, tables


class Seated:
    """The table that is made, and what its owners have left for those to come."""

    def __init__(self, playing: Iterable[str], seats: int, owner_of: Mapping[str, Owner], tables: int) -> None:
        self.entries: list[str] = []
        self._seats = seats
        self._owner_of = owner_of
        self._tables = tables
        self._left = Counter(owner_of[entry] for entry in playing)
        self._by_left: dict[int, set[Owner]] = defaultdict(set)
        for owner, bots in self._left.items():
            self._by_left[bots].add(owner)
        self._here: set[Owner] = set()
        self._due = set(self._by_left[tables])

    @property
    def full(self) -> bool:
        """Whether every seat is taken."""
        return len(self.entries) == self._seats

    def may(self, entry: str) -> bool:
        """Whether the entry may take the next seat."""
        owner = self._owner_of[entry]
        left = self._seats - len(self.entries)
        forced = len(self._due) >= left and len(self._due - self._here) == left
        return owner not in self._here and (owner in self._due or not forced)

    def take(self, entry: str) -> None:
        """Gives the next seat to an entry that may have it."""
        self.entries.append(entry)
        self._here.add(self._owner_of[entry])

    def clear(self) -> tuple[str, ...]:
        """Who sat at the table; the next one is made."""
        seated = tuple(self.entries)
        for owner in self._here:
            self._by_left[self._left[owner]].remove(owner)
            self._left[owner] -= 1
            self._by_left[self._left[owner]].add(owner)
        self._tables -= 1
        self.entries = []
        self._here = set()
        self._due = set(self._by_left[self._tables])
        return seated
