"""What a period does to every bot that played in it: Elo, and the sums that a table shows. Knows no database."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.ratings.elo import Result, Standing, UnitResult, rate_period
from arena.ratings.field import PlayedField


@dataclass(frozen=True, slots=True)
class PlayedUnit:
    """A unit of one table that was played whole.

    :ivar unit: its number in the tournament.
    :ivar versions: ids of the bots' versions at the table.
    :ivar places: for every match, by rotation, the places of ``versions`` in the same order; ``scores`` and ``faults``
        likewise.
    """

    unit: int
    versions: tuple[int, ...]
    places: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[int, ...], ...]
    faults: tuple[tuple[int, ...], ...]

    @property
    def bots(self) -> tuple[int, ...]:
        """All versions."""
        return self.versions

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The numbers of its line."""
        matches = zip(self.places, self.scores, self.faults, strict=True)
        return [(self.unit,), self.versions, *(group for match in matches for group in match)]

    @property
    def lines(self) -> Iterator[tuple[int, tuple[int, ...], int]]:
        """Every version with its score in each match and its faults in all."""
        for at, version in enumerate(self.versions):
            yield version, tuple(match[at] for match in self.scores), sum(match[at] for match in self.faults)


Played = PlayedUnit | PlayedField
"""A unit that counts."""


@dataclass(frozen=True, slots=True)
class Event:
    """What a period did to one version, and where it left it: all but ``delta_micro`` are totals since the start.

    :ivar micro_elo: millionths of an Elo.
    :ivar points: sum of the scores of the matches.
    """

    version: int
    delta_micro: int
    micro_elo: int
    units: int
    matches: int
    points: int
    faults: int


def tables(unit: Played) -> Iterator[PlayedUnit]:
    """The unit table by table, for whoever asks only what happened there."""
    if isinstance(unit, PlayedUnit):
        yield unit
        return
    for versions, places, scores, faults in zip(unit.versions, unit.places, unit.scores, unit.faults, strict=True):
        yield PlayedUnit(unit.unit, versions, (places,), (scores,), (faults,))


def rate(before: Mapping[int, Event], units: Sequence[Played]) -> list[Event]:
    """The event of every version that played in the period, by version.

    :param before: the last event of versions that have one.
    :raises ValueError: if units contradict each other.
    """
    standings = {version: Standing(event.micro_elo, event.units) for version, event in before.items()}
    changes = rate_period(standings, map(_result, units))
    matches = dict.fromkeys(changes, 0)
    points = dict.fromkeys(changes, 0)
    faults = dict.fromkeys(changes, 0)
    for unit in {unit.unit: unit for unit in units}.values():
        for version, scores, count in unit.lines:
            matches[version] += len(scores)
            points[version] += sum(scores)
            faults[version] += count
    events = []
    for version, change in changes.items():
        last = before.get(version) or Event(version, 0, 0, 0, 0, 0, 0)
        events.append(
            Event(
                version,
                change.delta_micro,
                change.after.micro_elo,
                change.after.units,
                last.matches + matches[version],
                last.points + points[version],
                last.faults + faults[version],
            )
        )
    return events


def digest(units: Iterable[Played]) -> bytes:
    """32 bytes: SHA-256 of one line per unit in ascending order, of the numbers that ``rate`` reads.

    A line is the unit, the versions, and the places, scores and faults of each match; of a field it is the unit, and
    the versions, places, scores, faults and forfeits of each table. Numbers are decimals with commas between them and
    spaces between groups, and a line ends with a line feed.
    """
    return hashlib.sha256(b"".join(line(unit) for unit in sorted(units, key=lambda unit: unit.unit))).digest()


def line(unit: Played) -> bytes:
    """The line of one unit."""
    return (" ".join(",".join(map(str, group)) for group in unit.groups) + "\n").encode()


def _result(unit: Played) -> Result:
    return unit if isinstance(unit, PlayedField) else UnitResult(unit.unit, unit.versions, unit.places)
