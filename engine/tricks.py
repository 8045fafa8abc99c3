"""Tricks: which cards are legal, who wins, and what a seat sees. Shared by the trick-taking games; knows no scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.cards import ABOVE, RANK_MASK, SUIT_MASK

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

_BYTE: Final = tuple(bytes((n,)) for n in range(256))


@dataclass(frozen=True, slots=True)
class FinishedDeal:
    """A deal that was played out, each by seat."""

    calls: bytes
    won: bytes
    scores: tuple[int, ...]


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
    return _answers(hand, led, top, ruff, trump, must_beat, trump_when_void)


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


def _answers(hand: int, led: int, top: int, ruff: int, trump: int, must_beat: int, trump_when_void: int) -> int:  # noqa: PLR0917
    """Legal cards on a trick whose highest card of the suit led is ``top`` and highest ruff is ``ruff`` (-1: none)."""
    follow = hand & SUIT_MASK[led]
    if follow:
        if must_beat == ALWAYS or (must_beat == UNLESS_TRUMPED and ruff < 0):
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


def empty_table(seats: int, step: int, must_beat: int, trump_when_void: int) -> "Table":
    """A table on which nothing lies yet."""
    table = Table()
    table.seats = seats
    table.step = step
    table.must_beat = must_beat
    table.trump_when_void = trump_when_void
    table.trump = UNSETTLED
    return table


class Table:
    """Cards, calls and tricks of one deal. Mutable; all fields are public and by seat where they are lists.

    :ivar step: what leads from a seat to the next one, modulo the seats: 1, or seats - 1 anticlockwise.
    :ivar size: cards dealt to each seat, which is also the number of tricks.
    :ivar turn: the seat to call or to play.
    :ivar done: finished tricks.
    :ivar count: cards on the current trick.
    :ivar led, top, ruff: suit led, its highest card, and the highest trump on another suit (-1 for none).
    :ivar ahead: the seat that wins the trick so far.
    :ivar played: all cards played in this deal, the current trick included.
    """

    __slots__ = (
        "ahead", "calls", "count", "done", "hands", "leader", "leaders", "led", "must_beat", "played", "ruff",
        "seats", "size", "step", "top", "trump", "trump_when_void", "turn", "won",
    )  # fmt: skip

    seats: int
    step: int
    must_beat: int
    trump_when_void: int
    hands: list[int]
    calls: list[int]
    won: list[int]
    size: int
    turn: int
    leader: int
    trump: int
    done: int
    count: int
    led: int
    top: int
    ruff: int
    ahead: int
    played: bytes
    leaders: bytes

    def lay(self, pack: Sequence[int], size: int, dealer: int) -> None:
        """Deals a pack: ``size`` cards to each seat, one at a time from the dealer's next seat. Nothing is called or
        played yet, and that seat leads and has the turn."""
        seats = self.seats
        self.hands = [0] * seats
        self.calls = [NONE] * seats
        self.won = [0] * seats
        seat = dealer
        for at in range(seats):
            seat = (seat + self.step) % seats
            hand = 0
            for card in pack[at : size * seats : seats]:
                hand |= 1 << card
            self.hands[seat] = hand
        self.size = size
        self.leader = self.turn = self.ahead = (dealer + self.step) % seats
        self.done = self.count = self.led = self.top = 0
        self.ruff = -1
        self.played = self.leaders = b""

    def legal(self) -> int:
        """The cards that the seat to play may play."""
        hand = self.hands[self.turn]
        if not self.count:
            return hand
        return _answers(hand, self.led, self.top, self.ruff, self.trump, self.must_beat, self.trump_when_void)

    def play(self, card: int) -> None:
        """The seat to play plays a legal card. The turn passes on, to the winner after the last card of a trick."""
        seat = self.turn
        self.hands[seat] ^= 1 << card
        self.played += _BYTE[card]
        suit = card // 13
        if not self.count:
            self.led = suit
            self.top = card
            self.ruff = -1
            self.ahead = seat
        elif suit == self.led:
            if card > self.top:
                self.top = card
                if self.ruff < 0:
                    self.ahead = seat
        elif suit == self.trump and card > self.ruff:
            self.ruff = card
            self.ahead = seat
        self.count += 1
        if self.count < self.seats:
            self.turn = (seat + self.step) % self.seats
            return
        ahead = self.ahead
        self.won[ahead] += 1
        self.leaders += _BYTE[self.leader]
        self.leader = self.turn = ahead
        self.count = 0
        self.done += 1

    def call(self, number: int) -> None:
        """The seat to call calls; the turn passes on."""
        self.calls[self.turn] = number
        self.turn = (self.turn + self.step) % self.seats

    def dealt(self, seat: int) -> int:
        """The cards that a seat was dealt, played ones too."""
        hand = self.hands[seat]
        seats = self.seats
        for trick in range(self.done + 1):
            leader = self.leaders[trick] if trick < self.done else self.leader
            at = trick * seats + (seat - leader) * self.step % seats
            if at < len(self.played):
                hand |= 1 << self.played[at]
        return hand

    def clone(self) -> "Table":
        """An independent copy."""
        other = Table()
        other.seats = self.seats
        other.step = self.step
        other.must_beat = self.must_beat
        other.trump_when_void = self.trump_when_void
        other.hands = self.hands[:]
        other.calls = self.calls[:]
        other.won = self.won[:]
        other.size = self.size
        other.turn = self.turn
        other.leader = self.leader
        other.trump = self.trump
        other.done = self.done
        other.count = self.count
        other.led = self.led
        other.top = self.top
        other.ruff = self.ruff
        other.ahead = self.ahead
        other.played = self.played
        other.leaders = self.leaders
        return other
