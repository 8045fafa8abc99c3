"""Minus rule by rule; the test ids are the rule ids of docs/rules/minus.md."""

import random
from typing import Any

import pytest

import engine
from engine.cards import SPADES, mask_of, read_cards
from engine.game import OutOfPacks
from engine.minus import Minus, MinusState
from engine.score_sheet import ScoreSheet
from engine.tricks import NONE, UNSETTLED
from tests.engine.walks import SEED, legal_texts, pack_of, take, walk

GOLDEN_HANDS = (
    "AS JS 9S 8S 3S 5S 4S 2S AH 9H 6H QD 3D",
    "7H 4H 9D 2D 5C KS 7S 2H JD 8D 7D 8C 2C",
    "6S TH 5H QC 3C TS KH JH AD KD KC 9C 7C",
    "8H 5D AC JC TC QS QH 3H TD 6D 4D 6C 4C",
)
GOLDEN_PLAY = [
    (0, "5S KS TS QS", 1),
    (1, "7S 6S 5D 8S", 0),
    (0, "9H 7H KH 3H", 2),
    (2, "3C JC JS 8C", 0),
    (0, "AS JD 7C AC", 0),
    (0, "2S 4H QC 4C", 0),
    (0, "AH 2H 5H QH", 0),
    (0, "3D 8D KD 6D", 2),
    (2, "TH 8H 6H 9D", 2),
    (2, "KC TC 4S 5C", 0),
    (0, "3S 2D 9C TD", 0),
    (0, "9S 7D AD 6C", 0),
    (0, "QD 2C JH 4D", 0),
]


def _game(**options: Any) -> Minus:
    game = engine.load("minus", **options)
    assert isinstance(game, Minus)
    return game


def _start(*texts: str, dealer: int = 0, packs: int = 1, **options: Any) -> MinusState:
    """A match with the golden hands in its first deals, after these actions."""
    game = _game(**options)
    state = game.start_from([pack_of(GOLDEN_HANDS, dealer, game.step)] * packs, first_dealer=dealer)
    take(state, *texts)
    return state


def _laps(state: MinusState) -> set[int]:
    """The numbers that may be called now; 0 for a pass."""
    return {0 if text == "pass" else int(text.removeprefix("trump ")[:-1]) for text in legal_texts(state)}


@pytest.mark.parametrize("seats", [3, 5])
def test_mn_01_four_seats_only(seats: int) -> None:
    with pytest.raises(ValueError, match="it takes 4"):
        engine.load("minus", seats)


@pytest.mark.parametrize(("direction", "first"), [("clockwise", 1), ("anticlockwise", 3)], ids=["MN-04", "MN-V7"])
def test_the_dealers_next_seat_begins(direction: str, first: int) -> None:
    state = _game(direction=direction).start_from([range(52)], first_dealer=0)
    assert state.to_act() == (first,)
    assert state.packet[first] == mask_of([0, 4, 8, 12, 16])
    take(state, *["pass"] * 8)
    assert state.to_act() == (first,)


def test_mn_05_to_07_two_packets() -> None:
    state = _start()
    assert [state.observe(seat).hand for seat in range(4)] == [mask_of(read_cards(h)[:5]) for h in GOLDEN_HANDS]
    take(state, *["pass"] * 4)
    assert [state.observe(seat).hand for seat in range(4)] == [mask_of(read_cards(h)) for h in GOLDEN_HANDS]  # MN-14
    assert state.phase() == 3


@pytest.mark.parametrize(
    ("dealer", "totals", "direction", "wanted"),
    [
        (0, [-10, -2, 3, -2], "clockwise", 0),
        (1, [3, -2, -2, 5], "clockwise", 2),
        (0, [-2, -2, 3, 1], "clockwise", 1),
        (2, [4, 4, 4, 4], "clockwise", 3),
        (1, [-2, 3, -2, 5], "anticlockwise", 0),
    ],
    ids=["MN-08", "MN-09", "MN-09-last", "MN-09-all", "MN-V7"],
)
def test_next_dealer(dealer: int, totals: list[int], direction: str, wanted: int) -> None:
    assert _game(direction=direction).next_dealer(dealer, totals) == wanted


def test_mn_08_the_lowest_total_deals_in_a_match() -> None:
    state = _game(first_dealer=2).start(SEED)
    rng = random.Random(5)
    while state.to_act():
        deal, dealer = state.deal, state.dealing.dealer
        walk(state, rng, 1)
        if state.deal != deal:
            assert state.dealing.dealer == state.game.next_dealer(dealer, state.sheet.totals)
            assert state.sheet.totals[state.dealing.dealer] == min(state.sheet.totals)


def test_mn_10_one_turn_each_dealer_last() -> None:
    state = _start()
    asked: list[int] = []
    for _ in range(8):
        asked += state.to_act()
        take(state, "pass")
    assert asked == [1, 2, 3, 0] * 2


