"""A row of numbers says what the observation says: no more, no less, and always in the same place."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import engine
from arena.envs.encoding import Encoder
from engine.cards import PACK
from engine.game import Game, Observation, State
from engine.pairs import PairsObservation
from engine.tricks import NONE, TrickObservation
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


def parts(encoder: Encoder, observation: Observation) -> dict[str, Any]:
    """The features of an observation by name."""
    row = encoder.row(observation)
    return {name: row[where] for name, where in encoder.slices.items()}


def hot(flags: Any, none: int = NONE) -> int:
    """The one flag that is set."""
    return int(np.flatnonzero(flags)[0]) if flags.any() else none


@pytest.mark.parametrize(("name", "seats", "options"), TABLES[:2] + TABLES[-2:], ids=NAMES[:2] + NAMES[-2:])
def test_a_row_tells_the_whole_trick_observation(name: str, seats: int, options: dict[str, Any]) -> None:
    game = engine.load(name, seats, **options)
    encoder = Encoder(game)
    most = 52 // seats
    unit = 10**game.score_decimals
    step = -1 if options.get("direction") == "anticlockwise" else 1
    for at, state in enumerate(points(game, 6)):
        me = at % seats
        seen = state.observe(me)
        assert isinstance(seen, TrickObservation)
        part = parts(encoder, seen)
        order = [(me + step * after) % seats for after in range(seats)]

        went = {}
        for number, leader in enumerate([*seen.leaders, seen.leader]):
            cards = (seen.history + seen.trick)[number * seats : (number + 1) * seats]
            went.update({card: (number + 1, (leader + step * turn) % seats) for turn, card in enumerate(cards)})
        when = {card: round(float(trick) * most) for card, trick in enumerate(part["when"]) if trick}
        who = {int(card): order[who] for who, card in np.argwhere(part["played"].reshape(seats, 52))}
        assert {card: (when[card], who[card]) for card in when} == went
        assert len(who) == len(went)
        table = {int(card): order[who] for who, card in np.argwhere(part["trick"].reshape(seats, 52))}
        assert table == {card: went[card][1] for card in seen.trick}

        calls = [hot(flags) for flags in part["calls"].reshape(seats, most + 2)]
        assert [NONE if call == 0 else call - 1 for call in calls] == [seen.calls[other] for other in order]
        assert hot(part["phase"]) == seen.phase
        assert hot(part["trump"]) == seen.trump
        assert [hot(part["leader"]), hot(part["dealer"])] == [order.index(seen.leader), order.index(seen.dealer)]
        assert hot(part["caller"]) == (NONE if seen.caller == NONE else order.index(seen.caller))
        assert part["extra"] == seen.extra
        assert part["announced"] == bool(seen.voids)
        for flags, other in zip(part["voids"].reshape(seats, 4), order, strict=True):
            assert [int(flag) for flag in flags] == [
                (seen.voids or bytes(seats))[other] >> suit & 1 for suit in range(4)
            ]
        spoken = part["laps"].reshape(-1, seats, 37) if part["laps"].size else np.zeros((0, seats, 37))
        said = {(lap, order[who]): option for lap, who, option in np.argwhere(spoken).tolist()}
        laps = {divmod(turn, seats): option for turn, option in enumerate(seen.laps)}
        assert said == {(lap, (seen.dealer + step * (turn + 1)) % seats): laps[lap, turn] for lap, turn in laps}
        assert (part["deal"], part["redeal"]) == (seen.deal, seen.redeal)
        assert [round(float(total) * unit) for total in part["totals"]] == [seen.totals[other] for other in order]
        counts = [round(float(count) * most) for count in (*part["tricks"], *part["won"])]
        assert counts == [seen.tricks, *(seen.won[other] for other in order)]
        last = seen.last
        assert part["last"] == (last is not None)
        if last is not None:
            counts = [round(float(count) * most) for count in (*part["last_calls"], *part["last_won"])]
            assert counts == [values[other] for values in (last.calls, last.won) for other in order]
            assert [round(float(score) * unit) for score in part["last_scores"]] == [last.scores[i] for i in order]


@pytest.mark.parametrize("seats", [3, 7])
def test_a_row_tells_the_whole_pairs_observation(seats: int) -> None:
    game = engine.load("minus_one", seats)
    encoder = Encoder(game)
    for at, state in enumerate(points(game, 7)):
        me = at % seats
        seen = state.observe(me)
        assert isinstance(seen, PairsObservation)
        part = parts(encoder, seen)
        order = [(me + after) % seats for after in range(seats)]

        def sets(flags: Any) -> list[int]:
            return [sum(1 << int(card) for card in np.flatnonzero(group)) for group in flags.reshape(-1, 8)]

        singles = [1 << card >> 1 for card in range(9)]
        rounds = range(0, len(seen.shows), seats)
        unplayed = [0] * (6 * seats - len(seen.shows))
        assert hot(part["phase"]) == seen.phase
        assert sets(part["playable"]) == [seen.playable[other] for other in order]
        assert sets(part["resting"]) == [singles[seen.resting[other]] for other in order]
        assert sets(part["spent"]) == [seen.spent[other] for other in order]
        assert sets(part["shown"]) == [(seen.shown or bytes(seats))[other] for other in order]
        assert sets(part["shows"]) == [seen.shows[first + other] for first in rounds for other in order] + unplayed
        assert sets(part["keeps"]) == [singles[seen.keeps[i + other]] for i in rounds for other in order] + unplayed
        counts = [round(float(count) * 18) for count in (*part["round"], *part["tokens"], *part["last_won"])]
        assert counts == [seen.round, *(seen.tokens[i] for i in order), *(seen.last_won[i] for i in order)]
        assert part["points"].tolist() == [seen.points[other] for other in order]


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
        assert (one.row(observation) == other.row(copy.copy(observation))).all()


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
