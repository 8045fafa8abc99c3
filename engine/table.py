"""The table of a trick-taking game: cards, calls and tricks of one deal as they change. Knows no scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.cards import alone
from engine.chance import Chance
from engine.tricks import NONE, UNSETTLED, answers, suit_around, suit_cards

if TYPE_CHECKING:
    from mypy_extensions import i64

ALONE: Final[tuple[tuple[int, ...], ...]] = tuple((seat,) for seat in range(8))
"""For each seat the tuple of it alone: who is to act at a turn."""

BYTE: Final[tuple[bytes, ...]] = tuple(bytes((n,)) for n in range(256))
"""For each number below 256 the bytes of it alone."""


class Table:
    """Cards, calls and tricks of one deal. Mutable; all fields are public and by seat where they are lists.

    :ivar step: what leads from a seat to the next one, modulo the seats: 1, or seats - 1 anticlockwise.
    :ivar size: cards dealt to each seat, which is also the number of tricks.
    :ivar dealt: the cards that each seat was dealt, as a set; the list is shared by clones and never changed.
    :ivar gone: all cards played in this deal, as a set.
    :ivar turn: the seat to call or to play.
    :ivar called: how many seats have called.
    :ivar done: finished tricks.
    :ivar count: cards on the current trick.
    :ivar led, top, ruff: all cards of the suit led, the highest of them on the trick, and the highest trump on a trick
        of another suit, or none; all as sets.
    :ivar ahead: the seat that wins the trick so far.
    :ivar played: the same cards as ``gone`` in the order they were played.
    """

    __slots__ = (
        "ahead", "called", "calls", "count", "dealt", "done", "gone", "leader", "leaders", "led", "must_beat", "played",
        "ruff", "seats", "size", "step", "top", "trump", "trump_when_void", "turn", "won",
    )  # fmt: skip

    seats: i64
    step: i64
    must_beat: i64
    trump_when_void: i64
    dealt: list[int]
    gone: i64
    calls: list[int]
    called: i64
    won: list[int]
    size: i64
    turn: i64
    leader: i64
    trump: i64
    done: i64
    count: i64
    led: i64
    top: i64
    ruff: i64
    ahead: i64
    played: bytes
    leaders: bytes

    def __init__(self, seats: i64, step: i64, must_beat: i64, trump_when_void: i64) -> None:
        """A table on which nothing lies yet."""
        self.seats = seats
        self.step = step
        self.must_beat = must_beat
        self.trump_when_void = trump_when_void
        self.trump = UNSETTLED

    def lay(self, pack: bytes, size: i64, dealer: i64) -> None:
        """Deals a pack: ``size`` cards to each seat, one at a time from the dealer's next seat. Nothing is called or
        played yet, and that seat leads and has the turn."""
        seats = self.seats
        self.calls = [NONE] * seats
        self.won = [0] * seats
        dealt = [0] * seats
        seat = dealer
        for first in range(seats):
            hand: i64 = 0
            at = first
            while at < size * seats:
                hand |= alone(pack[at])
                at += seats
            seat = (seat + self.step) % seats
            dealt[seat] = hand
        self.dealt = dealt
        self.gone = 0
        self.size = size
        self.leader = self.turn = self.ahead = (dealer + self.step) % seats
        self.called = self.done = self.count = self.led = self.top = self.ruff = 0
        self.played = self.leaders = b""

    def hand(self, seat: i64) -> i64:
        """The cards that a seat holds."""
        dealt: i64 = self.dealt[seat]
        return dealt & ~self.gone

    def legal(self) -> i64:
        """The cards that the seat to play may play."""
        hand = self.hand(self.turn)
        if not self.count:
            return hand
        trumps = suit_cards(self.trump)
        return answers(hand, self.led, self.top, trumps, self.ruff, self.must_beat, self.trump_when_void)

    def play(self, card: i64) -> None:
        """The seat to play plays a legal card. The turn passes on, to the winner after the last card of a trick."""
        seat = self.turn
        seats = self.seats
        count = self.count
        bit = alone(card)
        self.gone |= bit
        # Not +=, which takes a slower way when it is compiled.
        self.played = self.played + BYTE[card]
        if not count:
            self.led = suit_around(bit)
            self.top = bit
            self.ruff = 0
            self.ahead = seat
        elif bit & self.led:
            if bit > self.top:
                self.top = bit
                if not self.ruff:
                    self.ahead = seat
        elif bit > self.ruff and bit & suit_cards(self.trump):
            self.ruff = bit
            self.ahead = seat
        if count + 1 < seats:
            self.count = count + 1
            seat += self.step
            if seat >= seats:
                seat -= seats
            self.turn = seat
            return
        ahead = self.ahead
        self.won[ahead] += 1
        self.leaders = self.leaders + BYTE[self.leader]
        self.leader = self.turn = ahead
        self.count = 0
        self.done += 1

    def play_out(self, chance: Chance) -> None:
        """Plays the rest of the deal, every seat choosing evenly among its legal cards. It is for counting what comes
        of that: the tricks won are right afterwards, the single cards are not noted down."""
        seats = self.seats
        step = self.step
        must_beat = self.must_beat
        trump_when_void = self.trump_when_void
        places = [_Place(self.hand(at), self.won[at]) for at in range(seats)]
        # The trick, as play() keeps it.
        count = self.count
        led = self.led
        trumps = suit_cards(self.trump)
        top = self.top
        ruff = self.ruff
        ahead = self.ahead
        left: i64 = self.size * seats - len(self.played)
        seat = self.turn
        while left > 0:
            place = places[seat]
            hand = place.hand
            if count == 0:
                card = chance.pick(hand)
                led = suit_around(card)
                top = card
                ruff = 0
                ahead = seat
            else:
                card = chance.pick(answers(hand, led, top, trumps, ruff, must_beat, trump_when_void))
                if card & led:
                    if card > top:
                        top = card
                        if not ruff:
                            ahead = seat
                elif card & trumps and card > ruff:
                    ruff = card
                    ahead = seat
            place.hand = hand ^ card
            left -= 1
            count += 1
            if count < seats:
                seat += step
                if seat >= seats:
                    seat -= seats
            else:
                count = 0
                seat = ahead
                places[seat].won += 1
        self.won = [place.won for place in places]
        self.done = self.size
        self.leader = self.turn = seat

    def call(self, number: int) -> None:
        """The seat to call calls; the turn passes on."""
        self.calls[self.turn] = number
        self.called += 1
        self.turn = (self.turn + self.step) % self.seats

    def calls_in_turn(self, dealer: int, but: int = NONE) -> list[int]:
        """What was called so far, from the dealer's next seat on, without the call of the seat ``but``."""
        order = [(dealer + at * self.step) % self.seats for at in range(1, self.seats + 1)]
        return [self.calls[seat] for seat in order if seat != but and self.calls[seat] != NONE]

    def clone(self) -> Table:
        """An independent copy."""
        other = Table(self.seats, self.step, self.must_beat, self.trump_when_void)
        other.dealt = self.dealt
        other.gone = self.gone
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


class _Place:
    """A seat while a deal is played out."""

    __slots__ = ("hand", "won")

    hand: i64
    won: i64

    def __init__(self, hand: i64, won: i64) -> None:
        self.hand = hand
        self.won = won
