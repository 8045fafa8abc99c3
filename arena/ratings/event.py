"""What a period does to every bot that played in it: Elo, and the sums that a table shows. Knows no database."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.ratings.elo import Standing, UnitResult, rate_period


@dataclass(frozen=True, slots=True)
class PlayedUnit:
    """A unit that was played whole.

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


def rate(before: Mapping[int, Event], units: Sequence[PlayedUnit]) -> list[Event]:
    """The event of every version that played in the period, by version.

    :param before: the last event of versions that have one.
    :raises ValueError: if units contradict each other.
    """
    standings = {version: Standing(event.micro_elo, event.units) for version, event in before.items()}
    changes = rate_period(standings, (UnitResult(unit.unit, unit.versions, unit.places) for unit in units))
    matches = dict.fromkeys(changes, 0)
    points = dict.fromkeys(changes, 0)
    faults = dict.fromkeys(changes, 0)
    for unit in {unit.unit: unit for unit in units}.values():
        for at, version in enumerate(unit.versions):
            matches[version] += len(unit.places)
            points[version] += sum(scores[at] for scores in unit.scores)
            faults[version] += sum(counts[at] for counts in unit.faults)
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


def digest(units: Iterable[PlayedUnit]) -> bytes:
    """32 bytes: SHA-256 of one line per unit in ascending order, of the numbers that ``rate`` reads.

    A line is the unit, the versions, and the places, scores and faults of each match, as decimals with commas between
    numbers and spaces between groups, and ends with a line feed.
    """
    return hashlib.sha256(b"".join(line(unit) for unit in sorted(units, key=lambda unit: unit.unit))).digest()


def line(unit: PlayedUnit) -> bytes:
    """The line of one unit."""
    groups: list[tuple[int, ...]] = [(unit.unit,), unit.versions]
    for match in zip(unit.places, unit.scores, unit.faults, strict=True):
        groups.extend(match)
    return (" ".join(",".join(map(str, group)) for group in groups) + "\n").encode()
