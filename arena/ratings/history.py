"""How a bot's ratings came about: what every period did to it, and what was fitted then. Knows no formula."""

import re
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from arena.errors import BadRequest
from arena.store import Connection
from arena.store.sql import statements

SQL = statements(__file__)


@dataclass(frozen=True, slots=True)
class Step:
    """What one period of one run did to one version of the bot. Elo in millionths.

    :ivar run: the computation, counted up; ``reason`` says why it was begun, ``shown`` whether tables show it.
    :ivar position: the period within the pool, from 0: that ``orbit`` of that ``tournament``.
    :ivar units: rated so far.
    :ivar fitted_micro_elo: the official rating after the period, with the other ``fitted_`` ones; None if there was no
        fit then, since the next period was already there.
    :ivar fitted_micro_margin: half the width of the 95 % interval; None below two deals, too.
    :ivar first_rank, last_rank: as they were; None also for a version that was replaced.
    """

    run: int
    reason: str
    shown: bool
    position: int
    tournament: str
    orbit: int
    rated_at: datetime
    version: int
    micro_elo: int
    delta_micro: int
    units: int
    fitted_micro_elo: int | None
    fitted_micro_margin: int | None
    first_rank: int | None
    last_rank: int | None


def history(
    connection: Connection, pool: int, bot: str, *, token: str = "", limit: int = 1000
) -> tuple[list[Step], str]:
    """The bot's steps, run by run, period by period and version by version; and the token of the next page, empty on
    the last one. Nothing for a bot that was not rated in the pool.

    :raises BadRequest: if the token is not one that this list gave.
    """
    run, position, version = _after(token)
    where = {"pool": pool, "bot": bot, "run": run, "position": position, "version": version, "limit": limit + 1}
    found = connection.cursor(row_factory=class_row(Step)).execute(SQL["steps"], where).fetchall()
    if len(found) <= limit:
        return found, ""
    last = found[limit - 1]
    return found[:limit], f"{last.run}.{last.position}.{last.version}"


def _after(token: str) -> tuple[int, int, int]:
    if not token:
        return -1, -1, -1
    if re.fullmatch(r"[0-9]{1,18}\.[0-9]{1,9}\.[0-9]{1,9}", token) is None:
        raise BadRequest("the page token is not one that this list gave; leave it empty for the first page")
    run, position, version = map(int, token.split("."))
    return run, position, version
