"""Sharing cards out among hands of which it is known what they cannot hold, evenly. Knows no game and no seat.

A holder takes a number of cards out of a set that it may hold. Cards that the same holders may take are alike; so the
ways are counted by how many of each kind every holder takes, holder after holder, and drawn by their counts.
"""

import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from math import comb
from typing import Final

from engine.bits import count
from engine.cards import cards_of

CONTRADICTION: Final = "No world fits this observation; it must come unchanged from a match of this game."

_CHOOSE: Final[tuple[tuple[int, ...], ...]] = tuple(tuple(comb(n, k) for k in range(n + 1)) for n in range(53))
"""In how many ways k of n cards can be chosen: [n][k]."""

_TRIES: Final = 100_000
"""Draws that lack a wanted card before the cards are taken to be impossible. The worst positions of the games need
some dozens on average."""


class Shares:
    """All ways to share out a set of cards.

    :ivar may: by holder, the cards that it may get.
    :ivar wanted: holders and sets of which they get at least one card.
    """

    __slots__ = (
        "_cuts", "_free", "_groups", "_needs", "_next", "_order", "_pools", "_sizes", "_takes", "may", "wanted",
    )  # fmt: skip

    def __init__(
        self, cards: int, needs: Sequence[int], allowed: Sequence[int], wanted: Sequence[tuple[int, int]] = ()
    ) -> None:
        """Shares of the set ``cards`` of which holder h takes ``needs[h]`` cards out of the set ``allowed[h]``, all
        together taking all of them. Each pair of ``wanted`` is a holder and a set of which it has at least one card.

        :raises ValueError: if there is no such way.
        """
        may = [mask & cards for mask in allowed]
        self.wanted: Final = _settled(may, list(wanted))
        self.may: Final = may
        self._needs: Final = list(needs)
        # Those who may hold anything come last: what is left then is theirs in any way.
        bound = sorted([(count(mask), h) for h, mask in enumerate(may) if mask != cards])
        self._order: Final = [h for _, h in bound]
        self._free: Final = [h for h, mask in enumerate(may) if mask == cards]
        kinds = [(0, cards)]
        for at, h in enumerate(self._order):
            kinds = [
                part
                for kind, mask in kinds
                for part in ((kind | 1 << at, mask & may[h]), (kind, mask & ~may[h]))
                if part[1]
            ]
        top = 1 << len(bound) if self._free else 0
        kinds = sorted([(kind | top, mask) for kind, mask in kinds])
        if sum(needs) != count(cards) or (kinds and not kinds[0][0]):
            raise ValueError(CONTRADICTION)
        self._pools: Final = [cards_of(mask) for _, mask in kinds]
        self._sizes: Final = tuple([len(pool) for pool in self._pools])
        self._groups: Final[list[list[int]]] = [[kind for kind, _ in kinds]]
        self._takes: Final[list[list[int]]] = []
        self._next: Final[list[list[int]]] = []
        for _ in bound:
            groups = self._groups[-1]
            later = sorted({kind >> 1 for kind in groups if kind > 1})
            self._takes.append([at for at, kind in enumerate(groups) if kind & 1])
            self._next.append([later.index(kind >> 1) if kind > 1 else -1 for kind in groups])
            self._groups.append(later)
        self._cuts: Final[dict[tuple[int, tuple[int, ...]], _Cut]] = {}
        if not self._ways(0, self._sizes):
            raise ValueError(CONTRADICTION)

    def ways(self) -> int:
        """How many there are, whatever is wanted."""
        ways = self._ways(0, self._sizes)
        left = sum([self._needs[h] for h in self._free])
        for h in self._free:
            ways *= _CHOOSE[left][self._needs[h]]
            left -= self._needs[h]
        return ways

    def draw(self, rng: random.Random) -> list[list[int]]:
        """One of the ways, each as likely as any other: the cards of each holder. What a holder gets comes in any
        order, except where it is all that is left.

        :raises ValueError: if holders want what they cannot have together.
        """
        if not self.wanted:
            return self._drawn(rng)
        for _ in range(_TRIES):
            shares = self._drawn(rng)
            for h, wanted in self.wanted:
                for card in shares[h]:
                    if wanted >> card & 1:
                        break
                else:
                    break
            else:
                return shares
        raise ValueError(CONTRADICTION)

    def _drawn(self, rng: random.Random) -> list[list[int]]:
        uniform = rng.random
        shares: list[list[int]] = [[] for _ in self._needs]
        pools = [pool[:] for pool in self._pools]
        sizes = self._sizes
        last = len(self._order) - 1
        for level, h in enumerate(self._order):
            share = shares[h]
            takes = self._takes[level]
            if level == last:
                if takes:
                    _move(pools[takes[0]], share, self._needs[h], uniform)
            else:
                cut = self._cut(level, sizes)
                chosen = 0
                if len(cut.counts) > 1:
                    chosen = bisect_right(cut.totals, rng.randrange(cut.ways))
                counts = cut.counts[chosen]
                for at, group in enumerate(takes):
                    _move(pools[group], share, counts[at], uniform)
                sizes = cut.sizes[chosen]
            merged: list[list[int]] = [[] for _ in self._groups[level + 1]]
            for group, later in enumerate(self._next[level]):
                if later >= 0:
                    merged[later] += pools[group]
            pools = merged
        for h in self._free:
            if pools:
                _move(pools[0], shares[h], self._needs[h], uniform)
        return shares

    def _ways(self, level: int, sizes: tuple[int, ...]) -> int:
        """In how many ways the holders from this level on may take their cards out of kinds of these sizes, as far as
        they are bound."""
        last = len(self._order) - 1
        if level < last:
            return self._cut(level, sizes).ways
        if level > last or not self._takes[last]:
            return 1
        # Of the last one's cards all are alike: those who are left may hold each of them, or nobody is left.
        size = sizes[self._takes[last][0]]
        need = self._needs[self._order[last]]
        return _CHOOSE[size][need] if need <= size else 0

    def _cut(self, level: int, sizes: tuple[int, ...]) -> "_Cut":
        """How the holder of this level may take its cards out of kinds of these sizes."""
        key = (level, sizes)
        cut = self._cuts.get(key)
        if cut is None:
            cut = self._new_cut(level, sizes)
            self._cuts[key] = cut
        return cut

    def _new_cut(self, level: int, sizes: tuple[int, ...]) -> "_Cut":
        takes = self._takes[level]
        nexts = self._next[level]
        later = [0] * len(self._groups[level + 1])
        for group, to in enumerate(nexts):
            if to >= 0:
                later[to] += sizes[group]
        # A kind that no later holder may take is taken whole; the others are tried in all amounts.
        tried: list[tuple[int, list[int]]] = [(self._needs[self._order[level]], [])]
        room = sum([sizes[group] for group in takes])
        for group in takes:
            size = sizes[group]
            room -= size
            least = size if nexts[group] < 0 else 0
            tried = [
                (need - taken, [*counts, taken])
                for need, counts in tried
                for taken in range(max(least, need - room), min(size, need) + 1)
            ]
        ways = 0
        totals: list[int] = []
        kept: list[tuple[int, ...]] = []
        after: list[tuple[int, ...]] = []
        for need, counts in tried:
            if need:
                continue
            left = later[:]
            weight = 1
            for at, group in enumerate(takes):
                taken = counts[at]
                weight *= _CHOOSE[sizes[group]][taken]
                if nexts[group] >= 0:
                    left[nexts[group]] -= taken
            rest = tuple(left)
            weight *= self._ways(level + 1, rest)
            if weight:
                ways += weight
                totals.append(ways)
                kept.append(tuple(counts))
                after.append(rest)
        return _Cut(ways, totals, kept, after)


