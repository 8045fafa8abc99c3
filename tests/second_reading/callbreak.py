"""Callbreak, read a second time. Knows no record and no seed."""

from collections import Counter

from tests.second_reading.cards import dealt, suit
from tests.second_reading.match import leaders, order_from, places_by
from tests.second_reading.tricks import Tricks


def score(call: int, tricks: int, options: dict[str, str]) -> int:
    """Tenths of a deal (CB-34, CB-35, CB-V12, CB-V13, CB-B9)."""
    if tricks < call:
        return -10 * call
    if options["scoring"] == "callbreak":
        return 10 * call + (tricks - call)
    big = call >= 8
    if tricks - call >= 2 and not (big and options["big_call_overtricks"] == "ignored"):
        return -10 * call
    return 10 * int(options["big_call_score"]) if big else 10 * call


class Callbreak:
    """One match of Callbreak."""

    def __init__(self, seats: int, options: dict[str, str], first_dealer: int) -> None:
        self.seats = seats
        self.options = options
        self.step = 1 if options["direction"] == "clockwise" else -1
        self.dealer = first_dealer
        self.deal = 0
        self.redeal = 0
        self.wants_pack = True
        self.ended = False
        self.columns: list[list[int]] = []
        self.extra: list[int] | None = None
        self.tied: list[int] = []
        self.calls: dict[int, int] = {}
        self.hands: list[list[str]] = []
        self.tricks: Tricks | None = None
        self.seen: Counter[str] = Counter()

    def size(self) -> int:
        return 13

    def give(self, pack: list[str]) -> None:
        self.wants_pack = False
        self.calls = {}
        self.tricks = None
        self.hands = dealt(pack, 4, 13, self.dealer, self.step)
        reason = self._bad_hand()
        if reason is not None:
            self._throw_in(reason)

    def _bad_hand(self) -> str | None:
        for hand in self.hands:
            if self.options["redeal_no_spades"] == "true" and not [card for card in hand if suit(card) == "S"]:
                return "no spades"
            if self.options["redeal_no_honours"] == "true" and not [card for card in hand if card[0] in "JQKA"]:
                return "no honours"
        return None

    def _throw_in(self, reason: str) -> bool:
        """Throws the deal in, unless that has happened as often as it may (CB-B1)."""
        if self.redeal == int(self.options["max_redeals"]):
            self.seen[f"redeal refused by the guard: {reason}"] += 1
            return False
        self.seen[f"redeal: {reason}"] += 1
        if self.deal == int(self.options["deals"]):
            self.seen["redeal in the extra deal"] += 1
        self.redeal += 1
        self.wants_pack = True
        return True

    def to_act(self) -> list[int]:
        if self.ended or self.wants_pack:
            return []
        if self.tricks is not None:
            return [self.tricks.turn]
        return [order_from(self.dealer, self.step, 4)[len(self.calls)]]

    def legal(self, seat: int) -> list[str]:
        if self.tricks is not None:
            return self.tricks.legal(self.seen)
        return [f"call {number}" for number in range(int(self.options["min_call"]), 14)]

    def fallback(self, seat: int) -> str:
        return self.tricks.fallback() if self.tricks is not None else self.legal(seat)[0]

    def take(self, seat: int, action: str) -> None:
        if self.tricks is not None:
            self.tricks.play(action)
            if self.tricks.over():
                self._end_deal(self.tricks.won)
            return
        self.calls[seat] = int(action.split()[1])
        if len(self.calls) < 4:
            return
        if sum(self.calls.values()) < int(self.options["redeal_below"]) and self._throw_in("low calls"):
            return
        leader = order_from(self.dealer, self.step, 4)[0]
        self.tricks = Tricks(
            self.hands, leader, self.step, "S", self.options["must_beat"], self.options["trump_when_void"]
        )
        self.tricks.spades_to_first_trick = self.options["first_lead_spades"] == "allowed"

    def _end_deal(self, won: list[int]) -> None:
        column = [score(self.calls[seat], won[seat], self.options) for seat in range(4)]
        for seat in range(4):
            if self.calls[seat] >= 8 and won[seat] >= self.calls[seat]:
                self.seen[
                    f"a big call made with {min(won[seat] - self.calls[seat], 2)} extra, {self.options['scoring']}"
                ] += 1
        deals = int(self.options["deals"])
        self.deal += 1
        self.redeal = 0
        self.dealer = (self.dealer + self.step) % 4
        if self.deal <= deals:
            self.columns.append(column)
            if self.deal < deals:
                self.wants_pack = True
                return
            self.tied = leaders(self.scores())
            if len(self.tied) > 1 and self.options["tie_break"] == "extra_deal":
                self.seen[f"extra deal, {len(self.tied)} tied"] += 1
                self.wants_pack = True
                return
        else:
            self.extra = column
            self.deal = deals
        self.ended = True
        self._count_end()

    def _count_end(self) -> None:
        firsts = self.places().count(1)
        if len(self.tied) > 1:
            how = "decided" if firsts == 1 else "shared"
            self.seen[f"{self.options['tie_break']} {how}"] += 1

    def scores(self) -> list[int]:
        return [sum(column[seat] for column in self.columns) for seat in range(4)]

    def places(self) -> list[int]:
        totals = self.scores()
        keys: list[tuple[int, ...]] = []
        for seat in range(4):
            second = 0
            if len(self.tied) > 1 and seat in self.tied:
                if self.options["tie_break"] == "best_deal":
                    second = max(column[seat] for column in self.columns)
                elif self.extra is not None:
                    second = self.extra[seat]
            keys.append((totals[seat], second))
        return places_by(keys)
