"""Minus, read a second time. Knows no record and no seed."""

from collections import Counter

from tests.second_reading.cards import SUITS, dealt
from tests.second_reading.match import order_from, places_by
from tests.second_reading.tricks import Tricks


class Minus:
    """One match of Minus."""

    def __init__(self, seats: int, options: dict[str, str], first_dealer: int) -> None:
        self.seats = seats
        self.options = options
        self.step = 1 if options["direction"] == "clockwise" else -1
        self.dealer = first_dealer
        self.deal = 0
        self.redeal = 0
        self.wants_pack = True
        self.ended = False
        self.totals = [0, 0, 0, 0]
        self.hands: list[list[str]] = []
        self.stage = ""
        self.waiting: list[int] = []
        self.trump = ""
        self.caller: int | None = None
        self.number = 0
        self.highest = 0
        self.first_caller: int | None = None
        self.calls: dict[int, int] = {}
        self.tricks: Tricks | None = None
        self.seen: Counter[str] = Counter()

    def size(self) -> int:
        return 13

    def give(self, pack: list[str]) -> None:
        self.wants_pack = False
        self.hands = dealt(pack, 4, 13, self.dealer, self.step)
        self.tricks = None
        self.calls = {}
        self.trump = self.options["all_pass_trump"]
        self.caller = self.first_caller = None
        self.number = self.highest = 0
        self.stage = "first lap"
        self.waiting = order_from(self.dealer, self.step, 4)

    def to_act(self) -> list[int]:
        if self.ended or self.wants_pack:
            return []
        if self.tricks is not None:
            return [self.tricks.turn]
        return [self.waiting[0]]

    def legal(self, seat: int) -> list[str]:
        if self.tricks is not None:
            return self.tricks.legal(self.seen)
        if self.stage == "calls":
            return [f"call {number}" for number in range(2, 14)]
        if self.stage == "first lap":
            numbers = [number for number in (5, 6, 7) if number > self.highest]
        else:
            floor = int(self.options["takeover_min"])
            numbers = [n for n in range(floor, 14) if n > self.highest and n > self.number]
            if len(numbers) < len([n for n in range(floor, 14) if n > self.highest]) and not self.highest:
                self.seen["the standing call raises the floor"] += 1
        return ["pass", *[f"trump {number}{suit}" for number in numbers for suit in SUITS]]

    def fallback(self, seat: int) -> str:
        if self.tricks is not None:
            return self.tricks.fallback()
        return "call 2" if self.stage == "calls" else "pass"

    def take(self, seat: int, action: str) -> None:
        if self.tricks is not None:
            self.tricks.play(action)
            if self.tricks.over():
                self._end_deal(self.tricks.won)
            return
        self.waiting.pop(0)
        if self.stage == "calls":
            self.calls[seat] = int(action.split()[1])
        elif action != "pass":
            text = action.split()[1]
            if self.stage == "second lap":
                if self.caller == seat and self.highest == 0:
                    self.seen["the standing caller takes over"] += 1
                elif self.highest:
                    self.seen["a taker is overcalled"] += 1
            self.highest = self.number = int(text[:-1])
            self.trump = text[-1]
            self.caller = seat
        if not self.waiting:
            self._next_stage()

    def _next_stage(self) -> None:
        order = order_from(self.dealer, self.step, 4)
        if self.stage == "first lap":
            self.first_caller = self.caller
            self.highest = 0
            if self.options["second_lap"] == "true":
                self.stage = "second lap"
                self.waiting = order
                return
        if self.stage != "calls":
            if self.caller is None:
                self.seen["nobody calls a trump"] += 1
            elif self.first_caller is None:
                self.seen["only the second lap has a call"] += 1
            elif self.first_caller != self.caller:
                self.seen["the first caller calls again"] += 1
            elif self.highest == 0:
                self.seen["the first lap stands"] += 1
            self.stage = "calls"
            self.waiting = [seat for seat in order if seat != self.caller]
            return
        if self.caller is not None:
            self.calls[self.caller] = self.number
        leader = self.caller if self.caller is not None else order[0]
        self.tricks = Tricks(
            self.hands, leader, self.step, self.trump, self.options["must_beat"], self.options["trump_when_void"]
        )

    def _end_deal(self, won: list[int]) -> None:
        for seat in range(4):
            call = self.calls[seat]
            self.totals[seat] += call if won[seat] >= call else -call
        last = self.deal + 1
        if self.options["match_end"] == "deals":
            self.ended = last == int(self.options["deals"])
        elif max(self.totals) >= int(self.options["target"]):
            self.ended = True
            reached = [total for total in self.totals if total >= int(self.options["target"])]
            self.seen["the target is reached" + (" by several" if len(reached) > 1 else "")] += 1
        elif last == int(self.options["max_deals"]):
            self.ended = True
            self.seen["the target is given up"] += 1
        if self.ended:
            if self.places().count(1) > 1:
                self.seen["the win is shared"] += 1
            return
        self.deal = last
        self.wants_pack = True
        low = [seat for seat in order_from(self.dealer, self.step, 4) if self.totals[seat] == min(self.totals)]
        if len(low) > 1:
            self.seen["several are lowest"] += 1
        if low[0] == self.dealer:
            self.seen["the dealer deals again"] += 1
        self.dealer = low[0]

    def scores(self) -> list[int]:
        return list(self.totals)

    def places(self) -> list[int]:
        return places_by([(total,) for total in self.totals])
