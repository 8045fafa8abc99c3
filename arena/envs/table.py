"""One match after another as PettingZoo's two environments need it: agents, spaces, observations, rewards. Knows no
order of play and no game.
"""

from typing import Any, Final, TypedDict

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.envs.encoding import Encoder
from arena.envs.rewards import payer
from arena.envs.seeds import SeedStream
from engine.game import Game, Seat, State

REFUSE: Final = "refuse"
FALLBACK: Final = "fallback"


class Seen(TypedDict):
    """An agent's observation."""

    observation: NDArray[np.float32]
    action_mask: NDArray[np.int8]


class Table:
    """A table with its agents, and the match that it plays.

    :ivar agents: ``player_0`` for seat 0, and so on.
    :ivar no_op: one beyond the game's actions; part of the action spaces if ``with_no_op``.
    :ivar lenient: whether the house's fallback stands in for an illegal action, or the action is refused.
    """

    def __init__(self, game: Game, rewards: str, illegal: str, *, with_no_op: bool) -> None:
        if illegal not in {REFUSE, FALLBACK}:
            raise ValueError(f"An illegal action cannot be met by {illegal!r}; choose {REFUSE} or {FALLBACK}.")
        self.game = game
        self.encoder = Encoder(game)
        self.agents = [f"player_{seat}" for seat in range(game.seats)]
        self.no_op = game.num_actions
        self.lenient = illegal == FALLBACK
        self.match: State
        self._pay = payer(rewards)
        self._paid: list[int] = []
        self._seeds = SeedStream()
        self._size = game.num_actions + with_no_op
        low, high = self.encoder.bounds()
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(low, high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (self._size,), dtype=np.int8),
                }
            )
            for agent in self.agents
        }
        self.action_spaces: dict[str, spaces.Space[Any]] = {agent: spaces.Discrete(self._size) for agent in self.agents}

    def begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """A new match: the first of the stream ``seed``, or the next of the stream that is running. ``options`` may
        have ``match_seed``, 32 bytes or their hex text, of a match to play again; other entries are left alone."""
        if seed is not None:
            self._seeds.restart(seed)
        drawn = self._seeds.draw()
        given = (options or {}).get("match_seed", drawn)
        self.match = self.game.start(bytes.fromhex(given) if isinstance(given, str) else given)
        self._paid = self.match.scores()

    def pay(self) -> list[float]:
        """Rewards by seat for what happened since the last call."""
        paid = self._pay(self.match, self._paid, not self.match.to_act())
        self._paid = self.match.scores()
        return paid

    def see(self, seat: Seat) -> Seen:
        """What the seat observes, and its legal actions; none when it is not to act. Once the match is over every
        action is marked, so that no policy divides by nothing."""
        mask = np.zeros((1, self._size), np.int8)
        if self.match.to_act():
            legal = self.encoder.legal_bits(self.match, seat)
            self.encoder.write_masks((legal,), mask[:, : self.game.num_actions])
        else:
            mask[:] = 1
        return {"observation": self.encoder.row(self.match.observe(seat)), "action_mask": mask[0]}

    def see_all(self) -> NDArray[np.float32]:
        """What all seats observe, one row per seat."""
        rows = np.empty((self.game.seats, self.encoder.size), np.float32)
        self.encoder.write([self.match.observe(seat) for seat in range(self.game.seats)], rows)
        return rows

    def describe(self) -> str:
        """The match in a line, for people: who is asked what, and totals."""
        game = self.game
        match = self.match
        totals = ", ".join(map(game.write_score, match.scores()))
        waiting = match.to_act()
        if not waiting:
            return f"{game.title} is over; totals {totals}; places {', '.join(map(str, match.places()))}."
        asked = ", ".join(self.agents[seat] for seat in waiting)
        return f"{game.title}, {game.phases[match.phase()].name}: {asked} to act; totals {totals}."
