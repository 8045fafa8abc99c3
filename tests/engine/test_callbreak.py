"""Callbreak's deal, calls and play, rule by rule; the test ids are the rule ids of docs/rules/callbreak.md."""

import itertools
import random
from typing import Any

import pytest

import engine
from engine.cards import SPADES, cards_of, mask_of, read_cards, write_card
from engine.game import OutOfPacks
from tests.engine.callbreak_tables import GOLDEN_HANDS, SUITS, callbreak, dealt, play_on
from tests.engine.walks import SEED, legal_texts, pack_of, take, walk

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


def test_cb_01_names() -> None:
    for name in ("callbreak", "Call Break", "LAKDI", "lakadi", "लकड़ी", "call-bridge", "Ghochi", "toos"):
        assert engine.load(name) == engine.load("callbreak")
    assert engine.load("Minus").id == "minus"


@pytest.mark.parametrize("seats", [2, 3, 5, 0, "4x", True])
def test_cb_02_four_seats_only(seats: Any) -> None:
    with pytest.raises(ValueError, match="seats"):
        engine.load("callbreak", seats)


def test_cb_03_cb_07_the_hands_are_the_pack() -> None:
    state = callbreak().start(SEED)
    assert [hand.bit_count() for hand in state.table.dealt] == [13] * 4
    assert sum(state.table.dealt) == (1 << 52) - 1


def test_cb_05_first_dealer_is_a_parameter() -> None:
    assert callbreak(first_dealer=2).start(SEED).observe(0).dealer == 2
    with pytest.raises(ValueError, match="names seat 2"):
        callbreak(first_dealer=2).start_from([range(52)], first_dealer=1)


def test_cb_06_one_card_at_a_time_from_the_dealers_left() -> None:
    state = dealt(dealer=0)
    assert list(cards_of(state.table.hand(1))) == list(range(0, 52, 4))
    assert list(cards_of(state.table.hand(0))) == list(range(3, 52, 4))


def test_cb_b12_the_deal_itself_turns_too() -> None:
    state = callbreak(direction="anticlockwise").start_from([range(52)], first_dealer=0)
    for at, seat in enumerate((3, 2, 1, 0)):
        assert list(cards_of(state.table.hand(seat))) == list(range(at, 52, 4))


def test_cb_b16_every_seat_is_as_likely_to_deal_first() -> None:
    assert callbreak().options.first_dealer == "random"
    drawn = [callbreak().start(n.to_bytes(32, "big")).observe(0).dealer for n in range(400)]
    assert all(70 < drawn.count(seat) < 130 for seat in range(4))


def test_cb_08_cb_13_a_caller_sees_its_own_hand_and_earlier_calls() -> None:
    state = dealt(dealer=0)
    take(state, "call 3", "call 2")
    view = state.observe(3)
    assert view.hand == state.table.hand(3)
    assert (view.trick, view.history, view.voids) == (b"", b"", b"")
    assert view.calls == bytes([255, 3, 2, 255])


@pytest.mark.parametrize(
    ("direction", "order"),
    [("clockwise", [1, 2, 3, 0]), ("anticlockwise", [3, 2, 1, 0])],
    ids=["CB-12", "CB-V1-CB-B12"],
)
@pytest.mark.rule("CB-18", "CB-20")
def test_calls_go_round_once_and_the_first_caller_leads(direction: str, order: list[int]) -> None:
    state = dealt(direction=direction)
    asked: list[int] = []
    for _ in range(4):
        asked += state.to_act()
        take(state, "call 3")
    assert asked == order
    assert state.observe(0).leader == order[0]
    assert legal_texts(state) == {write_card(card) for card in cards_of(state.table.hand(order[0]))}
    for seat in order:
        assert state.to_act() == (seat,)
        play_on(state, 1)


def test_cb_11_a_second_call_is_refused() -> None:
    state = dealt()
    take(state, "call 3")
    with pytest.raises(engine.IllegalAction, match="not to act"):
        state.apply(1, state.game.read("call 4"))


def test_cb_14_there_is_no_pass() -> None:
    with pytest.raises(ValueError, match="no action"):
        callbreak().read("pass")
    state = dealt()
    take(state, "call 3", "call 3", "call 3", "call 3")
    assert state.phase() == 0