@pytest.mark.parametrize(
    ("spoken", "numbers"),
    [
        ([], {0, 5, 6, 7}),
        (["trump 5D"], {0, 6, 7}),
        (["trump 6H"], {0, 7}),
        (["trump 7C"], {0}),
        (["pass"] * 4, {0, 10, 11, 12, 13}),
        (["pass"] * 4 + ["trump 12S"], {0, 13}),
        (["pass"] * 4 + ["trump 13S"], {0}),
        (["trump 7S", "pass", "pass", "pass"], {0, 10, 11, 12, 13}),
    ],
    ids=["MN-T3-none", "MN-T3-5", "MN-11", "MN-T3-7", "MN-15", "MN-T3-12", "MN-T3-13", "MN-T3-lap-1-stands"],
)
def test_lap_legality(spoken: list[str], numbers: set[int]) -> None:
    state = _start(*spoken)
    assert _laps(state) == numbers
    suits = {text[-1] for text in legal_texts(state) if text != "pass"}
    assert suits == (set("CDHS") if numbers != {0} else set())  # MN-11, MN-B8: any suit, but strictly higher


@pytest.mark.parametrize(
    ("least", "lap", "numbers"),
    [
        (5, "trump 6C", {0, *range(7, 14)}),
        (5, "trump 7C", {0, *range(8, 14)}),
        (5, "pass", {0, *range(5, 14)}),
        (13, "pass", {0, 13}),
        (9, "pass", {0, *range(9, 14)}),
        (12, "trump 5S", {0, 12, 13}),
    ],
    ids=["MN-B4", "MN-B4", "MN-B4", "MN-B4", "MN-V1", "MN-V1"],
)
def test_takeover_floor(least: int, lap: str, numbers: set[int]) -> None:
    assert _laps(_start(lap, "pass", "pass", "pass", takeover_min=least)) == numbers


LAPS = [
    ("MN-12", "trump 5H, pass, trump 6C, pass, pass, pass, pass, pass", "C", 3, 3, {3: 6}),
    ("MN-13", "pass, pass, pass, pass, pass, pass, pass, pass", "S", NONE, 1, {}),
    ("MN-16", "pass, pass, pass, pass, trump 10S, pass, trump 12D, pass", "D", 3, 3, {3: 12}),
    ("MN-17", "pass, pass, trump 6C, pass, pass, pass, pass, trump 10S", "S", 0, 0, {0: 10}),
    ("MN-T4-late", "pass, pass, pass, pass, pass, trump 11D, pass, pass", "D", 2, 2, {2: 11}),
    ("MN-T4-early", "trump 5H, pass, pass, pass, pass, pass, pass, pass", "H", 1, 1, {1: 5}),
    ("MN-B2", "trump 5H, pass, pass, pass, trump 10H, pass, pass, pass", "H", 1, 1, {1: 10}),
    ("MN-B3", "trump 7H, pass, pass, pass, pass, trump 10S, trump 11C, pass", "C", 3, 3, {3: 11}),
]


@pytest.mark.parametrize(
    ("laps", "trump", "caller", "leader", "calls"), [c[1:] for c in LAPS], ids=[c[0] for c in LAPS]
)
def test_laps(laps: str, trump: str, caller: int, leader: int, calls: dict[int, int]) -> None:
    texts = laps.split(", ")
    state = _start(*texts[:7])
    assert (state.observe(0).trump, state.observe(0).caller) == (UNSETTLED, NONE)
    assert state.observe(0).calls == bytes([NONE] * 4)
    take(state, texts[7])
    view = state.observe(0)
    assert (view.trump, view.caller, view.leader) == ("CDHS".index(trump), caller, leader)
    assert view.calls == bytes(calls.get(seat, NONE) for seat in range(4))
    assert len(view.laps) == 8
    asked: list[int] = []
    while state.phase() == 1:
        asked += state.to_act()
        assert legal_texts(state) == {f"call {n}" for n in range(2, 14)}  # MN-19, MN-B12
        take(state, "call 13")
    assert asked == [seat for seat in (1, 2, 3, 0) if seat != caller]  # MN-19, MN-20, MN-T6
    assert state.to_act() == (leader,)  # MN-22, MN-23
    assert state.table.calls == [calls.get(seat, 13) for seat in range(4)]  # MN-21


def test_mn_v2_without_a_second_lap_the_calls_follow_at_once() -> None:
    state = _start("pass", "trump 5C", "pass", "pass", second_lap=False)
    assert state.phase() == 1
    assert (state.observe(0).trump, state.observe(0).caller) == (0, 2)
    passed = _start("pass", "pass", "pass", "pass", *["call 2"] * 4, second_lap=False)
    assert (passed.to_act(), passed.table.trump) == ((1,), SPADES)  # MN-B5


@pytest.mark.parametrize("suit", ["S", "H", "D", "C"])
def test_mn_v3_trump_when_all_pass(suit: str) -> None:
    state = _start(*["pass"] * 8, *["call 2"] * 4, all_pass_trump=suit)
    assert (state.observe(0).trump, state.to_act()) == ("CDHS".index(suit), (1,))


