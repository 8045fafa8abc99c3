"""Callbreak rule by rule; the test ids are the rule ids of docs/rules/callbreak.md."""

import itertools
import random
from typing import Any

import pytest

import engine
from engine.callbreak import Callbreak, CallbreakState
from engine.cards import cards_of, mask_of, read_cards, write_card
from engine.game import OutOfPacks
from engine.score_sheet import ScoreSheet
from engine.tricks import FinishedDeal
from tests.engine.walks import SEED, legal_texts, pack_of, take, walk

GOLDEN_HANDS = (
    "JS 5S 2S KH JH 8H 5H 3H KD QD AC 5C 3C",
    "QS 9S 7S 3S AH TH 6H 6D 5D 4D JC 8C 7C",
    "AS 6S 4S QH 9H 7H JD TD 7D 3D 2D 6C 2C",
    "KS TS 8S 4H 2H AD 9D 8D KC QC TC 9C 4C",
)
GOLDEN_PLAY = [
    (1, "6H QH 2H KH", (13, 3, 2, 1), 0),
    (0, "QD 6D 7D AD", (12, 3, 5, 1), 3),
    (3, "4H JH AH 7H", (11, 3, 1, 2), 1),
    (1, "5D TD 9D KD", (10, 2, 2, 1), 0),
    (0, "5H TH 9H TS", (9, 1, 1, 3), 3),
    (3, "QC AC 8C 2C", (8, 1, 3, 2), 0),
    (0, "8H 3S 4S KS", (7, 4, 3, 2), 3),
    (3, "8S JS QS AS", (6, 1, 1, 1), 2),
    (2, "2D 8D 2S 4D", (5, 1, 2, 1), 0),
    (0, "3H 7S 6C 4C", (4, 2, 4, 4), 1),
    (1, "JC 6S 9C 3C", (3, 1, 3, 2), 2),
    (2, "3D KC 5S 9S", (2, 2, 1, 1), 1),
    (1, "7C JD TC 5C", (1, 1, 1, 1), 3),
]


def _game(**options: Any) -> Callbreak:
    game = engine.load("callbreak", **options)
    assert isinstance(game, Callbreak)
    return game


def _start(*hands: str, dealer: int = 0, packs: int = 1, **options: Any) -> CallbreakState:
    """A match whose deals are these hands (or a whole pack in order), again and again."""
    game = _game(**options)
    pack = pack_of(hands, dealer, game.step) if hands else list(range(52))
    return game.start_from([pack] * packs, first_dealer=dealer)


def _play(state: CallbreakState, steps: int) -> None:
    for _ in range(steps):
        seat = state.to_act()[0]
        state.apply(seat, state.fallback(seat))


def _ended(
    totals: list[int], best: list[int] | None = None, extra: tuple[int, ...] | None = None, **options: Any
) -> list[int]:
    """Places of a match that ended with these totals."""
    state = _start(**options)
    state.best = best or [0] * 4
    state.dealing.deal = state.game.options.deals - (extra is None)
    state.sheet = ScoreSheet(tuple(totals), FinishedDeal(b"", b"", extra or (0, 0, 0, 0)), over=True)
    return state.places()


def test_cb_01_names() -> None:
    for name in ("callbreak", "Call Break", "LAKDI", "lakadi", "लकड़ी", "call-bridge", "Ghochi", "toos"):
        assert engine.load(name) == engine.load("callbreak")
    assert engine.load("Minus").id == "minus"


@pytest.mark.parametrize("seats", [2, 3, 5, 0, "4x", True])
def test_cb_02_four_seats_only(seats: Any) -> None:
    with pytest.raises(ValueError, match="seats"):
        engine.load("callbreak", seats)


def test_cb_03_cb_07_the_hands_are_the_pack() -> None:
    state = _game().start(SEED)
    assert [hand.bit_count() for hand in state.table.hands] == [13] * 4
    assert sum(state.table.hands) == (1 << 52) - 1


def test_cb_05_first_dealer_is_a_parameter() -> None:
    assert _game(first_dealer=2).start(SEED).observe(0).dealer == 2
    with pytest.raises(ValueError, match="names seat 2"):
        _game(first_dealer=2).start_from([range(52)], first_dealer=1)


def test_cb_06_one_card_at_a_time_from_the_dealers_left() -> None:
    state = _start(dealer=0)
    assert list(cards_of(state.table.hands[1])) == list(range(0, 52, 4))
    assert list(cards_of(state.table.hands[0])) == list(range(3, 52, 4))


