"""The table of a trick-taking game: cards, calls and tricks of one deal as they change. Knows no scores."""

from collections.abc import Sequence
from typing import Final

from engine.tricks import NONE, UNSETTLED, answers

_BYTE: Final = tuple(bytes((n,)) for n in range(256))


class Table:
    """Cards, calls and tricks of one deal. Mutable; all fields are public and by seat where they are lists.

    :ivar step: what leads from a seat to the next one, modulo the seats: 1, or seats - 1 anticlockwise.
    :ivar size: cards dealt to each seat, which is also the number of tricks.
    :ivar turn: the seat to call or to play.
    :ivar called: how many seats have called.
    :ivar done: finished tricks.
    :ivar count: cards on the current trick.
    :ivar led, top, ruff: suit led, its highest card, and the highest trump on another suit (-1 for none).
    :ivar ahead: the seat that wins the trick so far.
    :ivar played: all cards played in this deal, the current trick included.
    """

    __slots__ = (
        "ahead", "called", "calls", "count", "done", "hands", "leader", "leaders", "led", "must_beat", "played",
        "ruff", "seats", "size", "step", "top", "trump", "trump_when_void", "turn", "won",
    )  # fmt: skip

    seats: int
    step: int
    must_beat: int
    trump_when_void: int
    hands: list[int]
    calls: list[int]
    called: int
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

    def __init__(self, seats: int, step: int, must_beat: int, trump_when_void: int) -> None:
        """A table on which nothing lies yet."""
        self.seats = seats
        self.step = step
        self.must_beat = must_beat
        self.trump_when_void = trump_when_void
        self.trump = UNSETTLED

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
        self.called = self.done = self.count = self.led = self.top = 0
        self.ruff = -1
        self.played = self.leaders = b""

    def legal(self) -> int:
        """The cards that the seat to play may play."""
        hand = self.hands[self.turn]
        if not self.count:
            return hand
        return answers(hand, self.led, self.top, self.ruff, self.trump, self.must_beat, self.trump_when_void)

    def play(self, card: int) -> None:
        """The seat to play plays a legal card. The turn passes on, to the winner after the last card of a trick."""
        seat = self.turn
        seats = self.seats
        count = self.count
        self.hands[seat] ^= 1 << card
        self.played += _BYTE[card]
        suit = card // 13
        if not count:
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
        if count + 1 < seats:
            self.count = count + 1
            self.turn = (seat + self.step) % seats
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
        self.called += 1
        self.turn = (self.turn + self.step) % self.seats

    def calls_in_turn(self, dealer: int, but: int = NONE) -> list[int]:
        """What was called so far, from the dealer's next seat on, without the call of the seat ``but``."""
        order = [(dealer + at * self.step) % self.seats for at in range(1, self.seats + 1)]
        return [self.calls[seat] for seat in order if seat != but and self.calls[seat] != NONE]

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
        other = Table(self.seats, self.step, self.must_beat, self.trump_when_void)
        other.hands = self.hands[:]
        other.calls = self.calls[:]
        other.called = self.called
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
