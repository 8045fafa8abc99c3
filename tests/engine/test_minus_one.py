"""Minus One rule by rule; the test ids are the rule ids of docs/rules/minus_one.md."""

import itertools
import math
import random
from typing import Any

import pytest

import engine
from engine.minus_one import MinusOne, MinusOneState
from tests.engine.walks import SEED, walk

T1 = [
    ("46 38 27 18", "6821", [], 3),
    ("13 47 38 67", "3437", [3], 1),
    ("24 16 67 48", "2678", [], 0),
    ("18 35 58 35", "8383", [3, 8], None),
    ("45 12 14 46", "5214", [], 2),
    ("17 57 56 25", "1752", [], 0),
]
T2 = [
    ("35 23 24", "534", [], 1),
    ("12 16 68", "168", [], 0),
    ("34 25 17", "351", [], 2),
    ("78 17 36", "816", [], 1),
    ("26 48 25", "245", [], 0),
    ("47 27 37", "773", [7], 2),
]


def _game(seats: int = 4, **options: Any) -> MinusOne:
    game = engine.load("minus_one", seats, **options)
    assert isinstance(game, MinusOne)
    return game


def _show(state: MinusOneState, *pairs: str) -> None:
    for seat, pair in enumerate(pairs):
        state.apply(seat, state.game.read(f"show {pair[0]} {pair[1]}"))


def _keep(state: MinusOneState, cards: str) -> None:
    for seat, card in enumerate(cards):
        state.apply(seat, state.game.read(f"keep {card}"))


def _round(state: MinusOneState, pairs: str, keeps: str) -> None:
    _show(state, *pairs.split())
    _keep(state, keeps)


def _playable(state: MinusOneState, seat: int) -> str:
    cards = state.observe(0).playable[seat]
    return "".join(str(card) for card in range(1, 9) if cards >> card - 1 & 1)


@pytest.mark.parametrize("seats", [2, 8])
def test_mo_01_three_to_seven_seats(seats: int) -> None:
    with pytest.raises(ValueError, match="it takes 3, 4, 5, 6, 7"):
        engine.load("minus_one", seats)
    assert engine.load("Remove One", 7) == _game(7)


def test_mo_02_everybody_may_show_any_pair_at_first() -> None:
    state = _game().start(SEED)
    assert state.to_act() == (0, 1, 2, 3)
    assert all(len(state.legal(seat)) == 28 for seat in range(4))


def test_mo_03_mo_b13_a_show_is_two_different_cards() -> None:
    for text in ("show 3 3", "show 7 3", "show 0 1", "show 8 9"):
        with pytest.raises(ValueError, match="no action"):
            _game().read(text)
    state = _game(3).start(SEED)
    _round(state, "37 12 12", "311")
    for text in ("show 1 3", "show 1 7"):  # spent, resting
        with pytest.raises(engine.IllegalAction):
            state.apply(0, state.game.read(text))


def test_mo_04_pairs_are_revealed_when_all_are_in() -> None:
    state = _game(3).start(SEED)
    before = [state.observe(seat) for seat in range(3)]
    _show(state, "12", "34")
    assert [state.observe(seat) for seat in range(3)] == before
    assert state.to_act() == (2,)
    state.apply(2, state.game.read("show 7 8"))
    assert state.observe(2).shown == bytes([0b11, 0b1100, 0b11000000])
    assert state.to_act() == (0, 1, 2)


def test_mo_05_only_one_of_the_own_two_is_kept() -> None:
    state = _game(3).start(SEED)
    _show(state, "12", "34", "78")
    assert [state.game.write(action) for action in state.legal(1)] == ["keep 3", "keep 4"]
    with pytest.raises(engine.IllegalAction):
        state.apply(1, state.game.read("keep 1"))
    before = [state.observe(seat) for seat in range(3)]
    _keep(state, "14")
    assert [state.observe(seat) for seat in range(3)] == before
    state.apply(2, state.game.read("keep 7"))
    assert state.observe(0).keeps == bytes([1, 4, 7])


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_mo_b12_answers_come_in_any_order_and_are_revealed_together(order: tuple[int, ...]) -> None:
    wanted = _game(3).start(SEED)
    _round(wanted, "12 23 34", "123")
    state = _game(3).start(SEED)
    for texts in (["show 1 2", "show 2 3", "show 3 4"], ["keep 1", "keep 2", "keep 3"]):
        before = [state.observe(seat) for seat in range(3)]
        for seat in order:
            assert [state.observe(other) for other in range(3)] == before
            state.apply(seat, state.game.read(texts[seat]))
            assert state.legal(seat) == [] or len(state.to_act()) == 3  # Nobody answers twice.
        assert all(state.observe(seat) != before[seat] for seat in range(3))
    assert state == wanted


