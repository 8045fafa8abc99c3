"""Tables as they are drawn: nothing that a seat may not know is on them, and with all hands open everything is."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from arena.web.page import templates
from arena.web.tables import Drawn, Look, choices, draw, draw_view
from arena.web.tables.pairs import PairsTable
from arena.web.tables.trick import TrickTable
from engine.game import Game, State
from engine.pairs import PairsObservation
from engine.tricks import TrickObservation
from tests.engine.walks import TRICK_TABLES, games, walk


def drawn(state: State, seat: int | None) -> Drawn:
    write = state.game.write
    return draw(state, Look(seat, {one: tuple(write(action) for action in state.legal(one)) for one in state.to_act()}))


def html(table: Drawn, seats: int) -> str:
    names = [f"bot-{seat}" for seat in range(seats)]
    known = {"table": table, "names": names, "links": [""] * seats, "notes": ["here"] * seats, "marked": names[0]}
    small = templates.get_template(table.small).render(**known)
    return templates.get_template(table.template).render(**known, open_tricks=True) + small


@given(games(), st.integers(0, 200), st.randoms(use_true_random=False))
def test_a_seats_table_holds_no_card_of_another_hand(game: Game, steps: int, rng: random.Random) -> None:
    state = game.start(rng.randbytes(32))
    walk(state, rng, steps)
    for seat in range(game.seats):
        table = drawn(state, seat)
        html(table, game.seats)
        if isinstance(table, TrickTable):
            assert [one.hand is not None for one in table.seats] == [one == seat for one in range(game.seats)]
            assert all(not one.choices for one in table.seats if one.number != seat)


@given(games(), st.integers(0, 200), st.randoms(use_true_random=False))
def test_who_plays_is_offered_what_is_legal_at_a_table_of_the_own_observation(
    game: Game, steps: int, rng: random.Random
) -> None:
    state = game.start(rng.randbytes(32))
    walk(state, rng, steps)
    for seat in state.to_act():
        view, legal = state.observe(seat), tuple(state.legal(seat))
        assert isinstance(view, TrickObservation | PairsObservation)
        offered = choices(game, game.phases[state.phase()], legal)
        assert sorted(one.action for one in offered) == list(legal)
        assert all(game.write(one.action) == one.text for one in offered)
        table, waiting = draw_view(game, view, legal), draw_view(game, view, ())
        for one, still in zip(getattr(table, "seats"), getattr(waiting, "seats"), strict=True):  # noqa: B009 - as below
            assert (one.acts, still.acts) == (one.number == seat, False)
        if isinstance(table, TrickTable):
            assert [one.hand is not None for one in table.seats] == [one == seat for one in range(game.seats)]
            said = draw_view(game, view, (), legal[0])
            assert isinstance(said, TrickTable)
            mine = said.seats[seat]
            assert mine.left == len(mine.hand or ())
            if offered[0].card:
                assert mine.played is not None
                assert (mine.played.text, mine.left) == (game.write(legal[0]), table.seats[seat].left - 1)
        html(table, game.seats)
        html(waiting, game.seats)


@given(games(TRICK_TABLES), st.integers(0, 200), st.randoms(use_true_random=False))
def test_with_all_hands_open_every_card_is_seen_once(game: Game, steps: int, rng: random.Random) -> None:
    state = game.start(rng.randbytes(32))
    walk(state, rng, steps)
    table = drawn(state, None)
    assert isinstance(table, TrickTable)
    held = [card.text for one in table.seats for card in one.hand or ()]
    on_the_table = [one.played.text for one in table.seats if one.played]
    finished = [card.text for trick in table.finished for card in trick.cards]
    seen = held + on_the_table + finished
    assert len(seen) == len(set(seen))
    for one in table.seats:
        assert len(one.hand or ()) == one.left
    html(table, game.seats)


@given(games(), st.randoms(use_true_random=False))
def test_what_may_be_done_is_marked_or_said(game: Game, rng: random.Random) -> None:
    state = game.start(rng.randbytes(32))
    walk(state, rng, rng.randrange(100))
    table = drawn(state, None)
    for one in getattr(table, "seats"):  # noqa: B009 - every shape has them
        assert one.acts == (one.number in state.to_act())
        legal = {game.write(action) for action in state.legal(one.number)}
        if isinstance(table, TrickTable):
            marked = {card.text for card in one.hand or () if card.mark == "legal"}
            assert (set(one.choices) or marked) == legal


@pytest.mark.rule("MO-18")
def test_cards_left_are_a_text_in_which_the_resting_card_is_in_brackets() -> None:
    game = engine.load("minus_one", 3)
    state = game.start(bytes(32))
    for action in ("show 3 7", "keep 3"):
        for seat in range(3):
            state.apply(seat, game.read(action))
    for table in (drawn(state, None), draw_view(game, state.observe(1), ())):  # type: ignore[arg-type]
        assert isinstance(table, PairsTable)
        assert [(one.left, one.pair, one.kept, one.mark) for one in table.seats] == [
            ("1 2 4 5 6 (7) 8", (3, 7), 3, "cancelled")
        ] * 3
        assert html(table, 3).count(">1 2 4 5 6 (7) 8</td>") == 6


@given(st.integers(3, 7), st.sampled_from([6, 18]), st.integers(0, 260), st.randoms(use_true_random=False))
def test_rounds_are_counted_through_the_decks_and_no_further_than_the_match(
    seats: int, rounds: int, steps: int, rng: random.Random
) -> None:
    state = engine.load("minus_one", seats, rounds=rounds).start(rng.randbytes(32))
    walk(state, rng, steps)
    view, table = state.observe(0), drawn(state, None)
    assert isinstance(view, PairsObservation)
    assert isinstance(table, PairsTable)
    numbers = [one.number for one in table.finished]
    assert numbers == list(range(view.round + 1 - len(numbers), view.round + 1))
    assert (table.round, table.phase) == (
        (view.round + 1, state.game.phases[view.phase].name) if state.to_act() else (rounds, "over")
    )


def test_a_game_of_an_unknown_shape_says_where_to_draw_it() -> None:
    class Shapeless:
        game = type("", (), {"seats": 1})

        def observe(self, seat: int) -> int:
            return seat

    with pytest.raises(TypeError, match="write a module for it in arena/web/tables"):
        draw(Shapeless(), Look(0, {}))  # type: ignore[arg-type]
