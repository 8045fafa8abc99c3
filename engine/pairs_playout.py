"""Rounds of shown pairs played out at random, for counting what comes of it. Knows no match and no record.

Rule ids (MO-…) are those of docs/rules/minus_one.md. Cards and sets of cards are bits, bit c-1 for card c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.bits import count, nth
from engine.chance import Chance
from engine.pairs import DECK_ROUNDS

if TYPE_CHECKING:
    from mypy_extensions import i64

_DECK: Final = 0xFF


class Player:
    """A seat while rounds are played out.

    :ivar spent, resting: cards that may not be shown: those spent in this deck, and the one that rests, if any.
    :ivar shown, kept: the pair and the card chosen in this round, none before the choice is made.
    :ivar score: points and tokens.
    """

    __slots__ = ("kept", "resting", "score", "shown", "spent")

    spent: i64
    resting: i64
    shown: i64
    kept: i64
    score: i64

    def __init__(self, spent: i64, resting: i64, shown: i64, kept: i64, score: i64) -> None:
        self.spent = spent
        self.resting = resting
        self.shown = shown
        self.kept = kept
        self.score = score

    def show(self, chance: Chance) -> None:
        """Shows any pair of playable cards (MO-03)."""
        rest: i64 = _DECK & ~(self.spent | self.resting)
        playable = count(rest)
        skip = chance.below(playable * (playable - 1) >> 1)
        # Pairs are numbered by their lower card and then by the higher one.
        while True:
            low = rest & -rest
            rest ^= low
            playable -= 1
            if skip < playable:
                self.shown = low | nth(rest, skip)
                return
            skip -= playable

    def end_round(self, best: i64) -> None:
        """The kept card wins if it is the best one (MO-07); it is spent and the other one rests (MO-09, MO-10)."""
        kept = self.kept
        if kept == best:
            self.score += count(best - 1) + 2
        self.spent |= kept
        self.resting = self.shown ^ kept
        self.shown = self.kept = 0


def play_rounds(players: list[Player], first: i64, last: i64, rest_across: bool, chance: Chance) -> None:
    """Plays the rounds ``first`` to ``last`` (not included), each seat choosing evenly among what it may; choices that
    are made already stand. ``rest_across`` says whether a card rests in the first round of a new deck (MO-B3)."""
    for number in range(first, last):
        for player in players:
            if not player.shown:
                player.show(chance)
        once: i64 = 0
        twice: i64 = 0
        for player in players:
            if not player.kept:
                player.kept = chance.pick(player.shown)
            twice |= once & player.kept
            once |= player.kept
        # The lowest card that nobody else kept (MO-06, MO-07).
        alone = once & ~twice
        best = alone & -alone
        for player in players:
            player.end_round(best)
            if not (number + 1) % DECK_ROUNDS:
                player.spent = 0
                if not rest_across:
                    player.resting = 0
