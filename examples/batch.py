"""A bot that scores all turns of a frame with one product of matrices, as a neural network would.

    pip install 'card-arena[envs]'
    python examples/batch.py --server HOST:PORT --token TOKEN

The network has one layer and was never trained; its cards come out of its seed.
"""

from collections.abc import Sequence

import numpy as np

from arena.bot import Turn, run
from engine.cards import cards_of
from engine.tricks import TrickObservation

CARDS = 52
ACTIONS = CARDS + 13
"""Callbreak's: the cards, then the calls 1 to 13."""

WEIGHTS = np.random.default_rng(1).standard_normal((2 * CARDS, ACTIONS), dtype=np.float32)


def choose_many(turns: Sequence[Turn]) -> list[int]:
    seen = np.zeros((len(turns), 2 * CARDS), np.float32)
    barred = np.full((len(turns), ACTIONS), -np.inf, np.float32)
    for row, turn in enumerate(turns):
        view = turn.observation
        assert isinstance(view, TrickObservation)
        seen[row, cards_of(view.hand)] = 1
        seen[row, [CARDS + card for card in view.trick]] = 1
        barred[row, list(turn.legal)] = 0
    best: list[int] = (seen @ WEIGHTS + barred).argmax(axis=1).tolist()
    return best


if __name__ == "__main__":
    run(choose_many=choose_many, name="one-layer", games=["callbreak"])
