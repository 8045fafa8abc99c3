"""What was told of matches that are being played, kept for a while: who looks on sees a match to its end, though the
next one is told of. Knows no page, and does not ask who may see it."""

from collections import OrderedDict

Match = tuple[str, int, int]
"""A tournament, a unit and a rotation."""

KEPT = 64


class Beginnings:
    """The newest beginnings of records, by match."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._texts: OrderedDict[Match, str] = OrderedDict()

    def keep(self, match: Match, text: str) -> None:
        """Notes what is told of the match now."""
        self._texts[match] = text
        self._texts.move_to_end(match)
        if len(self._texts) > self._kept:
            self._texts.popitem(last=False)

    def find(self, match: Match) -> str | None:
        """What was told of it last, if that is still here."""
        return self._texts.get(match)
