"""Cards as texts, packs, the documented shuffle and the documented draws. Knows no game's rules."""

import hashlib
import hmac
from collections.abc import Iterator

RANKS = "23456789TJQKA"
SUITS = "CDHS"


def rank(card: str) -> int:
    return RANKS.index(card[0])


def suit(card: str) -> str:
    return card[1]


def lowest(cards: list[str]) -> str:
    """The card the house plays: lowest rank, clubs before diamonds, hearts, spades (CB-B17)."""
    return min(cards, key=lambda card: (rank(card), SUITS.index(suit(card))))


def whole_pack(game: str, seats: int) -> list[str]:
    """The cards of a table, in ascending order (CB-03, CW-02)."""
    missing: list[str] = []
    if game == "contract_whist":
        missing = {3: ["2C"], 4: [], 5: ["2C", "2S"], 6: ["2C", "2D", "2H", "2S"]}[seats]
    return [r + s for s in SUITS for r in RANKS if r + s not in missing]


def stream(seed: bytes, message: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from hmac.new(seed, message + block.to_bytes(4, "big"), hashlib.sha512).digest()
        block += 1


def number_below(n: int, source: Iterator[int]) -> int:
    while True:
        x = next(source)
        if x < 256 - 256 % n:
            return x % n


def draw(seed: bytes, name: str, n: int) -> int:
    return number_below(n, stream(seed, b"card-arena draw" + name.encode("ascii")))


def shuffled(game: str, seats: int, seed: bytes, deal: int, redeal: int) -> list[str]:
    """The list from which seat s has every seats-th card, from its s-th on."""
    cards = whole_pack(game, seats)
    source = stream(seed, b"card-arena deal" + deal.to_bytes(4, "big") + redeal.to_bytes(4, "big"))
    for i in range(len(cards) - 1, 0, -1):
        j = number_below(i + 1, source)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def in_dealing_order(cards: list[str], seats: int, size: int, dealer: int, step: int) -> list[str]:
    """The shuffled list as the dealer deals it, ``size`` cards to each."""
    pack = []
    for position in range(seats * size):
        seat = (dealer + step * (position + 1)) % seats
        pack.append(cards[seat + seats * (position // seats)])
    return pack + cards[seats * size :]


def dealt(pack: list[str], seats: int, size: int, dealer: int, step: int) -> list[list[str]]:
    """The hands by seat: one card at a time, the first to the dealer's next (CB-06)."""
    hands: list[list[str]] = [[] for _ in range(seats)]
    for position in range(seats * size):
        hands[(dealer + step * (position + 1)) % seats].append(pack[position])
    return hands
