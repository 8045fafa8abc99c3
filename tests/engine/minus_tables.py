"""Matches of Minus with given options, hands and turns, for its tests. Knows no rule."""

from typing import Any

import engine
from engine.minus import Minus, MinusState
from tests.engine.walks import pack_of, take

GOLDEN_HANDS = (
    "AS JS 9S 8S 3S 5S 4S 2S AH 9H 6H QD 3D",
    "7H 4H 9D 2D 5C KS 7S 2H JD 8D 7D 8C 2C",
    "6S TH 5H QC 3C TS KH JH AD KD KC 9C 7C",
    "8H 5D AC JC TC QS QH 3H TD 6D 4D 6C 4C",
)
SWAPPED = (*GOLDEN_HANDS[:2], GOLDEN_HANDS[3], GOLDEN_HANDS[2])
GOLDEN_PLAY = [
    (0, "5S KS TS QS", 1),
    (1, "7S 6S 5D 8S", 0),
    (0, "9H 7H KH 3H", 2),
    (2, "3C JC JS 8C", 0),
    (0, "AS JD 7C AC", 0),
    (0, "2S 4H QC 4C", 0),
    (0, "AH 2H 5H QH", 0),
    (0, "3D 8D KD 6D", 2),
    (2, "TH 8H 6H 9D", 2),
    (2, "KC TC 4S 5C", 0),
    (0, "3S 2D 9C TD", 0),
    (0, "9S 7D AD 6C", 0),
    (0, "QD 2C JH 4D", 0),
]


def minus(**options: Any) -> Minus:
    """The game with these options."""
    game = engine.load("minus", **options)
    assert isinstance(game, Minus)
    return game


def opened(*texts: str, dealer: int = 0, packs: int = 1, **options: Any) -> MinusState:
    """A match with the golden hands in its first deals, after these actions."""
    game = minus(**options)
    state = game.start_from([pack_of(GOLDEN_HANDS, dealer, game.step)] * packs, first_dealer=dealer)
    take(state, *texts)
    return state