@pytest.mark.parametrize(
    ("call", "won", "score"),
    [(3, 3, 3), (3, 7, 3), (10, 9, -10), (2, 0, -2), (13, 13, 13)],
    ids=["MN-31", "MN-31", "MN-32", "MN-32", "MN-31"],
)
def test_scores(call: int, won: int, score: int) -> None:
    assert _game().score(call, won) == score


def test_mn_t1_mn_t2_golden_deal() -> None:
    state = _start("trump 5H", "pass", "trump 6C", "pass", "pass", "pass", "pass", "trump 10S", packs=2)
    assert state.to_act() == (1,)
    take(state, "call 2", "call 3", "call 2")
    for leader, trick, winner in GOLDEN_PLAY:
        assert state.to_act() == (leader,)
        take(state, *trick.split())
        if state.deal == 0:
            assert state.to_act() == (winner,)
    assert state.sheet.last is not None
    assert state.sheet.last.won == bytes([9, 1, 3, 0])
    assert state.sheet.last.calls == bytes([10, 2, 3, 2])
    assert state.sheet.last.scores == (-10, -2, 3, -2)
    assert state.scores() == [-10, -2, 3, -2]
    assert (state.deal, state.dealing.dealer) == (1, 0)


def _finish_deal(totals: list[int], scores: list[int], **options: Any) -> MinusState:
    """A match in its second deal, whose totals become ``totals + scores`` when the deal is over."""
    state = _start(*["pass"] * 8, *["call 2"] * 4, packs=2, **options)
    rng = random.Random(0)
    walk(state, rng, 51)
    ahead = state.clone()
    walk(ahead, rng, 1)
    assert ahead.sheet.last is not None
    state.sheet = ScoreSheet(
        tuple(t + s - really for t, s, really in zip(totals, scores, ahead.sheet.last.scores, strict=True)),
        state.sheet.last,
    )
    take(state, state.game.write(state.legal(state.to_act()[0])[0]))
    return state


def test_mn_34_five_deals() -> None:
    state = _game().start(SEED)
    walk(state, random.Random(0))
    assert state.deal == 4
    longer = _game(deals="7").start(SEED)
    walk(longer, random.Random(0))
    assert longer.deal == 6


def test_mn_35_to_a_target() -> None:
    to_21 = {"match_end": "target", "target": 21}
    assert _finish_deal([18, 20, 3, -4], [0, 0, 0, 0], **to_21).to_act()
    ended = _finish_deal([18, 20, 3, -4], [4, 5, -2, -2], **to_21)
    assert ended.to_act() == ()
    assert ended.scores() == [22, 25, 1, -6]
    assert ended.places() == [2, 1, 3, 4]
    assert _finish_deal([18, 0, 0, 0], [3, 0, 0, 0], **to_21).to_act() == ()
    assert _finish_deal([30, 0, 0, 0], [0, 0, 0, 0], match_end="target", target=31).to_act()
    assert _finish_deal([30, 0, 0, 0], [1, 0, 0, 0], match_end="target", target=31).to_act() == ()


def test_mn_36_ties_share_the_win() -> None:
    assert _finish_deal([20, 20, 1, 0], [2, 2, 0, 0], match_end="target").places() == [1, 1, 3, 4]


def test_mn_b11_a_match_to_a_target_ends_after_max_deals() -> None:
    state = _game(match_end="target", target=500, max_deals=3).start(SEED)
    walk(state, random.Random(0))
    assert state.deal == 2
    assert len(_game(match_end="target", target=10_000).start(SEED).to_bytes()) < 300


@pytest.mark.parametrize("target", [0, -1, "0", "x"])
def test_mn_v8_a_target_is_at_least_one(target: Any) -> None:
    with pytest.raises(ValueError, match="whole number from 1"):
        _game(match_end="target", target=target)


def test_mn_b15_the_house_passes_calls_two_and_plays_low() -> None:
    state = _start()
    texts = []
    for _ in range(13):
        seat = state.to_act()[0]
        texts.append(state.game.write(state.fallback(seat)))
        state.apply(seat, state.fallback(seat))
    assert texts == [*["pass"] * 8, *["call 2"] * 4, "2C"]


def test_the_hands_of_a_seat_do_not_depend_on_who_deals() -> None:
    """Card and packet of every absolute seat follow from seed and deal number alone (docs/shuffle.md)."""
    hands: dict[int, set[tuple[Any, ...]]] = {}
    dealers: dict[int, set[int]] = {}
    for play in range(6):
        state = _game(first_dealer=play % 4).start(SEED)
        rng = random.Random(play)
        while state.to_act():
            if not state.laps:
                hands.setdefault(state.deal, set()).add((*state.packet, *state.table.hands))
                dealers.setdefault(state.deal, set()).add(state.dealing.dealer)
            walk(state, rng, 1)
    assert all(len(found) == 1 for found in hands.values())
    assert len(hands) == 5
    assert all(len(found) > 1 for found in dealers.values())


def test_a_match_from_packs_needs_a_pack_for_every_deal() -> None:
    state = _start(*["pass"] * 8, *["call 2"] * 4)
    with pytest.raises(OutOfPacks):
        walk(state, random.Random(0))
