"""Laws of the codec over every game: nothing is lost on the wire, and nothing is on it that the seat does not know."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.codec import read_view, write_view
from arena.v1.play_pb2 import Turn
from engine.cards import cards_of
from engine.game import Game, Observation, State
from engine.pairs import PairsObservation
from engine.tricks import FinishedDeal, TrickObservation
from tests.referee.tables import tables, title


def walk(game: Game, seed: int) -> Iterator[State]:
    """States of a random match."""
    rng = random.Random(seed)
    state = game.start(rng.randbytes(32))
    while acting := state.to_act():
        yield state
        choices = [(seat, rng.choice(state.legal(seat))) for seat in acting]
        for seat, action in choices:
            state.apply(seat, action)
            if seat != acting[-1]:
                yield state
    yield state


def on_the_wire(observation: Observation) -> bytes:
    turn = Turn()
    write_view(observation, turn)
    return turn.SerializeToString(deterministic=True)


@pytest.mark.parametrize("game", tables(), ids=title)
def test_an_observation_comes_back_equal(game: Game) -> None:
    for state in walk(game, seed=game.seats):
        for seat in range(game.seats):
            observation = state.observe(seat)
            turn = Turn.FromString(on_the_wire(observation))
            assert read_view(turn, game.seats) == observation


CARDS = st.binary(max_size=52)
NUMBERS = st.lists(st.integers(-(2**31), 2**31 - 1), max_size=7).map(tuple)
SMALL = st.integers(0, 255)
TRICKS = st.builds(
    TrickObservation,
    seat=SMALL,
    seats=st.just(4),
    phase=SMALL,
    deal=SMALL,
    redeal=SMALL,
    extra=st.booleans(),
    dealer=SMALL,
    leader=SMALL,
    trump=SMALL,
    tricks=SMALL,
    hand=st.integers(0, 2**52 - 1),
    trick=CARDS,
    calls=CARDS,
    won=CARDS,
    history=CARDS,
    leaders=CARDS,
    laps=CARDS,
    caller=SMALL,
    voids=CARDS,
    totals=NUMBERS,
    last=st.none() | st.builds(FinishedDeal, calls=CARDS, won=CARDS, scores=NUMBERS),
)
PAIRS = st.builds(
    PairsObservation,
    seat=SMALL,
    seats=st.just(4),
    phase=SMALL,
    round=SMALL,
    playable=CARDS,
    resting=CARDS,
    spent=CARDS,
    shown=CARDS,
    points=NUMBERS,
    tokens=CARDS,
    last_won=CARDS,
    shows=CARDS,
    keeps=CARDS,
)


@given(TRICKS | PAIRS)
def test_every_field_comes_back_whatever_stands_in_it(observation: TrickObservation | PairsObservation) -> None:
    assert read_view(Turn.FromString(on_the_wire(observation)), 4) == observation


@pytest.mark.parametrize("game", tables(), ids=title)
def test_a_turn_is_small(game: Game) -> None:
    sizes = [len(on_the_wire(state.observe(0))) for state in walk(game, seed=1)]
    assert max(sizes) < 400


def test_a_turn_without_a_view_says_so() -> None:
    with pytest.raises(ValueError, match="no view"):
        read_view(Turn(match_id=7), 4)


def test_an_unknown_shape_says_where_it_belongs() -> None:
    with pytest.raises(TypeError, match="arena/codec"):
        write_view(object(), Turn())  # type: ignore[arg-type]


def replayed(game: Game, packs: list[tuple[int, ...]], draws: dict[str, object], taken: list[tuple[int, int]]) -> State:
    """The match of these packs after these actions.

    :raises ValueError: if one of them is not legal, or the cards run out.
    """
    state = game.start_from(packs, **draws)
    for seat, action in taken:
        state.apply(seat, action)
    return state


def first_deal(game: Game, seed: int) -> Iterator[tuple[State, list[tuple[int, int]]]]:
    """States of the first deal of a random match, each with the actions that led to it."""
    rng = random.Random(seed)
    state = game.start(rng.randbytes(32))
    taken: list[tuple[int, int]] = []
    while (acting := state.to_act()) and state.deal == 0:
        yield state, taken
        taken.append((acting[0], rng.choice(state.legal(acting[0]))))
        state.apply(*taken[-1])


@pytest.mark.parametrize("game", [game for game in tables() if game.start(bytes(32)).packs()], ids=title)
def test_twins_cards_that_a_seat_has_not_seen_change_no_byte_that_it_is_sent(game: Game) -> None:
    rng = random.Random(5)
    twins = 0
    for seed in range(8):
        for state, taken in first_deal(game, seed):
            seat = state.to_act()[0]
            observation = state.observe(seat)
            assert isinstance(observation, TrickObservation)
            seen = {*observation.history, *observation.trick, *cards_of(observation.hand)}
            packs = [*map(tuple, state.packs())]
            hidden = [at for at, card in enumerate(packs[-1]) if card not in seen]
            shuffled = [packs[-1][at] for at in hidden]
            rng.shuffle(shuffled)
            twin_pack = list(packs[-1])
            for at, card in zip(hidden, shuffled, strict=True):
                twin_pack[at] = card
            try:
                twin = replayed(game, [*packs[:-1], tuple(twin_pack)], game.draws(state), taken)
            except ValueError:
                continue
            if len(twin.packs()) != len(packs) or twin.to_act() != state.to_act():
                continue
            twins += 1
            assert on_the_wire(twin.observe(seat)) == on_the_wire(observation)
            assert twin.legal_mask(seat) == state.legal_mask(seat)
    assert twins > 50


@pytest.mark.parametrize("game", tables(), ids=title)
def test_twins_choices_that_are_not_all_in_change_no_byte_that_anybody_is_sent(game: Game) -> None:
    rng = random.Random(6)
    state = game.start(rng.randbytes(32))
    while acting := state.to_act():
        before = [on_the_wire(state.observe(seat)) for seat in range(game.seats)]
        masks = {seat: state.legal_mask(seat) for seat in acting}
        for seat in acting[:-1]:
            state.apply(seat, rng.choice(state.legal(seat)))
            assert [on_the_wire(state.observe(other)) for other in range(game.seats)] == before
            assert all(state.legal_mask(other) == masks[other] for other in state.to_act())
        state.apply(acting[-1], rng.choice(state.legal(acting[-1])))
