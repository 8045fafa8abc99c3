"""docs/attacks.md has every attack with what stops it, none that was open where it can be held, and real tests."""

from pathlib import Path

from tests.sandbox.attacks import BY_NAME, FAMILIES
from tests.sandbox.attacks.page import ELSEWHERE, HELD, OPEN, PAGE, SETUPS, UNTRIED, read, rendered

ROOM = Path(__file__).parents[2]


def test_the_page_is_what_the_attacks_and_their_outcomes_make_of_it() -> None:
    text = PAGE.read_text("utf-8")
    assert rendered(*read(text)) == text, "run `make attacks`"


def test_every_attack_on_the_page_was_held_wherever_it_was_tried_and_can_be() -> None:
    outcomes, _ = read(PAGE.read_text("utf-8"))
    assert outcomes.keys() == {(name, setup) for name in BY_NAME for setup in SETUPS}
    known = {(name, "nons") for name, attack in BY_NAME.items() if attack.nons.open}
    assert {each for each, outcome in outcomes.items() if outcome == OPEN} == known
    for name in BY_NAME:
        assert {outcomes[name, "root"], outcomes[name, "user"]} == {HELD}
        assert outcomes[name, "nons"] != UNTRIED


def test_no_two_attacks_have_one_name() -> None:
    assert len(BY_NAME) == sum(map(len, FAMILIES.values()))


def test_the_tests_elsewhere_are_there() -> None:
    for attack in ELSEWHERE:
        file, _, test = attack.test.partition("::")
        assert f"def {test}(" in (ROOM / file).read_text("utf-8"), attack.test