@pytest.mark.parametrize(
    ("pairs", "keeps", "winner", "points"),
    [
        ("12 23 34", "223", 2, 3),
        ("14 25 68", "458", 0, 4),
        ("38 38 38 38", "8383", None, 0),
        ("15 25 35", "555", None, 0),
    ],
    ids=["MO-06", "MO-07", "MO-08", "MO-08"],
)
def test_rounds(pairs: str, keeps: str, winner: int | None, points: int) -> None:
    state = _game(len(keeps)).start(SEED)
    _round(state, pairs, keeps)
    view = state.observe(0)
    for seat in range(len(keeps)):
        won = seat == winner
        assert (view.points[seat], view.tokens[seat], view.last_won[seat]) == ((points, 1, 1) if won else (0, 0, 0))
        assert state.scores()[seat] == (points + 1 if won else 0)


def test_mo_09_mo_b4_a_kept_card_is_spent_won_lost_or_cancelled() -> None:
    state = _game().start(SEED)
    _round(state, "12 12 34 56", "2235")
    assert [_playable(state, seat) for seat in range(4)] == ["345678", "345678", "125678", "123478"]
    assert state.observe(0).spent == bytes([0b10, 0b10, 0b100, 0b10000])
    assert state.observe(0).resting == bytes([1, 1, 4, 6])
    _round(state, "34 34 12 12", "3412")
    assert all("2" not in _playable(state, seat) for seat in (0, 1))


def test_mo_b5_a_round_without_a_winner_changes_nothing_but_the_decks() -> None:
    state = _game(3).start(SEED)
    _round(state, "12 23 34", "123")
    won = state.observe(0)
    _round(state, "58 58 58", "555")
    view = state.observe(0)
    assert (view.points, view.tokens, view.last_won) == (won.points, won.tokens, won.last_won)
    assert (view.points, view.tokens, view.last_won) == ((1, 0, 0), bytes([1, 0, 0]), bytes([1, 0, 0]))
    assert view.spent == bytes([0b10001, 0b10010, 0b10100])
    assert view.resting == bytes([8, 8, 8])


@pytest.mark.rule("MO-B1")
def test_mo_10_mo_18_the_other_card_rests_for_one_round() -> None:
    state = _game(3).start(SEED)
    _round(state, "37 12 12", "311")
    assert _playable(state, 0) == "124568"
    assert state.observe(1).resting[0] == 7
    _round(state, "12 34 34", "133")
    assert _playable(state, 0) == "45678"
    assert state.observe(1).resting[0] == 2
    for seat in range(3):  # Every deck is public to everybody.
        view = state.observe(seat)
        assert view.resting == bytes([2, 4, 4])
        assert view.spent == bytes([0b101, 0b101, 0b101])
        assert view.playable == bytes([0b11111000, 0b11110010, 0b11110010])


@pytest.mark.parametrize(("across", "count"), [(False, 8), (True, 7)], ids=["MO-11", "MO-B3"])
def test_a_fresh_deck_after_six_rounds(across: bool, count: int) -> None:
    state = _game(rest_across_decks=across).start(SEED)
    rng = random.Random(0)
    for deck in range(3):
        assert all(len(_playable(state, seat)) == (count if deck else 8) for seat in range(4))
        assert state.observe(0).keeps == b""
        walk(state, rng, 48)
    assert state.to_act() == ()


@pytest.mark.parametrize("rounds", [18, 6])
@pytest.mark.rule("MO-B10", "MO-B14")
def test_mo_12_everybody_plays_every_round(rounds: int) -> None:
    for seats in range(3, 8):
        state = _game(seats, rounds=rounds).start(SEED)
        for at in range(rounds):
            assert (state.observe(0).round, state.to_act()) == (at, tuple(range(seats)))
            walk(state, random.Random(at), seats)
            assert state.to_act() == tuple(range(seats))
            walk(state, random.Random(at), seats)
        assert state.to_act() == ()


@pytest.mark.parametrize("rounds", [0, 3, 12, 24])
def test_mo_b11_no_other_length(rounds: int) -> None:
    with pytest.raises(ValueError, match="18"):
        _game(rounds=rounds)


@pytest.mark.parametrize("turned", range(1, 4))
def test_mo_b14_the_order_of_the_seats_changes_nothing(turned: int) -> None:
    state, other = _game(rounds=6).start(SEED), _game(rounds=6).start(SEED)
    for pairs, keeps, _, _ in T1:
        _round(state, pairs, keeps)
        shows = pairs.split()
        _round(other, " ".join(shows[turned:] + shows[:turned]), keeps[turned:] + keeps[:turned])
    assert other.scores() == state.scores()[turned:] + state.scores()[:turned]
    assert other.places() == state.places()[turned:] + state.places()[:turned]


