"""The Elo of a period: recorded values and laws."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.elo import MICRO, Change, Standing, UnitResult, expected, k_factor, rate_period

law = settings(max_examples=50, deadline=None)
VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "vectors.json").read_text())
BOTS = 9

standings = st.builds(Standing, st.integers(300 * MICRO, 2900 * MICRO), st.integers(0, 2000))
pools = st.tuples(*[standings] * BOTS).map(lambda row: dict(enumerate(row)))


@st.composite
def unit_results(draw: st.DrawFn, *, unit: int = 0, seats: int | None = None) -> UnitResult:
    seats = seats or draw(st.integers(3, 7))
    bots = tuple(draw(st.permutations(range(BOTS)))[:seats])
    scores = draw(st.lists(st.tuples(*[st.integers(0, 5)] * seats), min_size=1, max_size=7))
    return UnitResult(unit, bots, tuple(tuple(1 + sum(b > a for b in match) for a in match) for match in scores))


@st.composite
def periods(draw: st.DrawFn) -> list[UnitResult]:
    return [draw(unit_results(unit=unit)) for unit in range(draw(st.integers(1, 6)))]


@pytest.mark.parametrize("case", VECTORS["elo"], ids=lambda case: case["name"])
def test_one_unit_gives_the_recorded_ratings(case: dict[str, Any]) -> None:
    table = tuple(range(len(case["ratings"])))
    pool = {bot: Standing(case["ratings"][bot] * MICRO, case["units"][bot]) for bot in table}
    places = tuple(tuple(match) for match in case["places"])
    changes = rate_period(pool, [UnitResult(1, table, places)])
    assert [changes[bot].after.micro_elo for bot in table] == [round(elo * MICRO) for elo in case["new"]]
    assert [k_factor(units, 1) for units in case["units"]] == case["K"]


def recorded_period() -> tuple[dict[int, Standing], list[UnitResult]]:
    case = VECTORS["period"]
    pool = {ord(bot): Standing(case["start"][bot], case["units0"][bot]) for bot in case["start"]}
    units = [
        UnitResult(at, tuple(map(ord, unit["bots"])), tuple(map(tuple, unit["places"])))
        for at, unit in enumerate(case["units"])
    ]
    return pool, units


def test_one_period_gives_the_recorded_ratings() -> None:
    case = VECTORS["period"]
    changes = rate_period(*recorded_period())
    assert {chr(bot): change.delta_micro for bot, change in changes.items()} == case["delta_micro"]
    assert {chr(bot): change.after.micro_elo for bot, change in changes.items()} == case["after_micro"]
    assert {chr(bot): change.after.units for bot, change in changes.items()} == case["units1"]


def test_a_period_is_not_its_units_one_after_the_other() -> None:
    pool, units = recorded_period()
    for unit in units:
        pool |= {bot: change.after for bot, change in rate_period(pool, [unit]).items()}
    assert {chr(bot): standing.micro_elo for bot, standing in pool.items()} == VECTORS["period"]["sequential_micro"]


@pytest.mark.parametrize(("units", "k"), VECTORS["k"].items())
def test_k_falls_with_the_units_behind(units: str, k: float) -> None:
    assert k_factor(int(units), 1) == pytest.approx(k, abs=5e-7)


def test_many_units_in_one_period_lower_k() -> None:
    assert k_factor(0, 10) == 70


@pytest.mark.parametrize(("difference", "score"), VECTORS["expected"].items())
def test_the_expected_score_is_the_logistic_one(difference: str, score: float) -> None:
    mine, other = (1500 + int(difference)) * MICRO, 1500 * MICRO
    assert expected(mine, other) == pytest.approx(score, abs=5e-7)
    assert expected(mine, other) + expected(other, mine) == pytest.approx(1)


@law
@given(pools, periods(), st.randoms(use_true_random=False))
def test_order_and_repetition_of_units_change_nothing(
    pool: dict[int, Standing], units: list[UnitResult], rng: Any
) -> None:
    delivered = units + rng.choices(units, k=3)
    rng.shuffle(delivered)
    assert rate_period(pool, delivered) == rate_period(pool, units)


@law
@given(pools, unit_results(), st.randoms(use_true_random=False))
def test_where_a_bot_stands_in_the_list_of_the_table_changes_nothing(
    pool: dict[int, Standing], unit: UnitResult, rng: Any
) -> None:
    order = list(range(len(unit.bots)))
    rng.shuffle(order)
    moved = UnitResult(
        unit.unit,
        tuple(unit.bots[at] for at in order),
        tuple(tuple(match[at] for at in order) for match in unit.places),
    )
    assert rate_period(pool, [moved]) == rate_period(pool, [unit])


@law
@given(pools, unit_results())
def test_a_tie_of_all_never_turns_away_from_the_middle_of_the_expectations(
    pool: dict[int, Standing], unit: UnitResult
) -> None:
    tied = replace(unit, places=(tuple(1 for _ in unit.bots),))
    elos = [pool[bot].micro_elo for bot in unit.bots]
    changes = rate_period(pool, [tied])
    best, worst = unit.bots[elos.index(max(elos))], unit.bots[elos.index(min(elos))]
    assert changes[best].delta_micro <= 0 <= changes[worst].delta_micro


@law
@given(standings, unit_results())
def test_a_tie_of_equals_moves_nobody(standing: Standing, unit: UnitResult) -> None:
    pool = dict.fromkeys(range(BOTS), standing)
    tied = replace(unit, places=(tuple(1 for _ in unit.bots),))
    assert {change.delta_micro for change in rate_period(pool, [tied]).values()} == {0}


@law
@given(pools, unit_results())
def test_with_equal_k_what_one_wins_the_others_lose(pool: dict[int, Standing], unit: UnitResult) -> None:
    equal = {bot: replace(standing, units=30) for bot, standing in pool.items()}
    changes = rate_period(equal, [unit])
    assert abs(sum(change.delta_micro for change in changes.values())) <= len(unit.bots)


@law
@given(pools, periods(), st.integers(-(10**9), 10**9))
def test_lifting_all_ratings_changes_no_delta(pool: dict[int, Standing], units: list[UnitResult], lift: int) -> None:
    lifted = {bot: replace(standing, micro_elo=standing.micro_elo + lift) for bot, standing in pool.items()}
    deltas = [[change.delta_micro for change in rate_period(p, units).values()] for p in (pool, lifted)]
    assert deltas[0] == deltas[1]


@law
@given(standings, standings, st.sampled_from([(1, 2), (2, 1), (1, 1)]))
def test_two_players_are_rated_as_in_chess(mine: Standing, other: Standing, places: tuple[int, int]) -> None:
    score = {(1, 2): 1.0, (2, 1): 0.0, (1, 1): 0.5}[places]
    change = rate_period({0: mine, 1: other}, [UnitResult(0, (0, 1), (places,))])[0]
    chess = k_factor(mine.units, 1) * (score - 1 / (1 + 10 ** ((other.micro_elo - mine.micro_elo) / 4e8)))
    assert change.delta_micro == pytest.approx(chess * MICRO, abs=1)


@law
@given(pools, unit_results())
def test_only_the_order_of_places_counts(pool: dict[int, Standing], unit: UnitResult) -> None:
    stretched = replace(unit, places=tuple(tuple(place**3 + 5 for place in match) for match in unit.places))
    assert rate_period(pool, [stretched]) == rate_period(pool, [unit])


@law
@given(pools, periods())
def test_a_unit_moves_a_bot_by_at_most_its_k(pool: dict[int, Standing], units: list[UnitResult]) -> None:
    for bot, change in rate_period(pool, units).items():
        played = change.after.units - pool[bot].units
        assert abs(change.delta_micro) <= MICRO * played * k_factor(pool[bot].units, played)


def test_a_newcomer_starts_at_1500() -> None:
    unit = UnitResult(0, (4, 7, 9), ((1, 1, 1),))
    assert rate_period({}, [unit]) == dict.fromkeys((4, 7, 9), Change(0, Standing(1500 * MICRO, 1)))


def test_one_id_with_two_results_is_refused() -> None:
    first, second = UnitResult(3, (1, 2, 3), ((1, 2, 3),)), UnitResult(3, (1, 2, 3), ((3, 2, 1),))
    with pytest.raises(ValueError, match="Unit 3 has two different results"):
        rate_period({}, [first, second])


@pytest.mark.parametrize(
    ("bots", "places", "sentence"),
    [
        ((1, 2, 1), ((1, 2, 3),), "sits twice"),
        ((1,), ((1,),), "at least two"),
        ((1, 2, 3), (), "at least one"),
        ((1, 2, 3), ((1, 2),), "one place for every bot"),
    ],
)
def test_a_table_that_can_not_be_is_refused(bots: Any, places: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        UnitResult(1, bots, places)
