"""Numbers over time as the points of a drawing 600 wide and 200 high. Knows no page and no rating."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 600.0, 200.0


@dataclass(frozen=True, slots=True)
class Chart:
    """A line, the band around it, and the values at the lower and the upper edge. Points are as SVG writes them."""

    line: str
    band: str
    low: float
    high: float


def chart(values: Sequence[float], margins: Sequence[float | None]) -> Chart:
    """The values, at least one, from left to right; around each the margin, where there is one."""
    ends = [
        value + sign * (margin or 0.0) for value, margin in zip(values, margins, strict=True) for sign in (-1.0, 1.0)
    ]
    low, high = min(ends), max(ends)
    if high - low < 1.0:
        low, high = low - 1.0, high + 1.0
    apart = WIDTH / max(1, len(values) - 1)

    def point(at: int, value: float) -> str:
        return f"{at * apart:.1f},{HEIGHT * (high - value) / (high - low):.1f}"

    known = [(at, value, margin) for at, (value, margin) in enumerate(zip(values, margins, strict=True)) if margin]
    upper = [point(at, value + margin) for at, value, margin in known]
    lower = [point(at, value - margin) for at, value, margin in reversed(known)]
    return Chart(" ".join(map(point, range(len(values)), values)), " ".join(upper + lower), low, high)
