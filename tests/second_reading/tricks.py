"""What may be played to a trick and who wins it, in the three games with tricks. Knows no calls and no scores."""

from collections import Counter

from tests.second_reading.cards import lowest, rank, suit


def is_trumped(trick: list[str], trump: str | None) -> bool:
    """Whether a trump lies on a trick of another suit (CB-28)."""
    if trump is None or suit(trick[0]) == trump:
        return False
    return any(suit(card) == trump for card in trick)


def playable(
    hand: list[str], trick: list[str], trump: str | None, must_beat: str, trump_when_void: str, seen: Counter[str]
) -> list[str]:
    """The legal cards; ``seen`` counts the rules that took a card away."""
    if not trick:
        return list(hand)
    led = suit(trick[0])
    following = [card for card in hand if suit(card) == led]
    if following:
        owes = must_beat == "always" or (must_beat == "unless_trumped" and not is_trumped(trick, trump))
        if owes:
            best = max(rank(card) for card in trick if suit(card) == led)
            beating = [card for card in following if rank(card) > best]
            if beating:
                if len(beating) < len(following):
                    seen["beat it: a lower card barred"] += 1
                    if is_trumped(trick, trump):
                        seen["beat it in a trumped trick"] += 1
                return beating
        return following
    if trump is None or trump == led or trump_when_void == "never":
        return list(hand)
    trumps = [card for card in hand if suit(card) == trump]
    if not trumps:
        return list(hand)
    lying = [rank(card) for card in trick if suit(card) == trump]
    winning = [card for card in trumps if not lying or rank(card) > max(lying)]
    if winning:
        if len(winning) < len(hand):
            seen["void: must trump"] += 1
        return winning
    if trump_when_void == "always":
        if len(trumps) < len(hand):
            seen["void: a losing trump forced"] += 1
        return trumps
    if trump_when_void == "no_waste":
        others = [card for card in hand if suit(card) != trump]
        if others:
            seen["void: a losing trump barred"] += 1
            return others
        seen["void: only trumps left"] += 1
    return list(hand)


def winner(trick: list[str], trump: str | None) -> int:
    """Position of the winning card in the trick (CB-31)."""
    suits = [suit(card) for card in trick]
    decides = trump if trump in suits else suits[0]
    best = max(rank(card) for card in trick if suit(card) == decides)
    return next(at for at, card in enumerate(trick) if suit(card) == decides and rank(card) == best)


class Tricks:
    """The tricks of one deal, from the first lead on."""

    def __init__(
        self, hands: list[list[str]], leader: int, step: int, trump: str | None, must_beat: str, trump_when_void: str
    ) -> None:
        self.hands = hands
        self.turn = leader
        self.step = step
        self.trump = trump
        self.must_beat = must_beat
        self.trump_when_void = trump_when_void
        self.trick: list[str] = []
        self.leader = leader
        self.won = [0 for _ in hands]
        self.spades_to_first_trick = True
        self.size = len(hands[0])

    def over(self) -> bool:
        return sum(self.won) == self.size

    def legal(self, seen: Counter[str]) -> list[str]:
        hand = self.hands[self.turn]
        if not self.trick and sum(self.won) == 0 and not self.spades_to_first_trick:
            others = [card for card in hand if suit(card) != "S"]
            if others:
                if len(others) < len(hand):
                    seen["first lead: spades barred"] += 1
                return others
        return playable(hand, self.trick, self.trump, self.must_beat, self.trump_when_void, seen)

    def fallback(self) -> str:
        return lowest(self.legal(Counter()))

    def play(self, card: str) -> None:
        seats = len(self.hands)
        self.hands[self.turn].remove(card)
        self.trick.append(card)
        if len(self.trick) < seats:
            self.turn = (self.turn + self.step) % seats
            return
        taker = (self.leader + self.step * winner(self.trick, self.trump)) % seats
        self.won[taker] += 1
        self.trick = []
        self.leader = self.turn = taker
