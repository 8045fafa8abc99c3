"""How a bot's ratings came about: what every period did to it, and what was fitted then. Knows no formula."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from psycopg.rows import class_row

from arena.paging import numbers_of
from arena.ratings.anchors import shift
from arena.ratings.tables import ENOUGH_DEALS
from arena.store import Connection
from arena.store.people import HOUSE
from arena.store.sql import statements
from bots.house import ANCHORS

SQL = statements(__file__)

_BEYOND = 1 << 40
"""No period has this number."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one period of one run did to one version of the bot. Elo in millionths.

    :ivar run: the computation, counted up; ``reason`` says why it was begun, ``shown`` whether tables show it.
    :ivar position: the period within the pool, from 0: that ``orbit`` of that ``tournament``.
    :ivar units: rated so far.
    :ivar fitted_micro_elo: the official rating after the period, shifted to the anchors, with the other ``fitted_``
        ones; None if there was no fit then, since the next period was already there.
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
    shift_micro_elo: int = 0
    """What was added to the official rating as it was fitted."""


def history(
    connection: Connection, pool: int, bot: str, *, latest: bool = False, token: str = "", limit: int = 1000
) -> tuple[list[Step], str]:
    """The bot's steps, run by run, period by period and version by version, or with ``latest`` those of the run that is
    shown, the last ones first; and the token of the next page, empty on the last one. Nothing for a bot that was not
    rated in the pool.

    :raises BadRequest: if the token is not one that this list gave.
    """
    run, position, version = numbers_of(token, 3) or ((-1, _BEYOND, 0) if latest else (-1, -1, -1))
    where = {"pool": pool, "bot": bot, "run": run, "position": position, "version": version, "limit": limit + 1}
    found = (
        connection.cursor(row_factory=class_row(Step)).execute(SQL["latest" if latest else "steps"], where).fetchall()
    )
    last = found[limit - 1] if len(found) > limit else None
    return _anchored(connection, found[:limit]), f"{last.run}.{last.position}.{last.version}" if last else ""


@dataclass(frozen=True, slots=True)
class _Anchor:
    run: int
    position: int
    unit_kind: str
    bot: str
    micro_elo: int
    deals: int


def _anchored(connection: Connection, steps: Sequence[Step]) -> list[Step]:
    """The steps with official ratings as a table would have shown them then."""
    runs, positions = {step.run for step in steps}, {step.position for step in steps}
    where = {"runs": list(runs), "positions": list(positions), "anchors": list(ANCHORS), "house": HOUSE}
    fitted: dict[tuple[int, int], dict[str, int]] = defaultdict(dict)
    for one in connection.cursor(row_factory=class_row(_Anchor)).execute(SQL["anchors"], where):
        if one.deals >= ENOUGH_DEALS[one.unit_kind]:
            fitted[one.run, one.position][one.bot] = one.micro_elo
    shown = []
    for step in steps:
        if step.fitted_micro_elo is None:
            shown.append(step)
            continue
        by = shift(fitted.get((step.run, step.position), {})).micro_elo
        shown.append(replace(step, fitted_micro_elo=step.fitted_micro_elo + by, shift_micro_elo=by))
    return shown
