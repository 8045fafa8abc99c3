"""Minus rule by rule, from the first card to the last place; the ids are the rule ids of docs/rules/minus.md."""

import random
from typing import Any

import pytest

from engine.cards import HEARTS, cards_of, mask_of, read_cards, write_card
from engine.game import OutOfPacks
from engine.minus import MinusState
from engine.score_sheet import ScoreSheet
from engine.tricks import DUTIES, NONE, legal, winner
from tests.engine.minus_tables import GOLDEN_PLAY, minus, opened
from tests.engine.walks import SEED, take, walk


@pytest.mark.parametrize(
    ("call", "won", "score"),
    [(3, 3, 3), (3, 7, 3), (10, 9, -10), (2, 0, -2), (13, 13, 13)],
    ids=["MN-31", "MN-31", "MN-32", "MN-32", "MN-31"],
)
def test_scores(call: int, won: int, score: int) -> None:
    assert minus().score(call, won) == score


def _play_golden_deal(state: MinusState) -> None:
    """The thirteen tricks of the golden deal, by their leaders, with the cards and winners that they have."""
    deal = state.deal
    for leader, trick, won in GOLDEN_PLAY:
        assert state.to_act() == (leader,)
        take(state, *trick.split())
        if state.deal == deal:
            assert state.to_act() == (won,)


@pytest.mark.rule("MN-24")
def test_mn_t1_mn_t2_golden_deal() -> None:
    state = opened("trump 5H", "pass", "trump 6C", "pass", "pass", "pass", "pass", "trump 10S", packs=2)
    assert state.to_act() == (1,)
    take(state, "call 2", "call 3", "call 2")
    _play_golden_deal(state)
    assert state.sheet.last is not None
    assert state.sheet.last.won == bytes([9, 1, 3, 0])
    assert state.sheet.last.calls == bytes([10, 2, 3, 2])
    assert state.sheet.last.scores == (-10, -2, 3, -2)
    assert state.scores() == [-10, -2, 3, -2]
    assert (state.deal, state.dealing.dealer) == (1, 0)


def test_mn_33_totals_stay_negative() -> None:
    state = opened(*["pass"] * 7, "trump 10S", "call 2", "call 3", "call 2", packs=3)
    _play_golden_deal(state)
    assert state.scores() == [-10, -2, 3, -2]
    take(state, "pass", "pass", "pass", "trump 5S", *["pass"] * 4, "call 2", "call 3", "call 2")
    _play_golden_deal(state)
    assert state.scores() == [-5, -4, 6, -4]


@pytest.mark.rule("MN-24", "MN-30")
def test_mn_t6_what_holds_in_any_match() -> None:
    """13 cards at every turn of the second lap, 3 calls with a trump caller and 4 without, 13 tricks each led by the
    winner of the one before, and scores of plus or minus the call."""
    callers = set()
    for seed in range(6):
        state = minus(deals=1).start(bytes([seed]) * 32)
        rng = random.Random(seed)
        phases: list[int] = []
        ahead = NONE
        while state.to_act():
            seat = state.to_act()[0]
            view = state.observe(seat)
            phases.append(view.phase)
            assert view.hand.bit_count() == (5 if view.phase == 2 else 13 - len(view.leaders))
            if view.phase == 0 and not view.trick:
                assert seat == (ahead if view.leaders else view.leader)
            caller = view.caller
            walk(state, rng, 1)
            if len(view.trick) == 3 and state.to_act():
                trick = state.observe(0).history[-4:]
                ahead = (view.leader + winner(trick, view.trump)) % 4
        callers.add(caller != NONE)
        assert phases == [2] * 4 + [3] * 4 + [1] * (4 if caller == NONE else 3) + [0] * 52
        assert state.sheet.last is not None
        assert sum(state.sheet.last.won) == 13
        for call, won, score in zip(state.sheet.last.calls, state.sheet.last.won, state.scores(), strict=True):
            assert score == (call if won >= call else -call)
    assert True in callers


DUTY_CASES = [
    ("MN-25", "4D AH", "KD", "4D", {}),
    ("MN-26-beat", "AD 4D", "KD", "AD", {}),
    ("MN-26-MN-B6", "AD 4D", "KD 2H", "AD 4D", {}),
    ("MN-27-first", "AC 7H 2H", "8S", "7H 2H", {}),
    ("MN-27-higher", "AC JH 4H", "8S 9H", "JH", {}),
    ("MN-28-MN-B7", "AC 4H 3H", "8S 9H", "AC 4H 3H", {}),
    ("MN-V4-never", "AD 4D", "KD", "AD 4D", {"must_beat": "never"}),
    ("MN-V4-MN-B6", "AD 4D", "KD 2H", "AD", {"must_beat": "always"}),
    ("MN-V5", "AC 4H 3H", "8S 9H", "4H 3H", {"trump_when_void": "always"}),
    ("MN-V6", "AC 4H 3H", "8S 9H", "AC", {"trump_when_void": "no_waste"}),
    ("MN-V6-only-trumps", "4H 3H", "8S 9H", "4H 3H", {"trump_when_void": "no_waste"}),
    ("MN-B13-void", "AC JH 4H", "8S 9H", "JH", {"must_beat": "never"}),
    ("MN-B13-no-duty", "AC JH 4H", "8S 9H", "AC JH 4H", {"must_beat": "never", "trump_when_void": "never"}),
    ("MN-B13-follow", "AC JH 4S", "8S 9H", "4S", {"must_beat": "never", "trump_when_void": "never"}),
]


