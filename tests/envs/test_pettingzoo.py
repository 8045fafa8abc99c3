"""Both PettingZoo environments keep PettingZoo's rules, and play the engine's match."""

import copy
import pickle
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import (  # type: ignore[import-untyped]
    api_test,
    parallel_api_test,
    parallel_seed_test,
    seed_test,
)

import engine
from arena.envs import aec_env, match_seed, parallel_env
from arena.envs.rewards import place_rewards
from arena.envs.table import Seen
from engine.game import State
from tests.envs.tables import NAMES, TABLES

tables = pytest.mark.parametrize(("name", "seats", "options"), TABLES, ids=NAMES)

# The test knows the environments with masks in their observations by name, and warns of any other.
known = pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
)


@known
@tables
def test_aec_passes_the_api_test(name: str, seats: int, options: dict[str, Any]) -> None:
    api_test(aec_env(name, seats, **options), num_cycles=100)


@tables
def test_aec_passes_the_seed_test(name: str, seats: int, options: dict[str, Any]) -> None:
    seed_test(lambda: aec_env(name, seats, **options), num_cycles=20)


@tables
def test_parallel_passes_the_api_test(name: str, seats: int, options: dict[str, Any]) -> None:
    parallel_api_test(parallel_env(name, seats, **options), num_cycles=150)


@tables
def test_parallel_passes_the_seed_test(name: str, seats: int, options: dict[str, Any]) -> None:
    parallel_seed_test(lambda: parallel_env(name, seats, **options))


def decisions(state: State, rng: random.Random) -> Iterator[tuple[int, int]]:
    """Plays a random match; yields each decision before it is taken."""
    while state.to_act():
        seat = state.to_act()[0]
        action = rng.choice(state.legal(seat))
        yield seat, action
        state.apply(seat, action)


@tables
def test_aec_plays_the_match_of_its_seed(name: str, seats: int, options: dict[str, Any]) -> None:
    env = aec_env(name, seats, rewards="score", **options)
    game = engine.load(name, seats, **options)
    env.reset(seed=7)
    for number in range(2):
        state = game.start(match_seed(7, number))
        for seat, action in decisions(state, random.Random(1)):
            assert env.agent_selection == f"player_{seat}"
            assert list(np.flatnonzero(env.last()[0]["action_mask"])) == state.legal(seat)
            assert not any(env.terminations.values())
            env.step(action)
        assert env.match == state
        paid = []
        for _ in env.agent_iter():
            seen, reward, *_ = env.last()
            assert seen["action_mask"].all()
            paid.append(reward)
            env.step(None)
        assert paid == [total / 10**game.score_decimals for total in state.scores()]
        assert env.agents == []
        env.reset()


@tables
def test_parallel_plays_the_match_of_its_seed(name: str, seats: int, options: dict[str, Any]) -> None:
    env = parallel_env(name, seats, **options)
    state = engine.load(name, seats, **options).start(match_seed(7, 0))
    seen, _ = env.reset(seed=7)
    rng = random.Random(1)
    paid: dict[str, float] = {}
    while state.to_act():
        waiting = state.to_act()
        legal = {seat: state.legal(seat) if seat in waiting else [env.no_op] for seat in range(seats)}
        assert {seat: list(np.flatnonzero(seen[f"player_{seat}"]["action_mask"])) for seat in range(seats)} == legal
        actions = {seat: rng.choice(choices) for seat, choices in legal.items()}
        for seat in waiting:
            state.apply(seat, actions[seat])
        seen, paid, over, cut, _ = env.step({f"player_{seat}": action for seat, action in actions.items()})
        assert set(over.values()) == {not state.to_act()}
        assert set(cut.values()) == {False}
    assert env.match == state
    assert list(paid.values()) == place_rewards(state.places())
    assert env.agents == []


def test_choices_at_the_same_time_stay_hidden_until_all_are_in() -> None:
    env = aec_env("minus_one", 3)
    env.reset(seed=1)
    before = [env.observe(agent)["observation"] for agent in env.agents]
    for agent in ("player_0", "player_1"):
        assert env.agent_selection == agent
        assert all(
            env.observe(other)["observation"].tolist() == row.tolist()
            for other, row in zip(env.agents, before, strict=True)
        )
        env.step(3)
    env.step(5)
    assert env.observe("player_0")["observation"].tolist() != before[0].tolist()


