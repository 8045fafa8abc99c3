"""Pairs of the cards 1..8, and what a seat sees where pairs are shown. Knows no scores.

A set of cards is a byte whose bit c-1 is card c.
"""

from itertools import combinations
from typing import Final, NamedTuple

DECK_ROUNDS: Final = 6
"""Rounds that a deck lasts (MO-11)."""

PAIRS: Final = tuple(combinations(range(1, 9), 2))
"""The pair that each show action means, lower card first."""

PAIR_SETS: Final = tuple(1 << low - 1 | 1 << high - 1 for low, high in PAIRS)
"""The same as sets of cards."""

SHOWS: Final[tuple[int, ...]] = tuple(
    sum(1 << a for a in range(28) if PAIR_SETS[a] & cards == PAIR_SETS[a]) for cards in range(256)
)
"""For each set of playable cards the pairs that may be shown: bit a is PAIRS[a]."""


class PairsObservation(NamedTuple):
    """What one seat knows of the match: all but choices that are not revealed yet. Arrays by seat start at seat 0.

    :ivar phase: index into the game's phases.
    :ivar round: from 0.
    :ivar playable: sets of cards that may be shown in this round.
    :ivar resting: the card that rests in this round, 0 for none.
    :ivar spent: sets of cards spent in this deck.
    :ivar shown: the pairs on the table as sets; empty while they are being chosen.
    :ivar points: without tokens.
    :ivar last_won: the last round won, from 1; 0 for none.
    :ivar shows: pairs shown in the finished rounds of this deck, round after round.
    :ivar keeps: cards kept, in the same order.
    """

    seat: int
    seats: int
    phase: int
    round: int
    playable: bytes
    resting: bytes
    spent: bytes
    shown: bytes
    points: tuple[int, ...]
    tokens: bytes
    last_won: bytes
    shows: bytes
    keeps: bytes