@pytest.mark.parametrize(("min_call", "least"), [(1, 1), (2, 2)], ids=["CB-15", "CB-V8"])
def test_range_of_calls(min_call: int, least: int) -> None:
    assert legal_texts(dealt(min_call=min_call)) == {f"call {n}" for n in range(least, 14)}
    for text in ("call 0", "call 14"):
        with pytest.raises(ValueError, match="no action"):
            callbreak().read(text)


def test_cb_b13_a_call_of_thirteen_that_is_made_wins_no_match() -> None:
    state = dealt(*SUITS, dealer=2, packs=2)
    take(state, "call 13", "call 1", "call 1", "call 1")
    play_on(state, 52)
    assert (state.scores(), state.deal, state.to_act()) == ([-10, -10, -10, 130], 1, (0,))


def test_cb_16_any_sum_from_eight_is_played() -> None:
    for calls in ((13, 13, 13, 13), (2, 2, 2, 2)):
        state = dealt()
        take(state, *(f"call {n}" for n in calls))
        assert state.phase() == 0


def test_cb_17_cb_t6_the_same_dealer_deals_again_when_calls_total_less_than_eight() -> None:
    redealt = played = 0
    for calls in itertools.product(range(1, 6), repeat=4):
        if sum(calls) > 8:
            continue
        state = dealt(packs=2, dealer=3)
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
    state = callbreak().start(SEED)
    hands = state.table.dealt
    take(state, "call 2", "call 2", "call 2", "call 1")
    assert state.table.dealt != hands
    assert len(set(state.packs())) == 2


def test_cb_b1_the_guard_lets_the_next_deal_be_played() -> None:
    state = callbreak(max_redeals=3).start(SEED)
    for _ in range(4):
        take(state, "call 1", "call 1", "call 1", "call 1")
    assert state.phase() == 0
    assert state.observe(0).redeal == 3
    assert len(state.packs()) == 4


def test_cb_b1_redeals_can_be_switched_off() -> None:
    state = dealt(redeal_below=0)
    take(state, "call 1", "call 1", "call 1", "call 1")
    assert state.phase() == 0


def test_cb_b15_calls_of_two_never_make_less_than_eight() -> None:
    assert callbreak(min_call=2).options.redeal_below == 8
    for calls in itertools.product((2, 3, 13), repeat=4):
        state = dealt(min_call=2)
        take(state, *(f"call {n}" for n in calls))
        assert state.phase() == 0


def test_cb_21_spades_are_trumps_in_every_deal_and_nobody_is_asked() -> None:
    assert [phase.name for phase in callbreak().phases] == ["play", "call"]
    state = callbreak().start(SEED)
    rng = random.Random(5)
    while state.to_act():
        assert state.observe(state.to_act()[0]).trump == SPADES
        walk(state, rng, 1)


