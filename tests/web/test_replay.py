"""Stepping through a record: every step is the match as it was then."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from arena.errors import WrongState
from arena.web.replay import replay
from engine.game import Game, State
from engine.record import Recorder
from tests.engine.walks import SEED, games


def recorded(game: Game, rng: random.Random) -> tuple[str, list[State]]:
    """A random match as its record, and the states before and after its decisions. Those made at the same time are made
    in seat order."""
    recorder = Recorder(game, players=[f"bot {seat}" for seat in range(game.seats)], seed=SEED)
    state = game.start(SEED)
    states = [state.clone()]
    recorder.observe_state(state)
    while state.to_act():
        seat = state.to_act()[0]
        legal = state.legal(seat)
        action = rng.choice(legal)
        recorder.decision(seat, action, len(legal), 1)
        state.apply(seat, action)
        recorder.observe_state(state)
        states.append(state.clone())
    return recorder.finish(state), states


@given(games(), st.randoms(use_true_random=False))
def test_every_step_is_the_match_as_it_was_then(game: Game, rng: random.Random) -> None:
    text, states = recorded(game, rng)
    found = replay(text)
    assert found.steps == len(states) - 1
    for step in {0, 1, found.steps, *rng.sample(range(len(states)), min(5, len(states)))}:
        moment, state = found.at(step)
        assert moment.step == step
        assert state == states[step]
        assert set(moment.legal) == set(states[step].to_act())
        if step:
            # A choice is a secret while others still have theirs to make at the same time.
            before, after = set(states[step - 1].to_act()), set(states[step].to_act())
            assert moment.secret == (bool(after) and len(before) > 1 and after < before)
    assert found.at(-1)[0].step == 0
    assert found.at(10**9)[0].step == found.steps


def test_deals_begin_where_new_cards_lie() -> None:
    text, states = recorded(engine.load("callbreak"), random.Random(1))
    found = replay(text)
    began = [step for step, state in enumerate(states) if step == 0 or state.deal != states[step - 1].deal]
    assert found.deals() == began


def test_a_record_that_does_not_hold_is_not_shown() -> None:
    text, _ = recorded(engine.load("minus_one"), random.Random(1))
    with pytest.raises(WrongState, match="does not hold"):
        replay(text.replace('"ms":1', '"ms":-1', 1))
