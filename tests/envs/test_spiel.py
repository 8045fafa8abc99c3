"""OpenSpiel's names mean what they mean in OpenSpiel."""

import copy
import random
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import engine
from arena.envs.rewards import place_rewards
from arena.envs.spiel import TERMINAL, SpielState, load_game
from tests.envs.tables import NAMES, TABLES

tables = pytest.mark.parametrize(("name", "seats", "options"), TABLES, ids=NAMES)


def walk(state: SpielState, rng: random.Random, steps: int) -> SpielState:
    """The same state some random decisions later, or at the end."""
    for _ in range(steps):
        if state.is_terminal():
            break
        state.apply_action(rng.choice(state.legal_actions()))
    return state


@tables
def test_a_walk_is_the_engines_match(name: str, seats: int, options: dict[str, Any]) -> None:
    game = load_game(name, seats, seed=3, **options)
    state = game.new_initial_state(bytes(32))
    match = engine.load(name, seats, **options).start(bytes(32))
    rng = random.Random(1)
    while match.to_act():
        player = match.to_act()[0]
        assert state.current_player() == player
        assert state.is_player_node()
        assert state.returns() == [0.0] * seats
        assert state.legal_actions() == state.legal_actions(player) == match.legal(player)
        assert [action for action, legal in enumerate(state.legal_actions_mask()) if legal] == match.legal(player)
        assert state.legal_actions((player + 1) % seats) == []
        action = rng.choice(match.legal(player))
        assert state.string_to_action(state.action_to_string(player, action)) == action
        state.apply_action(action)
        match.apply(player, action)
        assert state.match == match
    assert state.is_terminal()
    assert state.current_player() == TERMINAL
    assert state.legal_actions() == []
    assert state.returns() == place_rewards(match.places())
    assert len(state.history()) == state.move_number() <= game.max_game_length()


@tables
def test_children_and_clones_leave_their_parent_alone(name: str, seats: int, options: dict[str, Any]) -> None:
    state = walk(load_game(name, seats, seed=1, **options).new_initial_state(), random.Random(2), 9)
    before = (state.match.to_bytes(), state.history_str(), state.information_state_string())
    for action in state.legal_actions():
        assert state.child(action).history() == [*state.history(), action]
    walk(state.clone(), random.Random(3), 30)
    walk(copy.deepcopy(state), random.Random(3), 30)
    assert (state.match.to_bytes(), state.history_str(), state.information_state_string()) == before


def test_information_states_hide_what_the_player_cannot_know() -> None:
    state = load_game("minus_one", 3).new_initial_state()
    children = [state.child(action) for action in state.legal_actions()]
    for player in (1, 2):
        assert len({child.information_state_string(player) for child in children}) == 1
    # The own choice is known to the player, though no observation shows it yet.
    assert len({child.information_state_string(0) for child in children}) == len(children)
    assert len({child.observation_string(0) for child in children}) == 1


def test_information_states_remember_finished_decks() -> None:
    ends = []
    for seed in (1, 2):
        state = load_game("minus_one", 3).new_initial_state()
        # The first decks differ, the second ones do not.
        for rng in (random.Random(seed), random.Random(3)):
            for _ in range(6 * 2):
                # All do the same, so nobody wins a round, and the deck leaves no trace in the totals.
                action = rng.choice(state.legal_actions())
                for _ in range(3):
                    state.apply_action(action)
        ends.append(state)
    assert ends[0].observation_string(0) == ends[1].observation_string(0)
    assert ends[0].information_state_string(0) != ends[1].information_state_string(0)


@tables
def test_memory_does_not_depend_on_when_it_is_asked_for(name: str, seats: int, options: dict[str, Any]) -> None:
    game = load_game(name, seats, **options)
    asked, silent = game.new_initial_state(bytes(32)), game.new_initial_state(bytes(32))
    rng, other = random.Random(4), random.Random(4)
    for _ in range(25):
        asked = walk(asked.clone(), rng, 1)
        asked.information_state_string(0)
        walk(silent, other, 1)
    for player in range(seats):
        assert asked.information_state_string(player) == silent.information_state_string(player)


