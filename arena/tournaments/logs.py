"""The logs of a sitting's runs, put together from what the referee reports of it and how the cells ended. Knows no
process and no stream."""

import codecs
from collections.abc import Iterator

from arena.tournaments.block import Block, BotLog, MatchReport, PlayerReport, Report
from arena.tournaments.runs import LogPart, MatchSpan, Run
from sandbox.runner import Exit


class Logs:
    """Those of one sitting. The referee's times count from the moment at which it began to wait for the players."""

    def __init__(self, block: Block, sitting: range) -> None:
        self._block = block
        self._sitting = sitting
        self._begun_s = 0.0
        self._matches: dict[tuple[int, int], MatchReport] = {}
        self._players: dict[int, PlayerReport] = {}

    def begin(self, now_s: float) -> None:
        """The referee waits for the players from now on, by ``time.monotonic``."""
        self._begun_s = now_s

    def take(self, report: Report) -> bool:
        """Whether the report is for the logs alone, and need not be told to anybody else."""
        match report:
            case MatchReport():
                self._matches[report.unit, report.rotation] = report
            case PlayerReport():
                self._players[report.player] = report
                return True
        return False

    def of(self, player: int, ended: Exit) -> BotLog:
        """The log of a player whose cell ended like that."""
        later_ms = round(1000 * (self._begun_s - ended.started_s))
        seen = self._players.get(player)
        run = Run(
            game=self._block.game,
            exit=ended.reason,
            last_line=ended.last_line,
            cpu_ms=round(1000 * ended.cpu_s),
            peak_mib=ended.peak_mib,
            written=ended.written,
            hello_ms=None if seen is None or seen.hello_ms is None else max(0, seen.hello_ms + later_ms),
            answer_ms=None if seen is None or seen.answer_ms is None else max(0, seen.answer_ms + later_ms),
            faults=seen.faults if seen is not None else {},
            thinking=seen.thinking if seen is not None else (),
        )
        # In a field a player sits at one table; else at all matches of the one rotation.
        (rotation,) = (one for one in self._sitting if player in self._block.units[0].seats(one))
        matches = [
            MatchSpan(
                plan.unit,
                self._block.match_id(position, rotation),
                report.begun_ms + later_ms,
                report.ended_ms + later_ms,
            )
            for position, plan in enumerate(self._block.units)
            if (report := self._matches.get((plan.unit, rotation))) is not None
        ]
        return BotLog(player, rotation, run, tuple(_texts(ended)), tuple(matches))


def _texts(ended: Exit) -> Iterator[LogPart]:
    """The output as text; a sign whose bytes came one after the other is one."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for place, part in enumerate(ended.parts, 1):
        if text := decoder.decode(part.data, final=place == len(ended.parts)):
            yield LogPart(part.since_ms, part.until_ms, text)
