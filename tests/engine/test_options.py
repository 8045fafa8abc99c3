"""Names, options and values: what is accepted and what is refused with the valid ones."""

import dataclasses
from typing import Any

import pytest

import engine
from engine.options import read_options, valid_values, write_options
from tests.engine.walks import TABLES


@pytest.mark.parametrize(
    ("game", "options", "sentence"),
    [
        ("callbreak", {"deal": 5}, "has no option 'deal'; its options are direction, must_beat"),
        ("callbreak", {"deals": 6}, "deals cannot be 6; it takes 5, 10"),
        ("callbreak", {"deals": True}, "it takes 5, 10"),
        ("callbreak", {"min_call": True}, "it takes 1, 2"),
        ("callbreak", {"redeal_no_spades": 1}, "it takes false, true"),
        ("callbreak", {"redeal_no_spades": "yes"}, "it takes false, true"),
        ("callbreak", {"max_redeals": -1}, "a whole number from 0"),
        ("callbreak", {"max_redeals": "-1"}, "a whole number from 0"),
        ("callbreak", {"max_redeals": 1.0}, "a whole number from 0"),
        ("callbreak", {"first_dealer": 4}, "random, 0, 1, 2, 3"),
        ("callbreak", {"direction": "left"}, "clockwise, anticlockwise"),
        ("minus", {"takeover_min": 4}, "a whole number from 5 to 13"),
        ("minus", {"takeover_min": 14}, "a whole number from 5 to 13"),
        ("minus", {"deals": 0}, "a whole number from 1"),
        ("minus", {"all_pass_trump": "NT"}, "S, H, D, C"),
        ("minus_one", {"rounds": 12}, "18, 6"),
        ("contract_whist", {"trump_sequence": []}, "a list of S, H, D, C, NT"),
        ("contract_whist", {"trump_sequence": ["S", "X"]}, "a list of S, H, D, C, NT"),
        ("contract_whist", {"tie_break": "extra_deal"}, "share, extra_hand, made_contracts"),
    ],
)
def test_what_is_not_valid_is_refused_with_what_is(game: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r"it takes|its options are") as caught:
        engine.load(game, **options)
    assert sentence in str(caught.value)


def test_an_unknown_game_is_refused_with_the_games() -> None:
    with pytest.raises(ValueError, match="games are callbreak, minus, minus_one, contract_whist"):
        engine.load("whist")


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("minus", "minus"),
        ("Minus One", "minus_one"),
        ("minus-one", "minus_one"),
        ("MINUSONE", "minus_one"),
        ("Oh Hell", "contract_whist"),
        ("up and down the river", "contract_whist"),
        ("nommy", "contract_whist"),
    ],
)
def test_names_ignore_case_spaces_hyphens_and_underscores(name: str, game: str) -> None:
    assert engine.load(name) == engine.load(game)


def test_values_and_their_texts_are_the_same() -> None:
    assert engine.load(
        "callbreak", deals="10", redeal_no_spades="true", first_dealer="2", max_redeals="0"
    ) == engine.load("callbreak", deals=10, redeal_no_spades=True, first_dealer=2, max_redeals=0)
    assert engine.load("contract_whist", trump_sequence="[H, NT]") == engine.load(
        "contract_whist", trump_sequence=["H", "NT"]
    )


@pytest.mark.parametrize("name", list(engine.GAMES))
def test_every_field_describes_itself(name: str) -> None:
    kind = engine.GAMES[name]
    for field in dataclasses.fields(kind.options):
        assert field.metadata["rule"]
        assert field.metadata["text"].endswith(".")
        assert valid_values(field.metadata, kind.usual_seats)
    options = read_options(kind.options, name, kind.usual_seats, {})
    assert options == kind.options()
    assert list(write_options(options)) == [field.name for field in dataclasses.fields(kind.options)]


def test_options_without_effect_are_accepted() -> None:
    engine.load("callbreak", big_call_score=16, big_call_overtricks="ignored", min_call=2, redeal_below=8)
    engine.load("minus", target=31, max_deals=3, takeover_min=8, second_lap=False)


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_game_says_what_it_is(name: str, seats: int) -> None:
    game = engine.load(name, seats)
    kind = engine.GAMES[name]
    assert (game.id, game.title, game.seats) == (kind.id, kind.title, seats)
    assert isinstance(game.options, kind.options)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(game.options, dataclasses.fields(kind.options)[0].name, 1)