@pytest.mark.parametrize("way", ["place", "score", "deal"])
def test_rewards_add_up(way: str) -> None:
    env = aec_env("contract_whist", 3, rewards=way)
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    sums = dict.fromkeys(env.agents, 0.0)
    steps = 0
    for agent in env.agent_iter():
        seen, reward, over, _, _ = env.last()
        sums[agent] += reward
        steps += reward != 0
        env.step(None if over else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    match = env.match
    expected = place_rewards(match.places()) if way == "place" else match.scores()
    assert list(sums.values()) == expected
    assert (steps > 3) == (way == "deal")


def test_place_rewards_share_what_places_share() -> None:
    assert place_rewards([1, 2, 3]) == [1.0, 0.0, -1.0]
    assert place_rewards([1, 1, 3]) == [0.5, 0.5, -1.0]
    assert place_rewards([1, 1, 1, 1]) == [0.0, 0.0, 0.0, 0.0]
    assert place_rewards([4, 1, 2, 2]) == [-1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_from_the_same_point(copied: Any) -> None:
    env = aec_env("callbreak")
    env.reset(seed=3)
    for _ in range(12):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[-1]))
    other = copied(env)
    assert other.match == env.match
    before = env.match.to_bytes()
    other.step(int(np.flatnonzero(other.last()[0]["action_mask"])[0]))
    assert env.match.to_bytes() == before
    env.reset()
    fresh = copied(other)
    fresh.reset()
    assert fresh.match == env.match


def test_an_illegal_action_is_refused_or_replaced_as_the_table_wants() -> None:
    env = aec_env("callbreak")
    env.reset(seed=1)
    before = env.match.to_bytes()
    with pytest.raises(engine.IllegalAction, match="legal are: call 1"):
        env.step(0)
    with pytest.raises(ValueError, match="not None"):
        env.step(None)
    assert env.match.to_bytes() == before

    env = aec_env("callbreak", illegal="fallback")
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(0)
    assert env.infos[agent] == {"illegal": True}
    assert env.match.to_bytes() != before

    strict = parallel_env("callbreak", illegal="refuse")
    strict.reset(seed=1)
    asked = strict.match.to_act()[0]
    for actions in ({}, {f"player_{asked}": 0}, {f"player_{asked}": 52, f"player_{(asked + 1) % 4}": 52}):
        with pytest.raises(engine.IllegalAction, match="legal are"):
            strict.step(actions)
    assert strict.match.to_bytes() == before

    lenient = parallel_env("callbreak")
    lenient.reset(seed=1)
    infos = lenient.step({"player_0": 0, "player_1": 0, "player_2": 0, "player_3": 0})[4]
    assert infos == {f"player_{seat}": {"illegal": True} for seat in range(4)}


def test_a_match_can_be_played_again_by_its_seed() -> None:
    env = aec_env("callbreak")
    for given in (bytes(range(32)), bytes(range(32)).hex()):
        env.reset(options={"match_seed": given})
        assert env.match == engine.load("callbreak").start(bytes(range(32)))


def test_wrong_settings_name_the_right_ones() -> None:
    with pytest.raises(ValueError, match="place, score, deal"):
        aec_env("callbreak", rewards="glory")
    with pytest.raises(ValueError, match="refuse or fallback"):
        parallel_env("callbreak", illegal="maybe")
    with pytest.raises(ValueError, match="has no option 'deal'"):
        aec_env("callbreak", deal=3)
    with pytest.raises(ValueError, match="call reset"):
        aec_env("minus").step(0)
    with pytest.raises(ValueError, match="call reset"):
        parallel_env("minus").step({})


def test_render_says_who_is_to_act_and_how_it_ended() -> None:
    env = aec_env("minus_one", 3, rounds=6, render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == "Minus One, show: player_0, player_1, player_2 to act; totals 0, 0, 0."
    assert aec_env("minus_one", 3).render() is None
    while env.match.to_act():
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    text = env.render()
    assert text is not None
    assert text.startswith("Minus One is over; totals ")
    assert env.state().shape == (3, len(env.last()[0]["observation"]))
    everything: Seen = env.observe("player_2")
    assert env.state()[2].tolist() == everything["observation"].tolist()
