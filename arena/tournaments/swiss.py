"""Swiss rounds: tables of bots that are about as strong as each other. Knows no result and no formula of strength.

The strongest bot that has no table yet leads the next one. Every other seat goes to the bot, among the next 2k in the
order of strength, that has met those at the table least often; of several to the strongest. No two bots of one owner
share a table, and where that or the number of bots lets not all play, those sit out that did so least often before.
"""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

from arena.tournaments.capped import Seated, meetings_of, who_plays
from arena.tournaments.cyclic import SplitMix64
from arena.tournaments.schedule import Entry, Table, owners_of


def draw_round(
    entries: Sequence[Entry], seats: int, seed: bytes, past: Sequence[Table], strengths: Mapping[str, int]
) -> list[Table]:
    """The tables of the round after ``past``, strongest first. The order of ``entries`` does not matter.

    :param past: all tables of the rounds before, whether they were played or not.
    :param strengths: by entry, more is stronger; who is not there is 0. Equal ones are in an order drawn from the seed.
    :raises ScheduleError: if the entries are of fewer owners than there are seats.
    """
    owner_of = owners_of(entries, seats)
    orbit = 1 + max((table.orbit for table in past), default=-1)
    drawn = sorted(owner_of)
    SplitMix64.labelled("card-arena swiss", seed).shuffle(drawn)
    played = Counter(itertools.chain.from_iterable(table.entries for table in past))
    playing, tables = who_plays(sorted(drawn, key=lambda entry: played[entry]), seats, owner_of)  # stable
    ranking = sorted(drawn, key=lambda entry: -strengths.get(entry, 0))  # stable
    waiting = [entry for entry in reversed(ranking) if entry in playing]  # the strongest one last, whence it is taken
    meetings = meetings_of(table.entries for table in past)
    seated = Seated(playing, seats, owner_of, tables)
    found = []
    for index in range(tables):
        while not seated.full:
            free = (at for at in reversed(range(len(waiting))) if seated.may(waiting[at]))
            near = itertools.islice(free, 2 * seats if seated.entries else 1)
            at = min(near, key=lambda at: sum(meetings[frozenset((waiting[at], one))] for one in seated.entries))
            seated.take(waiting.pop(at))
        found.append(Table(orbit, index, seated.clear()))
    return found
