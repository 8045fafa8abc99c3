"""PettingZoo's AEC environment: one agent acts at a time. Knows no game.

Agents that choose at the same time act one after the other in seat order; their choices stay hidden until all are in.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv  # type: ignore[import-untyped] # it has hints but does not say so

import engine
from arena.envs.table import REFUSE, Seen, Table
from engine.game import Game, State


def aec_env(
    game: str,
    seats: int | None = None,
    *,
    rewards: str = "place",
    illegal: str = REFUSE,
    render_mode: str | None = None,
    **options: object,
) -> "AecEnv":
    """An environment for a game by id, alias or preset; ``options`` are the game's.

    :param rewards: ``place``, ``score`` or ``deal``, see :mod:`arena.envs.rewards`.
    :param illegal: ``refuse`` raises :class:`engine.IllegalAction` for an action outside the mask and changes nothing;
        ``fallback`` plays what the house plays for a seat that gives no valid answer, and sets ``illegal`` in its info.
    :param render_mode: ``ansi`` to have ``render`` return a line of text.
    :raises ValueError: if a name or a value is unknown; the sentence lists the valid ones.
    """
    return AecEnv(engine.load(game, seats, **options), rewards=rewards, illegal=illegal, render_mode=render_mode)


class AecEnv(AECEnv):  # type: ignore[misc] # untyped
    """A match after another. Copies and pickles are whole: a copy goes on from the same point."""

    def __init__(self, game: Game, *, rewards: str, illegal: str, render_mode: str | None) -> None:
        super().__init__()
        self._table = Table(game, rewards, illegal, with_no_op=False)
        self.render_mode = render_mode
        self.metadata = {"name": f"{game.id}_v{engine.VERSION}", "render_modes": ["ansi"], "is_parallelizable": False}
        self.possible_agents = self._table.agents[:]
        self.agents: list[str] = []

    @property
    def match(self) -> State:
        """The match as the engine has it, hidden cards too."""
        return self._table.match

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._table.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._table.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new match: the first of the stream ``seed``, or the next of the stream that is running. ``options`` may
        have ``match_seed``, the 32 bytes of a match to play again; other entries are left alone."""
        self._table.begin(seed, options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"illegal": False} for agent in self.agents}
        self.agent_selection = self.agents[self.match.to_act()[0]]

    def observe(self, agent: str) -> Seen:
        """What an agent sees now; its mask is all 0 unless it is to act, and all 1 once the match is over."""
        return self._table.see(self.possible_agents.index(agent))

    def step(self, action: int | None) -> None:
        """Takes the action of the selected agent; None once the agent is terminated.

        :raises engine.IllegalAction: if it is not legal and the environment refuses such; nothing has changed then.
        :raises ValueError: if there is no agent, before the first reset or after the end, or no action.
        """
        if not self.agents:
            raise ValueError("There is nobody to act: call reset to begin a match.")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to act and takes an action of its mask, not None.")
        match = self.match
        seat = self.possible_agents.index(agent)
        asked = int(action)
        illegal = asked not in match.legal(seat)
        match.apply(seat, match.fallback(seat) if illegal and self._table.lenient else asked)
        self.infos[agent] = {"illegal": illegal}
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.agents, self._table.pay(), strict=True))
        self._accumulate_rewards()
        waiting = match.to_act()
        if waiting:
            self.agent_selection = self.agents[waiting[0]]
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]

    def render(self) -> str | None:
        """A line of text in render mode ``ansi``, otherwise None."""
        return self._table.describe() if self.render_mode == "ansi" else None

    def state(self) -> NDArray[np.float32]:
        """What all seats see, one row per seat: for critics that may know everything."""
        return self._table.see_all()

    def close(self) -> None:
        """Nothing is held that needs closing."""
