"""The score sheet: totals, the last deal, places and what breaks a tie."""

import pytest

from engine.score_sheet import ScoreSheet
from engine.tricks import FinishedDeal

LAST = FinishedDeal(bytes([1, 2, 3]), bytes([3, 2, 1]), (5, -2, 0))


def test_a_deal_that_counts_is_added_and_one_that_breaks_a_tie_is_not() -> None:
    sheet = ScoreSheet((1, 2, 3))
    assert sheet.entered([1, 2, 3], [3, 2, 1], (5, -2, 0)) == ScoreSheet((6, 0, 3), LAST)
    assert sheet.entered([1, 2, 3], [3, 2, 1], (5, -2, 0), counts=False) == ScoreSheet((1, 2, 3), LAST)


@pytest.mark.parametrize(("totals", "tied"), [((3, 3, 1), True), ((3, 2, 2), False), ((0, 0, 0), True)])
def test_only_level_leaders_are_tied(totals: tuple[int, ...], tied: bool) -> None:
    assert ScoreSheet(totals).tied() == tied


@pytest.mark.parametrize(
    ("sheet", "tie_break", "played_off", "places"),
    [
        (ScoreSheet((9, 9, 9), LAST), (1, 2, 3), False, [1, 1, 1]),
        (ScoreSheet((9, 9, 9), LAST), (), True, [1, 1, 1]),
        (ScoreSheet((9, 9, 9), LAST, over=True), (), False, [1, 1, 1]),
        (ScoreSheet((9, 9, 9), LAST, over=True), (1, 2, 3), False, [3, 2, 1]),
        (ScoreSheet((9, 9, 9), LAST, over=True), (), True, [1, 3, 2]),
        (ScoreSheet((4, 9, 4), LAST, over=True), (1, 2, 3), False, [2, 1, 2]),
    ],
    ids=["running", "before the play-off ends", "shared", "tie break", "played off", "others share"],
)
def test_a_tie_is_broken_at_the_end_and_for_the_lead_only(
    sheet: ScoreSheet, tie_break: tuple[int, ...], played_off: bool, places: list[int]
) -> None:
    assert sheet.places(tie_break, played_off=played_off) == places
