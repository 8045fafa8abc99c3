"""Laws that hold for every game, at every table size, with all options."""

import hashlib
import pickle
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.game import Game, State
from tests.engine.walks import TABLES, games, some_state, walk

numbers = st.integers(0, 10**6)
laws = settings(max_examples=60, deadline=None)
each_table = pytest.mark.parametrize(("name", "seats"), TABLES)


@given(games(), numbers)
@laws
def test_legal_actions_exist_exactly_for_the_seats_to_act(game: Game, seed: int) -> None:
    state = some_state(game, seed)
    rng = random.Random(seed)
    for _ in range(60):
        waiting = state.to_act()
        assert list(waiting) == sorted(set(waiting))
        for seat in range(game.seats):
            legal = state.legal(seat)
            assert bool(legal) == (seat in waiting)
            assert legal == sorted(set(legal))
            if waiting:
                phase = game.phases[state.phase()]
                assert state.legal_mask(seat) == sum(1 << action - phase.first for action in legal)
                assert state.legal_mask(seat) < 1 << phase.size
                assert phase.size <= 52
            if seat in waiting:
                assert state.fallback(seat) in legal
        if not walk(state, rng, 1):
            break


@given(games(), numbers)
@laws
def test_every_walk_ends_within_the_bound(game: Game, seed: int) -> None:
    state = game.start(random.Random(seed).randbytes(32))
    assert len(walk(state, random.Random(seed))) <= game.bound
    assert state.to_act() == ()


@each_table
def test_even_the_lowest_calls_for_ever_end_within_the_bound(name: str, seats: int) -> None:
    state = engine.load(name, seats).start(bytes(32))
    decisions = 0
    while state.to_act():
        for seat in state.to_act():
            state.apply(seat, state.fallback(seat))
            decisions += 1
    assert decisions <= state.game.bound


@each_table
def test_reading_what_was_written_gives_the_action_back(name: str, seats: int) -> None:
    game = engine.load(name, seats)
    texts = [game.write(action) for action in range(game.num_actions)]
    assert [game.read(text) for text in texts] == list(range(game.num_actions))
    assert len(set(texts)) == game.num_actions
    for wrong in (-1, game.num_actions):
        with pytest.raises(ValueError, match="has no action"):
            game.write(wrong)
    for text in ("", "as", "AS ", " AS", "call 03", "call  3", "show 3 2", "keep 9", "fold", "call 99"):
        with pytest.raises(ValueError, match="is no action"):
            game.read(text)
    covered = {phase.first + bit for phase in game.phases for bit in range(phase.size)}
    assert covered == set(range(game.num_actions))


@given(games(), numbers)
@laws
def test_what_is_not_legal_raises_and_changes_nothing(game: Game, seed: int) -> None:
    state = some_state(game, seed)
    before = state.to_bytes()
    for seat in range(game.seats):
        legal = state.legal(seat)
        for action in {-1, -64, game.num_actions, 10**6, *range(game.num_actions)} - set(legal):
            with pytest.raises(engine.IllegalAction) as caught:
                state.apply(seat, action)
            assert (caught.value.seat, caught.value.action, list(caught.value.legal)) == (seat, action, legal)
            assert str(seat) in str(caught.value)
    assert state.to_bytes() == before


@given(games(), numbers)
@laws
def test_a_clone_is_equal_and_goes_its_own_way(game: Game, seed: int) -> None:
    state = some_state(game, seed)
    before = state.to_bytes()
    seen = [state.observe(seat) for seat in range(game.seats)]
    clone = state.clone()
    assert clone == state
    assert [clone.observe(seat) for seat in range(game.seats)] == seen
    moved = walk(clone, random.Random(seed), 70)
    assert state.to_bytes() == before
    assert [state.observe(seat) for seat in range(game.seats)] == seen
    if moved:
        assert clone != state
        for seat, action in moved:
            state.apply(seat, action)
        assert clone == state


@given(games(), numbers)
@laws
def test_a_state_survives_bytes_and_pickle(game: Game, seed: int) -> None:
    state = some_state(game, seed)
    data = state.to_bytes()
    assert len(data) < 300
    back = game.from_bytes(data)
    pickled = pickle.loads(pickle.dumps(state))
    assert back == state
    assert pickled == state
    assert pickled.game == game
    for seat in range(game.seats):
        assert back.observe(seat) == state.observe(seat) == pickle.loads(pickle.dumps(state.observe(seat)))
        assert back.legal(seat) == state.legal(seat)
    for end in (back, pickled):
        walk(end, random.Random(seed))
    walk(state, random.Random(seed))
    assert back == pickled == state
    assert (back.scores(), back.places(), back.packs()) == (state.scores(), state.places(), state.packs())


@given(games(), numbers, st.data())
@laws
def test_bytes_that_are_no_state_raise_a_value_error(game: Game, seed: int, data: st.DataObject) -> None:
    good = bytearray(some_state(game, seed).to_bytes())
    at = data.draw(st.integers(0, len(good) - 1))
    good[at] ^= 1 << data.draw(st.integers(0, 7))
    cut = data.draw(st.integers(0, len(good)))
    for broken in (bytes(good), bytes(good[:cut]), bytes(good) + b"\0"):
        try:
            state = game.from_bytes(broken)
        except ValueError:
            continue
        # Another state may come of it, but only one with these bytes, and never one that cannot be played.
        assert state.to_bytes() == broken
        walk(state, random.Random(seed))


