"""The official fit against numbers that other programs gave, and the laws of its formula."""

import json
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from arena.ratings import fit as fits
from arena.ratings.fit import SCALE, Fit, fit
from arena.ratings.intervals import half_widths, rank_intervals, superiority
from arena.ratings.points import against_the_field, mean_points
from arena.ratings.rows import FieldDeal, Matches, Rows, field_rows, table_rows

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "fit_vectors.json").read_text())

Match = tuple[int, Sequence[int], Sequence[int]]
"""Deal, bots, places."""


def rows_of(bots: int, matches: Sequence[Match]) -> Rows:
    return table_rows(
        bots, [Matches(np.array([who]), np.array([places]), np.array([deal])) for deal, who, places in matches]
    )


def field_deal(bots: Sequence[Sequence[int]], points: Sequence[Sequence[int]]) -> FieldDeal:
    """A deal without forfeits, whose places are by points."""
    places = [[1 + sum(other > mine for other in table) for mine in table] for table in points]
    return FieldDeal(bots, places, points, points)


def b2() -> Fit:
    return fit(rows_of(6, VECTORS["b2"]["matches"]), inf)


def test_b1_five_units_of_all_table_sizes() -> None:
    """Oracle: choix, opt_pairwise."""
    vector = VECTORS["bt"]
    bots = sorted(vector["rating"])
    matches = [
        (number, [bots.index(bot) for bot in unit["bots"]], places)
        for number, unit in enumerate(vector["units"])
        for places in unit["places"]
    ]
    found = fit(rows_of(len(bots), matches), vector["tau"])
    assert found.elo == pytest.approx([vector["rating"][bot] for bot in bots], abs=2e-6)
    assert np.sqrt(found.variance) == pytest.approx([vector["se"][bot] for bot in bots], abs=2e-6)
    assert found.covariance is not None
    apart = np.add.outer(found.variance, found.variance) - 2 * found.covariance
    np.fill_diagonal(apart, 1.0)
    assert ndtr(np.subtract.outer(found.elo, found.elo) / np.sqrt(apart)) == pytest.approx(
        np.array(vector["los"]), abs=2e-6
    )


def test_b2_sixty_units_without_a_prior() -> None:
    """Oracle: statsmodels, binomial GLM with clusters."""
    vector, found = VECTORS["b2"], b2()
    assert found.elo - 1500 == pytest.approx(vector["theta_elo"], abs=2e-6)
    assert found.deals.tolist() == vector["units"]
    assert np.sqrt(found.variance * found.deals / (found.deals - 1)) == pytest.approx(vector["se"], abs=2e-6)
    assert half_widths(found) == pytest.approx(vector["half"], abs=2e-6)
    likely = superiority(found)
    assert likely is not None
    assert (likely[5, 4], likely[3, 4]) == pytest.approx((vector["los_5_4"], vector["los_3_4"]), abs=2e-6)


def test_b3_two_pairs_that_never_met_and_a_bot_that_never_lost() -> None:
    """Oracle: scipy, minimize."""
    found = fit(rows_of(4, [(0, (0, 1), (1, 2)), (1, (2, 3), (1, 1))]))
    assert found.elo == pytest.approx(VECTORS["bt_edge"], abs=2e-6)


@pytest.mark.parametrize("name", ["F1", "F2", "F3"])
def test_a_field_of_one_deal_at_several_tables(name: str) -> None:
    """Oracle: a second implementation, and BFGS."""
    vector = VECTORS["field"][name]
    bots = sorted(vector["elo"])
    deals = [
        field_deal([[bots.index(bot) for bot in holders] for holders, _ in tables], [points for _, points in tables])
        for tables in vector["deals"]
    ]
    rows = field_rows(len(bots), deals)
    assert len(rows.one) == vector["rows"]
    won = np.bincount(rows.one, rows.weight * rows.score, len(bots))
    won += np.bincount(rows.other, rows.weight * (1 - rows.score), len(bots))
    assert won == pytest.approx([vector["weight_won"][bot] for bot in bots], abs=1e-6)
    found = fit(rows)
    assert found.elo == pytest.approx([vector["elo"][bot] for bot in bots], abs=5e-6)
    assert found.deals.tolist() == [vector["deals_of"][bot] for bot in bots]
    if vector["se"] is None:
        assert np.isnan(half_widths(found)).all()
    else:
        assert np.sqrt(found.variance) == pytest.approx([vector["se"][bot] for bot in bots], abs=5e-6)
        margins = dict(zip(bots, half_widths(found), strict=True))
        assert {bot: margins[bot] for bot in vector["margin"]} == pytest.approx(vector["margin"], abs=5e-5)
    for deal, expected in zip(deals, vector.get("z", []), strict=False):
        # Points are tenths.
        z = against_the_field(deal)
        for holders, row in zip(deal.bots, z, strict=True):
            assert [value / 10 for value in row] == pytest.approx([expected[bots[bot]] for bot in holders])


def test_c1_a_mean_whose_matches_hang_together() -> None:
    """Oracle: statsmodels, OLS with clusters."""
    vector = VECTORS["cluster"]
    found = mean_points(np.array(vector["y"]), np.array(vector["cluster"]))
    ends = (found.mean - found.margin, found.mean + found.margin)
    assert (found.mean, found.standard_error) == pytest.approx((vector["mean"], vector["se"]), abs=1e-6)
    assert ends == pytest.approx((vector["lo"], vector["hi"]), abs=1e-6)