class _Cut:
    """What one holder may take.

    :ivar ways: in how many ways it and those after it may, as far as they are bound.
    :ivar totals: running totals of the ways of each choice.
    :ivar counts: for each choice, how many cards of each kind that it may hold.
    :ivar sizes: for each choice, the sizes of the kinds for the next holder.
    """

    __slots__ = ("counts", "sizes", "totals", "ways")

    def __init__(
        self, ways: int, totals: list[int], counts: list[tuple[int, ...]], sizes: list[tuple[int, ...]]
    ) -> None:
        self.ways: Final = ways
        self.totals: Final = totals
        self.counts: Final = counts
        self.sizes: Final = sizes


def _move(pool: list[int], share: list[int], need: int, uniform: Callable[[], float]) -> None:
    """Moves any ``need`` cards of a pool to a share, evenly."""
    left = len(pool)
    if need == left:
        share += pool
        pool.clear()
        return
    for _ in range(need):
        at = int(uniform() * left)
        left -= 1
        share.append(pool[at])
        pool[at] = pool[left]
        pool.pop()


def _settled(may: list[int], wanted: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What is still wanted once the only cards that can meet a want are given to whom they are wanted for; ``may`` is
    changed accordingly."""
    changed = True
    while changed:
        changed = False
        open_wants: list[tuple[int, int]] = []
        for h, mask in wanted:
            cards = mask & may[h]
            if not cards:
                raise ValueError(CONTRADICTION)
            if cards & (cards - 1):
                open_wants.append((h, cards))
                continue
            for other in range(len(may)):
                if other != h:
                    may[other] &= ~cards
            changed = True
        wanted = open_wants
    return wanted
