"""PettingZoo's parallel environment: all agents act in every step. Knows no game.

A step is one decision point of the match: one seat's turn, or the choice of all seats that choose at the same time.
Every other agent takes the no-op, the last action of the space, which is then the only one in its mask.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv  # type: ignore[import-untyped] # it has hints but does not say so

import engine
from arena.envs.table import FALLBACK, Seen, Table
from engine.game import Game, IllegalAction, State

Stepped = tuple[dict[str, Seen], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]
"""Observations, rewards, terminations, truncations (never) and infos by agent."""


def parallel_env(
    game: str,
    seats: int | None = None,
    *,
    rewards: str = "place",
    illegal: str = FALLBACK,
    render_mode: str | None = None,
    **options: object,
) -> "AllAtOnceEnv":
    """An environment for a game by id, alias or preset; ``options`` are the game's.

    :param rewards: ``place``, ``score`` or ``deal``, see :mod:`arena.envs.rewards`.
    :param illegal: ``fallback`` plays what the house plays for a seat that gives no valid answer, and sets ``illegal``
        in its info (PettingZoo's own tools sample without masks here); ``refuse`` raises
        :class:`engine.IllegalAction` and changes nothing. An agent that is not asked and acts is treated alike.
    :param render_mode: ``ansi`` to have ``render`` return a line of text.
    :raises ValueError: if a name or a value is unknown; the sentence lists the valid ones.
    """
    loaded = engine.load(game, seats, **options)
    return AllAtOnceEnv(loaded, rewards=rewards, illegal=illegal, render_mode=render_mode)


class AllAtOnceEnv(ParallelEnv):  # type: ignore[misc] # untyped
    """A match after another. Copies and pickles are whole: a copy goes on from the same point.

    :ivar no_op: the action of an agent that is not asked.
    """

    def __init__(self, game: Game, *, rewards: str, illegal: str, render_mode: str | None) -> None:
        self._table = Table(game, rewards, illegal, with_no_op=True)
        self.no_op = self._table.no_op
        self.render_mode = render_mode
        self.metadata = {"name": f"{game.id}_v{engine.VERSION}", "render_modes": ["ansi"]}
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

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        """A new match: the first of the stream ``seed``, or the next of the stream that is running. ``options`` may
        have ``match_seed``, the 32 bytes of a match to play again; other entries are left alone."""
        self._table.begin(seed, options)
        self.agents = self.possible_agents[:]
        return self._see(), {agent: {"illegal": False} for agent in self.agents}

    def step(self, actions: Mapping[str, int]) -> Stepped:
        """Takes an action of every agent; one that is left out counts as the no-op.

        :raises engine.IllegalAction: if one is not legal and the environment refuses such; nothing has changed then.
        :raises ValueError: if there is no agent: before the first reset, or after the end.
        """
        agents = self.agents
        if not agents:
            raise ValueError("There is nobody to act: call reset to begin a match.")
        match = self.match
        waiting = match.to_act()
        asked = [int(actions.get(agent, self.no_op)) for agent in agents]
        illegal = [action != self.no_op for action in asked]
        for seat in waiting:
            illegal[seat] = asked[seat] not in match.legal(seat)
        if any(illegal) and not self._table.lenient:
            seat = illegal.index(True)
            raise self._refusal(seat, asked[seat])
        for seat in waiting:
            match.apply(seat, match.fallback(seat) if illegal[seat] else asked[seat])
        over = not match.to_act()
        seen = self._see()
        if over:
            self.agents = []
        return (
            seen,
            dict(zip(agents, self._table.pay(), strict=True)),
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            {agent: {"illegal": illegal[seat]} for seat, agent in enumerate(agents)},
        )

    def render(self) -> str | None:
        """A line of text in render mode ``ansi``, otherwise None."""
        return self._table.describe() if self.render_mode == "ansi" else None

    def state(self) -> NDArray[np.float32]:
        """What all seats see, one row per seat: for critics that may know everything."""
        return self._table.see_all()

    def close(self) -> None:
        """Nothing is held that needs closing."""

    def _see(self) -> dict[str, Seen]:
        waiting = self.match.to_act()
        seen = {agent: self._table.see(seat) for seat, agent in enumerate(self.possible_agents)}
        for seat, agent in enumerate(self.possible_agents):
            seen[agent]["action_mask"][self.no_op] = seat not in waiting
        return seen

    def _refusal(self, seat: int, action: int) -> IllegalAction:
        game = self._table.game
        legal = self.match.legal(seat)
        name = game.write(action) if 0 <= action < self.no_op else f"action {action}"
        texts = ", ".join(map(game.write, legal)) or f"the no-op, {self.no_op}"
        return IllegalAction(seat, action, legal, f"Seat {seat} cannot take {name} now; legal are: {texts}.")
