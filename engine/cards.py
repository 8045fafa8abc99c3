"""Cards, suits and sets of cards. Knows no game.

A card is ``suit * 13 + rank``: suits clubs, diamonds, hearts, spades are 0..3, ranks two to ace are 0..12. A set of
cards is an int in which bit c is card c. A card is written rank first: ``AS``, ``TD``, ``2C``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from engine.bits import numbered

if TYPE_CHECKING:
    from mypy_extensions import i64

CLUBS: Final = 0
DIAMONDS: Final = 1
HEARTS: Final = 2
SPADES: Final = 3

SUITS: Final = "CDHS"
RANKS: Final = "23456789TJQKA"

_ACE_OF_SPADES: Final = 1 << 51

PACK: Final = tuple(range(52))
SUIT_MASK: Final = tuple(((1 << 13) - 1) << (13 * suit) for suit in range(4))
ABOVE: Final = tuple(SUIT_MASK[c // 13] & ~((2 << c) - 1) for c in PACK)
"""For each card the higher cards of its suit."""

RANK_MASK: Final = tuple(sum(1 << (13 * suit + rank) for suit in range(4)) for rank in range(13))


def card(suit: int, rank: int) -> int:
    """The card of a suit 0..3 and a rank 0..12."""
    if not (0 <= suit <= 3 and 0 <= rank <= 12):
        raise ValueError(f"There is no card of suit {suit} and rank {rank}; suits are 0..3 and ranks 0..12.")
    return suit * 13 + rank


def write_card(card: int) -> str:
    """``AS`` for the ace of spades.

    :raises ValueError: if there is no such card.
    """
    if not 0 <= card <= 51:
        raise ValueError(f"There is no card {card}; cards are 0..51.")
    return RANKS[card % 13] + SUITS[card // 13]


def read_card(text: str) -> int:
    """The card of its text.

    :raises ValueError: if the text is no card.
    """
    if len(text) == 2:
        rank = RANKS.find(text[0])
        suit = SUITS.find(text[1])
        if rank >= 0 and suit >= 0:
            return suit * 13 + rank
    raise ValueError(f"{text!r} is no card; a card is one of {RANKS} followed by one of {SUITS}, such as TD.")


def cards_of(mask: int) -> list[int]:
    """The cards of a set, ascending."""
    return numbered(mask, 0)


def alone(card: i64) -> i64:
    """The set of one card."""
    # Shifted down from the ace of spades, because compiled code takes a small literal for a number of 32 bits.
    return _ACE_OF_SPADES >> 51 - card


def mask_of(cards: Iterable[int]) -> int:
    """The set of some cards."""
    mask: i64 = 0
    if isinstance(cards, bytes):
        # The same without an iterator: compiled, this is some times as fast.
        for at in range(len(cards)):
            mask |= alone(cards[at])
        return mask
    for c in cards:
        mask |= alone(c)
    return mask


def read_cards(text: str) -> list[int]:
    """The cards of a text such as ``AS TD 2C``, in its order.

    :raises ValueError: if a word is no card.
    """
    return [read_card(word) for word in text.split()]


def write_cards(cards: Iterable[int]) -> str:
    """The text of some cards, in their order."""
    return " ".join(write_card(c) for c in cards)
