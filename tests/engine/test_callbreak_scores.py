"""Callbreak's scores, its deals and its end, rule by rule; the test ids are the rule ids of docs/rules/callbreak.md."""

import random
from typing import Any

import pytest

from engine.score_sheet import ScoreSheet
from engine.tricks import FinishedDeal
from tests.engine.callbreak_tables import callbreak, dealt
from tests.engine.walks import SEED, take, walk


def _ended(
    totals: list[int], best: list[int] | None = None, extra: tuple[int, ...] | None = None, **options: Any
) -> list[int]:
    """Places of a match that ended with these totals."""
    state = dealt(**options)
    state.best = best or [0] * 4
    state.dealing.deal = state.game.options.deals - (extra is None)
    state.sheet = ScoreSheet(tuple(totals), FinishedDeal(b"", b"", extra or (0, 0, 0, 0)), over=True)
    return state.places()


@pytest.mark.parametrize(("direction", "dealers"), [("clockwise", [0, 1, 2, 3, 0]), ("anticlockwise", [0, 3, 2, 1, 0])])
def test_cb_09_cb_10_cb_v1_the_deal_moves_on(direction: str, dealers: list[int]) -> None:
    state = callbreak(direction=direction, first_dealer=0, tie_break="best_deal").start(SEED)
    rng = random.Random(1)
    seen: dict[int, int] = {}
    while state.to_act():
        seen[state.deal] = state.dealing.dealer
        walk(state, rng, 1)
    assert list(seen.values()) == dealers


def test_cb_v14_ten_deals() -> None:
    state = callbreak(deals=10, first_dealer=0, tie_break="best_deal").start(SEED)
    rng = random.Random(1)
    seen: dict[int, int] = {}
    while state.to_act():
        seen[state.deal] = state.dealing.dealer
        walk(state, rng, 1)
    assert list(seen.values()) == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]


def test_cb_40_redeals_are_no_deals() -> None:
    state = callbreak(tie_break="best_deal").start(SEED)
    take(state, *["call 1"] * 8)
    deals = set()
    rng = random.Random(0)
    while state.to_act():
        deals.add(state.deal)
        walk(state, rng, 1)
    assert deals == {0, 1, 2, 3, 4}


SCORES = [
    *(("CB-T1-CB-34", {}, *case) for case in [(1, 1, 10), (3, 3, 30), (3, 5, 32), (4, 6, 42), (5, 5, 50), (5, 6, 51)]),
    *(("CB-T1-CB-34", {}, *case) for case in [(8, 13, 85)]),
    *(("CB-T1-CB-35", {}, *case) for case in [(1, 0, -10), (3, 2, -30), (13, 12, -130)]),
    *(("CB-35", {}, 7, won, -70) for won in range(7)),
    *(("CB-V12", {}, 4, won, score) for won, score in [(3, -40), (4, 40), (5, 41), (6, 42)]),
    *(("CB-V12", {"scoring": "call_bridge"}, 4, won, score) for won, score in [(3, -40), (4, 40), (5, 40), (6, -40)]),
    *(
        ("CB-T5", {"scoring": "call_bridge"}, *case)
        for case in [(2, 3, 20), (2, 4, -20), (7, 8, 70), (7, 9, -70), (8, 7, -80), (8, 8, 130), (8, 9, 130)]
    ),
    *(("CB-T5", {"scoring": "call_bridge"}, *case) for case in [(8, 10, -80), (12, 13, 130), (13, 13, 130)]),
    *(
        ("CB-V13", {"scoring": "call_bridge", "big_call_score": 16}, *case)
        for case in [(8, 8, 160), (9, 10, 160), (9, 11, -90)]
    ),
    *(
        ("CB-B9", {"scoring": "call_bridge", "big_call_overtricks": "ignored"}, *case)
        for case in [(8, 10, 130), (8, 13, 130), (8, 7, -80), (7, 9, -70), (10, 8, -100)]
    ),
    ("CB-V13", {"big_call_score": 16}, 8, 8, 80),
]


@pytest.mark.parametrize(("options", "call", "won", "score"), [c[1:] for c in SCORES], ids=[c[0] for c in SCORES])
def test_scores(options: dict[str, Any], call: int, won: int, score: int) -> None:
    assert callbreak(**options).score(call, won) == score


def test_cb_36_one_decimal_always() -> None:
    assert [callbreak().write_score(n) for n in (30, -130, -5, 0, 42, -1)] == [
        "3.0",
        "-13.0",
        "-0.5",
        "0.0",
        "4.2",
        "-0.1",
    ]


