"""What a seat can work out from the cards it has seen: who may still hold what. Knows no strategy."""

from dataclasses import dataclass
from typing import Any

from engine.cards import ABOVE, SUIT_MASK
from engine.tricks import NONE, TrickObservation

#: Cards of a suit as a set, by suit; no trump (4) and not settled (5) are empty suits.
SUITS = (*SUIT_MASK, 0, 0)
#: Twos that stay out of the pack, by how many of the 52 cards do not divide among the seats.
LEFT_OUT = {0: 0, 1: 1 << 0, 2: 1 << 0 | 1 << 39, 4: 1 << 0 | 1 << 13 | 1 << 26 | 1 << 39}


@dataclass(frozen=True, slots=True)
class Table:
    """One deal as a seat sees it.

    ``may_hold`` is by seat the mask of unseen cards that nothing speaks against; ``sizes`` is how many cards each seat
    holds. ``best`` is the card that wins the trick so far and ``holder`` who played it, -1 for both when there is none.
    ``after`` are the seats that still play to this trick once the seat has. ``needs`` is by seat the tricks still
    missing for the call; 0 before it calls.
    """

    me: int
    seats: int
    trump: int
    hand: int
    tricks_left: int
    trick: bytes
    led: int
    best: int
    holder: int
    after: tuple[int, ...]
    may_hold: tuple[int, ...]
    sizes: tuple[int, ...]
    needs: tuple[int, ...]
    leads: bool


def read(observation: TrickObservation, options: Any) -> Table:
    """What the seat knows now, its conclusions included."""
    seats, me, trick = observation.seats, observation.seat, observation.trick
    step = -1 if getattr(options, "direction", "clockwise") == "anticlockwise" else 1
    gone = 0
    for card in observation.history + trick:
        gone |= 1 << card
    unseen = ((1 << 52) - 1) & ~(gone | observation.hand | LEFT_OUT[52 % seats])
    lacks = [_announced(observation.voids[seat]) if observation.voids else 0 for seat in range(seats)]
    duties = _Duties(
        step=step,
        trump=observation.trump,
        must_beat=getattr(options, "must_beat", "never"),
        must_trump=getattr(options, "trump_when_void", "never") != "never",
    )
    for number, leader in enumerate(observation.leaders):
        cards = observation.history[number * seats : (number + 1) * seats]
        duties.conclude(lacks, cards, leader)
    if trick:
        duties.conclude(lacks, trick, observation.leader)
    best = position = -1
    for i, card in enumerate(trick):
        if best < 0 or beats(card, best, observation.trump):
            best, position = card, i
    full = observation.tricks - len(observation.leaders)
    sizes = [full] * seats
    for i in range(len(trick)):
        sizes[(observation.leader + step * i) % seats] -= 1
    return Table(
        me=me,
        seats=seats,
        trump=observation.trump,
        hand=observation.hand,
        tricks_left=full,
        trick=trick,
        led=trick[0] // 13 if trick else -1,
        best=best,
        holder=(observation.leader + step * position) % seats if trick else -1,
        after=tuple((me + step * i) % seats for i in range(1, seats - len(trick))),
        may_hold=tuple(0 if seat == me else unseen & ~lacks[seat] for seat in range(seats)),
        sizes=tuple(sizes),
        needs=tuple(
            0 if call == NONE else call - won for call, won in zip(observation.calls, observation.won, strict=True)
        ),
        leads=observation.leader == me,
    )


def beats(card: int, best: int, trump: int) -> bool:
    """Whether the card takes the trick from the best card so far."""
    suit, best_suit = card // 13, best // 13
    return card > best if suit == best_suit else suit == trump


@dataclass(frozen=True, slots=True)
class _Duties:
    """What players owe at this table: seats play by ``step``, ``trump`` is the deal's."""

    step: int
    trump: int
    must_beat: str
    must_trump: bool

    def conclude(self, lacks: list[int], cards: bytes, leader: int) -> None:
        """Adds to ``lacks`` what each seat cannot have held when it played to this trick."""
        led = cards[0] // 13
        top, top_trump = cards[0], -1
        seat = leader
        for card in cards[1:]:
            seat = (seat + self.step) % len(lacks)
            suit = card // 13
            if suit != led:
                lacks[seat] |= SUITS[led]
                if self.must_trump and led != self.trump and (suit != self.trump or card < top_trump):
                    lacks[seat] |= ABOVE[top_trump] if top_trump >= 0 else SUITS[self.trump]
                if suit == self.trump:
                    top_trump = max(top_trump, card)
            elif card < top and (self.must_beat == "always" or (self.must_beat == "unless_trumped" and top_trump < 0)):
                lacks[seat] |= ABOVE[top]
            else:
                top = max(top, card)


def _announced(suits: int) -> int:
    mask = 0
    for suit in range(4):
        if suits >> suit & 1:
            mask |= SUITS[suit]
    return mask
