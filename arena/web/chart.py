"""Numbers over periods as a drawing: lines, intervals as bands, axes. Knows no page and no rating."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, pairwise
from math import ceil, floor

MOST_LINES = 8
"""More are not told apart; the style has as many kinds of lines."""

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 68.0, 608.0, 10.0, 232.0
"""The edges of what is drawn; beside it stand the axes' numbers and the numbers of the lines."""

WIDEST_MARGIN = 200.0
"""Half a band that is wider, as after very few units, is cut where it leaves the drawing."""

APART = 18.0
"""Numbers at the ends of lines stand no closer."""


@dataclass(frozen=True, slots=True)
class Point:
    """A value after a period, and half the width of its interval where there is one."""

    period: int
    value: float
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class Tick:
    """A number at an axis, and where it stands."""

    at: float
    label: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """A line, the band around it, both as SVG writes points, its last point and the height of its number there."""

    name: str
    line: str
    band: str
    x: float
    y: float
    label_y: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over periods."""

    lines: tuple[Drawn, ...]
    periods: tuple[Tick, ...]
    values: tuple[Tick, ...]


def chart(series: Mapping[str, Sequence[Point]]) -> Chart:
    """Lines by name, at least one and each of at least one point in the order of periods. A line by itself has a band;
    those of several would hide each other."""
    band = len(series) == 1
    points = [point for line in series.values() for point in line]
    ends = [
        point.value + sign * min(point.margin or 0.0, WIDEST_MARGIN) * band for point in points for sign in (-1.0, 1.0)
    ]
    low, high = min(ends), max(ends)
    if high - low < 4.0:
        low, high = low - 2.0, high + 2.0
    first, last = min(point.period for point in points), max(point.period for point in points)

    def x(period: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * (period - first) / (last - first) if last > first else LEFT, 1)

    def y(value: float) -> float:
        return round(TOP + (BOTTOM - TOP) * (high - min(max(value, low), high)) / (high - low), 1)

    def written(places: Sequence[tuple[int, float]]) -> str:
        return " ".join(f"{x(period)},{y(value)}" for period, value in places)

    drawn = []
    for name, line in series.items():
        known = [(point.period, point.value, point.margin) for point in line if point.margin is not None and band]
        upper = [(period, value + margin) for period, value, margin in known]
        lower = [(period, value - margin) for period, value, margin in reversed(known)]
        end = line[-1]
        text = written([(point.period, point.value) for point in line])
        drawn.append(Drawn(name, text, written(upper + lower), x(end.period), y(end.value), 0.0))
    heights = _apart([line.y for line in drawn])
    return Chart(
        tuple(replace(line, label_y=height) for line, height in zip(drawn, heights, strict=True)),
        tuple(Tick(x(period), period) for period in ticks(first, last, 8)),
        tuple(Tick(y(value), value) for value in ticks(low, high, 5)),
    )


def ticks(low: float, high: float, most: int) -> list[int]:
    """Whole multiples of 1, 2, 5, 10, 20, … from low to high, no more than so many."""
    step = 1
    for factor in cycle((2.0, 2.5, 2.0)):
        first, last = ceil(low / step), floor(high / step)
        if last - first < most:
            break
        step = int(step * factor)
    return [number * step for number in range(first, last + 1)]


def _apart(heights: Sequence[float]) -> list[float]:
    """The same heights, moved down as far as they would stand on each other, and up where that leaves the drawing."""
    result = list(heights)
    order = sorted(range(len(result)), key=result.__getitem__)
    for above, below in pairwise(order):
        result[below] = max(result[below], result[above] + APART)
    beyond = BOTTOM
    for index in reversed(order):
        result[index] = min(result[index], beyond)
        beyond = result[index] - APART
    return [round(height, 1) for height in result]
