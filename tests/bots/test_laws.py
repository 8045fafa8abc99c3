"""Laws of every house bot in every game at every table size: legal, deterministic, blind to all but its turn."""

import dataclasses
import pickle
import random
from typing import Any

import pytest

import engine
from arena.bot import Turn
from bots import house
from engine.game import Game
from tests.bots.tables import turn_of, walks

TABLES = [(name, seats) for name, kind in engine.GAMES.items() for seats in kind.seat_counts]
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("callbreak", {"direction": "anticlockwise", "must_beat": "always", "trump_when_void": "always"}),
    ("callbreak", {"announce_voids": True, "must_beat": "never", "trump_when_void": "never"}),
    ("callbreak", {"scoring": "call_bridge", "trump_when_void": "no_waste", "min_call": 2}),
    ("minus", {"direction": "anticlockwise", "second_lap": False, "all_pass_trump": "D"}),
    ("contract_whist", {"trump_sequence": ["NT", "H"], "tie_break": "extra_hand"}),
    ("minus_one", {"rest_across_decks": True}),
]
GAMES = [engine.load(name, seats) for name, seats in TABLES] + [engine.load(name, **given) for name, given in VARIANTS]
BOTS = [entry.name for entry in house.ENTRIES]


def label(game: Game) -> str:
    return f"{game.id}-{game.seats}"


@pytest.mark.parametrize("game", GAMES, ids=label)
def test_every_answer_at_every_point_of_random_matches_is_legal(game: Game) -> None:
    bots = [house.choose(name, game.id) for name in BOTS]
    for state, seat in walks(game, seed=1):
        turn = turn_of(state, seat, random.Random(2))
        for choose in bots:
            assert choose(turn) in turn.legal


@pytest.mark.parametrize("game", GAMES, ids=label)
def test_equal_observations_and_generators_give_equal_answers_whatever_else_differs(game: Game) -> None:
    bots = [house.choose(name, game.id) for name in BOTS]
    again = [house.choose(name, game.id) for name in BOTS]
    turns = [turn_of(state, seat, random.Random(0)) for state, seat in walks(game, seed=4)][::9]
    answers = [[choose(drawing_afresh(turn)) for choose in bots] for turn in turns]
    for turn, expected in reversed(list(zip(turns, answers, strict=True))):
        twin = dataclasses.replace(
            turn,
            match_id=99,
            number=turn.number + 7,
            observation=pickle.loads(pickle.dumps(turn.observation)),
            budget_ms=1,
            last_answer_us=5,
            notes={"left": "over"},
        )
        assert [choose(drawing_afresh(twin)) for choose in again] == expected


def drawing_afresh(turn: Turn) -> Turn:
    return dataclasses.replace(turn, rng=random.Random(3))
