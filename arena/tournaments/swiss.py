"""Swiss rounds: tables of bots that are about as strong as each other. Knows no result and no formula of strength.

The strongest bot that has no table yet leads the next one. Every other seat goes to the bot, among the next 2k in the
order of strength, that has met those at the table least often; of several to the strongest. No two bots of one owner
share a table, and where that or the number of bots lets not all play, those sit out that did so least often before.
"""

import hashlib
import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from arena.tournaments.cyclic import SplitMix64
from arena.tournaments.schedule import Entry, ScheduleError, Table

Owner = tuple[bool, str]
"""Whose a bot is; one of the house's is its own."""


def draw_round(
    entries: Sequence[Entry], seats: int, seed: bytes, past: Sequence[Table], strengths: Mapping[str, int]
) -> list[Table]:
    """The tables of the round after ``past``, strongest first. The order of ``entries`` does not matter.

    :param past: all tables of the rounds before, whether they were played or not.
    :param strengths: by entry, more is stronger; who is not there is 0. Equal ones are in an order drawn from the seed.
    :raises ScheduleError: if the entries are of fewer owners than there are seats.
    """
    owner_of = {entry.id: entry.party for entry in entries}
    owners = len(set(owner_of.values()))
    if owners < seats:
        raise ScheduleError(
            f"No two bots of one owner share a table, so tables of {seats} need bots of {seats} owners, and there are "
            f"{owners}; enter bots of other owners or house bots."
        )
    orbit = 1 + max((table.orbit for table in past), default=-1)
    drawn = sorted(owner_of)
    SplitMix64(int.from_bytes(hashlib.sha256(b"card-arena swiss" + seed).digest()[:8], "big")).shuffle(drawn)
    playing, tables = _who_plays(drawn, seats, owner_of, past)
    ranking = sorted(drawn, key=lambda entry: -strengths.get(entry, 0))  # stable
    waiting = [entry for entry in reversed(ranking) if entry in playing]  # the strongest one last, whence it is taken
    meetings: Counter[frozenset[str]] = Counter()
    for table in past:
        meetings.update(map(frozenset, itertools.combinations(table.entries, 2)))
    left = Counter(owner_of[entry] for entry in waiting)
    by_left: dict[int, set[Owner]] = defaultdict(set)
    for owner, bots in left.items():
        by_left[bots].add(owner)
    found = []
    for index in range(tables):
        # Whoever has a bot for every table that is still to come must have one at this one.
        due = set(by_left[tables - index])
        seated: list[str] = []
        here: set[Owner] = set()
        while len(seated) < seats:
            forced = len(due - here) == seats - len(seated)
            free = (
                at
                for at in reversed(range(len(waiting)))
                if (owner := owner_of[waiting[at]]) not in here and (owner in due or not forced)
            )
            near = itertools.islice(free, 2 * seats if seated else 1)
            at = min(near, key=lambda at: sum(meetings[frozenset((waiting[at], other))] for other in seated))
            entry = waiting.pop(at)
            seated.append(entry)
            here.add(owner_of[entry])
        for owner in here:
            by_left[left[owner]].remove(owner)
            left[owner] -= 1
            by_left[left[owner]].add(owner)
        found.append(Table(orbit, index, tuple(seated)))
    return found


def _who_plays(
    drawn: Sequence[str], seats: int, owner_of: Mapping[str, Owner], past: Sequence[Table]
) -> tuple[set[str], int]:
    """Who plays in the round, and at how many tables: as many as can be filled with different owners."""
    sizes = Counter(owner_of.values())
    tables = len(drawn) // seats
    while sum(min(size, tables) for size in sizes.values()) < seats * tables:
        tables -= 1
    played = Counter(itertools.chain.from_iterable(table.entries for table in past))
    turn = {entry: at for at, entry in enumerate(drawn)}
    playing: set[str] = set()
    of_owner: Counter[Owner] = Counter()
    for entry in sorted(drawn, key=lambda entry: (played[entry], turn[entry])):
        if len(playing) < seats * tables and of_owner[owner_of[entry]] < tables:
            of_owner[owner_of[entry]] += 1
            playing.add(entry)
    return playing, tables
