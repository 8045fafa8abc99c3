"""Minus rule by rule, from the deal to the last call; the test ids are the rule ids of docs/rules/minus.md."""

import itertools
import random
from collections.abc import Sequence
from typing import Any

import pytest

import engine
from engine.cards import SPADES, cards_of, mask_of, read_cards
from engine.tricks import NONE, UNSETTLED, legal, winner
from tests.engine.minus_tables import GOLDEN_HANDS, SWAPPED, minus, opened
from tests.engine.walks import SEED, legal_texts, pack_of, take, walk


def _turn(*numbers: int) -> set[str]:
    """A turn of a lap, as texts: a pass, or one of these numbers in any suit."""
    return {"pass", *(f"trump {number}{suit}" for number in numbers for suit in "CDHS")}


@pytest.mark.parametrize("seats", [3, 5])
def test_mn_01_four_seats_only(seats: int) -> None:
    with pytest.raises(ValueError, match="it takes 4"):
        engine.load("minus", seats)


def test_mn_02_a_pack_is_52_different_cards() -> None:
    game = minus()
    assert sorted(game.write(action) for action in range(52)) == sorted(r + s for r in "23456789TJQKA" for s in "CDHS")
    state = game.start(SEED)
    take(state, *["pass"] * 4)
    assert sorted(card for seat in range(4) for card in cards_of(state.observe(seat).hand)) == [*range(52)]
    for wrong in (range(51), [*range(51), 50], range(53)):
        with pytest.raises(ValueError, match="each of the 52 cards"):
            game.start_from([wrong])


@pytest.mark.parametrize("suit", ["S", "H", "D", "C"], ids=["MN-03-S", "MN-03-H", "MN-03-D", "MN-03-C"])
def test_an_ace_is_high_and_a_two_is_low(suit: str) -> None:
    game = minus()
    cards = read_cards(" ".join(rank + suit for rank in "23456789TJQKA"))
    for low, high in itertools.pairwise(cards):
        for trump in range(4):
            assert (winner([low, high], trump), winner([high, low], trump)) == (1, 0)
    for low, middle, high in zip(cards, cards[1:], cards[2:], strict=False):
        for trump in range(4):
            answers = legal(mask_of([low, high]), [middle], trump, game.must_beat, game.trump_when_void)
            assert answers == mask_of([high])


@pytest.mark.parametrize("direction", ["clockwise", "anticlockwise"], ids=["MN-04", "MN-V7"])
def test_everything_begins_at_the_dealers_next_seat_and_goes_on_from_there(direction: str) -> None:
    state = minus(direction=direction).start_from([range(52)], first_dealer=0)
    order = [1, 2, 3, 0] if direction == "clockwise" else [3, 2, 1, 0]
    for at, seat in enumerate(order):
        assert state.packet[seat] == mask_of(range(at, 20, 4))
    for _ in range(4):  # Two laps, the calls and the first trick.
        for seat in order:
            assert state.to_act() == (seat,)
            state.apply(seat, state.fallback(seat))


@pytest.mark.rule("MN-06", "MN-07", "MN-14")
def test_mn_05_to_07_two_packets() -> None:
    state = opened()
    assert [state.observe(seat).hand for seat in range(4)] == [mask_of(read_cards(h)[:5]) for h in GOLDEN_HANDS]
    take(state, *["pass"] * 4)
    assert [state.observe(seat).hand for seat in range(4)] == [mask_of(read_cards(h)) for h in GOLDEN_HANDS]
    assert state.phase() == 3