def test_cb_32_a_deal_is_played_to_its_last_card() -> None:
    state = dealt(*SUITS, dealer=2, packs=2)  # The leader has all tricks and leaves nothing to play for.
    take(state, "call 13", "call 1", "call 1", "call 1")
    for played in range(52):
        assert (state.deal, len(state.legal(state.to_act()[0])), state.scores()) == (0, 13 - played // 4, [0] * 4)
        play_on(state, 1)
    assert state.deal == 1


def test_cb_b18_a_card_that_is_not_legal_is_refused() -> None:
    state = dealt(*GOLDEN_HANDS)
    take(state, *["call 3"] * 4, "6H")
    before = state.to_bytes()
    for text in ("JD", "AS", "KH"):  # Another suit, a trump, somebody else's heart; the seat has QH 9H 7H.
        with pytest.raises(engine.IllegalAction, match="legal are: 7H, 9H, QH"):
            state.apply(2, state.game.read(text))
    assert (state.to_bytes(), state.to_act()) == (before, (2,))


def test_cb_23_spades_may_be_led_at_any_time() -> None:
    state = dealt(*GOLDEN_HANDS)
    take(state, *["call 3"] * 4)
    assert legal_texts(state) == set(GOLDEN_HANDS[1].split())


def test_cb_v7_spades_may_be_banned_from_the_first_lead() -> None:
    state = dealt(*GOLDEN_HANDS, first_lead_spades="banned")
    take(state, *["call 3"] * 4)
    assert legal_texts(state) == {"AH", "TH", "6H", "6D", "5D", "4D", "JC", "8C", "7C"}
    take(state, "6H", "QH", "2H", "KH")
    assert "JS" in legal_texts(state)


def test_cb_v7_a_hand_of_spades_may_lead_them() -> None:
    state = dealt(*(SUITS[suit] for suit in (0, 3, 1, 2)), first_lead_spades="banned")
    take(state, *["call 3"] * 4)
    assert len(legal_texts(state)) == 13


def test_cb_b8_the_ban_binds_the_first_leader_of_every_deal_and_nobody_else() -> None:
    state = dealt(*GOLDEN_HANDS, packs=3, first_lead_spades="banned")
    take(state, *["call 1"] * 4)
    take(state, *["call 3"] * 4)
    banned = {"QS", "9S", "7S", "3S"}
    assert (state.redeal, legal_texts(state)) == (1, set(GOLDEN_HANDS[1].split()) - banned)
    play_on(state, 52)
    take(state, *["call 3"] * 4)
    # The same pack from the next dealer: the first leader has the same cards.
    assert (state.deal, legal_texts(state)) == (1, set(GOLDEN_HANDS[1].split()) - banned)

    extra = dealt(*GOLDEN_HANDS, first_lead_spades="banned")
    extra.dealing.deal = 5
    assert extra.observe(0).extra
    take(extra, *["call 3"] * 4)
    assert not legal_texts(extra) & banned

    clubs, diamonds, hearts, spades = SUITS
    hands = (spades.replace("2S", "2D"), clubs, diamonds.replace("2D", "2S"), hearts)
    ruff = dealt(*hands, first_lead_spades="banned")
    take(ruff, *["call 3"] * 4, "2C")
    assert legal_texts(ruff) == {"2S"}
    take(ruff, "2S", "2H")
    assert legal_texts(ruff) == set(spades.split()) - {"2S"}


@pytest.mark.parametrize("options", [{"redeal_no_spades": True}, {"redeal_no_honours": True}], ids=["CB-V9", "CB-V10"])
def test_hands_that_nobody_wants_are_thrown_in_before_the_calls(options: dict[str, Any]) -> None:
    low = mask_of(c for c in range(52) if c % 13 < 9)
    no_honours = sorted(cards_of(low))[:13]
    rest = [c for c in range(52) if c not in no_honours]
    poor = [" ".join(map(write_card, part)) for part in (rest[::3], rest[1::3], no_honours, rest[2::3])]
    bad = pack_of(SUITS if "redeal_no_spades" in options else poor, 1)
    good = pack_of(GOLDEN_HANDS, 1)
    state = callbreak(**options).start_from([bad, bad, good], first_dealer=1)
    assert state.phase() == 1
    assert (state.observe(0).redeal, state.observe(0).dealer) == (2, 1)
    assert state.packs() == [tuple(bad), tuple(bad), tuple(good)]
    assert callbreak().start_from([bad], first_dealer=1).observe(0).redeal == 0
    guarded = callbreak(**options, max_redeals=1).start_from([bad, bad], first_dealer=1)
    assert guarded.observe(0).redeal == 1


UNWANTED = [
    ("neither", "2S KC", {}, True),
    ("no spade", "AC KC", {}, False),
    ("no honour", "2S 3S", {}, False),
    ("no spade, which the options allow", "AC KC", {"redeal_no_spades": False}, True),
    ("no honour, which the options allow", "2S 3S", {"redeal_no_honours": False}, True),
    *((f"an honour: {honour}", f"2S {honour}D", {}, True) for honour in "AKQJ"),
    ("a ten is no honour", "2S TD", {}, False),
]


@pytest.mark.rule("CB-B10")
@pytest.mark.parametrize(("cards", "options", "played"), [c[1:] for c in UNWANTED], ids=[c[0] for c in UNWANTED])
def test_one_reason_is_enough_to_throw_a_hand_in(cards: str, options: dict[str, Any], played: bool) -> None:
    low = [f"{rank}{suit}" for suit in "CDH" for rank in "23456789"]
    hand = f"{cards} {' '.join(low[:11])}"
    rest = [write_card(card) for card in range(52) if write_card(card) not in hand.split()]
    hands = (hand, *(" ".join(rest[at::3]) for at in range(3)))
    state = dealt(*hands, packs=9, **{"redeal_no_spades": True, "redeal_no_honours": True, "max_redeals": 1, **options})
    assert (state.redeal, state.phase()) == (0 if played else 1, 1)


def test_cb_b10_cb_b1_all_reasons_count_together() -> None:
    poor, fair = pack_of(SUITS, 0), pack_of(GOLDEN_HANDS, 0)
    state = callbreak(redeal_no_spades=True, max_redeals=2).start_from([poor, fair, fair], first_dealer=0)
    assert state.redeal == 1
    take(state, *["call 1"] * 4)
    assert state.redeal == 2
    take(state, *["call 1"] * 4)
    assert (state.phase(), state.redeal) == (0, 2)


def test_cb_b11_nothing_is_announced_of_a_deal_that_is_thrown_in_nor_of_four_suits() -> None:
    state = dealt(*SUITS, packs=2, announce_voids=True)
    take(state, *["call 1"] * 4)
    assert (state.redeal, state.observe(0).voids) == (1, b"")
    take(state, *["call 3"] * 4)
    assert {state.observe(seat).voids for seat in range(4)} == {bytes([0b1110, 0b1101, 0b1011, 0b0111])}
    full = dealt(*GOLDEN_HANDS, announce_voids=True)
    take(full, *["call 3"] * 4)
    assert full.observe(0).voids == bytes(4)


def test_cb_v11_missing_suits_are_announced_after_the_last_call() -> None:
    state = dealt(*SUITS, announce_voids=True)
    take(state, *["call 3"] * 3)
    assert state.observe(0).voids == b""
    take(state, "call 3")
    assert state.observe(0).voids == bytes([0b1110, 0b1101, 0b1011, 0b0111])
    quiet = dealt(*SUITS)
    take(quiet, *["call 3"] * 4)
    assert quiet.observe(0).voids == b""


def test_cb_b17_the_house_calls_and_plays_low() -> None:
    state = dealt(*GOLDEN_HANDS)
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
@pytest.mark.rule("CB-19")
def test_cb_t4_golden_deal(options: dict[str, Any]) -> None:
    """Every other value of the two options changes a legal set somewhere in this deal."""
    state = dealt(*GOLDEN_HANDS, packs=2, **options)
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
        callbreak().start_from([])
    with pytest.raises(ValueError, match="not whole"):
        callbreak().start_from([[*range(51), 50]])
    with pytest.raises(ValueError, match="seats are"):
        callbreak().start_from([range(52)], first_dealer=4)
    state = dealt()
    take(state, *["call 3"] * 4)
    play_on(state, 51)
    with pytest.raises(OutOfPacks, match="Deal 1"):
        play_on(state, 1)


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
    assert engine.load(preset) == callbreak(**options)
    assert engine.load(preset, deals=10) == callbreak(**options, deals=10)
    assert engine.load("call bridge") == callbreak()


def test_the_hand_in_view_shrinks_and_the_trick_grows() -> None:
    state = dealt(*GOLDEN_HANDS)
    take(state, "call 3", "call 2", "call 3", "call 4", "6H", "QH", "2H", "KH", "QD", "6D")
    view = state.observe(1)
    assert view.hand == mask_of(read_cards(GOLDEN_HANDS[1])) & ~mask_of(read_cards("6H 6D"))
    assert view.trick == bytes(read_cards("QD 6D"))
    assert view.history == bytes(read_cards("6H QH 2H KH"))
    assert view.leaders == bytes([1])
    assert (view.leader, view.won, view.trump, view.tricks) == (0, bytes([1, 0, 0, 0]), 3, 13)
    assert state.table.dealt[1] == mask_of(read_cards(GOLDEN_HANDS[1]))
