"""Minus One, read a second time. Knows no record."""

from collections import Counter

from tests.second_reading.match import places_by


class MinusOne:
    """One match of Minus One."""

    def __init__(self, seats: int, options: dict[str, str]) -> None:
        self.seats = seats
        self.options = options
        self.step = 1
        self.dealer = self.deal = self.redeal = 0
        self.wants_pack = False
        self.round = 1
        self.decks = [list(range(1, 9)) for _ in range(seats)]
        self.resting: list[int | None] = [None for _ in range(seats)]
        self.pairs: dict[int, tuple[int, int]] = {}
        self.keeps: dict[int, int] = {}
        self.points = [0] * seats
        self.tokens = [0] * seats
        self.last_win = [0] * seats
        self.seen: Counter[str] = Counter()

    def size(self) -> int:
        return 0

    def give(self, pack: list[str]) -> None:
        raise AssertionError("nothing is dealt in Minus One")

    def playable(self, seat: int) -> list[int]:
        return [card for card in self.decks[seat] if card != self.resting[seat]]

    def to_act(self) -> list[int]:
        if self.round > int(self.options["rounds"]):
            return []
        done: dict[int, object] = dict(self.keeps if len(self.pairs) == self.seats else self.pairs)
        return [seat for seat in range(self.seats) if seat not in done]

    def legal(self, seat: int) -> list[str]:
        if len(self.pairs) == self.seats:
            return [f"keep {card}" for card in sorted(self.pairs[seat])]
        cards = self.playable(seat)
        return [f"show {low} {high}" for low in cards for high in cards if low < high]

    def fallback(self, seat: int) -> str:
        return self.legal(seat)[0]

    def take(self, seat: int, action: str) -> None:
        words = action.split()
        if words[0] == "show":
            self.pairs[seat] = (int(words[1]), int(words[2]))
            return
        self.keeps[seat] = int(words[1])
        if len(self.keeps) == self.seats:
            self._reveal()

    def _reveal(self) -> None:
        kept = list(self.keeps.values())
        alone = [card for card in kept if kept.count(card) == 1]
        self.seen["a round is won" if alone else "all are cancelled"] += 1
        if alone:
            winner = next(seat for seat, card in self.keeps.items() if card == min(alone))
            self.points[winner] += min(alone)
            self.tokens[winner] += 1
            self.last_win[winner] = self.round
            if min(alone) > min(kept):
                self.seen["a lower number is cancelled"] += 1
        for seat in range(self.seats):
            low, high = self.pairs[seat]
            self.decks[seat].remove(self.keeps[seat])
            self.resting[seat] = high if self.keeps[seat] == low else low
        if self.round % 6 == 0:
            self.decks = [list(range(1, 9)) for _ in range(self.seats)]
            if self.options["rest_across_decks"] == "false":
                self.resting = [None] * self.seats
        self.round += 1
        self.pairs = {}
        self.keeps = {}
        if not self.to_act():
            self._count_end()

    def _count_end(self) -> None:
        scores = self.scores()
        if len(set(scores)) < self.seats:
            self.seen["equal scores"] += 1
            places = self.places()
            if len(set(places)) == len(set(scores)):
                self.seen["equal scores stay equal"] += 1
            elif len({*zip(scores, self.tokens, strict=True)}) > len(set(scores)):
                self.seen["tokens decide"] += 1
            else:
                self.seen["the last win decides"] += 1

    def scores(self) -> list[int]:
        return [points + tokens for points, tokens in zip(self.points, self.tokens, strict=True)]

    def places(self) -> list[int]:
        return places_by(list(zip(self.scores(), self.tokens, self.last_win, strict=True)))
