"""Who meets whom: the tables of a tournament as a pure function of entries and seed. Knows no cards and no ratings.

The entries get labels 0..N-1 in an order drawn from the seed. An orbit is a base block of k labels and its N shifts
modulo N: every bot sits at k of its tables, once at each position, whatever N is, and nobody sits out. Where all
subsets of the entries fit into the same number of tables, all subsets are played instead, equally often.

No two bots of one owner sit at one table; the platform's own bots are exempt. An owner with more bots than can play as
often as everybody else without meeting gets fewer places in the cycle, and his bots take these in turn.
"""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from arena.tournaments.cyclic import SplitMix64, base_blocks
from arena.tournaments.owners import separate

Slot = tuple[str, ...]
"""A place in the cycle: the entries that take it in turn, usually one."""

Seating = tuple[int, ...]
"""Labels by position."""

Owner = tuple[bool, str]
"""Whose a bot is; one of the house's is its own."""


class ScheduleError(ValueError):
    """No schedule can be made of these entries. The sentence says what to change."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot that takes part: its id in the tournament, its owner, whether it is one of the platform's own bots, and
    whether it is one of those by which a gauntlet measures the others."""

    id: str
    owner: str
    house: bool
    known: bool = False

    @property
    def party(self) -> Owner:
        """Who may not meet himself: the owner. Each of the platform's own bots stands for itself."""
        return self.house, self.id if self.house else self.owner


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits together. ``orbit`` is the pass of the schedule, ``index`` the table's number within it, both from 0."""

    orbit: int
    index: int
    entries: tuple[str, ...]


def schedule(entries: Sequence[Entry], seats: int, orbits: int, seed: bytes) -> list[Table]:
    """All tables, by orbit and index. The order of ``entries`` does not matter.

    Where all subsets are played, an orbit is all subsets once, and there are as many of these as fit into the tables
    that were asked for; so look at the tables for the number of orbits.

    :param orbits: about how often everybody plays, in units of ``seats`` tables; at least 1.
    :raises ScheduleError: if the entries are too few, repeated, or of too few owners.
    """
    if not 3 <= seats <= 7:
        raise ScheduleError(f"A table has 3 to 7 seats, not {seats}.")
    return tables_of(entries, seats, orbits, seed)


def tables_of(entries: Sequence[Entry], seats: int, orbits: int, seed: bytes) -> list[Table]:
    """As :func:`schedule`, also for two or more at a table."""
    if orbits < 1:
        raise ScheduleError(f"A tournament needs at least 1 orbit, not {orbits}.")
    if len({entry.id for entry in entries}) < len(entries):
        raise ScheduleError("An entry stands twice in the list; enter every bot once.")
    if len(entries) < seats:
        raise ScheduleError(
            f"Tables of {seats} need at least {seats} bots, and {len(entries)} are entered; enter more."
        )
    rng = SplitMix64.labelled("card-arena schedule", seed)
    groups = _groups(entries, seats, rng)
    labels = sum(map(len, groups))
    if len(groups) == labels and math.comb(labels, seats) <= labels * orbits:
        slots = [slot for group in groups for slot in group]
        passes = _all_subsets(labels, seats, labels * orbits // math.comb(labels, seats))
    else:
        slots, passes = _cyclic(groups, seats, orbits, rng)
    turns: Counter[Slot] = Counter()
    tables = []
    for orbit, seatings in enumerate(passes):
        for index, seating in enumerate(seatings):
            chosen = [slots[label] for label in seating]
            tables.append(Table(orbit, index, tuple(slot[turns[slot] % len(slot)] for slot in chosen)))
            turns.update(slot for slot in chosen)
    return tables


def owners_of(entries: Sequence[Entry], seats: int) -> dict[str, Owner]:
    """The owner of every entry.

    :raises ScheduleError: if they are fewer than there are seats.
    """
    found = {entry.id: entry.party for entry in entries}
    owners = len(set(found.values()))
    if owners < seats:
        raise ScheduleError(
            f"No two bots of one owner share a table, so tables of {seats} need bots of {seats} owners, and there are "
            f"{owners}; enter bots of other owners or house bots."
        )
    return found


def _groups(entries: Sequence[Entry], seats: int, rng: SplitMix64) -> list[list[Slot]]:
    """The slots of every owner, in drawn order. A group of q slots fits when q * seats is at most the slots of all."""
    owners: dict[Owner, list[str]] = {}
    for entry, owner in sorted(owners_of(entries, seats).items()):
        owners.setdefault(owner, []).append(entry)
    groups = [owners[key] for key in sorted(owners)]
    rng.shuffle(groups)
    for group in groups:
        rng.shuffle(group)
    sizes = [len(group) for group in groups]
    while seats * max(sizes) > sum(sizes):
        sizes[sizes.index(max(sizes))] -= 1
    return [
        [(entry,) for entry in group] if size == len(group) else [tuple(group)] * size
        for group, size in zip(groups, sizes, strict=True)
    ]


def _all_subsets(labels: int, seats: int, passes: int) -> list[list[Seating]]:
    """Every subset once per pass, as shifts of base blocks, so that positions come out even."""
    seatings: list[list[Seating]] = [[] for _ in range(passes)]
    for rest in itertools.combinations(range(1, labels), seats - 1):
        block = (0, *rest)
        if block != min(tuple(sorted((one - start) % labels for one in block)) for start in block):
            continue
        symmetry = sum({(one + shift) % labels for one in block} == set(block) for shift in range(labels))
        for number, tables in enumerate(seatings):
            turn = number % symmetry * (seats // symmetry)  # a block that is its own shift meets fewer positions
            turned = block[turn:] + block[:turn]
            tables.extend(_shifts(turned, labels)[: labels // symmetry])
    return seatings


def _cyclic(
    groups: list[list[Slot]], seats: int, orbits: int, rng: SplitMix64
) -> tuple[list[Slot], list[list[Seating]]]:
    """Slots by label, and for every orbit the labels that sit together."""
    slots = [slot for group in groups for slot in group]
    owners = [owner for owner, group in enumerate(groups) for _ in group]
    biggest = max(map(len, groups))
    if biggest > 1 and 2 * biggest * seats > len(slots):
        # Neighbours would take too many differences away, so balance is searched first and clashes are mended.
        labels = list(range(len(slots)))
        rng.shuffle(labels)
        mixed = [owners[label] for label in labels]
        blocks = base_blocks(len(slots), seats, orbits, 1, rng)
        passes = [_shifts(block, len(slots)) for block in blocks]
        if separated := separate(passes, mixed, rng):
            return [slots[label] for label in labels], separated
    blocks = base_blocks(len(slots), seats, orbits, biggest, rng)
    if biggest == 1:
        rng.shuffle(slots)
    return slots, [_shifts(block, len(slots)) for block in blocks]


def _shifts(block: Seating, labels: int) -> list[Seating]:
    return [tuple((one + shift) % labels for one in block) for shift in range(labels)]