@pytest.mark.rule("CB-34", "CB-35")
def test_cb_33_cb_t7_a_deal_scores_by_calls_and_numbers_of_tricks_alone() -> None:
    rng = random.Random(7)
    short = 0
    for seed in range(12):
        state = callbreak(tie_break="best_deal").start(bytes([seed]) * 32)
        while state.to_act():
            deal = state.deal
            walk(state, rng, 1)
            if state.deal == deal and state.to_act():
                continue
            assert state.sheet.last is not None
            calls, won, scores = state.sheet.last
            assert scores == tuple(
                10 * call + (tricks - call) if tricks >= call else -10 * call
                for call, tricks in zip(calls, won, strict=True)
            )
            assert sum(won) == 13
            if sum(calls) > 13:
                short += 1
                assert min(scores) < 0
    assert short > 20


def test_cb_b14_scores_are_whole_tenths_and_add_up_exactly() -> None:
    game = callbreak()
    tenths = [game.score(1, 3), game.score(1, 2), game.score(1, 4)]
    assert all(type(score) is int for score in tenths)
    assert game.write_score(sum(tenths)) == "3.6"
    assert sum(score / 10 for score in tenths) != 3.6  # What fractions would make of it.


def test_cb_37_cb_38_five_deals_add_up() -> None:
    state = callbreak(tie_break="best_deal").start(SEED)
    sums = [0] * 4
    rng = random.Random(3)
    deals = lowest = 0
    while state.to_act():
        deal = state.deal
        walk(state, rng, 1)
        if state.deal != deal or not state.to_act():
            assert state.sheet.last is not None
            sums = [one + other for one, other in zip(sums, state.sheet.last.scores, strict=True)]
            lowest = min(lowest, *sums)
            deals += 1
    assert lowest < 0
    assert (deals, sums) == (5, state.scores())


PLACES = [
    ("CB-39", [121, 80, -20, 120], None, None, {}, [1, 3, 4, 2]),
    ("CB-41", [100, 100, 90, 10], None, (20, 30, 70, 10), {}, [2, 1, 3, 4]),
    ("CB-42", [100, 100, 90, 10], None, (30, 30, 70, 10), {}, [1, 1, 3, 4]),
    ("CB-B2", [100, 100, 100, 10], None, (30, 20, 30, 70), {}, [1, 3, 1, 4]),
    ("CB-B3", [100, 100, 100, 100], None, (-10, 20, -10, -30), {}, [2, 1, 2, 4]),
    ("CB-B3-others", [100, 100, 50, 50], None, (10, 20, 30, -30), {}, [2, 1, 3, 3]),
    ("CB-V15", [100, 100, 50, 50], [60, 51, 90, 20], None, {"tie_break": "best_deal"}, [1, 2, 3, 3]),
    ("CB-B4", [100, 100, 50, 10], [60, 60, 90, 20], None, {"tie_break": "best_deal"}, [1, 1, 3, 4]),
]


@pytest.mark.parametrize(
    ("totals", "best", "extra", "options", "places"), [c[1:] for c in PLACES], ids=[c[0] for c in PLACES]
)
def test_places(
    totals: list[int], best: list[int], extra: tuple[int, ...], options: dict[str, Any], places: list[int]
) -> None:
    assert _ended(totals, best, extra, **options) == places


def test_cb_41_cb_b2_an_extra_deal_breaks_a_tie_and_is_not_added() -> None:
    game = callbreak(first_dealer=0)
    state = game.start(SEED)
    rng = random.Random(0)
    while state.deal < 4 or state.phase() == 1:
        walk(state, rng, 1)
    while state.table.done < 12 or state.table.count < 3:
        walk(state, rng, 1)
    # The last card decides nothing that matters here: whatever it scores, the four end level.
    last = state.clone()
    walk(last, rng, 1)
    assert last.sheet.last is not None
    state.sheet = ScoreSheet(tuple(50 - score for score in last.sheet.last.scores), state.sheet.last)
    walk(state, rng, 1)
    assert state.to_act()
    view = state.observe(0)
    assert (view.deal, view.extra, view.dealer) == (5, True, 1)
    walk(state, rng)
    assert state.scores() == [50] * 4
    assert state.sheet.last is not None
    assert state.places() == [
        1 + sum(other > score for other in state.sheet.last.scores) for score in state.sheet.last.scores
    ]


def test_cb_41_there_is_no_extra_deal_without_a_tie_for_the_win() -> None:
    for seed in range(8):
        state = callbreak().start(bytes([seed]) * 32)
        walk(state, random.Random(seed))
        assert state.deal == (5 if state.sheet.totals.count(max(state.sheet.totals)) > 1 else 4)


def test_cb_v15_there_is_no_extra_deal_with_best_deal() -> None:
    for seed in range(3):
        state = callbreak(tie_break="best_deal").start(bytes([seed]) * 32)
        walk(state, random.Random(seed))
        assert state.deal == 4