def test_cb_08_cb_13_a_caller_sees_its_own_hand_and_earlier_calls() -> None:
    state = _start(dealer=0)
    take(state, "call 3", "call 2")
    view = state.observe(3)
    assert view.hand == state.table.hands[3]
    assert view.calls == bytes([255, 3, 2, 255])


@pytest.mark.parametrize(("direction", "dealers"), [("clockwise", [0, 1, 2, 3, 0]), ("anticlockwise", [0, 3, 2, 1, 0])])
def test_cb_09_cb_10_cb_v1_the_deal_moves_on(direction: str, dealers: list[int]) -> None:
    state = _game(direction=direction, first_dealer=0, tie_break="best_deal").start(SEED)
    rng = random.Random(1)
    seen: dict[int, int] = {}
    while state.to_act():
        seen[state.deal] = state.dealing.dealer
        walk(state, rng, 1)
    assert list(seen.values()) == dealers


def test_cb_v14_ten_deals() -> None:
    state = _game(deals=10, first_dealer=0, tie_break="best_deal").start(SEED)
    rng = random.Random(1)
    seen: dict[int, int] = {}
    while state.to_act():
        seen[state.deal] = state.dealing.dealer
        walk(state, rng, 1)
    assert list(seen.values()) == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]


@pytest.mark.parametrize(
    ("direction", "order"), [("clockwise", [1, 2, 3, 0]), ("anticlockwise", [3, 2, 1, 0])], ids=["CB-12", "CB-V1"]
)
def test_calls_go_round_once_and_the_first_caller_leads(direction: str, order: list[int]) -> None:
    state = _start(direction=direction)
    asked: list[int] = []
    for _ in range(4):
        asked += state.to_act()
        take(state, "call 3")
    assert asked == order
    assert state.to_act() == (order[0],)  # CB-18
    assert legal_texts(state) == {write_card(card) for card in cards_of(state.table.hands[order[0]])}
    _play(state, 1)
    assert state.to_act() == (order[1],)  # CB-20


def test_cb_11_a_second_call_is_refused() -> None:
    state = _start()
    take(state, "call 3")
    with pytest.raises(engine.IllegalAction, match="not to act"):
        state.apply(1, state.game.read("call 4"))


def test_cb_14_there_is_no_pass() -> None:
    with pytest.raises(ValueError, match="no action"):
        _game().read("pass")
    state = _start()
    take(state, "call 3", "call 3", "call 3", "call 3")
    assert state.phase() == 0


@pytest.mark.parametrize(("min_call", "least"), [(1, 1), (2, 2)], ids=["CB-15", "CB-V8"])
def test_range_of_calls(min_call: int, least: int) -> None:
    assert legal_texts(_start(min_call=min_call)) == {f"call {n}" for n in range(least, 14)}
    for text in ("call 0", "call 14"):
        with pytest.raises(ValueError, match="no action"):
            _game().read(text)


def test_cb_16_any_sum_from_eight_is_played() -> None:
    for calls in ((13, 13, 13, 13), (2, 2, 2, 2)):
        state = _start()
        take(state, *(f"call {n}" for n in calls))
        assert state.phase() == 0


def test_cb_17_cb_t6_the_same_dealer_deals_again_when_calls_total_less_than_eight() -> None:
    redealt = played = 0
    for calls in itertools.product(range(1, 6), repeat=4):
        if sum(calls) > 8:
            continue
        state = _start(packs=2, dealer=3)
        take(state, *(f"call {n}" for n in calls))
        if state.phase() == 1:
            redealt += 1
            view = state.observe(0)
            assert (view.deal, view.redeal, view.dealer, view.calls) == (0, 1, 3, bytes([255] * 4))
            assert state.scores() == [0, 0, 0, 0]
            assert len(state.packs()) == 2
        else:
            played += 1
    assert (redealt, played) == (35, 35)


def test_cb_17_a_redeal_brings_new_cards_from_the_seed() -> None:
    state = _game().start(SEED)
    hands = state.table.hands[:]
    take(state, "call 2", "call 2", "call 2", "call 1")
    assert state.table.hands != hands
    assert len(set(state.packs())) == 2


