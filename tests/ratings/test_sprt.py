"""The sequential test against numbers that another program gave, and its error rates by simulation."""

import json
import random
from math import inf
from pathlib import Path
from typing import Any

import pytest

from arena.ratings.sprt import FIRST_LOOK, Answer, Sequential, expected

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "fit_vectors.json").read_text())
S1 = [
    0.75,
    0.5,
    0.625,
    0.25,
    1,
    0.5,
    0.375,
    0.75,
    0.5,
    0.625,
    0.5,
    0.875,
    0.25,
    0.5,
    0.75,
    0.5,
    0.625,
    0.5,
    0.375,
    0.75,
]


@pytest.mark.parametrize("vector", VECTORS["gsprt"], ids=lambda vector: f"{vector['elo0']}_{vector['elo1']}")
def test_s1_eighty_units(vector: dict[str, Any]) -> None:
    """Oracle: fishtest, LLR_alt2."""
    test, scores = Sequential(vector["elo0"], vector["elo1"]), S1 * 4
    assert test.likelihood_ratio(scores) == pytest.approx(vector["llr"], abs=1e-6)
    assert test.answer(scores) is (Answer.BETTER if vector["decision"] == "H1" else Answer.OPEN)


def test_s2_pairs_of_games() -> None:
    vector = VECTORS["penta"]
    scores = [quarter / 4 for quarter, count in enumerate(vector["results"]) for _ in range(count)]
    assert Sequential(vector["elo0"], vector["elo1"]).likelihood_ratio(scores) == pytest.approx(vector["llr"], abs=1e-6)


def test_it_does_not_answer_before_it_may() -> None:
    scores = ([1.0, 0.75] * FIRST_LOOK)[:FIRST_LOOK]
    assert Sequential(0, 25).answer(scores[:-1]) is Answer.OPEN
    assert Sequential(0, 25).answer(scores) is Answer.BETTER


def test_twins_are_not_better_once_a_rare_difference_would_have_shown() -> None:
    """25 Elo from deals on which B gains 1/2 are every fourteenth deal: 58 without one say that there are fewer."""
    assert Sequential(0, 25).answer([0.5] * 58) is Answer.OPEN
    assert Sequential(0, 25).answer([0.5] * 59) is Answer.NOT_BETTER


def test_a_bot_that_differs_on_few_deals_is_not_given_up_for_the_lack_of_variance() -> None:
    """One deal of 32 on which it gained is no proof that it gains on none; without a floor the ratio would be -6."""
    assert Sequential(0, 25).answer([0.5] * 31 + [0.75]) is Answer.OPEN


def test_who_always_wins_is_better_at_the_first_look() -> None:
    assert Sequential(0, 25).answer([1.0] * FIRST_LOOK) is Answer.BETTER


@pytest.mark.parametrize(("truth", "wrong"), [(0.0, Answer.BETTER), (25.0, Answer.NOT_BETTER)])
def test_it_is_wrong_about_as_rarely_as_it_promises(truth: float, wrong: Answer) -> None:
    """400 runs on units of four matches; 5 % are promised, and 8.3 % is three standard errors above."""
    draw = random.Random(25)
    errors = 0
    for _ in range(400):
        scores: list[float] = []
        while (answer := Sequential(0, 25).answer(scores)) is Answer.OPEN and len(scores) < 3000:
            # The test is asked every sixteen units, which can only make it wrong less often.
            for _ in range(16):
                share = expected(truth)
                scores.append(sum(draw.random() < share for _ in range(4)) / 4)
        errors += answer is wrong
    assert errors <= 33


@pytest.mark.parametrize(
    ("elos", "rates"), [((10, 0), (0.05, 0.05)), ((0, inf), (0.05, 0.05)), ((0, 5), (0.6, 0.05)), ((0, 5), (0.05, 0.0))]
)
def test_nonsense_is_refused(elos: tuple[float, float], rates: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Sequential(*elos, *rates)
