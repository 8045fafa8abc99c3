"""The shuffle as docs/shuffle.md says it, repeated here in other words."""

import hashlib
import hmac
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.cards import read_cards, write_cards
from engine.dealing import dealing_order
from engine.shuffle import drawn, shuffled

DOCUMENT = Path(__file__).parents[2] / "docs" / "shuffle.md"


def _bytes(seed: bytes, message: bytes) -> "list[int]":
    stream = b"".join(
        hmac.new(seed, message + block.to_bytes(4, "big"), hashlib.sha512).digest() for block in range(64)
    )
    return list(stream)


def _by_the_book(seed: bytes, deal: int, redeal: int, deck: list[int]) -> list[int]:
    stream = _bytes(seed, b"card-arena deal" + deal.to_bytes(4, "big") + redeal.to_bytes(4, "big"))
    cards = deck[:]
    for i in range(len(cards) - 1, 0, -1):
        while (byte := stream.pop(0)) >= 256 - 256 % (i + 1):
            pass
        j = byte % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.integers(1, 256))
@settings(max_examples=100, deadline=None)
def test_the_shuffle_is_the_one_of_the_book(seed: bytes, deal: int, redeal: int, size: int) -> None:
    deck = list(range(size))
    assert shuffled(seed, deal, redeal, deck) == _by_the_book(seed, deal, redeal, deck)


def test_every_card_comes_everywhere_about_equally_often() -> None:
    counts = Counter(shuffled(bytes(32), deal, 0, range(4))[0] for deal in range(4000))
    assert all(900 < counts[card] < 1100 for card in range(4))


def test_draws_are_even_and_differ_by_name() -> None:
    counts = Counter(drawn(n.to_bytes(32, "big"), "first_dealer", 3) for n in range(3000))
    assert all(900 < counts[seat] < 1100 for seat in range(3))
    assert any(drawn(bytes([n]) * 32, "one", 4) != drawn(bytes([n]) * 32, "other", 4) for n in range(10))


def test_the_vectors_of_the_document() -> None:
    """Each block of the document that starts with a seed is a vector."""
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)]
    assert len(blocks) >= 4
    for block in blocks:
        state = engine.load(block["game"], block["seats"]).start(bytes.fromhex(block["seed"]))
        assert state.game.draws(state) == block["draws"]
        deck = sorted(read_cards(block["cards"]))
        for redeal, cards in enumerate((block["cards"], block["cards_redeal_1"])):
            assert write_cards(shuffled(bytes.fromhex(block["seed"]), 0, redeal, deck)) == cards
        assert write_cards(state.packs()[0]) == block["pack"]


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("dealer", range(4))
def test_the_dealing_order_gives_every_seat_its_own_cards(dealer: int, step: int) -> None:
    cards = shuffled(bytes(32), 0, 0, range(52))
    pack = dealing_order(cards, 12, dealer, 4, step)
    for seat in range(4):
        offset = next(at for at in range(4) if (dealer + (at + 1) * step) % 4 == seat)
        assert list(pack[offset:48:4]) == cards[seat:48:4]
    assert list(pack[48:]) == cards[48:]
