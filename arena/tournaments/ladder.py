"""A period of a ladder: who of those that wait plays, and the tables that tell most. Knows no formula of strength.

Those play who wait longest, among equals those with the fewest periods, then who entered first; each at one table. So
nobody plays twice while somebody waits whom the owner cap lets play. The bot about which least is known leads the next
table. Every other seat goes to the one, among those nearest to it in strength, from whose meeting those at the table
the most is to be learnt: the more even they are, the less is known of them and the rarer they have met.
"""

import bisect
import itertools
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arena.tournaments.capped import Seated, who_plays
from arena.tournaments.cyclic import SplitMix64
from arena.tournaments.schedule import Entry, ScheduleError, Table, owners_of

MEAN = 1500
UNKNOWN = 686
"""Half the width of the 95 % interval, in Elo, of a bot that has not played: that of the fit's prior."""
MEMORY = 100
"""Periods whose meetings are remembered."""
NEAR = 64
"""Bots of which the next one at a table is chosen."""

_FAR = 2000
_EVENNESS = tuple(
    round(1_000_000 * chance * (1 - chance)) for chance in (1 / (1 + 10 ** (-ahead / 400)) for ahead in range(_FAR + 1))
)
"""E (1 - E) by difference in Elo, in millionths. Whole numbers, as in every draw: it comes out alike everywhere."""


@dataclass(frozen=True, slots=True)
class Waited:
    """When a bot last played in the ladder, as the number of a period from 1, and in how many; 0 if it never did."""

    last: int = 0
    periods: int = 0


@dataclass(frozen=True, slots=True)
class Strength:
    """What is known of a bot, in Elo: its rating and half the width of its 95 % interval."""

    elo: int = MEAN
    margin: int = UNKNOWN


@dataclass(frozen=True, slots=True)
class Known:
    """What a period's tables follow: strengths, and how often two have met."""

    strengths: Mapping[str, Strength] = field(default_factory=dict)
    meetings: Mapping[frozenset[str], int] = field(default_factory=dict)


def choose(entries: Sequence[Entry], seats: int, batch: int | None, waited: Mapping[str, Waited]) -> list[Entry]:
    """Those who play in the next period, in the order of ``entries``, which is that in which they came.

    :param batch: tables at most; None for as many as can be made.
    :raises ScheduleError: if one table cannot be made.
    """
    owner_of = owners_of(entries, seats)
    order = sorted((entry.id for entry in entries), key=lambda entry: _turn(waited.get(entry, Waited())))  # stable
    playing, _ = who_plays(order, seats, owner_of, batch)
    return [entry for entry in entries if entry.id in playing]


def seat(playing: Sequence[Entry], seats: int, seed: bytes, known: Known) -> list[Table]:
    """The tables of a period, all of orbit 0. The order of ``playing`` does not matter.

    :param playing: as many as :func:`choose` has said.
    :raises ScheduleError: if they do not fill tables.
    """
    owner_of = owners_of(playing, seats)
    drawn = sorted(owner_of)
    SplitMix64.labelled("card-arena ladder", seed).shuffle(drawn)
    chosen, tables = who_plays(drawn, seats, owner_of)
    if len(chosen) < len(playing):
        raise ScheduleError(
            f"{len(playing)} bots of {len(set(owner_of.values()))} owners do not fill tables of {seats}."
        )
    of = {entry: known.strengths.get(entry, Strength()) for entry in drawn}
    places = {entry: (of[entry].elo, turn, entry) for turn, entry in enumerate(drawn)}
    line = sorted(places.values())
    leading = deque(sorted(drawn, key=lambda entry: -of[entry].margin))  # stable
    gone: set[str] = set()
    seated = Seated(drawn, seats, owner_of, tables)
    found = []

    def tells(entry: str) -> int:
        """How much is to be learnt if the entry joins the table."""
        return sum(
            _EVENNESS[min(_FAR, abs(of[entry].elo - of[other].elo))]
            * (of[entry].margin ** 2 + of[other].margin ** 2)
            // (1 + known.meetings.get(frozenset((entry, other)), 0))
            for other in seated.entries
        )

    for index in range(tables):
        while leading[0] in gone:
            leading.popleft()
        leader = next(entry for entry in leading if entry not in gone and seated.may(entry))
        at = bisect.bisect_left(line, places[leader])
        while not seated.full:
            near = itertools.islice((one for one in _outward(line, at, of[leader].elo) if seated.may(one)), NEAR)
            entry = max(near, key=tells) if seated.entries else leader
            place = bisect.bisect_left(line, places[entry])
            del line[place]
            at -= place < at
            seated.take(entry)
            gone.add(entry)
        found.append(Table(0, index, seated.clear()))
    return found


def _turn(waited: Waited) -> tuple[int, int]:
    return waited.last, waited.periods


def _outward(line: Sequence[tuple[int, int, str]], at: int, elo: int) -> Iterator[str]:
    """The entries of a line of strengths, those nearest to the place, whose strength is ``elo``, first; of two that are
    as near the weaker one."""
    below, above = at - 1, at
    while below >= 0 or above < len(line):
        if above == len(line) or (below >= 0 and elo - line[below][0] <= line[above][0] - elo):
            yield line[below][2]
            below -= 1
        else:
            yield line[above][2]
            above += 1
