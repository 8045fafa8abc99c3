"""OpenSpiel's external-sampling MCCFR on the last two rounds of Minus One, three seats.

    pip install 'card-arena[envs,bench]'
    python examples/mccfr.py [ITERATIONS]

The algorithm is OpenSpiel's own and knows nothing of Card Arena. NashConv, what the players together could still gain
by changing their strategies, falls towards 0.
"""

import random
import sys

import numpy as np
from open_spiel.python.algorithms import exploitability, external_sampling_mccfr

from arena.envs.spiel import SpielGame
from engine import State, load

RULES = load("minus_one", 3, rounds=6)


def last_rounds(seed: bytes) -> State:
    """A match whose first four rounds are played, the same ones every time, so that the rest is a game of its own."""
    state = RULES.start(seed)
    rng = random.Random(4)
    while state.to_act() and len(state.observe(0).keeps) < 4 * 3:
        seat = state.to_act()[0]
        state.apply(seat, rng.choice(state.legal(seat)))
    return state


def train(iterations: int, reports: int) -> list[float]:
    """NashConv before training and after each part of it."""
    game = SpielGame(RULES, seed=1, begin=last_rounds)
    solver = external_sampling_mccfr.ExternalSamplingSolver(game, external_sampling_mccfr.AverageType.FULL)
    np.random.seed(1)  # the solver draws from it
    gaps = [float(exploitability.nash_conv(game, solver.average_policy()))]
    for _ in range(reports):
        for _ in range(iterations // reports):
            solver.iteration()
        gaps.append(float(exploitability.nash_conv(game, solver.average_policy())))
    return gaps


if __name__ == "__main__":
    parts = train(int(sys.argv[1]) if len(sys.argv) > 1 else 100, reports=4)
    print("NashConv:", "  ".join(f"{gap:.4f}" for gap in parts))
