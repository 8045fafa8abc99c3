"""What the referee logs: of bots at most so many lines about one subject in a minute, whatever they do, and of matches
where somebody asks for it. Knows no stream and no hub."""

import asyncio
import logging
from dataclasses import dataclass

from arena.referee.faults import Fault
from arena.referee.plan import MatchPlan

log = logging.getLogger("arena.referee")

LINES = 10
"""Lines about one subject in ``WINDOW_S``; what is beyond is counted and told in one line at its end."""

WINDOW_S = 60.0


@dataclass(slots=True)
class _Window:
    closing: asyncio.TimerHandle
    lines: int = 0


class Journal:
    """The log lines of one hub, on its event loop."""

    def __init__(self) -> None:
        self._windows: dict[str, _Window] = {}

    def tell(self, subject: str, sentence: str, **fields: object) -> None:
        """Logs the sentence, unless the subject has had its lines. ``fields`` say what it is about; no token is ever
        among them."""
        if not log.isEnabledFor(logging.INFO):
            return
        window = self._windows.get(subject)
        if window is None:
            closing = asyncio.get_running_loop().call_later(WINDOW_S, self._close, subject)
            window = self._windows[subject] = _Window(closing)
        window.lines += 1
        if window.lines <= LINES:
            # A bot may have put anything into it, and shall not write lines of its own.
            log.info("%s", "".join(sign if sign.isprintable() else " " for sign in sentence), extra=fields)

    def fault(self, plan: MatchPlan, fault: Fault) -> None:
        """Tells of a fault in a match."""
        player, bot = plan.players[fault.seat], plan.names[fault.seat]
        self.tell(
            f"faults of {player}",
            f"{bot} in seat {fault.seat} of match {plan.match_id}: {fault.kind} on turn {fault.turn}: {fault.reason}",
            **_about(plan),
            player=player,
            bot=bot,
            seat=fault.seat,
            turn=fault.turn,
            kind=str(fault.kind),
            reason=fault.reason,
        )

    def begins(self, plan: MatchPlan) -> None:
        """A match begins."""
        log.debug("match %d begins: %s", plan.match_id, ", ".join(plan.names), extra=_about(plan))

    def ended(self, plan: MatchPlan) -> None:
        """A match was played to its end."""
        log.debug("match %d has ended", plan.match_id, extra=_about(plan))

    def given_up(self, plan: MatchPlan, error: Exception) -> None:
        """A match is given up."""
        log.debug("match %d is given up: %s", plan.match_id, error, extra=_about(plan))

    def close(self) -> None:
        """Tells what was left out until now."""
        for subject in list(self._windows):
            self._close(subject)

    def _close(self, subject: str) -> None:
        window = self._windows.pop(subject)
        window.closing.cancel()
        if (more := window.lines - LINES) > 0:
            log.info("%s: %d more within a minute", subject, more, extra={"subject": subject, "left_out": more})


def _about(plan: MatchPlan) -> dict[str, object]:
    """What a log line about the match says beside its sentence."""
    known = ("tournament", "unit", "rotation")
    return {"match": plan.match_id, **{name: plan.header[name] for name in known if name in plan.header}}
