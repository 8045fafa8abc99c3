"""How a version fared when it was validated, step by step, and its think times as a drawing. Knows no page."""

from dataclasses import dataclass
from math import log10

from arena.v1 import submission_pb2 as pb

FASTEST_US, SLOWEST_US = 100, 10_000_000
"""What the scale of think times goes from and to, by powers of ten."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step: the game of a match, empty for the look at the archive; its verdict, and what the processes did."""

    game: str
    verdict: str
    runs: tuple[pb.Run, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the version was rejected for it."""
        return self.verdict == FAILED


PASSED, FAILED, WAITS, UNPLAYED = "passed", "failed", "waits", "was not played"


def report(version: pb.Version) -> list[Step]:
    """The look at the archive, without which there is no version, and then a match of each game. A version that fails
    one plays no more."""
    runs = {game: tuple(run for run in version.runs if run.game == game) for game in version.games}
    last = version.runs[-1].game if version.runs else ""

    def verdict(game: str) -> str:
        if version.state == pb.VERSION_STATE_VALIDATING:
            return WAITS
        if version.state != pb.VERSION_STATE_REJECTED:
            return PASSED
        if game == last:
            return FAILED
        return PASSED if runs[game] else UNPLAYED

    return [Step("", PASSED), *(Step(game, verdict(game), runs[game]) for game in version.games)]


def scale(us: float) -> float:
    """Where a think time stands between the fastest and the slowest, from 0 to 100."""
    within = min(max(us, FASTEST_US), SLOWEST_US)
    return round(100 * log10(within / FASTEST_US) / log10(SLOWEST_US / FASTEST_US), 1)


DECADES = tuple(scale(1000 * 10.0**power) for power in range(4))
"""Where 1 ms, 10 ms, 100 ms and 1 s stand."""
