"""Contract Whist, read a second time. Knows no record and no seed."""

from collections import Counter

from tests.second_reading.cards import dealt
from tests.second_reading.match import leaders, order_from, places_by
from tests.second_reading.tricks import Tricks


def score(contract: int, tricks: int) -> int:
    """Points of a hand (CW-17 to CW-19)."""
    return contract + 10 if tricks == contract else 0


class ContractWhist:
    """One match of Contract Whist."""

    def __init__(self, seats: int, options: dict[str, str], first_dealer: int, first_trump: str) -> None:
        self.seats = seats
        self.options = options
        self.step = 1
        self.dealer = first_dealer
        self.deal = 0
        self.redeal = 0
        self.hands_in_match = {3: 17, 4: 13, 5: 10, 6: 8}[seats]
        sequence = options["trump_sequence"].split(",")
        self.sequence = sequence
        self.start = sequence.index(first_trump)
        self.wants_pack = True
        self.ended = False
        self.totals = [0] * seats
        self.made = [0] * seats
        self.extra: list[int] | None = None
        self.tied: list[int] = []
        self.hands: list[list[str]] = []
        self.contracts: dict[int, int] = {}
        self.tricks: Tricks | None = None
        self.seen: Counter[str] = Counter()

    def size(self) -> int:
        """Cards in the hand; the extra hand has as many as the first."""
        return self.hands_in_match - self.deal % self.hands_in_match

    def give(self, pack: list[str]) -> None:
        self.wants_pack = False
        self.hands = dealt(pack, self.seats, self.size(), self.dealer, self.step)
        self.contracts = {}
        self.tricks = None

    def to_act(self) -> list[int]:
        if self.ended or self.wants_pack:
            return []
        if self.tricks is not None:
            return [self.tricks.turn]
        return [order_from(self.dealer, self.step, self.seats)[len(self.contracts)]]

    def legal(self, seat: int) -> list[str]:
        if self.tricks is not None:
            return self.tricks.legal(self.seen)
        size = self.size()
        numbers = list(range(size + 1))
        if seat == self.dealer:
            barred = size - sum(self.contracts.values())
            free = self.deal == self.hands_in_match - 1 and self.options["hook_last_hand"] == "false"
            if barred in numbers:
                self.seen["the hook is waived" if free else "the dealer is hooked"] += 1
                if not free:
                    numbers.remove(barred)
                    if self.deal == self.hands_in_match:
                        self.seen["the dealer is hooked in the extra hand"] += 1
        return [f"call {number}" for number in numbers]

    def fallback(self, seat: int) -> str:
        return self.tricks.fallback() if self.tricks is not None else self.legal(seat)[0]

    def take(self, seat: int, action: str) -> None:
        if self.tricks is not None:
            self.tricks.play(action)
            if self.tricks.over():
                self._end_hand(self.tricks.won)
            return
        self.contracts[seat] = int(action.split()[1])
        if len(self.contracts) == self.seats:
            trump = self.sequence[(self.start + self.deal) % len(self.sequence)]
            leader = order_from(self.dealer, self.step, self.seats)[0]
            self.seen["a hand without trumps" if trump == "NT" else "a hand with trumps"] += 1
            self.tricks = Tricks(self.hands, leader, self.step, None if trump == "NT" else trump, "never", "never")

    def _end_hand(self, won: list[int]) -> None:
        points = [score(self.contracts[seat], won[seat]) for seat in range(self.seats)]
        if self.deal == self.hands_in_match:
            self.extra = points
            self.ended = True
        else:
            for seat in range(self.seats):
                self.totals[seat] += points[seat]
                if points[seat]:
                    self.made[seat] += self.contracts[seat]
            if self.deal == self.hands_in_match - 1:
                self.tied = leaders(self.totals)
                if len(self.tied) == 1 or self.options["tie_break"] != "extra_hand":
                    self.ended = True
                else:
                    self.seen["an extra hand"] += 1
        if self.ended:
            if len(self.tied) > 1:
                how = "decided" if self.places().count(1) == 1 else "shared"
                self.seen[f"{self.options['tie_break']} {how}"] += 1
            return
        self.deal += 1
        self.dealer = (self.dealer + self.step) % self.seats
        self.wants_pack = True

    def scores(self) -> list[int]:
        return list(self.totals)

    def places(self) -> list[int]:
        keys: list[tuple[int, ...]] = []
        for seat in range(self.seats):
            second = 0
            if len(self.tied) > 1 and seat in self.tied:
                if self.options["tie_break"] == "made_contracts":
                    second = self.made[seat]
                elif self.extra is not None:
                    second = self.extra[seat]
            keys.append((self.totals[seat], second))
        return places_by(keys)
