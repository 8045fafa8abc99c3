"""The games as environments for learning and search: PettingZoo, lock-step vectors, OpenSpiel's names. Knows the engine
and the shapes of observations; knows no game, no referee and no network. Install with ``card-arena[envs]``.
"""

from arena.envs.aec import AecEnv, aec_env
from arena.envs.encoding import Encoder
from arena.envs.parallel import AllAtOnceEnv, parallel_env
from arena.envs.seeds import match_seed
from arena.envs.vector import Buffers, VectorStepper

__all__ = [
    "AecEnv",
    "AllAtOnceEnv",
    "Buffers",
    "Encoder",
    "VectorStepper",
    "aec_env",
    "match_seed",
    "parallel_env",
]
