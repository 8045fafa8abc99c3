"""What the deals before this one may have been, as far as a match still depends on them. Knows no cards in hand."""

import random
from collections.abc import Sequence
from functools import lru_cache
from math import comb
from typing import Final

from engine.callbreak import HONOURS, Callbreak
from engine.cards import SPADES, SUIT_MASK, mask_of
from engine.contract_whist import ContractWhist
from engine.tricks import TrickObservation
from engine.worlds_shares import CONTRADICTION

_LEAST: Final = -130
"""No deal of Callbreak scores less, in tenths."""


def thrown_in(game: Callbreak, redeal: int, rng: random.Random) -> list[bytes]:
    """Packs that may have been thrown in before this one was dealt. Nothing is told of them but that they were."""
    options = game.options
    missing = [SUIT_MASK[SPADES]] * options.redeal_no_spades + [HONOURS] * options.redeal_no_honours
    packs: list[bytes] = []
    for _ in range(redeal):
        if options.redeal_below > 4 * options.min_call:
            cards = list(game.deck.cards)
            rng.shuffle(cards)
            packs.append(bytes(cards))
        elif missing:
            packs.append(_unfair(missing, rng))
        else:
            raise ValueError(CONTRADICTION)
    return packs


def _unfair(missing: Sequence[int], rng: random.Random) -> bytes:
    """Any pack that gives some seat a hand without a card of one of these sets, evenly."""
    # A seat and a set are drawn as often as they occur, and then one of their packs. A pack with several such hands
    # comes up once for each of them, so it is kept that much more rarely.
    chances = [comb(52 - mask.bit_count(), 13) for mask in missing]
    while True:
        (mask,) = rng.choices(missing, chances)
        seat = rng.randrange(4)
        hand = rng.sample([card for card in range(52) if not mask >> card & 1], 13)
        rest = list(set(range(52)).difference(hand))
        rng.shuffle(rest)
        pack = bytearray(52)
        pack[seat::4] = bytes(hand)
        for at in range(3):
            pack[(seat + 1 + at) % 4 :: 4] = bytes(rest[at::3])
        found = sum([not mask_of(pack[at::4]) & other for other in missing for at in range(4)])
        if not rng.randrange(found):
            return bytes(pack)


def first_trumps(game: ContractWhist, o: TrickObservation) -> list[str]:
    """Trumps of the first hand after which this one has the trump that is seen. There can be several, and the
    observation does not remember which it was."""
    fixed = game.options.first_trump
    able = [fixed] if fixed in game.suits else game.suits
    found = [suit for suit in able if game.trump(suit, o.deal) == o.trump]
    if not found:
        raise ValueError(CONTRADICTION)
    return found


def contracts(game: ContractWhist, o: TrickObservation, seat: int, *, over: bool) -> list[int]:
    """What the contracts that a seat has made may add up to. Its total says it up to tens; so each number of contracts
    that fits is as good as any other."""
    finished = min(o.deal + over, game.hands)
    total = o.totals[seat]
    made = 0
    if o.last is not None and o.deal + over <= game.hands:
        finished -= 1
        total -= o.last.scores[seat]
        made = o.last.calls[seat] if o.last.scores[seat] else 0
    sums: list[int] = []
    most = 0
    for times in range(finished + 1):
        earlier = total - 10 * times
        if 0 <= earlier <= most:
            sums.append(made + earlier)
        most += game.size(times)
    if not sums:
        raise ValueError(CONTRADICTION)
    return sums


def bests(game: Callbreak, o: TrickObservation, *, over: bool) -> list[list[int]]:
    """By seat, what its best single deal may have scored. Only the last deal and the totals are remembered."""
    finished = o.deal + over
    if not finished or o.last is None:
        return [[0]] * o.seats
    deals = _past_deals(game)
    found: list[list[int]] = []
    for seat in range(o.seats):
        last = o.last.scores[seat]
        earlier = deals.bests(finished - 1, o.totals[seat] - last)
        found.append(sorted({max(best, last) for best in earlier}))
    return found


@lru_cache(maxsize=16)
def _past_deals(game: Callbreak) -> "_PastDeals":
    return _PastDeals(sorted({game.score(call, won) for call in range(game.options.min_call, 14) for won in range(14)}))


class _PastDeals:
    """Which best deals fit a total. ``scores`` are all that a deal can score, ascending."""

    __slots__ = ("_found", "_scores", "_sums")

    def __init__(self, scores: Sequence[int]) -> None:
        self._scores: Final = scores
        # By number of deals and by the greatest score allowed, the sums: bit 0 is the least one.
        self._sums: Final = [[1] * len(scores)]
        self._found: Final[dict[tuple[int, int], list[int]]] = {}

    def bests(self, deals: int, total: int) -> list[int]:
        """The best scores of ``deals`` deals that total so much; the least score if there are none.

        :raises ValueError: if no deals do.
        """
        if not deals and not total:
            return [_LEAST]
        if not deals:
            raise ValueError(CONTRADICTION)
        found = self._found.get((deals, total))
        if found is None:
            found = [
                best
                for best, sums in zip(self._scores, self._sums_of(deals - 1), strict=True)
                if (rest := total - best - (deals - 1) * _LEAST) >= 0 and sums >> rest & 1
            ]
            if not found:
                raise ValueError(CONTRADICTION)
            self._found[deals, total] = found
        return found

    def _sums_of(self, deals: int) -> list[int]:
        while len(self._sums) <= deals:
            fewer = self._sums[-1]
            row: list[int] = []
            for greatest, sums in enumerate(fewer):
                more = 0
                for score in self._scores[: greatest + 1]:
                    more |= sums << score - _LEAST
                row.append(more)
            self._sums.append(row)
        return self._sums[deals]