@st.composite
def several_matches(draw: st.DrawFn) -> list[Match]:
    """Matches of seven bots at tables of one size, on up to six deals."""
    seats = draw(st.integers(3, 5))
    deals, who = st.integers(0, 5), st.permutations(range(7)).map(lambda bots: bots[:seats])
    places = st.lists(st.integers(1, seats), min_size=seats, max_size=seats)
    return draw(st.lists(st.tuples(deals, who, places), min_size=2, max_size=12))


@settings(deadline=None)
@given(several_matches())
def test_the_mean_is_1500_and_superiority_is_complementary(matches: list[Match]) -> None:
    found = fit(rows_of(7, matches))
    assert float(np.mean(found.elo)) == pytest.approx(1500)
    likely = superiority(found)
    assert likely is not None
    assert likely + likely.T == pytest.approx(np.ones((7, 7)))
    ranks = rank_intervals(found)
    assert ranks is not None
    assert (ranks[:, 0] <= ranks[:, 1])[found.deals > 0].all()


@settings(deadline=None)
@given(several_matches(), st.randoms())
def test_order_of_matches_and_of_seats_and_names_of_deals_do_not_matter(matches: list[Match], random: Any) -> None:
    shuffled = []
    for deal, who, places in random.sample(matches, len(matches)):
        seats = random.sample(range(len(who)), len(who))
        shuffled.append((100 - deal, [who[seat] for seat in seats], [places[seat] for seat in seats]))
    one, other = fit(rows_of(7, matches)), fit(rows_of(7, shuffled))
    assert other.elo == pytest.approx(one.elo, abs=1e-6)
    assert other.variance == pytest.approx(one.variance, rel=1e-6, abs=1e-6, nan_ok=True)


@settings(deadline=None)
@given(several_matches())
def test_only_the_order_of_places_counts(matches: list[Match]) -> None:
    stretched = [(deal, who, [place**2 + 3 for place in places]) for deal, who, places in matches]
    assert fit(rows_of(7, stretched)).elo == pytest.approx(fit(rows_of(7, matches)).elo, abs=1e-9)


def test_twice_the_data_leave_the_strengths_and_halve_the_variance() -> None:
    matches = VECTORS["b2"]["matches"]
    again = [(deal + 60, who, places) for deal, who, places in matches]
    once, twice = b2(), fit(rows_of(6, [*matches, *again]), inf)
    assert twice.elo == pytest.approx(once.elo, abs=1e-6)
    # But for C / (C - 1).
    assert twice.variance == pytest.approx(once.variance / 2 * (59 / 60) * (120 / 119))


def test_a_wider_prior_lets_ratings_spread_further() -> None:
    rows = rows_of(6, VECTORS["b2"]["matches"])
    assert np.ptp(fit(rows, 700).elo) > np.ptp(fit(rows, 350).elo)


def test_bots_that_play_alike_are_level_in_every_way() -> None:
    deals = [field_deal([[0, 1, 2, 3], [4, 5, 6, 7]], [[31, 20, -50, 4]] * 2) for _ in range(3)]
    assert {z for deal in deals for row in against_the_field(deal) for z in row} == {0.0}
    rows = field_rows(8, deals)
    assert set(rows.score[rows.weight == 0.5].tolist()) == {0.5}


@settings(deadline=None)
@given(st.permutations(range(3)), st.permutations(range(4)))
def test_a_field_does_not_care_for_the_order_of_its_tables_and_seats(tables: list[int], seats: list[int]) -> None:
    held = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    points = [[5, 2, 3, -4], [4, 2, -2, 1], [-3, 3, 3, 2]]
    turned = field_deal(
        [[held[table][seat] for seat in seats] for table in tables],
        [[points[table][seat] for seat in seats] for table in tables],
    )
    assert fit(field_rows(12, [turned])).elo == pytest.approx(fit(field_rows(12, [field_deal(held, points)])).elo)


@pytest.mark.parametrize("tables", [2, 3, 16])
def test_a_bot_weighs_one_in_a_field_of_any_size(tables: int) -> None:
    held = [[4 * table + seat for seat in range(4)] for table in range(tables)]
    rows = field_rows(4 * tables, [field_deal(held, held)])
    weights = np.bincount(rows.one, rows.weight, 4 * tables) + np.bincount(rows.other, rows.weight, 4 * tables)
    assert weights == pytest.approx(np.ones(4 * tables))


def test_one_deal_gives_no_interval_and_says_nothing_of_ranks() -> None:
    found = fit(rows_of(3, [(0, (0, 1), (1, 2))]))
    assert np.isnan(half_widths(found)).all()
    ranks = rank_intervals(found)
    assert ranks is not None
    assert ranks[:2].tolist() == [[1, 2], [1, 2]]


def test_ranks_are_among_those_that_are_asked_for() -> None:
    ranks = rank_intervals(b2(), np.array([True, True, False, False, False, False]))
    assert ranks is not None
    assert ranks[:2].tolist() == [[1, 1], [2, 2]]


def test_many_bots_are_fitted_by_other_means_to_the_same_end(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(6, VECTORS["b2"]["matches"])
    exact = fit(rows)
    monkeypatch.setattr(fits, "DENSE", 0)
    monkeypatch.setattr(fits, "FULL", 0)
    found = fit(rows)
    assert found.elo == pytest.approx(exact.elo, abs=1e-6)
    assert found.covariance is None
    assert superiority(found) is None
    # The diagonal leaves out what is between two bots, which is much where six meet in all pairs.
    assert found.variance == pytest.approx(exact.variance, rel=0.5)


def test_an_elo_is_ten_to_one_at_four_hundred() -> None:
    assert pytest.approx(np.e) == 10 ** (SCALE / 400)
