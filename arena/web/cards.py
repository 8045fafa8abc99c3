"""Cards as they are drawn on a page. Knows no game."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engine.cards import write_card

SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
RANKS = {"T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}
# Suits in an order in which red and black take turns.
ORDER = "SHCD"


@dataclass(frozen=True, slots=True)
class Card:
    """A card: its text in records, its face, how it is read aloud, and whether it is red. ``mark`` is a word that the
    style knows: ``legal``, ``closed`` or nothing."""

    text: str
    face: str
    name: str
    red: bool
    mark: str = ""


def card(number: int, mark: str = "") -> Card:
    """The card with the number 0..51."""
    text = write_card(number)
    rank, suit = text[:-1], text[-1]
    face = f"{'10' if rank == 'T' else rank}{SIGNS[suit]}"
    return Card(text, face, f"{RANKS.get(rank, rank)} of {SUITS[suit]}", suit in "DH", mark)


def signed(text: str) -> str:
    """The text of an action with signs in place of letters: ``trump 6♣`` for ``trump 6C``."""
    return re.sub(r"(?<=\d)[CDHS]\b", lambda suit: SIGNS[suit[0]], text)


def in_hand(mask: int) -> list[int]:
    """The cards of a set as they are held: suit by suit, the highest first."""
    held = [number for number in range(52) if mask >> number & 1]
    return sorted(held, key=lambda number: (ORDER.index("CDHS"[number // 13]), -(number % 13)))


def marked(numbers: Iterable[int], legal: frozenset[str] | None) -> list[Card]:
    """The cards, those that may be played marked and the others closed; none marked if nothing is to be played."""
    if legal is None:
        return [card(number) for number in numbers]
    return [card(number, "legal" if write_card(number) in legal else "closed") for number in numbers]
