"""Every rule of docs/rules has a test, a test names no other rule, and the table of both is current. Knows no game."""

from collections import defaultdict

import pytest

from tests.requirements import TABLE, Coverage, coverage, ids_in, order, pages, stated, written


@pytest.fixture(scope="module")
def tests() -> Coverage:
    return coverage()


def _rules() -> set[str]:
    return {rule for rules in pages().values() for rule in rules}


def test_every_rule_has_a_test(tests: Coverage) -> None:
    missing = sorted(_rules() - tests.keys(), key=order)
    assert not missing, f"Write a test for {', '.join(missing)}, or mark the one that asserts it with the id."


def test_a_test_names_no_rule_that_the_pages_do_not_state(tests: Coverage) -> None:
    unknown = {rule: list(tests[rule]) for rule in sorted(tests.keys() - _rules(), key=order)}
    assert not unknown, f"State these on a page of docs/rules, or mend the tests' ids: {unknown}."


def test_the_table_of_rules_and_tests_is_current(tests: Coverage) -> None:
    current = TABLE.read_text("utf-8") == written(pages(), tests)
    assert current, "docs/rules/requirements.md is out of date; run `make requirements` and commit it."


def test_the_numbers_of_a_games_rules_leave_no_gap() -> None:
    numbers: dict[tuple[str, int], list[int]] = defaultdict(list)
    for rule in sorted(_rules(), key=order):
        game, kind, number = order(rule)
        numbers[game, kind].append(number)
    assert {game for game, _ in numbers} == {"CB", "CW", "MN", "MO"}
    for found in numbers.values():
        assert found == list(range(1, len(found) + 1))


def test_a_page_states_an_id_with_the_words_before_or_behind_it() -> None:
    page = """# A game

**Deal.** The pack is whole (CB-03). Two things (see below) are told: the dealer deals (CB-06, CB-07), 13 each.

1. Follow suit (CB-24).

| option | values | rule |
| --- | --- | --- |
| `deals` | 5, 10 | CB-11 to CB-13 |

- **CB-B5** Nobody
  must.
"""
    option = "`deals`: 5, 10"
    assert stated(page) == {
        "CB-03": "The pack is whole",
        "CB-06": "the dealer deals",
        "CB-07": "the dealer deals",
        "CB-24": "Follow suit",
        "CB-11": option,
        "CB-12": option,
        "CB-13": option,
        "CB-B5": "Nobody must",
    }
    assert ids_in("CB-V9 to CB-V11, MN-05") == {"CB-V9", "CB-V10", "CB-V11", "MN-05"}
