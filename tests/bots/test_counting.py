"""What the rules program concludes from the cards it has seen is true."""

import random
from typing import Any

import pytest

import engine
from bots.rules.counting import read
from bots.rules.strength import distinct, likely_tricks, outlook, win_chance
from engine.tricks import TrickObservation
from tests.bots.tables import turn_of, walks

TABLES: list[tuple[str, int, dict[str, Any]]] = [
    ("callbreak", 4, {}),
    ("callbreak", 4, {"direction": "anticlockwise", "must_beat": "always", "trump_when_void": "always"}),
    ("callbreak", 4, {"must_beat": "never", "trump_when_void": "no_waste", "announce_voids": True}),
    ("callbreak", 4, {"trump_when_void": "never"}),
    ("minus", 4, {}),
    *(("contract_whist", seats, {}) for seats in (3, 4, 5, 6)),
]


@pytest.mark.parametrize(("name", "seats", "options"), TABLES)
def test_no_seat_ever_holds_a_card_that_it_is_said_to_lack(name: str, seats: int, options: dict[str, Any]) -> None:
    game = engine.load(name, seats, **options)
    for state, seat in walks(game, seed=5):
        observation = state.observe(seat)
        assert isinstance(observation, TrickObservation)
        table = read(observation, game.options)
        hands = [state.observe(other) for other in range(seats)]
        for other, seen in enumerate(hands):
            assert isinstance(seen, TrickObservation)
            if other != seat:
                assert seen.hand & ~table.may_hold[other] == 0
            if game.phases[observation.phase].name == "play":
                assert seen.hand.bit_count() == table.sizes[other]


@pytest.mark.parametrize(("name", "seats", "options"), TABLES)
def test_chances_are_chances_and_the_last_to_play_knows_for_sure(
    name: str, seats: int, options: dict[str, Any]
) -> None:
    game = engine.load(name, seats, **options)
    for state, seat in walks(game, seed=6):
        observation = state.observe(seat)
        assert isinstance(observation, TrickObservation)
        view = outlook(read(observation, game.options))
        assert 0 <= likely_tricks(view, observation.hand) <= view.table.hand.bit_count()
        if game.phases[observation.phase].name != "play":
            continue
        for card in state.legal(seat):
            chance = win_chance(view, card)
            assert 0 <= chance <= 1
            if not view.table.after:
                after = state.clone()
                after.apply(seat, card)
                seen = after.observe(seat)
                assert isinstance(seen, TrickObservation)
                if seen.deal == observation.deal and after.to_act():
                    assert chance == (seen.won[seat] - observation.won[seat])


@pytest.mark.parametrize(("name", "seats", "options"), TABLES)
def test_cards_that_are_not_judged_do_the_same_as_a_lower_one_that_is(
    name: str, seats: int, options: dict[str, Any]
) -> None:
    game = engine.load(name, seats, **options)
    for state, seat in walks(game, seed=7):
        turn = turn_of(state, seat, random.Random(0))
        if turn.phase.name != "play":
            continue
        assert isinstance(turn.observation, TrickObservation)
        view = outlook(read(turn.observation, game.options))
        judged = distinct(view.table, turn.legal)
        assert judged[0] == turn.legal[0]
        for card in turn.legal:
            lower = max(other for other in judged if other <= card)
            assert win_chance(view, card) == win_chance(view, lower)