@given(games(), numbers)
@laws
def test_the_same_seed_gives_the_same_match(game: Game, seed: int) -> None:
    first, second = (game.start(seed.to_bytes(32, "big")) for _ in range(2))
    assert first == second
    assert walk(first, random.Random(seed)) == walk(second, random.Random(seed))
    assert first == second


@each_table
def test_packs_come_only_with_a_new_deal_or_a_redeal(name: str, seats: int) -> None:
    state = engine.load(name, seats).start(bytes(32))
    at, packs = (state.deal, state.redeal), state.packs()
    while state.to_act():
        # The house makes the lowest calls, which are thrown in where a game throws in.
        seat = state.to_act()[0]
        state.apply(seat, state.fallback(seat))
        now = (state.deal, state.redeal)
        assert (now == at) == (state.packs() == packs)
        assert len(state.packs()) == (state.redeal + 1 if packs else 0)
        assert state.packs(1) == state.packs()[1:]
        at, packs = now, state.packs()


@each_table
def test_a_seed_has_32_bytes(name: str, seats: int) -> None:
    for length in (0, 31, 33):
        with pytest.raises(ValueError, match="32 bytes"):
            engine.load(name, seats).start(bytes(length))


@given(games(), numbers)
@laws
def test_an_unchecked_action_does_what_the_checked_one_does(game: Game, seed: int) -> None:
    checked = some_state(game, seed)
    unchecked = checked.clone()
    for seat, action in walk(checked, random.Random(seed), 100):
        unchecked.apply_unchecked(seat, action)
    assert checked == unchecked


@given(games(), numbers)
@laws
def test_a_playout_ends_the_match_and_leaves_the_state_alone(game: Game, seed: int) -> None:
    state = some_state(game, seed)
    before = state.to_bytes()
    end = engine.playout(state, seed)
    assert state.to_bytes() == before
    assert end.to_act() == ()
    assert end == engine.playout(state, seed)
    assert len(end.scores()) == len(end.places()) == game.seats
    assert min(end.places()) == 1


@given(games(), numbers)
@laws
def test_the_game_itself_survives_pickle_and_its_options_survive_text(game: Game, seed: int) -> None:
    assert pickle.loads(pickle.dumps(game)) == game
    assert pickle.loads(pickle.dumps(game.options)) == game.options
    again = engine.load(game.id, str(game.seats), **engine.write_options(game.options))
    assert again == game
    assert hash(again) == hash(game)
    assert again.options == game.options


@given(games(), numbers)
@laws
def test_places_are_one_plus_the_seats_strictly_better(game: Game, seed: int) -> None:
    state = some_state(game, seed)
    places = state.places()
    for place in places:
        assert place == 1 + sum(other < place for other in places)
    scores = state.scores()
    for one in range(game.seats):
        for other in range(game.seats):
            if scores[one] > scores[other]:
                assert places[one] < places[other]


def _chosen(state: State, seat: int) -> int:
    """What a deterministic player chooses, from nothing but its observation and its legal actions."""
    legal = state.legal(seat)
    seen = hashlib.sha256(repr(state.observe(seat)).encode()).digest()
    return legal[int.from_bytes(seen[:4], "big") % len(legal)]


@each_table
def test_a_unit_of_identical_deterministic_players_scores_exactly_level(name: str, seats: int) -> None:
    game = engine.load(name, seats)
    sums = [0] * seats
    for rotation in range(seats):
        state = game.start(hashlib.sha256(name.encode()).digest())
        while state.to_act():
            for seat in state.to_act():
                state.apply(seat, _chosen(state, seat))
        for seat, score in enumerate(state.scores()):
            sums[(seat + rotation) % seats] += score
    assert len(set(sums)) == 1


def _turned(value: Any, seats: int) -> Any:
    """Something by seat, as it is when everybody moves one seat on."""
    return value[-1:] + value[:-1] if len(value) == seats else value


@given(games(), numbers)
@laws
def test_turning_deal_and_first_dealer_by_one_seat_turns_the_whole_match(game: Game, seed: int) -> None:
    seats = game.seats
    state = game.start(random.Random(seed).randbytes(32))
    draws = game.draws(state)
    packs: list[tuple[int, ...]] = []
    taken: list[tuple[int, int, int, tuple[int, ...], list[int]]] = []
    rng = random.Random(seed)
    deal = 0
    seen = state.packs()
    while state.to_act():
        seat = rng.choice(state.to_act())
        action = rng.choice(state.legal(seat))
        taken.append((seat, action, state.legal_mask(seat), state.to_act(), state.scores()))
        state.apply(seat, action)
        if state.deal != deal:
            packs += seen
            deal = state.deal
        seen = state.packs()
    packs += seen
    options = engine.write_options(game.options)
    if "first_dealer" in options:
        draws["first_dealer"] = (draws["first_dealer"] + 1) % seats
        options["first_dealer"] = "random"
    turned = engine.load(game.id, seats, **options).start_from(packs, **draws)
    for seat, action, mask, waiting, scores in taken:
        assert turned.to_act() == tuple(sorted((other + 1) % seats for other in waiting))
        assert turned.legal_mask((seat + 1) % seats) == mask
        assert turned.scores() == _turned(scores, seats)
        turned.apply((seat + 1) % seats, action)
    assert turned.to_act() == ()
    assert turned.scores() == _turned(state.scores(), seats)
    assert turned.places() == _turned(state.places(), seats)
    assert turned.packs() == state.packs()
