"""The rules of thumb, one position each."""

import random

import pytest

import engine
from arena.bot import Turn
from bots import house
from bots.rules import strength
from bots.rules.counting import read
from bots.rules.main import chooser
from bots.rules.pairs import ways_to_keep, win_chance
from bots.rules.settings import Pairs, Settings, settings_of
from bots.rules.strength import outlook
from engine.cards import mask_of, read_card, read_cards
from engine.game import Game
from engine.pairs import PairsObservation
from engine.tricks import NONE, TrickObservation

STEADY = chooser(Settings())


def tricks(hand: str, **known: object) -> TrickObservation:
    """What seat 0 of four knows at the start of a deal with this hand."""
    seen = TrickObservation(
        seat=0, seats=4, phase=0, deal=0, redeal=0, extra=False, dealer=3, leader=0, trump=3, tricks=13,
        hand=mask_of(read_cards(hand)), trick=b"", calls=bytes((3, 3, 3, 3)), won=bytes(4), history=b"", leaders=b"",
        laps=b"", caller=NONE, voids=b"", totals=(0, 0, 0, 0), last=None,
    )  # fmt: skip
    return seen._replace(**known)  # type: ignore[arg-type]  # the fields' own types, checked where they are used


def asked(game: Game, phase: str, observation: TrickObservation | PairsObservation, legal: list[str]) -> str:
    """The text of what the steady player does."""
    turn = Turn(
        match_id=1,
        game=game,
        seat=0,
        number=0,
        phase=next(one for one in game.phases if one.name == phase),
        observation=observation,
        legal=tuple(sorted(game.read(text) for text in legal)),
        budget_ms=250,
        last_answer_us=0,
        rng=random.Random(0),
        notes={},
    )
    return game.write(STEADY(turn))


def cards(text: str) -> bytes:
    return bytes(map(read_card, text.split()))


def test_the_last_seat_wins_with_the_cheapest_card_that_wins() -> None:
    game = engine.load("callbreak")
    seen = tricks("AD QD 5D 2H 3H 4H 5H 6C 7C 8C 9C 2S 3S", leader=1, trick=cards("JD 3D 4D"))
    assert asked(game, "play", seen, ["AD", "QD"]) == "QD"


def test_a_ruff_is_low() -> None:
    game = engine.load("callbreak")
    seen = tricks("KS 9S 2S 3H 4H 5H 6H 6C 7C 8C 9C TC JC", leader=1, trick=cards("KD 3D 4D"))
    assert asked(game, "play", seen, ["KS", "9S", "2S"]) == "2S"


def test_a_low_ruff_is_not_safe_from_the_seats_behind() -> None:
    game = engine.load("callbreak")
    seen = tricks("AS 9S 2S 3H 4H 5H 6H 6C 7C 8C 9C TC JC", leader=3, trick=cards("KD"))
    view = outlook(read(seen, game.options))
    two, nine, ace = (strength.win_chance(view, card) for card in read_cards("2S 9S AS"))
    assert two < nine < ace == 1


def test_a_card_that_cannot_win_is_a_small_one() -> None:
    game = engine.load("callbreak")
    seen = tricks("QD JD 7D 3S 2H 3H 4H 5H 6C 7C 8C 9C TC", leader=2, trick=cards("KD AD"))
    assert asked(game, "play", seen, ["QD", "JD", "7D"]) == "7D"


def test_a_made_contract_ducks_with_the_highest_card_that_loses() -> None:
    game = engine.load("contract_whist")
    seen = tricks("AH QH 2H 5C", trump=4, tricks=4, calls=bytes((0, 2, 1, 2)), leader=1, trick=cards("KH 3H 4H"))
    assert asked(game, "play", seen, ["AH", "QH", "2H"]) == "QH"


def test_a_made_contract_throws_its_most_dangerous_card() -> None:
    game = engine.load("contract_whist")
    seen = tricks("AC 6C 3C 2D", trump=4, tricks=4, calls=bytes((0, 2, 1, 2)), leader=1, trick=cards("KH 3H 4H"))
    assert asked(game, "play", seen, ["AC", "6C", "3C", "2D"]) == "AC"


def test_a_contract_that_is_still_missing_a_trick_takes_it() -> None:
    game = engine.load("contract_whist")
    seen = tricks("AH 2H", trump=4, tricks=2, calls=bytes((1, 1, 1, 0)), leader=1, trick=cards("KH 3H 4H"))
    assert asked(game, "play", seen, ["AH", "2H"]) == "AH"


