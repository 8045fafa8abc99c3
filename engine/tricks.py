"""Tricks: which cards are legal, who wins, and the view of a seat. Shared by the trick-taking games; knows no table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.cards import RANK_MASK, SUIT_MASK

if TYPE_CHECKING:
    from mypy_extensions import i64

NO_TRUMP: Final = 4
UNSETTLED: Final = 5
NONE: Final = 255
"""A seat that has not called; no trump caller."""

NEVER: Final = 0
UNLESS_TRUMPED: Final = 1
ALWAYS: Final = 2
MUST_WIN: Final = 3
NO_WASTE: Final = 4

DUTIES: Final = {
    "never": NEVER,
    "unless_trumped": UNLESS_TRUMPED,
    "always": ALWAYS,
    "must_win": MUST_WIN,
    "no_waste": NO_WASTE,
}
"""The values of the options ``must_beat`` and ``trump_when_void`` as the functions below take them."""

# Suits are shifted down from the spades and not up from the clubs, because compiled code takes a small literal for a
# number of 32 bits. Functions of sets have no conditional expressions, which compiled code boxes.
_SPADES: Final = 0x1FFF << 39

TRUMPS: Final = ("C", "D", "H", "S", "NT")


class FinishedDeal(NamedTuple):
    """A deal that was played out, each by seat."""

    calls: bytes
    won: bytes
    scores: tuple[int, ...]


class TrickObservation(NamedTuple):
    """What one seat knows of a trick-taking game. One byte is one card, call or count; arrays by seat start at seat 0.

    :ivar phase: index into the game's phases.
    :ivar redeal: how often this deal has been thrown in.
    :ivar leader: leads the current trick; before the first one, the seat that leads if nothing changes it.
    :ivar trump: 0..3, NO_TRUMP, or UNSETTLED while the trump is being called.
    :ivar tricks: how many tricks the deal has.
    :ivar hand: the cards that the seat holds and may see, as a set.
    :ivar trick: cards of the current trick in the order they were played.
    :ivar calls: by seat; 255 where none was made.
    :ivar history: cards of the finished tricks in the order they were played.
    :ivar leaders: who led each finished trick.
    :ivar laps: turns of the trump laps in order: option numbers of their phase, 0 for a pass.
    :ivar caller: the trump caller, 255 for none.
    :ivar voids: announced voids by seat, bit s for suit s; empty when nothing was announced.
    :ivar totals: by seat over the finished deals, in the game's score unit.
    """

    seat: int
    seats: int
    phase: int
    deal: int
    redeal: int
    extra: bool
    dealer: int
    leader: int
    trump: int
    tricks: int
    hand: int
    trick: bytes
    calls: bytes
    won: bytes
    history: bytes
    leaders: bytes
    laps: bytes
    caller: int
    voids: bytes
    totals: tuple[int, ...]
    last: FinishedDeal | None


def legal(hand: int, trick: Sequence[int], trump: int, must_beat: int, trump_when_void: int) -> int:
    """The cards of the hand that may be played on a trick. ``must_beat`` and ``trump_when_void`` are DUTIES values."""
    if not trick:
        return hand
    led = suit_cards(trick[0] // 13)
    trumps = suit_cards(trump) & ~led
    top = max(1 << card & led for card in trick)
    ruff = max(1 << card & trumps for card in trick)
    return answers(hand, led, top, trumps, ruff, must_beat, trump_when_void)


def answers(hand: i64, led: i64, top: i64, trumps: i64, ruff: i64, must_beat: i64, trump_when_void: i64) -> i64:  # noqa: PLR0917
    """Legal cards on a trick that is not empty. All but the duties are sets of cards: ``led`` and ``trumps`` are all
    cards of the suit led and of trumps, ``top`` is the highest card of the suit led that lies on the trick, and
    ``ruff`` the highest trump on a trick of another suit, or none."""
    # Of cards of one suit, those above a card that is not among them are cards & -card.
    follow = hand & led
    if follow:
        if must_beat != NEVER and (must_beat == ALWAYS or not ruff):
            higher = follow & -top
            return higher or follow
        return follow
    held = hand & trumps
    if not held or trump_when_void == NEVER:
        return hand
    if not ruff:
        return held
    higher = held & -ruff
    if higher:
        return higher
    # The trick is trumped and every trump we hold is too low.
    if trump_when_void == ALWAYS:
        return held
    if trump_when_void == NO_WASTE and held != hand:
        return hand ^ held
    return hand


def suit_cards(suit: i64) -> i64:
    """All cards of a suit; none for NO_TRUMP and UNSETTLED."""
    if suit >= NO_TRUMP:
        return 0
    return _SPADES >> 13 * (3 - suit)


def suit_around(card: i64) -> i64:
    """All cards of the suit of a card that is given as a set."""
    if card >> 39:
        return _SPADES
    if card >> 26:
        return _SPADES >> 13
    if card >> 13:
        return _SPADES >> 26
    return _SPADES >> 39


def winner(trick: Sequence[int], trump: int) -> int:
    """Index of the card that wins a trick: the highest trump, otherwise the highest card of the suit led."""
    best = 0
    for at, card in enumerate(trick):
        if card // 13 == trick[best] // 13:
            if card > trick[best]:
                best = at
        elif card // 13 == trump:
            best = at
    return best


def lowest(cards: int) -> int:
    """The lowest-ranked card of a non-empty set, ties clubs first: what the house plays (CB-B17)."""
    for rank in RANK_MASK:
        found = cards & rank
        if found:
            return (found & -found).bit_length() - 1
    raise ValueError("There is no lowest card of no cards.")


def voids(hand: int) -> int:
    """The suits that a hand lacks, bit s for suit s."""
    return sum(1 << suit for suit in range(4) if not hand & SUIT_MASK[suit])