@pytest.mark.rule("MN-B16")
def test_mn_06_the_first_lap_shows_nothing_of_the_second_packet() -> None:
    """Whatever the second packet is, all that a seat sees is the same, and of other hands it sees calls alone."""
    pack = pack_of(GOLDEN_HANDS, 0)
    states = [minus().start_from([[*pack[:20], *rest]], first_dealer=0) for rest in (pack[20:], pack[:19:-1])]
    for said in ("pass", "trump 5H", "trump 6D"):
        for seat in range(4):
            assert states[0].observe(seat) == states[1].observe(seat)
        for state in states:
            take(state, said)
    for state in states:
        assert {state.observe(seat).laps for seat in range(4)} == {state.laps}
        assert state.laps == bytes([0, *(state.game.read(text) - 64 for text in ("trump 5H", "trump 6D"))])


def test_mn_b16_the_calls_of_the_laps_are_public_and_hands_are_not() -> None:
    """Seats 2 and 3 have each other's cards: nobody else can tell, at no turn of the laps and of the calls."""
    one, other = (minus().start_from([pack_of(hands, 0)], first_dealer=0) for hands in (GOLDEN_HANDS, SWAPPED))
    laps = "pass, trump 5H, pass, trump 6S, pass, trump 10D, pass, trump 11C"
    for text in [*laps.split(", "), "call 2", "call 5", "call 13"]:
        for seat in (0, 1):
            assert one.observe(seat) == other.observe(seat)
        said = one.laps
        asked = one.to_act()[0]
        take(one, text)
        take(other, text)
        if not text.startswith("call"):
            assert all(one.observe(seat).laps == said + bytes([one.game.read(text) - 64]) for seat in range(4))
        else:
            assert all(one.observe(seat).calls[asked] == int(text[5:]) for seat in range(4))


def test_mn_b9_the_second_packet_is_settled_before_the_first_lap() -> None:
    hands = set()
    for lap in ("pass", "trump 5H", "trump 7S"):
        state = minus(first_dealer=0).start(SEED)
        pack = state.packs()[0]
        take(state, lap, "pass", "pass", "pass")
        for at in range(4):  # One card at a time from the dealer's left, five and then eight.
            assert state.packet[(at + 1) % 4] == mask_of(pack[at:20:4])
            assert state.observe((at + 1) % 4).hand == mask_of([*pack[at:20:4], *pack[20 + at :: 4]])
        hands.add(pack)
    assert len(hands) == 1


@pytest.mark.parametrize(
    ("dealer", "totals", "direction", "wanted"),
    [
        (0, [-10, -2, 3, -2], "clockwise", 0),
        (1, [3, -2, -2, 5], "clockwise", 2),
        (0, [-2, -2, 3, 1], "clockwise", 1),
        (2, [4, 4, 4, 4], "clockwise", 3),
        (1, [-2, 3, -2, 5], "anticlockwise", 0),
        (1, [-3, -3, 8, -3], "clockwise", 3),
        (3, [9, -3, -3, -3], "clockwise", 1),
        (3, [0, 5, 5, 0], "clockwise", 0),
    ],
    ids=["MN-08", "MN-09", "MN-09-last", "MN-09-all", "MN-V7", "MN-B10-three", "MN-B10-last", "MN-B10-two"],
)
@pytest.mark.rule("MN-T5")
def test_next_dealer(dealer: int, totals: list[int], direction: str, wanted: int) -> None:
    assert minus(direction=direction).next_dealer(dealer, totals) == wanted


@pytest.mark.rule("MN-B10")
def test_mn_08_the_lowest_total_deals_in_a_match() -> None:
    state = minus(first_dealer=2).start(SEED)
    rng = random.Random(5)
    while state.to_act():
        deal, dealer = state.deal, state.dealing.dealer
        walk(state, rng, 1)
        if state.deal != deal:
            assert state.dealing.dealer == state.game.next_dealer(dealer, state.sheet.totals)
            assert state.sheet.totals[state.dealing.dealer] == min(state.sheet.totals)


