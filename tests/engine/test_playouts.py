"""Playouts: the fast ones play by the rules, as the slow one does, which takes every action on the state."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.bits import count
from engine.chance import Chance
from engine.game import Game, State
from tests.engine.walks import TABLES, games, some_state

numbers = st.integers(0, 10**6)


def one_by_one(state: State, chance: Chance, *, match: bool) -> list[int]:
    """What a playout scores, by the public calls alone."""
    deal = state.deal
    state = state.clone()
    while waiting := state.to_act():
        first = state.game.phases[state.phase()].first
        for seat in waiting:
            state.apply(seat, first + chance.index(state.legal_mask(seat)))
        if not match and state.deal != deal:
            break
    if match or state.game.id == "minus_one":
        return state.scores()
    table: Any = state
    return list(table.sheet.last.scores)


@given(games(), numbers, st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_fast_playout_scores_what_the_same_choices_score_one_by_one(game: Game, seed: int, match: bool) -> None:
    state = some_state(game, seed)
    if not state.to_act():
        return
    before = state.to_bytes()
    expected = one_by_one(state, Chance(seed), match=match)
    assert state.play_out(Chance(seed), match) == expected
    assert engine.playouts([state], 1, seed, match=match) == [expected]
    assert state.to_bytes() == before


def test_many_playouts_are_added_up_in_order() -> None:
    states = [engine.load(name, seats).start(bytes(32)) for name, seats in TABLES[:2]]
    chance = Chance(9)
    played = [[state.play_out(chance, False) for _ in range(3)] for state in states]
    expected = [[sum(by_seat) for by_seat in zip(*scores, strict=True)] for scores in played]
    assert engine.playouts(states, 3, 9) == expected


def test_a_match_that_is_over_is_not_played_out() -> None:
    over = engine.playout(engine.load("minus").start(bytes(32)), 1)
    with pytest.raises(ValueError, match="over"):
        engine.playouts([over], 1, 1)


def test_choices_are_even() -> None:
    chance = Chance(5)
    found = dict.fromkeys(range(7), 0)
    for _ in range(7000):
        found[chance.below(7)] += 1
    assert all(850 < times < 1150 for times in found.values())
    picked = {chance.pick(0b1011000) for _ in range(100)}
    assert picked == {0b1000, 0b10000, 0b1000000}
    assert {chance.index(0b1011000) for _ in range(100)} == {3, 4, 6}


def test_bits_are_counted_right() -> None:
    rng = random.Random(1)
    for bits in (0, 1, 1 << 51, (1 << 52) - 1, *(rng.getrandbits(52) for _ in range(200))):
        assert count(bits) == bits.bit_count()


def test_the_choices_of_a_seed_are_the_same_everywhere() -> None:
    chance = Chance(7)
    assert [chance.below(1000) for _ in range(6)] == [57, 801, 631, 221, 792, 100]