@pytest.mark.parametrize(
    ("hand", "trick", "wanted", "options"), [c[1:] for c in DUTY_CASES], ids=[c[0] for c in DUTY_CASES]
)
def test_duties_with_hearts_as_trumps(hand: str, trick: str, wanted: str, options: dict[str, Any]) -> None:
    game = minus(**options)
    cards = legal(mask_of(read_cards(hand)), read_cards(trick), HEARTS, game.must_beat, game.trump_when_void)
    assert {write_card(card) for card in cards_of(cards)} == set(wanted.split())


@pytest.mark.parametrize("void", ["must_win", "always", "no_waste", "never"])
@pytest.mark.parametrize("beat", ["unless_trumped", "always", "never"])
@pytest.mark.rule("MN-25", "MN-26", "MN-27", "MN-28", "MN-V4", "MN-V5", "MN-V6")
def test_a_match_asks_for_the_duties_of_its_options_with_the_called_suit_as_trumps(beat: str, void: str) -> None:
    trumps = set()
    for seed in range(4):
        state = minus(must_beat=beat, trump_when_void=void, deals=1).start(bytes([seed]) * 32)
        take(state, "pass", f"trump 5{'CDHS'[seed]}")
        rng = random.Random(seed)
        while state.to_act():
            seat = state.to_act()[0]
            view = state.observe(seat)
            if view.phase == 0:
                trumps.add(view.trump)
                wanted = legal(view.hand, [*view.trick], view.trump, DUTIES[beat], DUTIES[void])
                assert state.legal_mask(seat) == wanted
            if view.phase > 1:
                take(state, "pass")
            else:
                walk(state, rng, 1)
    assert trumps == {0, 1, 2, 3}


def _finish_deal(totals: list[int], scores: list[int], **options: Any) -> MinusState:
    """A match in its second deal, whose totals become ``totals + scores`` when the deal is over."""
    state = opened(*["pass"] * 8, *["call 2"] * 4, packs=2, **options)
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
    state = minus().start(SEED)
    walk(state, random.Random(0))
    assert state.deal == 4
    assert state.scores()[state.places().index(1)] == max(state.scores())
    longer = minus(deals="7").start(SEED)
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


@pytest.mark.parametrize("options", [{"match_end": "target"}, {"deals": 1}], ids=["target", "deals"])
def test_mn_36_ties_share_the_win(options: dict[str, Any]) -> None:
    state = _finish_deal([20, 20, 1, 0], [2, 2, 0, 0], **options)
    assert (state.to_act(), state.places()) == ((), [1, 1, 3, 4])


def test_mn_b11_a_match_to_a_target_ends_after_max_deals() -> None:
    state = minus(match_end="target", target=500, max_deals=3).start(SEED)
    walk(state, random.Random(0))
    assert state.deal == 2
    assert state.scores()[state.places().index(1)] == max(state.scores()) < 500
    assert minus(match_end="target").most_deals == 60
    assert _finish_deal([0, 0, 0, 0], [22, 30, 30, 21], match_end="target").places() == [3, 1, 1, 4]
    assert _finish_deal([9, 9, 1, 0], [0, 0, 0, 0], match_end="target", max_deals=1).places() == [1, 1, 3, 4]


def test_mn_b14_the_first_dealer_is_drawn_or_named_and_deals_are_one_or_more() -> None:
    drawn = {minus().start(bytes([seed]) * 32).dealing.dealer for seed in range(40)}
    assert drawn == {0, 1, 2, 3}
    for seat in range(4):
        assert {minus(first_dealer=seat).start(bytes([seed]) * 32).dealing.dealer for seed in range(10)} == {seat}
    one = minus(deals=1).start(SEED)
    walk(one, random.Random(0))
    assert (one.deal, minus().options.deals) == (0, 5)
    with pytest.raises(ValueError, match="whole number from 1"):
        minus(deals=0)


@pytest.mark.rule("MN-B11")
@pytest.mark.parametrize("target", [0, -1, "0", "x"])
def test_mn_v8_a_target_is_at_least_one(target: Any) -> None:
    with pytest.raises(ValueError, match="whole number from 1"):
        minus(match_end="target", target=target)


def test_mn_b15_the_house_passes_calls_two_and_plays_low() -> None:
    state = opened()
    texts = []
    for _ in range(13):
        seat = state.to_act()[0]
        texts.append(state.game.write(state.fallback(seat)))
        state.apply(seat, state.fallback(seat))
    assert texts == [*["pass"] * 8, *["call 2"] * 4, "2C"]


def test_a_match_from_packs_needs_a_pack_for_every_deal() -> None:
    state = opened(*["pass"] * 8, *["call 2"] * 4)
    with pytest.raises(OutOfPacks):
        walk(state, random.Random(0))
