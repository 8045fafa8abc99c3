"""How bots did in a tournament, in points and shares of 1. Knows no page."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from arena.v1 import tournament_pb2 as pb
from arena.web.numbers import Value

WINDOW = 24
"""Bots in a row or a column of a cross table: more no screen has room for."""


@dataclass(frozen=True, slots=True)
class Line:
    """A bot: its place, points a match with half the width of their 95 % interval, and matches in each seat."""

    place: int
    bot: str
    matches: int
    points: float
    margin: float | None
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """How often, as a share of 1, ``bot`` came out above ``other``; level counts half."""

    bot: str
    other: str
    matches: int
    above: float
    margin: float | None


@dataclass(frozen=True, slots=True)
class Standings:
    """Lines, best first; what each took of each; mean points by seat, and the share of the variance of points that the
    cards explain."""

    lines: tuple[Line, ...] = ()
    pairs: tuple[Pair, ...] = ()
    seats: tuple[float, ...] = ()
    cards: float | None = None

    @property
    def crossed(self) -> list[str]:
        """The bots that are set beside each other, best first."""
        met = {pair.bot for pair in self.pairs}
        return [line.bot for line in self.lines if line.bot in met]

    @property
    def uneven(self) -> bool:
        """Whether some bot has sat in one seat more often than in another."""
        return any(len(set(line.seats)) > 1 for line in self.lines)

    def line_rows(self) -> list[list[Value]]:
        """The lines as rows below :meth:`line_columns`."""
        return [[line.place, line.bot, line.matches, line.points, line.margin, *line.seats] for line in self.lines]

    def line_columns(self) -> list[str]:
        """What the rows of lines have."""
        return ["place", "bot", "matches", "points", "margin", *(f"seat_{seat}" for seat, _ in enumerate(self.seats))]

    def luck_rows(self) -> list[list[Value]]:
        """Mean points by seat, and what the cards explain."""
        rows: list[list[Value]] = [[f"seat {seat}", mean] for seat, mean in enumerate(self.seats)]
        return [*rows, ["cards", self.cards]]

    def as_values(self) -> dict[str, object]:
        """All of it for JSON."""
        return {
            "standings": [asdict(line) for line in self.lines],
            "pairs": [asdict(pair) for pair in self.pairs],
            "luck": {"seats": self.seats, "cards": self.cards},
        }


def standings_of(found: pb.Standings) -> Standings:
    """The standings of a message."""
    unit = 1000 * 10**found.score_decimals
    return Standings(
        tuple(
            Line(
                place,
                one.bot,
                one.matches,
                one.mean_milli_points / unit,
                one.milli_points_margin / unit if one.HasField("milli_points_margin") else None,
                tuple(one.seat_matches),
            )
            for place, one in enumerate(found.standings, 1)
        ),
        pairs_of(found.shares),
        tuple(mean / unit for mean in found.seat_milli_points),
        found.card_share if found.HasField("card_share") else None,
    )


def pairs_of(shares: Sequence[pb.Share]) -> tuple[Pair, ...]:
    """The pairs of a message."""
    return tuple(
        Pair(
            one.bot,
            one.other,
            one.matches,
            one.micro_share / 1e6,
            one.micro_margin / 1e6 if one.HasField("micro_margin") else None,
        )
        for one in shares
    )
