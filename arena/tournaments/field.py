"""Who plays together in a field, as a pure function of entries and seed, and when a field counts. Knows no cards and no
ratings.

A *field* is one deal, played once at each of 4 to 16 tables at the same time. All its bots are different bots of
different owners, over all of its tables: two that belong together could tell each other what they hold. The platform's
own bots stand for themselves.

A *round* seats as many bots as it can, once each, in as few fields as possible, of sizes as equal as possible; the
seats within a field are drawn with its deal. Who has played most deals sits out, and of one owner there are never more
bots in a round than fields.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from arena.tournaments.cyclic import SplitMix64
from arena.tournaments.schedule import Entry, Owner, Table

LEAST_TABLES = 4
MOST_TABLES = 16


def least_done(tables: int) -> int:
    """How many tables of a field must have come to a result for it to count."""
    return max(2, -(-tables // 2))


def is_possible(entries: Collection[Entry], seats: int) -> bool:
    """Whether the entries are of owners enough for the smallest field of tables of that size."""
    return len({entry.party for entry in entries}) >= LEAST_TABLES * seats


def rounds_of(units: int, seats: int) -> int:
    """Rounds of an orbit: every bot has as many matches as in one of any other kind of units."""
    return units * seats**2


def field_schedule(entries: Sequence[Entry], seats: int, orbits: int, rounds: int, seed: bytes) -> list[Table]:
    """All fields, by orbit and index: ``entries`` of each are the bots of all its tables. In every orbit of so many
    rounds, at any time, any two bots whose owners have no more bots than a round has fields have played as many deals,
    but for one. The order of ``entries`` does not matter.

    :raises ValueError: if the entries are of too few owners for a field.
    """
    if not is_possible(entries, seats):
        raise ValueError(f"A field at tables of {seats} needs bots of {LEAST_TABLES * seats} owners.")
    rng = SplitMix64.labelled("card-arena schedule", seed)
    party_of = {entry.id: entry.party for entry in sorted(entries, key=lambda entry: entry.id)}
    fields, tables = _shape(Counter(party_of.values()).values(), seats)
    sizes = [seats * (tables // fields + (number < tables % fields)) for number in range(fields)]
    deals = dict.fromkeys(party_of, 0)
    schedule = []
    for orbit in range(orbits):
        for number in range(rounds):
            for place, bots in enumerate(_round(party_of, deals, sizes, rng)):
                schedule.append(Table(orbit, number * fields + place, bots))
    return schedule


def _shape(bots_of_parties: Collection[int], seats: int) -> tuple[int, int]:
    """Fields and tables of a round: as few fields as hold all bots of whom no two of one owner share a field."""
    fields = 1
    while (tables := sum(min(bots, fields) for bots in bots_of_parties) // seats) > MOST_TABLES * fields:
        fields += 1
    return fields, tables


def _round(
    party_of: dict[str, Owner], deals: dict[str, int], sizes: Sequence[int], rng: SplitMix64
) -> Iterator[tuple[str, ...]]:
    """The bots of every field of the next round, whose deals are counted."""
    waiting = list(party_of)
    rng.shuffle(waiting)
    waiting.sort(key=lambda bot: deals[bot])
    playing: dict[Owner, list[str]] = {}
    room = sum(sizes)
    for bot in waiting:
        bots = playing.setdefault(party_of[bot], [])
        if room and len(bots) < len(sizes):
            bots.append(bot)
            deals[bot] += 1
            room -= 1
    groups: list[list[list[str]]] = [[] for _ in range(len(sizes) + 1)]
    for bots in playing.values():
        groups[len(bots)].append(bots)
    for group in groups:
        rng.shuffle(group)
    for size in sizes:
        chosen: list[list[str]] = []
        # Who has most bots to seat has the fewest fields to spare for them.
        for group in reversed(groups[1:]):
            while group and len(chosen) < size:
                chosen.append(group.pop())
        yield tuple(bots.pop() for bots in chosen)
        for bots in chosen:
            group = groups[len(bots)]
            group.append(bots)
            other = rng.below(len(group))
            group[-1], group[other] = group[other], group[-1]
