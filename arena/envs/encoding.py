"""Observations and legal actions as rows of numbers, one layout per table for all phases. Knows no game: a module per
view shape lists the features.

A row is a function of the observation alone: flags (0 or 1), then counts (small numbers, scaled), then amounts.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arena.envs.pairs import PairsFeatures
from arena.envs.trick import TrickFeatures
from engine.game import Game, Observation, State
from engine.pairs import PairsObservation
from engine.tricks import TrickObservation


class Features(Protocol):
    """The features of one view shape at one table: names and sizes in order, and the numbers of an observation."""

    flag_sizes: dict[str, int]
    count_sizes: dict[str, int]
    count_unit: int
    amount_sizes: dict[str, int]

    def smalls(self, observation: Any) -> bytes:
        """Flags and counts, one byte each."""
        ...

    def amounts(self, observation: Any) -> list[float]: ...


class Encoder:
    """Writes observations and masks of one table into rows.

    :ivar size: numbers in a row.
    :ivar slices: where each feature stands.
    :ivar num_actions: length of a mask.
    """

    def __init__(self, game: Game) -> None:
        """:raises TypeError: if observations of the game have a shape that nobody wrote features for."""
        self._features = _features(game)
        features = self._features
        self.slices: dict[str, slice] = {}
        at = 0
        for sizes in (features.flag_sizes, features.count_sizes, features.amount_sizes):
            for name, size in sizes.items():
                self.slices[name] = slice(at, at + size)
                at += size
        self.size = at
        self.num_actions = game.num_actions
        self._flags = sum(features.flag_sizes.values())
        counts = sum(features.count_sizes.values())
        self._scale = np.ones(self._flags + counts, np.float32)
        self._scale[self._flags :] = 1 / features.count_unit
        self._mask_bytes = (game.num_actions + 7) // 8
        self._first = tuple(phase.first for phase in game.phases)

    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The least and the greatest row. Flags and counts lie in 0 .. 1 but for a count of a long match; amounts are
        unbounded."""
        low = np.zeros(self.size, np.float32)
        high = np.ones(self.size, np.float32)
        end = len(self._scale)
        high[self._flags : end] = 255 * self._scale[self._flags :]
        low[end:] = -np.inf
        high[end:] = np.inf
        return low, high

    def write(self, observations: Sequence[Observation], out: NDArray[np.float32]) -> None:
        """Fills one row per observation; ``out`` is of shape (observations, size)."""
        features = self._features
        rows = len(observations)
        end = len(self._scale)
        raw = b"".join([features.smalls(observation) for observation in observations])
        np.multiply(np.frombuffer(raw, np.uint8).reshape(rows, end), self._scale, out=out[:, :end])
        out[:, end:] = [features.amounts(observation) for observation in observations]

    def row(self, observation: Observation) -> NDArray[np.float32]:
        """A new row for one observation."""
        out = np.empty((1, self.size), np.float32)
        self.write((observation,), out)
        row: NDArray[np.float32] = out[0]
        return row

    def legal_bits(self, state: State, seat: int) -> int:
        """The legal actions of a seat as a set over the whole action space; 0 when it is not to act."""
        return state.legal_mask(seat) << self._first[state.phase()]

    def write_masks(self, legal: Sequence[int], out: NDArray[np.int8]) -> None:
        """Fills one row of 0 and 1 per set of legal actions; ``out`` is of shape (sets, num_actions)."""
        width = self._mask_bytes
        raw = b"".join([bits.to_bytes(width, "little") for bits in legal])
        packed = np.frombuffer(raw, np.uint8).reshape(len(legal), width)
        out[:] = np.unpackbits(packed, axis=1, count=self.num_actions, bitorder="little")


def _features(game: Game) -> Features:
    observation = game.start(bytes(32)).observe(0)
    if isinstance(observation, TrickObservation):
        return TrickFeatures(game)
    if isinstance(observation, PairsObservation):
        return PairsFeatures(game)
    raise TypeError(f"Nobody wrote features for a {type(observation).__name__}: write a module for it in arena/envs.")