@pytest.mark.parametrize(
    "laps",
    [
        "pass pass pass pass pass pass pass pass",
        "5H pass 6C 7D 10S 11C pass 12H",
        "pass 7S pass pass pass 13D pass pass",
    ],
)
def test_mn_10_mn_14_one_turn_each_dealer_last(laps: str) -> None:
    """Who passed, was overcalled or stands has a turn in the second lap too, and sees 13 cards there."""
    state = opened()
    asked: list[int] = []
    for turn in laps.split():
        seat = state.to_act()[0]
        assert state.phase() == (2 if len(asked) < 4 else 3)
        assert state.observe(seat).hand.bit_count() == (5 if len(asked) < 4 else 13)
        asked.append(seat)
        take(state, turn if turn == "pass" else f"trump {turn}")
    assert asked == [1, 2, 3, 0] * 2
    assert state.phase() == 1


@pytest.mark.parametrize(
    ("spoken", "numbers"),
    [
        ([], [5, 6, 7]),
        (["trump 5D"], [6, 7]),
        (["trump 6H"], [7]),
        (["trump 7C"], []),
        (["trump 5D", "pass", "trump 6D"], [7]),
        (["pass"] * 4, [10, 11, 12, 13]),
        (["pass"] * 4 + ["trump 10S"], [11, 12, 13]),
        (["pass"] * 4 + ["trump 12S"], [13]),
        (["pass"] * 4 + ["trump 13S"], []),
        (["trump 7S", "pass", "pass", "pass"], [10, 11, 12, 13]),
    ],
    ids=[
        "MN-T3-none", "MN-T3-5", "MN-11", "MN-T3-7", "MN-11-two-calls", "MN-15", "MN-15-higher", "MN-T3-12", "MN-T3-13",
        "MN-T3-lap-1-stands",
    ],
)  # fmt: skip
@pytest.mark.rule("MN-B1", "MN-B8")
def test_lap_legality(spoken: list[str], numbers: list[int]) -> None:
    """Pass, or a higher number in any suit: the same number in another suit is not higher."""
    assert legal_texts(opened(*spoken)) == _turn(*numbers)


@pytest.mark.parametrize(
    ("least", "spoken", "numbers"),
    [
        (5, "trump 6C, pass, pass, pass", range(7, 14)),
        (5, "trump 6C, pass, pass, pass, trump 7C", range(8, 14)),
        (5, "trump 7C, pass, pass, pass", range(8, 14)),
        (5, "pass, pass, pass, pass", range(5, 14)),
        (13, "pass, pass, pass, pass", [13]),
        (9, "pass, pass, pass, pass", range(9, 14)),
        (12, "trump 5S, pass, pass, pass", [12, 13]),
    ],
    ids=["MN-B4", "MN-B4", "MN-B4", "MN-B4", "MN-B4", "MN-V1", "MN-V1"],
)
def test_takeover_floor(least: int, spoken: str, numbers: Sequence[int]) -> None:
    assert legal_texts(opened(*spoken.split(", "), takeover_min=least)) == _turn(*numbers)


LAPS = [
    ("MN-12-MN-18", "trump 5H, pass, trump 6C, pass, pass, pass, pass, pass", "C", 3, 3, {3: 6}),
    ("MN-13-MN-18-MN-23-MN-T4", "pass, pass, pass, pass, pass, pass, pass, pass", "S", NONE, 1, {}),
    ("MN-16", "pass, pass, pass, pass, trump 10S, pass, trump 12D, pass", "D", 3, 3, {3: 12}),
    ("MN-17-MN-22", "pass, pass, trump 6C, pass, pass, pass, pass, trump 10S", "S", 0, 0, {0: 10}),
    ("MN-T4-MN-B5", "pass, pass, pass, pass, pass, trump 11D, pass, pass", "D", 2, 2, {2: 11}),
    ("MN-T4-MN-18", "trump 5H, pass, pass, pass, pass, pass, pass, pass", "H", 1, 1, {1: 5}),
    ("MN-B2-MN-T4", "trump 5H, pass, pass, pass, trump 10H, pass, pass, pass", "H", 1, 1, {1: 10}),
    ("MN-B2-overcalled", "trump 5H, pass, pass, pass, trump 10H, pass, pass, trump 11S", "S", 0, 0, {0: 11}),
    ("MN-B3-MN-T4", "trump 7H, pass, pass, pass, pass, trump 10S, trump 11C, pass", "C", 3, 3, {3: 11}),
]


