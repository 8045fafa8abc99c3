"""Numbers over periods, drawn."""

from itertools import pairwise

import pytest

from arena.web.chart import APART, BOTTOM, LEFT, MOST_LINES, RIGHT, TOP, Point, chart, ticks


def places(points: str) -> list[tuple[float, ...]]:
    return [tuple(map(float, point.split(","))) for point in points.split()]


def height(value: float) -> float:
    """Where a value stands between 1450, which is at the lower edge, and 1700."""
    return round(BOTTOM - (BOTTOM - TOP) * (value - 1450) / 250, 1)


def test_a_line_goes_from_edge_to_edge_with_its_band_and_both_axes_say_where() -> None:
    drawn = chart({"a": [Point(3, 1500.0, 50.0), Point(4, 1550.0), Point(7, 1600.0, 100.0)]})
    (line,) = drawn.lines
    second = LEFT + (RIGHT - LEFT) / 4
    assert places(line.line) == [(LEFT, height(1500)), (second, height(1550)), (RIGHT, height(1600))]
    assert places(line.band) == [
        (LEFT, height(1550)),
        (RIGHT, height(1700)),
        (RIGHT, height(1500)),
        (LEFT, height(1450)),
    ]
    assert (line.x, line.y) == places(line.line)[-1]
    assert [(tick.at, tick.label) for tick in drawn.periods][:2] == [(LEFT, 3), (second, 4)]
    assert [(tick.at, tick.label) for tick in drawn.values] == [(height(v), v) for v in (1500, 1600, 1700)]


def test_a_band_of_very_few_units_is_cut_and_hides_nothing() -> None:
    drawn = chart({"a": [Point(0, 1500.0, 900.0), Point(1, 1500.0, 200.0)]})
    assert places(drawn.lines[0].band) == [(LEFT, TOP), (RIGHT, TOP), (RIGHT, BOTTOM), (LEFT, BOTTOM)]


def test_several_lines_share_the_axes_and_have_no_bands_and_their_numbers_stand_apart() -> None:
    names = "abcdefgh"
    assert len(names) == MOST_LINES
    drawn = chart({name: [Point(0, 1400.0), Point(1 + at % 2, 1400.0 + at / 2, 90.0)] for at, name in enumerate(names)})
    assert [line.name for line in drawn.lines] == list(names)
    assert not any(line.band for line in drawn.lines)
    assert {x for line in drawn.lines for x, _ in places(line.line)} == {LEFT, (LEFT + RIGHT) / 2, RIGHT}
    heights = sorted(line.label_y for line in drawn.lines)
    assert all(below - above >= APART - 0.2 for above, below in pairwise(heights))
    assert heights[-1] <= BOTTOM


def test_one_period_without_change_is_a_point() -> None:
    drawn = chart({"a": [Point(5, 1500.0)]})
    assert places(drawn.lines[0].line) == [(LEFT, (TOP + BOTTOM) / 2)]
    assert [tick.label for tick in drawn.periods] == [5]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 0, [0]),
        (0, 7, [0, 1, 2, 3, 4, 5, 6, 7]),
        (0, 26, [0, 5, 10, 15, 20, 25]),
        (1371.3, 1822.8, [1400, 1500, 1600, 1700, 1800]),
        (-30.5, 12.2, [-30, -20, -10, 0, 10]),
        (3, 50_000, [10_000, 20_000, 30_000, 40_000, 50_000]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, expected: list[int]) -> None:
    assert ticks(low, high, 8) == expected