@pytest.mark.parametrize(
    ("hand", "least", "most"),
    [
        ("AS KS QS JS AH KH AD KD AC KC 2C 3D 4H", 8, 12),
        ("AS KS 5S 2S AH 7H 4H KD 8D 3D QC 6C 2C", 3, 5),
        ("TS 6S 9H 8H 7H 3H 9D 8D 5D JC 8C 4C 2C", 1, 1),
    ],
)
def test_a_call_grows_with_the_hand(hand: str, least: int, most: int) -> None:
    game = engine.load("callbreak")
    seen = tricks(hand, phase=1, calls=bytes([NONE] * 4))
    called = asked(game, "call", seen, [f"call {number}" for number in range(1, 14)])
    assert least <= int(called.split()[1]) <= most


def test_a_strong_five_card_suit_is_called_for_trump_and_a_weak_hand_passes() -> None:
    game = engine.load("minus")
    legal = ["pass", *(f"trump {number}{suit}" for number in (5, 6, 7) for suit in "CDHS")]
    strong = tricks("AH KH QH JH AS", trump=5, calls=bytes([NONE] * 4))
    assert asked(game, "first lap", strong, legal)[-1] == "H"
    weak = tricks("9H 8D 4C 3C 2S", trump=5, calls=bytes([NONE] * 4))
    assert asked(game, "first lap", weak, legal) == "pass"


def test_a_very_strong_hand_takes_over_and_a_good_one_does_not() -> None:
    game = engine.load("minus")
    legal = ["pass", *(f"trump {number}{suit}" for number in range(10, 14) for suit in "CDHS")]
    calls = bytes([NONE] * 4)
    huge = tricks("AD KD QD JD TD 9D 8D 7D 6D AS KS AH 2C", trump=3, calls=calls)
    assert asked(game, "second lap", huge, legal) in {"trump 10D", "trump 11D", "trump 12D"}
    good = tricks("AD KD QD JD 4D 3D 8S 7S 6S 5H 3H 9C 2C", trump=3, calls=calls)
    assert asked(game, "second lap", good, legal) == "pass"


@pytest.mark.parametrize(
    ("others", "card", "chance"),
    [
        ([(3, 5), (1, 6), (6, 8)], 2, 1 / 2),
        ([(3, 5), (1, 6), (6, 8)], 4, 1 / 4),
        ([(3, 4), (1, 4)], 1, 1 / 2),
        ([(3, 4), (1, 4)], 6, 1 / 4),
        ([(3, 4), (5, 8)], 1, 1),
        ([(1, 2), (1, 2)], 3, 1 / 2),
    ],
)
def test_a_card_wins_if_nobody_keeps_it_and_no_lower_one_is_kept_once(
    others: list[tuple[int, int]], card: int, chance: float
) -> None:
    assert win_chance(ways_to_keep([(low, high, 0.5) for low, high in others]), card) == pytest.approx(chance)


def test_styles_differ_in_how_often_they_keep_the_higher_card() -> None:
    game = engine.load("minus_one", 3)
    seen = PairsObservation(
        seat=0, seats=3, phase=1, round=0, playable=b"\xff" * 3, resting=bytes(3), spent=bytes(3),
        shown=bytes((1 << 0 | 1 << 5, 1 << 2 | 1 << 3, 1 << 0 | 1 << 3)), points=(0, 0, 0), tokens=bytes(3),
        last_won=bytes(3), shows=b"", keeps=b"",
    )  # fmt: skip
    kept = {}
    for power in (0.0, 1.0, 2.0):
        choose = chooser(Settings(pairs=Pairs(power=power)))
        turn = Turn(
            match_id=1,
            game=game,
            seat=0,
            number=0,
            phase=game.phases[1],
            observation=seen,
            legal=(game.read("keep 1"), game.read("keep 6")),
            budget_ms=250,
            last_answer_us=0,
            rng=random.Random(0),
            notes={},
        )
        kept[power] = sum(game.write(choose(turn)) == "keep 6" for _ in range(300))
    assert kept[0.0] < kept[1.0] < kept[2.0]


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(TypeError, match="courage"):
        settings_of({"calls": {"courage": 1}})
    for entry in house.ENTRIES:
        assert callable(house.choose(entry.name, "minus"))
