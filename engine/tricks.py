"""Tricks: which cards are legal, who wins, and the view of a seat. Shared by the trick-taking games; knows no table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.cards import ABOVE, RANK_MASK, SUIT_MASK
from engine.game import by_fields

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

TRUMPS: Final = ("C", "D", "H", "S", "NT")


@dataclass(frozen=True, slots=True)
class FinishedDeal:
    """A deal that was played out, each by seat."""

    calls: bytes
    won: bytes
    scores: tuple[int, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)


@dataclass(frozen=True, slots=True)
class TrickObservation:
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

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)


def legal(hand: int, trick: Sequence[int], trump: int, must_beat: int, trump_when_void: int) -> int:
    """The cards of the hand that may be played on a trick. ``must_beat`` and ``trump_when_void`` are DUTIES values."""
    if not trick:
        return hand
    led = trick[0] // 13
    top = trick[0]
    ruff = -1
    for card in trick:
        if card // 13 == led:
            top = max(top, card)
        elif card // 13 == trump:
            ruff = max(ruff, card)
    return answers(hand, led, top, ruff, trump, must_beat, trump_when_void)


def answers(hand: int, led: int, top: int, ruff: int, trump: int, must_beat: int, trump_when_void: int) -> int:  # noqa: PLR0917
    """Legal cards on a trick whose highest card of the suit led is ``top`` and highest ruff is ``ruff`` (-1: none)."""
    follow = hand & SUIT_MASK[led]
    if follow:
        if must_beat != NEVER and (ruff < 0 or must_beat == ALWAYS):
            return follow & ABOVE[top] or follow
        return follow
    if trump_when_void == NEVER or trump == led or trump >= NO_TRUMP:
        return hand
    trumps = hand & SUIT_MASK[trump]
    if not trumps:
        return hand
    if ruff < 0:
        return trumps
    up = trumps & ABOVE[ruff]
    if up:
        return up
    # The trick is trumped and every trump we hold is too low.
    if trump_when_void == ALWAYS:
        return trumps
    if trump_when_void == NO_WASTE:
        return hand ^ trumps or hand
    return hand


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
