"""Elo for tables of several players, one frozen period at a time, in integer micro-Elo. Knows no database and no clock.

Within a period every unit is judged by the ratings at the period's start, and the changes are whole numbers that are
added, so the result depends neither on the order of the units nor on how often one is delivered. With k at a table

    S(i, j) = mean over the matches of the unit of 1, 1/2 or 0 for i placed above, level with or below j
    E(i, j) = 1 / (1 + 10^((R(j) - R(i)) / 400))
    K(i)    = min(max(8, 1400 / (n(i) + 8)), 700 / u(i))    n: units before the period, u: units within it
    d(i)    = round_half_even(1e6 * K(i) / (k - 1) * sum over j of (S(i, j) - E(i, j)))

K falls as 1/n because a version of a bot never changes; 700/u keeps a period of many units from overshooting.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

MICRO = 1_000_000
START_MICRO = 1500 * MICRO


@dataclass(frozen=True, slots=True)
class Standing:
    """What a bot brings into a period: its rating in millionths of an Elo, and the units behind it."""

    micro_elo: int = START_MICRO
    units: int = 0


class Result(Protocol):
    """A finished unit of any kind; equal ones are the same."""

    @property
    def unit(self) -> int:
        """Its id."""

    @property
    def bots(self) -> tuple[int, ...]:
        """Who played it, each once."""

    @property
    def divisor(self) -> int:
        """Of how many points at most a bot's surplus is."""

    def k_factor(self, units_before: int, units_now: int) -> float:
        """K in Elo for a bot with so many units before the period and within it (at least 1)."""

    def surplus(self, elos: Mapping[int, int]) -> list[float]:
        """By bot of :attr:`bots`: how much more it won than these ratings, in millionths of an Elo, let expect."""


@dataclass(frozen=True, slots=True)
class UnitResult:
    """A finished unit.

    :ivar unit: its id; the same id is the same unit.
    :ivar bots: who sat at the table, each once.
    :ivar places: for every match the places of ``bots``, in the same order; equal places are shared.
    :raises ValueError: if a bot sits twice, fewer than two bots sit, or the places do not fit the table.
    """

    unit: int
    bots: tuple[int, ...]
    places: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if len(set(self.bots)) < len(self.bots):
            raise ValueError(f"Unit {self.unit}: a bot sits twice at the table; give every seat to another bot.")
        if len(self.bots) < 2:
            raise ValueError(f"Unit {self.unit}: a table needs at least two bots.")
        if not self.places or any(len(match) != len(self.bots) for match in self.places):
            raise ValueError(f"Unit {self.unit}: every match, at least one, must have one place for every bot.")

    @property
    def divisor(self) -> int:
        """Its opponents."""
        return len(self.bots) - 1

    def k_factor(self, units_before: int, units_now: int) -> float:
        """That of the module."""
        return k_factor(units_before, units_now)

    def surplus(self, elos: Mapping[int, int]) -> list[float]:
        """Sum of S - E over the opponents, exactly rounded."""
        own = [elos[bot] for bot in self.bots]
        others = range(len(own))
        return [
            math.fsum(_score(self, me, other) - expected(own[me], own[other]) for other in others if other != me)
            for me in others
        ]


@dataclass(frozen=True, slots=True)
class Change:
    """What a period did to one bot."""

    delta_micro: int
    after: Standing


def rate_period(standings: Mapping[int, Standing], units: Iterable[Result]) -> dict[int, Change]:
    """The change of every bot that played, by bot, ascending. Bots without a standing start at 1500 Elo.

    :raises ValueError: if two different results have one unit id.
    """
    by_id: dict[int, Result] = {}
    for result in units:
        if by_id.setdefault(result.unit, result) != result:
            raise ValueError(
                f"Unit {result.unit} has two different results; void one of them before rating the period."
            )
    played = Counter(bot for result in by_id.values() for bot in result.bots)
    before = {bot: standings.get(bot, Standing()) for bot in sorted(played)}
    elos = {bot: start.micro_elo for bot, start in before.items()}
    deltas = dict.fromkeys(before, 0)
    for result in by_id.values():
        for bot, surplus in zip(result.bots, result.surplus(elos), strict=True):
            weight = MICRO * result.k_factor(before[bot].units, played[bot]) / result.divisor
            deltas[bot] += round(weight * surplus)  # Python rounds halves to even
    return {
        bot: Change(deltas[bot], Standing(start.micro_elo + deltas[bot], start.units + played[bot]))
        for bot, start in before.items()
    }


def k_factor(units_before: int, units_now: int) -> float:
    """K in Elo for a bot with so many units before the period and within it (at least 1)."""
    return min(max(8.0, 1400 / (units_before + 8)), 700 / units_now)


def expected(micro_elo: int, opponent_micro_elo: int) -> float:
    """The mean score that the first is expected to have against the second, 0..1."""
    return float(1 / (1 + 10 ** ((opponent_micro_elo - micro_elo) / (400 * MICRO))))


def _score(result: UnitResult, me: int, other: int) -> float:
    halves = sum(1 + (match[me] < match[other]) - (match[me] > match[other]) for match in result.places)
    return halves / (2 * len(result.places))