@pytest.mark.parametrize(
    ("laps", "trump", "caller", "leader", "calls"), [c[1:] for c in LAPS], ids=[c[0] for c in LAPS]
)
@pytest.mark.rule("MN-19", "MN-20", "MN-22", "MN-B1", "MN-B12")
def test_laps(laps: str, trump: str, caller: int, leader: int, calls: dict[int, int]) -> None:
    texts = laps.split(", ")
    state = opened(*texts[:7])
    assert (state.observe(0).trump, state.observe(0).caller) == (UNSETTLED, NONE)
    assert state.observe(0).calls == bytes([NONE] * 4)
    take(state, texts[7])
    view = state.observe(0)
    assert (view.trump, view.caller, view.leader) == ("CDHS".index(trump), caller, leader)
    assert view.calls == bytes(calls.get(seat, NONE) for seat in range(4))
    assert len(view.laps) == 8
    asked: list[int] = []
    while state.phase() == 1:
        (seat,) = state.to_act()
        asked.append(seat)
        assert legal_texts(state) == {f"call {n}" for n in range(2, 14)}
        take(state, "call 13")
        assert all(state.observe(other).calls[seat] == 13 for other in range(4))
    assert asked == [seat for seat in (1, 2, 3, 0) if seat != caller]
    assert state.to_act() == (leader,)
    assert state.table.calls == [calls.get(seat, 13) for seat in range(4)]


@pytest.mark.parametrize(("lap", "call"), [("trump 5H", 2), ("trump 13H", 13)])
def test_mn_21_the_calls_may_add_up_to_anything(lap: str, call: int) -> None:
    laps = ["pass"] * 8
    laps[0 if lap == "trump 5H" else 4] = lap
    state = opened(*laps, *[f"call {call}"] * 3)
    assert (state.phase(), state.deal, state.redeal, state.to_act()) == (0, 0, 0, (1,))


@pytest.mark.rule("MN-B5")
def test_mn_v2_without_a_second_lap_the_calls_follow_at_once() -> None:
    state = opened("pass", "trump 5C", "pass", "pass", second_lap=False)
    assert state.phase() == 1
    assert (state.observe(0).trump, state.observe(0).caller) == (0, 2)
    assert all(state.observe(seat).hand.bit_count() == 13 for seat in range(4))
    passed = opened("pass", "pass", "pass", "pass", *["call 2"] * 4, second_lap=False)
    assert (passed.to_act(), passed.table.trump) == ((1,), SPADES)


@pytest.mark.parametrize("suit", ["S", "H", "D", "C"])
def test_mn_v3_trump_when_all_pass(suit: str) -> None:
    state = opened(*["pass"] * 8, *["call 2"] * 4, all_pass_trump=suit)
    assert (state.observe(0).trump, state.to_act()) == ("CDHS".index(suit), (1,))


def test_the_hands_of_a_seat_do_not_depend_on_who_deals() -> None:
    """Card and packet of every absolute seat follow from seed and deal number alone (docs/shuffle.md)."""
    hands: dict[int, set[tuple[Any, ...]]] = {}
    dealers: dict[int, set[int]] = {}
    for play in range(6):
        state = minus(first_dealer=play % 4).start(SEED)
        rng = random.Random(play)
        while state.to_act():
            if not state.laps:
                hands.setdefault(state.deal, set()).add((*state.packet, *state.table.dealt))
                dealers.setdefault(state.deal, set()).add(state.dealing.dealer)
            walk(state, rng, 1)
    assert all(len(found) == 1 for found in hands.values())
    assert len(hands) == 5
    assert all(len(found) > 1 for found in dealers.values())