def test_cb_b1_the_guard_lets_the_next_deal_be_played() -> None:
    state = _game(max_redeals=3).start(SEED)
    for _ in range(4):
        take(state, "call 1", "call 1", "call 1", "call 1")
    assert state.phase() == 0
    assert state.observe(0).redeal == 3
    assert len(state.packs()) == 4


def test_cb_b1_redeals_can_be_switched_off() -> None:
    state = _start(redeal_below=0)
    take(state, "call 1", "call 1", "call 1", "call 1")
    assert state.phase() == 0


def test_cb_40_redeals_are_no_deals() -> None:
    state = _game(tie_break="best_deal").start(SEED)
    take(state, *["call 1"] * 8)
    deals = set()
    rng = random.Random(0)
    while state.to_act():
        deals.add(state.deal)
        walk(state, rng, 1)
    assert deals == {0, 1, 2, 3, 4}


def test_cb_23_spades_may_be_led_at_any_time() -> None:
    state = _start(*GOLDEN_HANDS)
    take(state, *["call 3"] * 4)
    assert "QS" in legal_texts(state)


def test_cb_v7_spades_may_be_banned_from_the_first_lead() -> None:
    state = _start(*GOLDEN_HANDS, first_lead_spades="banned")
    take(state, *["call 3"] * 4)
    assert legal_texts(state) == {"AH", "TH", "6H", "6D", "5D", "4D", "JC", "8C", "7C"}
    take(state, "6H", "QH", "2H", "KH")
    assert "JS" in legal_texts(state)


def test_cb_v7_a_hand_of_spades_may_lead_them() -> None:
    hands = [" ".join(write_card(13 * suit + rank) for rank in range(13)) for suit in (0, 3, 1, 2)]
    state = _start(*hands, first_lead_spades="banned")
    take(state, *["call 3"] * 4)
    assert len(legal_texts(state)) == 13


@pytest.mark.parametrize("options", [{"redeal_no_spades": True}, {"redeal_no_honours": True}], ids=["CB-V9", "CB-V10"])
def test_hands_that_nobody_wants_are_thrown_in_before_the_calls(options: dict[str, Any]) -> None:
    suits = [" ".join(write_card(13 * suit + rank) for rank in range(13)) for suit in range(4)]
    low = mask_of(c for c in range(52) if c % 13 < 9)
    no_honours = sorted(cards_of(low))[:13]
    rest = [c for c in range(52) if c not in no_honours]
    poor = [" ".join(map(write_card, part)) for part in (rest[::3], rest[1::3], no_honours, rest[2::3])]
    bad = pack_of(suits if "redeal_no_spades" in options else poor, 1)
    good = pack_of(GOLDEN_HANDS, 1)
    state = _game(**options).start_from([bad, bad, good], first_dealer=1)
    assert state.phase() == 1
    assert (state.observe(0).redeal, state.observe(0).dealer) == (2, 1)
    assert state.packs() == [tuple(bad), tuple(bad), tuple(good)]
    assert _game().start_from([bad], first_dealer=1).observe(0).redeal == 0
    guarded = _game(**options, max_redeals=1).start_from([bad, bad], first_dealer=1)
    assert guarded.observe(0).redeal == 1


def test_cb_v11_missing_suits_are_announced_after_the_last_call() -> None:
    suits = [" ".join(write_card(13 * suit + rank) for rank in range(13)) for suit in range(4)]
    state = _start(*suits, announce_voids=True)
    take(state, *["call 3"] * 3)
    assert state.observe(0).voids == b""
    take(state, "call 3")
    assert state.observe(0).voids == bytes([0b1110, 0b1101, 0b1011, 0b0111])
    quiet = _start(*suits)
    take(quiet, *["call 3"] * 4)
    assert quiet.observe(0).voids == b""


