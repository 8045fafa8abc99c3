"""A row of numbers says what the observation says: no more, no less, and always in the same place."""

import dataclasses
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import engine
from arena.envs.encoding import Encoder
from engine.cards import PACK
from engine.game import Game, Observation, State
from engine.tricks import TrickObservation
from tests.envs.tables import NAMES, TABLES

tables = pytest.mark.parametrize(("name", "seats", "options"), TABLES, ids=NAMES)


def points(game: Game, seed: int) -> Iterator[State]:
    """The states of a random match, one object that moves."""
    rng = random.Random(seed)
    state = game.start(rng.randbytes(32))
    yield state
    while state.to_act():
        seat = rng.choice(state.to_act())
        state.apply(seat, rng.choice(state.legal(seat)))
        yield state


@tables
def test_different_observations_of_a_seat_have_different_rows(name: str, seats: int, options: dict[str, Any]) -> None:
    game = engine.load(name, seats, **options)
    encoder = Encoder(game)
    seen: dict[bytes, Observation] = {}
    for seed in range(2):
        for state in points(game, seed):
            observation = state.observe(1)
            row = encoder.row(observation).tobytes()
            assert seen.setdefault(row, observation) == observation


@tables
def test_rows_have_one_size_and_lie_within_bounds(name: str, seats: int, options: dict[str, Any]) -> None:
    game = engine.load(name, seats, **options)
    encoder = Encoder(game)
    low, high = encoder.bounds()
    assert low.shape == high.shape == (encoder.size,)
    assert encoder.size == max(part.stop for part in encoder.slices.values())
    for state in points(game, 3):
        rows = np.full((seats, encoder.size), np.nan, np.float32)
        encoder.write([state.observe(seat) for seat in range(seats)], rows)
        assert (rows >= low).all()
        assert (rows <= high).all()


@tables
def test_a_mask_marks_exactly_the_legal_actions(name: str, seats: int, options: dict[str, Any]) -> None:
    game = engine.load(name, seats, **options)
    encoder = Encoder(game)
    for state in points(game, 4):
        if not state.to_act():
            continue
        masks = np.empty((seats, game.num_actions), np.int8)
        encoder.write_masks([encoder.legal_bits(state, seat) for seat in range(seats)], masks)
        assert [list(np.flatnonzero(row)) for row in masks] == [state.legal(seat) for seat in range(seats)]


@tables
def test_a_row_is_a_function_of_the_observation_alone(name: str, seats: int, options: dict[str, Any]) -> None:
    game = engine.load(name, seats, **options)
    one, other = Encoder(game), Encoder(game)
    for state in points(game, 5):
        observation: Any = state.observe(0)
        copy = dataclasses.replace(observation)
        assert (one.row(observation) == other.row(copy)).all()


@pytest.mark.parametrize("direction", ["clockwise", "anticlockwise"])
def test_seats_are_counted_from_the_one_that_looks_in_playing_order(direction: str) -> None:
    game = engine.load("callbreak", direction=direction, first_dealer=0, redeal_below=0)
    step = 1 if direction == "clockwise" else 3
    encoder = Encoder(game)
    state = game.start_from([PACK], first_dealer=0)
    for _ in range(4):
        state.apply(state.to_act()[0], game.read("call 2"))
    leader = state.to_act()[0]
    card = state.legal(leader)[0]
    state.apply(leader, card)
    for after in range(4):
        observation = state.observe((leader - after * step) % 4)
        assert isinstance(observation, TrickObservation)
        row = encoder.row(observation)
        trick = row[encoder.slices["trick"]].reshape(4, 52)
        assert np.argwhere(trick).tolist() == [[after, card]]
        assert (row[encoder.slices["played"]].reshape(4, 52) == trick).all()
        assert row[encoder.slices["leader"]].tolist() == [float(seat == after) for seat in range(4)]
        hand = sum(1 << int(held) for held in np.flatnonzero(row[encoder.slices["hand"]]))
        assert hand == observation.hand


def test_a_shape_that_nobody_wrote_features_for_is_refused() -> None:
    class Strange:
        def start(self, seed: bytes) -> "Strange":
            return self

        def observe(self, seat: int) -> int:
            return seat

    game: Any = Strange()
    with pytest.raises(TypeError, match=r"write a module for it in arena/envs"):
        Encoder(game)