def test_mo_24_playable_cards_in_the_rounds_of_a_deck() -> None:
    for seats in range(3, 8):
        state = _game(seats).start(SEED)
        rng = random.Random(seats)
        for at in range(18):
            count = [8, 6, 5, 4, 3, 2][at % 6]
            assert {len(_playable(state, seat)) for seat in range(seats)} == {count}
            assert {len(state.legal(seat)) for seat in range(seats)} == {math.comb(count, 2)}
            walk(state, rng, 2 * seats)


def test_mo_b2_two_playable_cards_always_remain() -> None:
    """All decks that one seat can come to, each once, with the number of ways to it and the sums of the cards kept. A
    seat's deck depends on its own choices alone, so all three seats make the same ones."""
    state = _game(3, rounds=18).start(SEED)
    decks: dict[bytes, tuple[MinusOneState, int, set[int]]] = {b"": (state, 1, {0})}
    sizes = []
    for playable in (8, 6, 5, 4, 3, 2):
        sizes.append(len(decks))
        after: dict[bytes, tuple[MinusOneState, int, set[int]]] = {}
        for before, ways, sums in decks.values():
            assert len(_playable(before, 0)) == playable
            assert len(before.legal(0)) == math.comb(playable, 2)
            for show in before.legal(0):
                shown = before.clone()
                for seat in range(3):
                    shown.apply(seat, show)
                for keep in shown.legal(0):
                    kept = shown.clone()
                    for seat in range(3):
                        kept.apply(seat, keep)
                    view = kept.observe(0)
                    card = int(kept.game.write(keep).removeprefix("keep "))
                    # After the sixth round all ways meet in the fresh deck.
                    deck = view.spent[:1] + view.resting[:1]
                    _, others, found = after.get(deck, (kept, 0, set()))
                    after[deck] = (kept, others + ways, found | {total + card for total in sums})
        decks = after
    assert sizes == [1, 56, 168, 280, 280, 168]
    ((_, ways, sums),) = decks.values()
    assert ways == 28 * 15 * 10 * 6 * 3 * 1 * 2**6 == 4_838_400  # MO-T5
    assert (min(sums), max(sums)) == (21, 33)


def test_mo_13_mo_15_scores_never_fall() -> None:
    state = _game(5).start(SEED)
    before = state.scores()
    while walk(state, random.Random(0), 1):
        assert all(now >= then for now, then in zip(state.scores(), before, strict=True))
        before = state.scores()
    view = state.observe(0)
    assert before == [points + tokens for points, tokens in zip(view.points, view.tokens, strict=True)]


@pytest.mark.parametrize(
    ("seats", "rounds", "points", "tokens", "last", "scores", "places"),
    [
        (4, T1, (3, 4, 1, 1), [2, 1, 1, 1], [6, 2, 5, 1], [5, 5, 2, 2], [1, 2, 3, 4]),
        (3, T2, (3, 4, 4), [2, 2, 2], [5, 4, 6], [5, 6, 6], [3, 2, 1]),
    ],
    ids=["MO-T1", "MO-T2"],
)
@pytest.mark.rule("MO-14", "MO-B6", "MO-B8")
def test_golden_decks(
    seats: int,
    rounds: list[tuple[str, str, list[int], int | None]],
    points: tuple[int, ...],
    tokens: list[int],
    last: list[int],
    scores: list[int],
    places: list[int],
) -> None:
    state = _game(seats, rounds=6).start(SEED)
    for at, (pairs, keeps, cancelled, winner) in enumerate(rounds):
        if at == 5:
            assert all(len(state.legal(seat)) == 1 for seat in range(seats))
            assert state.to_act() == tuple(range(seats))  # The one pair is asked for all the same.
            assert [_playable(state, seat) for seat in range(seats)] == pairs.split()
        before = state.observe(0).tokens
        _round(state, pairs, keeps)
        assert sorted({int(card) for card in keeps if keeps.count(card) > 1}) == cancelled
        won = [seat for seat in range(seats) if state.observe(0).tokens[seat] > before[seat]]
        assert won == ([] if winner is None else [winner])
    view = state.observe(0)
    assert (view.points, list(view.tokens), list(view.last_won)) == (points, tokens, last)
    assert state.scores() == scores
    assert state.places() == places


@pytest.mark.rule("MO-B6")
def test_mo_14_more_tokens_come_before_a_later_win() -> None:
    state = _game(3).start(SEED)
    _round(state, "18 78 78", "188")
    _round(state, "23 56 56", "255")
    _round(state, "78 34 17", "747")
    view = state.observe(0)
    assert (state.scores(), view.tokens, view.last_won) == ([5, 5, 0], bytes([2, 1, 0]), bytes([2, 3, 0]))
    assert state.places() == [1, 2, 3]


