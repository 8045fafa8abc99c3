"""Balanced base blocks in Z_N, and the generator that all draws of a schedule come from. Knows no entries and owners.

Only integers are used, also in the annealing: a schedule must come out the same on every machine.
"""

import hashlib
from collections.abc import MutableSequence, Sequence
from typing import TypeVar

Item = TypeVar("Item")

_COOLING = (24, 16, 12, 8, 6, 4, 3, 2, 0)
"""Temperatures in sixteenths."""
_ROUNDS = 12
_MASK = (1 << 64) - 1


class SplitMix64:
    """Steele, Lea and Flood's generator: 64 bits a draw."""

    __slots__ = ("_state",)

    def __init__(self, state: int) -> None:
        self._state = state & _MASK

    @classmethod
    def labelled(cls, label: str, seed: bytes) -> "SplitMix64":
        """The generator of one kind of draw: it starts with the first eight bytes of the SHA-256 of label and seed."""
        return cls(int.from_bytes(hashlib.sha256(label.encode() + seed).digest()[:8], "big"))

    def draw(self) -> int:
        """64 random bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        bits = self._state
        bits = ((bits ^ bits >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        bits = ((bits ^ bits >> 27) * 0x94D049BB133111EB) & _MASK
        return bits ^ bits >> 31

    def below(self, bound: int) -> int:
        """A number from 0 to bound-1, each equally likely."""
        limit = (1 << 64) - (1 << 64) % bound
        while (bits := self.draw()) >= limit:
            pass
        return bits % bound

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items, each equally likely."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[Item]) -> None:
        """Permutes the items in place, each order equally likely."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]


def base_blocks(labels: int, seats: int, orbits: int, gap: int, rng: SplitMix64) -> list[tuple[int, ...]]:
    """One block of residues modulo ``labels`` per orbit, no two of a block nearer than ``gap``; all differences
    occur about equally often over all blocks. Needs ``seats * gap <= labels``.
    """
    search = _Search(labels, seats, orbits, gap)
    best = (search.cost, search.blocks())
    for _ in range(_ROUNDS):
        for temperature in _COOLING:
            search.anneal(temperature, rng)
            if search.cost < best[0]:
                best = (search.cost, search.blocks())
            if search.cost == search.bound:
                return best[1]
    return best[1]


class _Search:
    """Blocks under annealing. The cost is the sum over all pairs of meetings squared, divided by ``labels``."""

    def __init__(self, labels: int, seats: int, orbits: int, gap: int) -> None:
        self._labels = labels
        self._gap = gap
        self._blocks = [[seat * labels // seats for seat in range(seats)] for _ in range(orbits)]
        # The antipodal difference of an even N links each label to one other, not two: its pairs meet twice per use.
        self._weights = [2 if 2 * distance == labels else 1 for distance in range(labels // 2 + 1)]
        self._uses = [0] * (labels // 2 + 1)
        for block in self._blocks:
            for at, one in enumerate(block):
                for other in block[:at]:
                    self._uses[self._distance(one, other)] += 1
        self.cost = sum(weight * uses * uses for weight, uses in zip(self._weights, self._uses, strict=True))
        self.bound = self._least_cost(sum(self._uses))

    def blocks(self) -> list[tuple[int, ...]]:
        return [tuple(block) for block in self._blocks]

    def anneal(self, temperature: int, rng: SplitMix64) -> None:
        """Tries to move single residues; stops early when no schedule can be better."""
        seats = len(self._blocks[0])
        for _ in range(24 * seats * len(self._blocks) + 400):
            block = rng.choice(self._blocks)
            at = 1 + rng.below(seats - 1)  # residue 0 stays: a shifted block makes the same tables
            place = rng.below(self._labels)
            before = self.cost
            old = block[at]
            others = block[:at] + block[at + 1 :]
            if any(self._distance(place, other) < self._gap for other in others):
                continue
            self._move(others, old, place)
            # Accepted with probability 2^-n for a rise of n temperatures: the trailing zeros of a draw are geometric.
            bits = rng.draw()
            zeros = (bits & -bits).bit_length() - 1
            if self.cost > before and 16 * (self.cost - before) > temperature * zeros:
                self._move(others, place, old)
                continue
            block[at] = place
            if self.cost == self.bound:
                return

    def _move(self, others: list[int], old: int, place: int) -> None:
        for other in others:
            distance = self._distance(old, other)
            self._uses[distance] -= 1
            self.cost -= self._weights[distance] * (2 * self._uses[distance] + 1)
        for other in others:
            distance = self._distance(place, other)
            self.cost += self._weights[distance] * (2 * self._uses[distance] + 1)
            self._uses[distance] += 1

    def _distance(self, one: int, other: int) -> int:
        apart = (one - other) % self._labels
        return min(apart, self._labels - apart)

    def _least_cost(self, uses: int) -> int:
        """No blocks with so many differences cost less."""
        plain = sum(1 for distance in range(self._gap, self._labels // 2 + 1) if self._weights[distance] == 1)
        return min(
            2 * antipodal * antipodal + _even_squares(uses - antipodal, plain)
            for antipodal in range(uses + 1 if self._labels % 2 == 0 else 1)
            if plain or antipodal == uses
        )


def _even_squares(total: int, parts: int) -> int:
    if parts == 0:
        return 0
    small, larger = divmod(total, parts)
    return (parts - larger) * small * small + larger * (small + 1) * (small + 1)
