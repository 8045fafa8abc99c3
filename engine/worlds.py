"""Worlds: whole matches that look to a seat as its own does, for search. Knows no network and no search.

``sample(game, observation, rng)`` is a match in which nothing that the seat knows is different and every past decision
was legal; docs/worlds.md says what that takes and what is even about it. Whoever draws many for one observation
prepares them once::

    worlds = engine.worlds(game, observation)
    states = [worlds.draw(rng) for _ in range(100)]
"""

import random
from typing import Any, Protocol

from engine.callbreak import Callbreak
from engine.contract_whist import ContractWhist
from engine.game import Game, Observation, State
from engine.minus import Minus
from engine.minus_one import MinusOne
from engine.pairs import PairsObservation
from engine.tricks import TrickObservation
from engine.worlds_pairs import PairsWorlds
from engine.worlds_tricks import TrickWorlds


class Worlds(Protocol):
    """All matches that fit an observation."""

    def draw(self, rng: random.Random) -> Any:
        """One of them, a :class:`State` that goes on independently of any other. All chance comes from ``rng``."""
        ...


def sample(game: Game, observation: Observation, rng: random.Random) -> State:
    """A match of the game that looks as observed to the observation's seat, drawn from ``rng``.

    :raises ValueError: if there is none, because the observation is not one of this game with these options.
    """
    state: State = worlds(game, observation).draw(rng)
    return state


def worlds(game: Game, observation: Observation) -> Worlds:
    """The matches that :func:`sample` draws from, prepared for many draws.

    :raises ValueError: as :func:`sample`.
    """
    if isinstance(game, Callbreak | Minus | ContractWhist) and isinstance(observation, TrickObservation):
        return TrickWorlds(game, observation)
    if isinstance(game, MinusOne) and isinstance(observation, PairsObservation):
        return PairsWorlds(game, observation)
    raise ValueError(f"{game.id} is never seen as a {type(observation).__name__}; give the game that was observed.")
