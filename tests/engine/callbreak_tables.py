"""Matches of Callbreak with given options and hands, for its tests. Knows no rule."""

from typing import Any

import engine
from engine.callbreak import Callbreak, CallbreakState
from engine.cards import write_card
from tests.engine.walks import pack_of

GOLDEN_HANDS = (
    "JS 5S 2S KH JH 8H 5H 3H KD QD AC 5C 3C",
    "QS 9S 7S 3S AH TH 6H 6D 5D 4D JC 8C 7C",
    "AS 6S 4S QH 9H 7H JD TD 7D 3D 2D 6C 2C",
    "KS TS 8S 4H 2H AD 9D 8D KC QC TC 9C 4C",
)
"""A deal of dealer 0 in which each seat has every suit and an honour."""

SUITS = tuple(" ".join(write_card(13 * suit + rank) for rank in range(13)) for suit in range(4))
"""A deal in which seat s has suit s and nothing else: seat 3 the spades."""


def callbreak(**options: Any) -> Callbreak:
    """The game with these options."""
    game = engine.load("callbreak", **options)
    assert isinstance(game, Callbreak)
    return game


def dealt(*hands: str, dealer: int = 0, packs: int = 1, **options: Any) -> CallbreakState:
    """A match whose deals are these hands (or a whole pack in order), again and again."""
    game = callbreak(**options)
    pack = pack_of(hands, dealer, game.step) if hands else list(range(52))
    return game.start_from([pack] * packs, first_dealer=dealer)


def play_on(state: CallbreakState, steps: int) -> None:
    """The house plays for everybody."""
    for _ in range(steps):
        seat = state.to_act()[0]
        state.apply(seat, state.fallback(seat))
