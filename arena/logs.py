"""How every service writes its log to its standard error: lines for people, or one JSON object a line. Knows no
service.

What a line is about beside its sentence goes into ``extra`` (match, bot, block and so on), and in JSON is a member.
"""

import json
import logging
import os
import sys
from datetime import UTC, datetime

from arena.errors import BadRequest

STYLE = "ARENA_LOG"
"""The environment variable that says how: one of ``STYLES``; it holds for the processes that a service starts, too."""

STYLES = ("text", "json")

LEVEL = "ARENA_LOG_LEVEL"
"""The environment variable with the least level of our own loggers, ``debug`` say."""

_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def configure(level: int = logging.INFO, text: str = "%(asctime)s %(name)s %(message)s") -> None:
    """Lets this process log as the environment says: our own lines from ``level`` on, those of libraries from warnings
    on. ``text`` is the format for people.

    :raises BadRequest: if the environment asks for a style or a level that there is not.
    """
    style = os.environ.get(STYLE) or "text"
    if style not in STYLES:
        raise BadRequest(f"{STYLE} is '{style}'; set it to {' or '.join(STYLES)}")
    wanted = (os.environ.get(LEVEL) or "").upper()
    if wanted and wanted not in logging.getLevelNamesMapping():
        raise BadRequest(f"{LEVEL} is '{wanted.lower()}'; set it to debug, info, warning or error")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Json() if style == "json" else logging.Formatter(text))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.captureWarnings(True)
    logging.getLogger("arena").setLevel(wanted or level)


class Json(logging.Formatter):
    """One object a line: time (ISO 8601, UTC, ms), level, logger, message, the members of ``extra``, and the traceback
    as ``exception`` where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in _USUAL},
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)
