"""How many tricks cards are likely to win: honours, length, trumps and voids as chances. Knows no calls, no scores."""

from dataclasses import dataclass
from itertools import pairwise
from math import exp

from engine.cards import ABOVE

from .counting import SUITS, Table, beats

#: What is left of a card's chance for each higher card that it has no small card to throw under.
UNCOVERED = 0.3
#: Share of a suit's rounds that are played while it can still help the cards below.
ROUND = 0.5
#: Chance that a seat gets to trump a round of a suit that it lacks, if nobody can trump it higher.
RUFF = 0.8
#: Chance that a trick is led in another suit than a given one.
ELSEWHERE = 0.75
#: Rounds of a suit that are looked at.
ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the other hands are likely to hold.

    ``opponents`` are the other seats, each with the chance that it holds any one card that it may hold. ``lengths`` is
    by suit how many cards of it they hold in all. ``clear`` is by suit and round (from 0) the chance that nobody trumps
    that round. ``reach`` is the chance that a given suit is led while the seat can still follow.
    """

    table: Table
    opponents: tuple[tuple[int, float], ...]
    lengths: tuple[float, ...]
    clear: tuple[tuple[float, ...], ...]
    reach: float


def outlook(table: Table) -> Outlook:
    """The outlook of the seat at this moment."""
    opponents = []
    for seat in range(table.seats):
        held = table.may_hold[seat]
        if seat != table.me:
            opponents.append((seat, min(1.0, table.sizes[seat] / held.bit_count()) if held else 0.0))
    lengths, clear = [], []
    trumps = SUITS[table.trump]
    for suit in range(4):
        of_suit = SUITS[suit]
        rounds = [1.0] * ROUNDS
        total = 0.0
        for seat, share in opponents:
            held = table.may_hold[seat]
            length = (held & of_suit).bit_count() * share
            total += length
            no_trump = (1 - share) ** (held & trumps).bit_count()
            if no_trump < 1 and suit != table.trump:
                for number in range(min(ROUNDS, table.tricks_left)):
                    # The length of an unseen suit scatters about its mean much like a logistic variable of this width.
                    follows = 1 / (1 + exp(1.4 * (number + 0.5 - length))) if length else 0.0
                    rounds[number] *= follows + (1 - follows) * no_trump
        lengths.append(total)
        clear.append(tuple(rounds))
    reach = 1.0 if table.leads and table.tricks_left == 1 else 1 - ELSEWHERE**table.tricks_left
    return Outlook(table, tuple(opponents), tuple(lengths), tuple(clear), reach)


def likely_tricks(view: Outlook, hand: int) -> float:
    """Tricks that a hand of the seat is likely to win from now on."""
    ranks = [rank_tricks(view, hand, suit) for suit in range(4)]
    return sum(ranks) + ruff_tricks(view, hand, ranks)


def rank_tricks(view: Outlook, hand: int, suit: int) -> float:
    """Tricks that the hand's cards of a suit are likely to win by rank and length."""
    table = view.table
    left = hand & SUITS[suit]
    covered = left.bit_count()
    tricks = 0.0
    others = len(view.opponents)
    out = view.lengths[suit]
    above = 0
    while left:
        card = left.bit_length() - 1
        left ^= 1 << card
        covered -= 1
        higher = 0.0
        for seat, share in view.opponents:
            higher += (table.may_hold[seat] & ABOVE[card]).bit_count() * share
        # Cards that the others had to play under our higher ones are no longer in the way.
        higher = min(higher, max(0.0, out - ROUND * others * above))
        chance = UNCOVERED ** (higher - covered) if higher > covered else 1.0
        if suit != table.trump:
            chance *= view.reach * view.clear[suit][min(int(above + higher + 0.5), ROUNDS - 1)]
        tricks += chance
        above += 1
    return tricks


def ruff_tricks(view: Outlook, hand: int, ranks: list[float]) -> float:
    """Tricks that the hand is likely to win by trumping, beyond ``ranks``: what each suit wins by rank."""
    trump = view.table.trump
    trumps = hand & SUITS[trump]
    if not trumps:
        return 0.0
    last = min(4, view.table.tricks_left)
    openings = 0.0
    for suit in range(4):
        if suit != trump:
            openings += sum(view.clear[suit][(hand & SUITS[suit]).bit_count() : last])
    return min(0.9 * (trumps.bit_count() - ranks[trump]), RUFF * openings * view.reach)


def win_chance(view: Outlook, card: int) -> float:
    """The chance that the card wins the current trick, if the seat plays it now and those after it try to beat it."""
    table = view.table
    if table.best >= 0 and not beats(card, table.best, table.trump):
        return 0.0
    led = table.led if table.led >= 0 else card // 13
    chance = 1.0
    for seat, share in view.opponents:
        if seat not in table.after:
            continue
        held = table.may_hold[seat]
        void = (1 - share) ** (held & SUITS[led]).bit_count()
        none_higher = (1 - share) ** (held & ABOVE[card]).bit_count()
        if card // 13 == led:
            trumps = 1 - (1 - share) ** (held & SUITS[table.trump]).bit_count() if led != table.trump else 0.0
            chance *= none_higher * (1 - void * trumps)
        else:
            chance *= 1 - void * (1 - none_higher)
    return chance


def distinct(table: Table, legal: tuple[int, ...]) -> list[int]:
    """The legal cards without those that do the same as a lower one: no card that may still matter lies between."""
    matters = 0
    for held in table.may_hold:
        matters |= held
    for card in table.trick:
        matters |= 1 << card
    cards = [legal[0]]
    for lower, card in pairwise(legal):
        if card // 13 != lower // 13 or ABOVE[lower] & ~ABOVE[card] & matters:
            cards.append(card)
    return cards
