"""What a seed decides: packs and draws, byte for byte as docs/shuffle.md says. Knows no game and no seat."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mypy_extensions import i64

SEED_BYTES: Final = 32


def check_seed(seed: bytes) -> bytes:
    """The seed itself.

    :raises ValueError: if it is not 32 bytes long.
    """
    if len(seed) != SEED_BYTES:
        raise ValueError(f"A seed has {SEED_BYTES} bytes, this one has {len(seed)}.")
    return bytes(seed)


def shuffled(seed: bytes, deal: int, redeal: int, deck: Sequence[int]) -> list[int]:
    """The cards of one deal: a function of seed, deal and redeal number alone.

    ``deal`` and ``redeal`` count from 0 and stay below 2^32; ``deck`` is the unshuffled pack, at most 256 cards.
    """
    cards = list(deck)
    prefix = b"card-arena deal" + deal.to_bytes(4, "big") + redeal.to_bytes(4, "big")
    left: i64 = len(cards)
    block = 0
    while left > 1:
        stream = hmac.digest(seed, prefix + block.to_bytes(4, "big"), "sha512")
        for index in range(64):
            byte: i64 = stream[index]
            if byte < even_below(left):
                at = byte % left
                left -= 1
                card = cards[left]
                cards[left] = cards[at]
                cards[at] = card
                if left == 1:
                    break
        block += 1
    return cards


def even_below(count: i64) -> i64:
    """Bytes below this are spread evenly over 0..count-1, ``count`` being 1..256; the others are drawn again."""
    return 256 - 256 % count


def drawn(seed: bytes, name: str, count: int) -> int:
    """A number in 0..count-1 that the seed decides for this name, independent of all deals. ``count`` is 1..256."""
    prefix = b"card-arena draw" + name.encode()
    block = 0
    while True:
        for byte in hmac.digest(seed, prefix + block.to_bytes(4, "big"), "sha512"):
            if byte < even_below(count):
                return byte % count
        block += 1
