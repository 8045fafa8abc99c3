"""A thousand matches in lock-step with a random policy, and how many decisions that makes in a second.

pip install 'card-arena[envs]'
python examples/vector.py [GAME]
"""

import sys
import time

import numpy as np

import engine
from arena.envs import VectorStepper


def rate(game: str, rows: int, seconds: float) -> float:
    """Decisions per second, the random policy included."""
    stepper = VectorStepper(engine.load(game), rows, seed=1)
    out = stepper.buffers()
    stepper.reset(out)
    rng = np.random.default_rng(1)
    steps = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        # A network's logits would stand in place of the random numbers.
        actions = (rng.random(out.masks.shape, dtype=np.float32) * out.masks).argmax(axis=1)
        stepper.step(actions, out)
        steps += 1
    return rows * steps / (time.perf_counter() - start)


if __name__ == "__main__":
    for name in sys.argv[1:] or engine.GAMES:
        print(f"{name}: {rate(name, 1000, 3):,.0f} decisions/s")
