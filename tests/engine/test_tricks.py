"""Legal cards and winners of tricks, case by case (CB-T2, CB-T3, MN-25 to MN-29, CW-15, CW-16)."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import HEARTS, SPADES, cards_of, mask_of, read_card, read_cards, write_card, write_cards
from engine.tricks import ALWAYS, DUTIES, MUST_WIN, NEVER, NO_TRUMP, NO_WASTE, UNLESS_TRUMPED, legal, lowest, winner

ALL = "all"

# hand, trick, legal by default, with must_beat always, never, with trump_when_void always, no_waste, never.
MATRIX = [
    ("F1", "AD TD 5D 2S", "KD", "AD", "AD", "AD TD 5D", "=", "=", "="),
    ("F2", "QD JD 7D 3S", "KD AD", "QD JD 7D", "QD JD 7D", "QD JD 7D", "=", "=", "="),
    ("F3", "AH 4H 9S", "KH 2S", "AH 4H", "AH", "AH 4H", "=", "=", "="),
    ("F4", "QH 4H 9S", "KH 2S", "QH 4H", "QH 4H", "QH 4H", "=", "=", "="),
    ("F5", "AS 9S 3S 4H", "TS", "AS", "AS", "AS 9S 3S", "=", "=", "="),
    ("F6", "9S 3S 4H", "TS KS", "9S 3S", "9S 3S", "9S 3S", "=", "=", "="),
    ("F7", "QH 4H 2C", "JH AC", "QH", "QH", "QH 4H", "=", "=", "="),
    ("V1", "AC 7S 2S", "8H", "7S 2S", "=", "=", "7S 2S", "7S 2S", ALL),
    ("V2", "AC JS 4S", "8H 9S", "JS", "=", "=", "JS", "JS", ALL),
    ("V3", "AC 4S 3S", "8H 9S", ALL, "=", "=", "4S 3S", "AC", ALL),
    ("V4", "8S 4S 3S", "8H 9S", ALL, "=", "=", ALL, ALL, ALL),
    ("V5", "AC 9D", "8H 9S", ALL, "=", "=", ALL, ALL, ALL),
    ("V6", "AC TS 8S", "8H 9S QS", ALL, "=", "=", "TS 8S", "AC", ALL),
]
SETTINGS = [
    (UNLESS_TRUMPED, MUST_WIN),
    (ALWAYS, MUST_WIN),
    (NEVER, MUST_WIN),
    (UNLESS_TRUMPED, ALWAYS),
    (UNLESS_TRUMPED, NO_WASTE),
    (UNLESS_TRUMPED, NEVER),
]


def _legal(
    hand: str, trick: str, trump: int = SPADES, must_beat: int = UNLESS_TRUMPED, void: int = MUST_WIN
) -> set[str]:
    mask = legal(mask_of(read_cards(hand)), read_cards(trick), trump, must_beat, void)
    return {write_card(card) for card in cards_of(mask)}


@pytest.mark.parametrize(
    "column",
    range(6),
    ids=["default", "CB-V3-always", "CB-V2-never", "CB-V4-always", "CB-V5-no_waste", "CB-V6-never"],
)
@pytest.mark.parametrize("case", MATRIX, ids=[f"CB-T3-{case[0]}" for case in MATRIX])
def test_option_matrix(case: tuple[str, ...], column: int) -> None:
    _, hand, trick, *expected = case
    wanted = expected[0] if expected[column] == "=" else expected[column]
    must_beat, void = SETTINGS[column]
    assert _legal(hand, trick, SPADES, must_beat, void) == set((hand if wanted == ALL else wanted).split())


DEFAULT_CASES = [
    ("CB-24", "4H AS", "KH", "4H"),
    ("CB-25-CB-T2", "AD TD 5D 2S", "KD", "AD"),
    ("CB-25-two", "AD QD 5D", "JD", "AD QD"),
    ("CB-26-CB-T2", "QD JD 7D 3S", "KD AD", "QD JD 7D"),
    ("CB-27-beat", "AS 9S 3S 4H", "TS", "AS"),
    ("CB-27-cannot", "9S 3S 4H", "TS KS", "9S 3S"),
    ("CB-28", "AH 4H 9S", "KH 2S", "AH 4H"),
    ("CB-29-first", "AC 7S 2S", "8H", "7S 2S"),
    ("CB-29-higher", "AC JS 4S", "8H 9S", "JS"),
    ("CB-30-low-spades", "AC 4S 3S", "8H 9S", "AC 4S 3S"),
    ("CB-30-no-spades", "AC 9D", "8H", "AC 9D"),
    ("CB-T2-void", "AH 9S 2S 4D", "3C KC", "9S 2S"),
]


@pytest.mark.parametrize(("hand", "trick", "wanted"), [c[1:] for c in DEFAULT_CASES], ids=[c[0] for c in DEFAULT_CASES])
def test_default_duties(hand: str, trick: str, wanted: str) -> None:
    assert _legal(hand, trick) == set(wanted.split())


SETTLED_CASES = [
    ("CB-B5-trumped", "AH 4H 9S", "KH 2S", "AH 4H", UNLESS_TRUMPED, MUST_WIN),
    ("CB-B5-discard", "QH 4H 2C", "JH AC", "QH", UNLESS_TRUMPED, MUST_WIN),
    ("CB-B5-spades-led", "AS 9S 4H", "TS", "AS", UNLESS_TRUMPED, MUST_WIN),
    ("CB-B5-always", "AH 4H 9S", "KH 2S", "AH", ALWAYS, MUST_WIN),
    ("CB-B5-never", "AH 4H 9S", "KH", "AH 4H", NEVER, MUST_WIN),
    ("CB-B6-follow", "AS 9S 3S", "TS", "AS 9S 3S", NEVER, MUST_WIN),
    ("CB-B6-void", "AC JS 4S", "8H 9S", "JS", NEVER, MUST_WIN),
    ("CB-B6-void-first", "AC JS 4S", "8H", "JS 4S", NEVER, MUST_WIN),
    ("CB-B6-whist", "AC JS 4S", "8H 9S", "AC JS 4S", NEVER, NEVER),
    ("CB-B7-always-wins", "AC TS 8S", "8H 9S", "TS", UNLESS_TRUMPED, ALWAYS),
    ("CB-B7-always-first", "AC 7S 2S", "8H", "7S 2S", UNLESS_TRUMPED, ALWAYS),
    ("CB-B7-always-loses", "AC 8S 2S", "8H 9S", "8S 2S", UNLESS_TRUMPED, ALWAYS),
    ("CB-B7-always-follows", "4H AS", "8H 9S", "4H", UNLESS_TRUMPED, ALWAYS),
    ("CB-B7-no-waste-wins", "AC TS 8S", "8H 9S", "TS", UNLESS_TRUMPED, NO_WASTE),
    ("CB-B7-no-waste-first", "AC 7S 2S", "8H", "7S 2S", UNLESS_TRUMPED, NO_WASTE),
    ("CB-B7-no-waste-spades", "8S 2S", "8H 9S", "8S 2S", UNLESS_TRUMPED, NO_WASTE),
    ("CB-B7-never-wins", "AC TS 8S", "8H 9S", "AC TS 8S", UNLESS_TRUMPED, NEVER),
    ("CB-B7-never-loses", "AC 8S", "8H 9S", "AC 8S", UNLESS_TRUMPED, NEVER),
]


@pytest.mark.parametrize(
    ("hand", "trick", "wanted", "must_beat", "void"),
    [c[1:] for c in SETTLED_CASES],
    ids=[c[0] for c in SETTLED_CASES],
)
def test_duties_where_tables_differ(hand: str, trick: str, wanted: str, must_beat: int, void: int) -> None:
    assert _legal(hand, trick, SPADES, must_beat, void) == set(wanted.split())


HEART_CASES = [
    ("MN-25", "4D AH", "KD", "4D", UNLESS_TRUMPED, MUST_WIN),
    ("MN-26-beat", "AD 4D", "KD", "AD", UNLESS_TRUMPED, MUST_WIN),
    ("MN-26-trumped", "AD 4D", "KD 2H", "AD 4D", UNLESS_TRUMPED, MUST_WIN),
    ("MN-27-first", "AC 7H 2H", "8S", "7H 2H", UNLESS_TRUMPED, MUST_WIN),
    ("MN-27-higher", "AC JH 4H", "8S 9H", "JH", UNLESS_TRUMPED, MUST_WIN),
    ("MN-28", "AC 4H 3H", "8S 9H", "AC 4H 3H", UNLESS_TRUMPED, MUST_WIN),
    ("MN-V4", "AD 4D", "KD", "AD 4D", NEVER, MUST_WIN),
    ("MN-V5", "AC 4H 3H", "8S 9H", "4H 3H", UNLESS_TRUMPED, ALWAYS),
    ("MN-V6", "AC 4H 3H", "8S 9H", "AC", UNLESS_TRUMPED, NO_WASTE),
    ("MN-V6-only-trumps", "4H 3H", "8S 9H", "4H 3H", UNLESS_TRUMPED, NO_WASTE),
    ("CW-15-follow", "2D AC 3H", "KD", "2D", NEVER, NEVER),
    ("CW-15-void", "AC 3H", "KD", "AC 3H", NEVER, NEVER),
    ("CW-15-no-beat", "AD 4D", "KD", "AD 4D", NEVER, NEVER),
]


@pytest.mark.parametrize(
    ("hand", "trick", "wanted", "must_beat", "void"), [c[1:] for c in HEART_CASES], ids=[c[0] for c in HEART_CASES]
)
def test_duties_with_hearts_as_trumps(hand: str, trick: str, wanted: str, must_beat: int, void: int) -> None:
    assert _legal(hand, trick, HEARTS, must_beat, void) == set(wanted.split())


WINNERS = [
    ("CB-04", "KD AD QD 2D", "S", 1),
    ("CB-22", "AH 2S KH QH", "S", 1),
    ("CB-31-trumped", "KD 2S AD 3S", "S", 3),
    ("CB-31-led", "KD AC AH QD", "S", 0),
    ("MN-29", "AS 2D KS QS", "D", 1),
    ("CW-16", "2D AC AS 3D", "NT", 3),
    ("CW-16-trumped", "KD 2H AD 3C", "H", 1),
    ("CB-31-discards", "2H AC AD 3H", "S", 3),
    ("CB-31-trump-led", "2S AS KS 3S", "S", 1),
]


@pytest.mark.parametrize(("trick", "trump", "wanted"), [c[1:] for c in WINNERS], ids=[c[0] for c in WINNERS])
def test_winner(trick: str, trump: str, wanted: int) -> None:
    assert winner(read_cards(trick), NO_TRUMP if trump == "NT" else "CDHS".index(trump)) == wanted


@pytest.mark.rule("CB-04", "CW-03")
def test_ace_high_two_low_in_every_suit() -> None:
    for suit in "CDHS":
        for led, other in zip("23456789TJQK", "3456789TJQKA", strict=True):
            for trump in range(5):
                assert winner(read_cards(f"{led}{suit} {other}{suit}"), trump) == 1
                assert winner(read_cards(f"{other}{suit} {led}{suit}"), trump) == 0


@pytest.mark.rule("CB-T7")
@given(st.integers(0, 10**9))
@settings(max_examples=400, deadline=None)
def test_stricter_duties_leave_fewer_cards(seed: int) -> None:
    """CB-T7: inclusions, never empty, part of the hand, and plain follow-suit when nothing is owed."""
    rng = random.Random(seed)
    cards = rng.sample(range(52), 16)
    hand, trick = mask_of(cards[: rng.randint(1, 13)]), cards[13 : 13 + rng.randint(0, 3)]
    trump = rng.randrange(5)
    sets = {
        (beat, void): legal(hand, trick, trump, DUTIES[beat], DUTIES[void])
        for beat in ("always", "unless_trumped", "never")
        for void in ("always", "no_waste", "must_win", "never")
    }
    for cards_allowed in sets.values():
        assert cards_allowed
        assert not cards_allowed & ~hand
    for void in ("always", "no_waste", "must_win", "never"):
        assert not sets["always", void] & ~sets["unless_trumped", void]
        assert not sets["unless_trumped", void] & ~sets["never", void]
    for beat in ("always", "unless_trumped", "never"):
        assert not sets[beat, "always"] & ~sets[beat, "must_win"]
        assert not sets[beat, "no_waste"] & ~sets[beat, "must_win"]
        assert not sets[beat, "must_win"] & ~sets[beat, "never"]
    follow = mask_of(card for card in cards_of(hand) if trick and card // 13 == trick[0] // 13)
    assert sets["never", "never"] == (follow or hand)


@pytest.mark.rule("CB-B17", "CW-B12")
def test_the_house_plays_the_lowest_rank_and_clubs_first() -> None:
    assert write_card(lowest(mask_of(read_cards("AC 3S 3D KH")))) == "3D"


def test_cards_are_written_rank_first() -> None:
    assert [write_card(card) for card in (0, 12, 13, 51)] == ["2C", "AC", "2D", "AS"]
    assert [read_card(write_card(card)) for card in range(52)] == list(range(52))
    assert write_cards(read_cards("TD AS 2C")) == "TD AS 2C"
    for wrong in ("", "A", "1S", "SA", "as", "10S", "A♠"):
        with pytest.raises(ValueError, match="is no card"):
            read_card(wrong)
    for number in (-1, 52):
        with pytest.raises(ValueError, match="There is no card"):
            write_card(number)