SCORES = [
    *(("CB-T1", {}, *case) for case in [(1, 1, 10), (1, 0, -10), (3, 3, 30), (3, 2, -30), (4, 6, 42), (5, 6, 51)]),
    *(("CB-T1", {}, *case) for case in [(8, 13, 85), (13, 12, -130), (5, 5, 50), (3, 5, 32)]),
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
    assert _game(**options).score(call, won) == score


def test_cb_36_one_decimal_always() -> None:
    assert [_game().write_score(n) for n in (30, -130, -5, 0, 42, -1)] == ["3.0", "-13.0", "-0.5", "0.0", "4.2", "-0.1"]


def test_cb_37_cb_38_five_deals_add_up() -> None:
    state = _game(tie_break="best_deal").start(SEED)
    sums = [0] * 4
    rng = random.Random(3)
    deals = 0
    while state.to_act():
        deal = state.deal
        walk(state, rng, 1)
        if state.deal != deal or not state.to_act():
            assert state.sheet.last is not None
            assert sum(state.sheet.last.won) == 13  # CB-32
            sums = [one + other for one, other in zip(sums, state.sheet.last.scores, strict=True)]
            deals += 1
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
    game = _game(first_dealer=0)
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
        state = _game().start(bytes([seed]) * 32)
        walk(state, random.Random(seed))
        assert state.deal == (5 if state.sheet.totals.count(max(state.sheet.totals)) > 1 else 4)


def test_cb_v15_there_is_no_extra_deal_with_best_deal() -> None:
    for seed in range(3):
        state = _game(tie_break="best_deal").start(bytes([seed]) * 32)
        walk(state, random.Random(seed))
        assert state.deal == 4


def test_cb_b17_the_house_calls_and_plays_low() -> None:
    state = _start(*GOLDEN_HANDS)
    assert state.game.write(state.fallback(1)) == "call 1"
    take(state, *["call 3"] * 4)
    assert state.game.write(state.fallback(1)) == "3S"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"must_beat": "always"},
        {"must_beat": "never"},
        {"trump_when_void": "always"},
        {"trump_when_void": "no_waste"},
        {"trump_when_void": "never"},
    ],
    ids=str,
)
def test_cb_t4_golden_deal(options: dict[str, Any]) -> None:
    """Every other value of the two options changes a legal set somewhere in this deal."""
    state = _start(*GOLDEN_HANDS, packs=2, **options)
    take(state, "call 3", "call 2", "call 3", "call 4")
    counts = []
    for leader, trick, _, winner in GOLDEN_PLAY:
        assert state.to_act() == (leader,)
        for text in trick.split():
            counts.append(len(state.legal(state.to_act()[0])))
            if options and text not in legal_texts(state):
                return
            take(state, text)
        if state.deal == 0:
            assert state.to_act() == (winner,)
    assert (counts == [count for line in GOLDEN_PLAY for count in line[2]]) == (not options)
    assert state.sheet.last is not None
    assert state.sheet.last.won == bytes([4, 3, 2, 4])
    assert state.sheet.last.scores == (40, 30, 20, 31)
    assert state.sheet.last.calls == bytes([4, 3, 2, 3])
    assert state.scores() == [40, 30, 20, 31]


def test_a_match_from_packs_needs_a_pack_for_every_deal() -> None:
    with pytest.raises(OutOfPacks):
        _game().start_from([])
    with pytest.raises(ValueError, match="not whole"):
        _game().start_from([[*range(51), 50]])
    with pytest.raises(ValueError, match="seats are"):
        _game().start_from([range(52)], first_dealer=4)
    state = _start()
    take(state, *["call 3"] * 4)
    _play(state, 51)
    with pytest.raises(OutOfPacks, match="Deal 1"):
        _play(state, 1)


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("callbreak_nepal", {"direction": "anticlockwise"}),
        ("Callbreak Plain", {"must_beat": "never", "trump_when_void": "never"}),
        (
            "call_bridge_bd",
            {
                "direction": "anticlockwise",
                "must_beat": "never",
                "min_call": 2,
                "redeal_below": 0,
                "scoring": "call_bridge",
            },
        ),
    ],
)
def test_presets(preset: str, options: dict[str, Any]) -> None:
    assert engine.load(preset) == _game(**options)
    assert engine.load(preset, deals=10) == _game(**options, deals=10)
    assert engine.load("call bridge") == _game()


def test_the_hand_in_view_shrinks_and_the_trick_grows() -> None:
    state = _start(*GOLDEN_HANDS)
    take(state, "call 3", "call 2", "call 3", "call 4", "6H", "QH", "2H", "KH", "QD", "6D")
    view = state.observe(1)
    assert view.hand == mask_of(read_cards(GOLDEN_HANDS[1])) & ~mask_of(read_cards("6H 6D"))
    assert view.trick == bytes(read_cards("QD 6D"))
    assert view.history == bytes(read_cards("6H QH 2H KH"))
    assert view.leaders == bytes([1])
    assert (view.leader, view.won, view.trump, view.tricks) == (0, bytes([1, 0, 0, 0]), 3, 13)
    assert state.table.dealt[1] == mask_of(read_cards(GOLDEN_HANDS[1]))
