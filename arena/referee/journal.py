"""What the referee logs of bots: at most so many lines of a kind in a minute, whatever they do. Knows no stream and no
match."""

import asyncio
import logging
from dataclasses import dataclass

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

    def close(self) -> None:
        """Tells what was left out until now."""
        for subject in list(self._windows):
            self._close(subject)

    def _close(self, subject: str) -> None:
        window = self._windows.pop(subject)
        window.closing.cancel()
        if (more := window.lines - LINES) > 0:
            log.info("%s: %d more within a minute", subject, more, extra={"subject": subject, "left_out": more})
