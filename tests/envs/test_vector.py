"""Matches in lock-step are the same matches as one by one."""

from typing import Any

import numpy as np
import pytest

import engine
from arena.envs import Encoder, VectorStepper, match_seed
from arena.envs.rewards import place_rewards
from tests.envs.tables import NAMES, TABLES


@pytest.mark.parametrize(("name", "seats", "options"), TABLES, ids=NAMES)
def test_rows_are_single_matches(name: str, seats: int, options: dict[str, Any]) -> None:
    game = engine.load(name, seats, **options)
    encoder = Encoder(game)
    rows = 3
    stepper = VectorStepper(game, rows, seed=5)
    out = stepper.buffers()
    stepper.reset(out)
    numbers = list(range(rows))
    states = [game.start(match_seed(5, number)) for number in numbers]
    rng = np.random.default_rng(1)
    ended = 0
    for step in range(2 * game.bound):
        for row, state in enumerate(states):
            seat = state.to_act()[0]
            assert out.seats[row] == seat
            assert list(np.flatnonzero(out.masks[row])) == state.legal(seat)
            if step % 7 == 0:
                assert (out.observations[row] == encoder.row(state.observe(seat))).all()
        actions = (rng.random(out.masks.shape) * out.masks).argmax(axis=1)
        stepper.step(actions, out)
        for row, state in enumerate(states):
            state.apply(state.to_act()[0], int(actions[row]))
            over = not state.to_act()
            assert out.dones[row] == over
            assert out.rewards[row].tolist() == (
                np.array(place_rewards(state.places()), np.float32).tolist() if over else [0.0] * seats
            )
            if over:
                ended += 1
                numbers[row] += rows
                states[row] = game.start(match_seed(5, numbers[row]))
        if ended > rows and step > game.bound // 2:
            return
    raise AssertionError("No match ended.")


def test_the_callers_arrays_are_filled_in_place() -> None:
    stepper = VectorStepper(engine.load("minus_one"), 4, seed=1, rewards="deal")
    one, other = stepper.buffers(), stepper.buffers()
    stepper.reset(one)
    stepper.reset(other)
    held = one.observations
    stepper.step(one.masks.argmax(axis=1), one)
    assert one.observations is held
    assert one.seats.tolist() == [1, 1, 1, 1]
    assert other.seats.tolist() == [0, 0, 0, 0]


def test_a_refused_step_changes_nothing() -> None:
    stepper = VectorStepper(engine.load("callbreak"), 2, seed=1)
    out = stepper.buffers()
    with pytest.raises(ValueError, match="reset before"):
        stepper.step([52, 52], out)
    stepper.reset(out)
    before = out.observations.copy()
    for wrong in ([52, 0], [52, -1], [52, 65]):
        with pytest.raises(ValueError, match=r"Row 1: Seat .* No row was stepped"):
            stepper.step(wrong, out)
    with pytest.raises(ValueError, match="2 actions"):
        stepper.step([52], out)
    stepper.step([52, 52], out)
    assert (out.observations != before).any(axis=1).all()
    with pytest.raises(ValueError, match="at least one"):
        VectorStepper(engine.load("callbreak"), 0)