def test_mo_t1_playable_cards_at_round_five() -> None:
    state = _game(4, rounds=6).start(SEED)
    for pairs, keeps, _, _ in T1[:4]:
        _round(state, pairs, keeps)
    assert [_playable(state, seat) for seat in range(4)] == ["457", "127", "146", "246"]
    view = state.observe(3)
    assert view.keeps == bytes(int(card) for _, keeps, _, _ in T1[:4] for card in keeps)
    shows = [pair for pairs, _, _, _ in T1[:4] for pair in pairs.split()]
    assert view.shows == bytes(1 << int(pair[0]) - 1 | 1 << int(pair[1]) - 1 for pair in shows)


@pytest.mark.rule("MO-14", "MO-B6")
def test_mo_17_mo_t3_mo_t4_the_house_shows_and_keeps_low() -> None:
    state = _game().start(SEED)
    texts = []
    while state.to_act():
        moves = [(seat, state.fallback(seat)) for seat in state.to_act()]
        texts.append({state.game.write(action) for _, action in moves})
        for seat, action in moves:
            state.apply(seat, action)
        if len(texts) == 2:
            view = state.observe(0)
            assert (view.spent, view.resting, view.tokens) == (bytes([1] * 4), bytes([2] * 4), bytes(4))
    assert texts[:4] == [{"show 1 2"}, {"keep 1"}, {"show 3 4"}, {"keep 3"}]
    assert state.scores() == [0] * 4
    assert state.places() == [1] * 4


def test_mo_17_the_fallback_is_of_playable_cards_and_is_not_taken_by_asking() -> None:
    state = _game(4, rounds=6).start(SEED)
    for pairs, keeps, _, _ in T1[:4]:
        _round(state, pairs, keeps)
    before = state.to_bytes()
    lowest = [state.game.write(state.fallback(seat)) for seat in range(4)]
    assert lowest == ["show 4 5", "show 1 2", "show 1 4", "show 2 4"]
    assert state.to_bytes() == before
    _show(state, "45", "12", "14", "46")
    lower = [state.game.write(state.fallback(seat)) for seat in range(4)]
    assert lower == ["keep 4", "keep 1", "keep 1", "keep 4"]
    assert state.to_act() == (0, 1, 2, 3)


def test_mo_16_timers_are_data_of_the_phases() -> None:
    assert [(phase.name, phase.human_limit_s) for phase in _game().phases] == [("show", 30), ("keep", 20)]


@pytest.mark.parametrize("pairs", ["25 35 36", "25 13 36", "48 46 78 16", "12 12 78 56", "15 26 37 48 15"])
def test_mo_25_a_number_that_only_you_showed_cannot_be_cancelled(pairs: str) -> None:
    """Whatever the others keep, it wins, or a lower number does that nobody else kept."""
    shown = pairs.replace(" ", "")
    beaten = won = 0
    for keeps in itertools.product(*pairs.split()):
        state = _game(len(keeps)).start(SEED)
        _round(state, pairs, "".join(keeps))
        tokens = state.observe(0).tokens
        for seat, card in enumerate(keeps):
            if shown.count(card) > 1:
                continue
            assert keeps.count(card) == 1
            lower = [other for other in keeps if other < card and keeps.count(other) == 1]
            assert tokens[seat] == (not lower)
            assert sum(tokens) == 1
            assert not lower or tokens[keeps.index(min(lower))] == 1
            beaten += bool(lower)
            won += not lower
    assert won
    assert beaten


UP = (("18", "1"), ("27", "2"), ("38", "3"), ("47", "4"), ("58", "5"), ("67", "6"))
DOWN = (("18", "8"), ("27", "7"), ("16", "6"), ("25", "5"), ("14", "4"), ("23", "3"))


@pytest.mark.parametrize(
    ("own", "others", "rounds", "score"),
    [(DOWN, UP, 6, 39), (UP, DOWN, 6, 27), (DOWN, UP, 18, 117)],
    ids=["most", "least", "three decks"],
)
def test_mo_t5_deck_bounds(
    own: tuple[tuple[str, str], ...], others: tuple[tuple[str, str], ...], rounds: int, score: int
) -> None:
    """Seat 0 wins every round, because the others cancel each other. No six cards of a deck make more (MO-B2)."""
    state = _game(3, rounds=rounds).start(SEED)
    for _ in range(rounds // 6):
        for (pair, keep), (other, kept) in zip(own, others, strict=True):
            _round(state, f"{pair} {other} {other}", keep + kept * 2)
    assert state.to_act() == ()
    assert state.scores() == [score, 0, 0]


def test_it_deals_no_packs() -> None:
    game = _game()
    assert game.start(SEED).packs() == []
    assert game.start_from([]) == game.start(SEED)
    with pytest.raises(ValueError, match="no packs"):
        game.start_from([range(52)])
