"""The score sheet of a match of deals: totals, the last deal, and who leads. Knows no game's scoring."""

from collections.abc import Sequence
from typing import Final

from engine.game import shared_places
from engine.tricks import FinishedDeal


class ScoreSheet:
    """What a match has scored so far; a sheet is never changed, the next one is made from it.

    :ivar totals: by seat over the deals that count.
    :ivar last: the last finished deal; once a tie was played off, the extra deal.
    :ivar over: whether the match is.
    """

    __slots__ = ("last", "over", "totals")

    def __init__(self, totals: tuple[int, ...], last: FinishedDeal | None = None, over: bool = False) -> None:
        self.totals: Final = totals
        self.last: Final = last
        self.over: Final = over

    def entered(
        self, calls: Sequence[int], won: Sequence[int], scores: tuple[int, ...], *, counts: bool = True
    ) -> "ScoreSheet":
        """The sheet with a finished deal; one that only breaks a tie does not count for the totals."""
        totals = self.totals
        if counts:
            totals = tuple([total + score for total, score in zip(totals, scores, strict=True)])
        return ScoreSheet(totals, FinishedDeal(bytes(calls), bytes(won), scores), self.over)

    def ended(self) -> "ScoreSheet":
        """The sheet of the match when no deal follows."""
        return ScoreSheet(self.totals, self.last, over=True)

    def tied(self) -> bool:
        """Whether several seats share the lead."""
        return self.totals.count(max(self.totals)) > 1

    def places(self, tie_break: Sequence[int] = (), *, played_off: bool = False) -> list[int]:
        """Places by seat as they stand: totals decide, equal ones share a place.

        Once the match is over, the seats that are level in the lead take theirs in the order of ``tie_break``, by seat,
        more is better; after a play-off it is the scores of the last deal.
        """
        if self.over and played_off and self.last is not None:
            tie_break = self.last.scores
        keys = [(total, 0) for total in self.totals]
        if self.over and tie_break:
            top = max(self.totals)
            keys = [(total, tie_break[seat] if total == top else 0) for seat, total in enumerate(self.totals)]
        return shared_places(keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScoreSheet) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def _values(self) -> tuple[tuple[int, ...], FinishedDeal | None, bool]:
        return self.totals, self.last, self.over
