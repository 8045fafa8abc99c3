"""docs/attacks.md has every attack with what stops it, none that was not held, and tests that are there."""

from pathlib import Path

from tests.sandbox.attacks import BY_NAME, FAMILIES
from tests.sandbox.attacks.page import ELSEWHERE, HELD, PAGE, SETUPS, UNTRIED, read, rendered

ROOM = Path(__file__).parents[2]


def test_the_page_is_what_the_attacks_and_their_outcomes_make_of_it() -> None:
    text = PAGE.read_text("utf-8")
    assert rendered(*read(text)) == text, "run `make attacks`"


def test_every_attack_on_the_page_was_held_wherever_it_was_tried() -> None:
    outcomes, _ = read(PAGE.read_text("utf-8"))
    assert outcomes.keys() == {(name, setup) for name in BY_NAME for setup in SETUPS}
    assert set(outcomes.values()) <= {HELD, UNTRIED}
    for name in BY_NAME:
        assert {outcomes[name, "root"], outcomes[name, "user"]} == {HELD}


def test_no_two_attacks_have_one_name() -> None:
    assert len(BY_NAME) == sum(map(len, FAMILIES.values()))


def test_the_tests_elsewhere_are_there() -> None:
    for attack in ELSEWHERE:
        file, _, test = attack.test.partition("::")
        assert f"def {test}(" in (ROOM / file).read_text("utf-8"), attack.test