@tables
def test_a_resampled_state_is_the_same_to_its_player(name: str, seats: int, options: dict[str, Any]) -> None:
    """What OpenSpiel's information-set search needs of it."""
    state = load_game(name, seats, seed=5, **options).new_initial_state()
    rng = random.Random(6)
    while not walk(state, rng, 1 + rng.randrange(9)).is_terminal():
        before = (state.match.to_bytes(), state.history_str())
        for player in {state.current_player(), rng.randrange(seats)}:
            other = state.resample_from_infostate(player, rng.random)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.current_player() == state.current_player()
            assert other.move_number() == state.move_number()
            assert not other.is_chance_node()
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()
                action = rng.choice(state.legal_actions())
                seen = state.child(action).information_state_string(player)
                assert other.child(action).move_number() == state.move_number() + 1
                # The last choice of several lays open what the others have chosen, which differs between worlds.
                if len(state.match.to_act()) > 1:
                    assert other.child(action).information_state_string(player) == seen
            again = other.resample_from_infostate(player, rng.random)
            assert again.information_state_string(player) == state.information_state_string(player)
            walk(other, rng, 10_000)
            assert other.is_terminal()
        assert (state.match.to_bytes(), state.history_str()) == before


def test_a_resampled_state_follows_from_the_numbers_it_is_given() -> None:
    state = walk(load_game("minus", deals=1, seed=1).new_initial_state(), random.Random(1), 20)
    first, second, third = (state.resample_from_infostate(2, random.Random(n).random) for n in (1, 1, 2))
    assert first.match == second.match != third.match


def test_choices_of_players_who_were_asked_first_are_drawn_anew_except_the_own_one() -> None:
    state = load_game("minus_one", 3, seed=1).new_initial_state()
    pairs = state.legal_actions()
    for action in pairs[:2]:
        state.apply_action(action)
    rng = random.Random(2)
    worlds = [state.resample_from_infostate(2, rng.random) for _ in range(300)]
    assert {world.history()[0] for world in worlds} == {world.history()[1] for world in worlds} == set(pairs)
    assert len({world.information_state_string(2) for world in worlds}) == 1
    # The others know in a world what they have chosen there, and nothing of one another.
    assert len({world.information_state_string(0) for world in worlds}) == len(pairs)
    own = [state.resample_from_infostate(0, rng.random) for _ in range(300)]
    assert {world.history()[0] for world in own} == {pairs[0]}
    assert {world.history()[1] for world in own} == set(pairs)
    assert {world.information_state_string(0) for world in own} == {state.information_state_string(0)}


def test_a_game_describes_itself() -> None:
    game = load_game("callbreak", deals=10)
    assert (game.num_players(), game.num_distinct_actions()) == (4, 65)
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1.0, 1.0, 0.0)
    assert "deals=10" in str(game)
    state = game.new_initial_state()
    assert game.observation_tensor_shape() == [len(state.observation_tensor(0))]
    assert state.match != game.new_initial_state().match
    with pytest.raises(engine.IllegalAction):
        state.apply_action(0)
    with pytest.raises(ValueError, match=r"players are 0\.\.3"):
        state.observation_string(4)


def test_openspiels_algorithms_run() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install 'card-arena[bench]'")
    mcts: Any = import_module("open_spiel.python.algorithms.mcts")
    outcome_sampling: Any = import_module("open_spiel.python.algorithms.outcome_sampling_mccfr")
    example: Any = import_module("examples.mccfr")

    before, after = example.train(12, reports=1)
    assert 0 <= after < before

    game = load_game("minus_one", 3, rounds=6, seed=1)
    assert game.get_type().dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    assert game.get_type().dynamics != pyspiel.GameType.Dynamics.SIMULTANEOUS
    rng = np.random.RandomState(1)
    # Here it sees through the backs of the cards; it shows that search runs, not how to play.
    bot = mcts.MCTSBot(game, 1.4, 20, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    state = game.new_initial_state()
    assert bot.step(state) in state.legal_actions()
    search: Any = import_module("examples.ismcts")
    blind = search.searcher(game, 20, seed=1)
    assert blind.step(state) in state.legal_actions()
    outcome_sampling.OutcomeSamplingSolver(load_game("contract_whist", 3, seed=1)).iteration()
