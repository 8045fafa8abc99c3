"""Many matches of one table in lock-step, for reinforcement learning. Knows no game.

Every step takes one decision in every match. Seats that choose at the same time are asked one after the other, and see
nothing of each other's choice. A match that ends is followed by the next one of its row at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.envs.encoding import Encoder
from arena.envs.rewards import payer
from arena.envs.seeds import match_seed
from engine.game import Game, State


@dataclass(frozen=True, slots=True)
class Buffers:
    """Arrays that a stepper writes into and the caller owns; row i is match i.

    :ivar observations: float32 (n, size), as the seat to act sees its match.
    :ivar masks: int8 (n, num_actions), 1 for its legal actions.
    :ivar seats: int8 (n), the seat to act.
    :ivar rewards: float32 (n, seats), what the last step paid, by seat.
    :ivar dones: bool (n), whether the last step ended a match; the other arrays but rewards then show the next one.
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    seats: NDArray[np.int8]
    rewards: NDArray[np.float32]
    dones: NDArray[np.bool_]


class VectorStepper:
    """``n`` matches of a game side by side.

    Row i plays the matches i, i + n, i + 2n, … of the seed stream, so what a row plays does not depend on how long the
    others take.

    :ivar encoder: the layout of observations and masks.
    """

    def __init__(self, game: Game, n: int, *, seed: int = 0, rewards: str = "place") -> None:
        """:raises ValueError: if there is no such reward, or no row."""
        if n < 1:
            raise ValueError(f"A stepper has at least one match, not {n}.")
        self.game = game
        self.encoder = Encoder(game)
        self._pay = payer(rewards)
        self._rows = n
        self._seed = seed
        self._numbers = list(range(n))
        self._states: list[State] = []
        self._paid: list[list[int]] = []
        self._seats: list[int] = []
        self._legal: list[int] = []

    def buffers(self) -> Buffers:
        """New arrays of the right shapes."""
        n = self._rows
        return Buffers(
            np.zeros((n, self.encoder.size), np.float32),
            np.zeros((n, self.game.num_actions), np.int8),
            np.zeros(n, np.int8),
            np.zeros((n, self.game.seats), np.float32),
            np.zeros(n, np.bool_),
        )

    def reset(self, out: Buffers) -> None:
        """Begins the first matches of the seed stream in all rows."""
        self._numbers = list(range(self._rows))
        self._states = [self.game.start(match_seed(self._seed, number)) for number in self._numbers]
        self._paid = [state.scores() for state in self._states]
        out.rewards[:] = 0
        out.dones[:] = False
        self._show(out)

    def step(self, actions: Sequence[int] | NDArray[np.integer], out: Buffers) -> None:
        """Takes one action for the seat to act in every row.

        :raises ValueError: if an action is not legal in its row, or before the first reset; nothing has changed then.
        """
        chosen = actions.tolist() if isinstance(actions, np.ndarray) else list(actions)
        self._check(chosen)
        out.rewards[:] = 0
        out.dones[:] = False
        for row, state in enumerate(self._states):
            state.apply_unchecked(self._seats[row], chosen[row])
            over = not state.to_act()
            scores = state.scores()
            if over or scores != self._paid[row]:
                out.rewards[row] = self._pay(state, self._paid[row], over)
                self._paid[row] = scores
            if over:
                out.dones[row] = True
                self._numbers[row] += self._rows
                self._states[row] = self.game.start(match_seed(self._seed, self._numbers[row]))
                self._paid[row] = self._states[row].scores()
        self._show(out)

    def _check(self, actions: Sequence[int]) -> None:
        if len(actions) != len(self._states):
            raise ValueError(
                f"Step takes {self._rows} actions, one per row, not {len(actions)}."
                if self._states
                else "Call reset before the first step."
            )
        for row, (action, legal) in enumerate(zip(actions, self._legal, strict=True)):
            if action < 0 or not legal >> action & 1:
                try:
                    self._states[row].apply(self._seats[row], action)
                except ValueError as refusal:
                    raise ValueError(f"Row {row}: {refusal} No row was stepped.") from refusal

    def _show(self, out: Buffers) -> None:
        encoder = self.encoder
        self._seats = [state.to_act()[0] for state in self._states]
        pairs = list(zip(self._states, self._seats, strict=True))
        self._legal = [encoder.legal_bits(state, seat) for state, seat in pairs]
        encoder.write([state.observe(seat) for state, seat in pairs], out.observations)
        encoder.write_masks(self._legal, out.masks)
        out.seats[:] = self._seats
