"""Alarms: what a person should look at. Knows no block and no process; whoever finds something raises one.

An alarm is open until a person has dealt with it: by a decision about its block, or by saying so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from arena.errors import NotAllowed, NotFound
from arena.store import Connection, audit
from arena.store.people import User
from arena.store.sql import statements

SQL = statements(__file__)


@dataclass(frozen=True, slots=True)
class Alarm:
    """One alarm. ``tournament`` is empty and ``block`` 0 where none is concerned; ``settled_by`` is empty while it is
    open."""

    id: int
    raised_at: datetime
    kind: str
    sentence: str
    tournament: str
    block: int
    settled_at: datetime | None
    settled_by: str


def list_alarms(
    connection: Connection, user: User, *, tournament: str = "", settled: bool, before: int | None, limit: int
) -> list[Alarm]:
    """Alarms that are open, and with ``settled`` the others too, newest first, with an id below ``before``: of all or
    of one tournament; for who is no admin, of their own tournaments."""
    asked = {"organiser": None if user.admin else user.name, "tournament": tournament or None}
    page = {"settled": settled, "before": before, "limit": limit}
    return [Alarm(*row) for row in connection.execute(SQL["alarms"], {**asked, **page})]


def settle(connection: Connection, user: User, alarm: int, reason: str = "") -> Alarm:
    """The alarm, settled; again changes nothing.

    :raises NotFound: if there is none of this id.
    :raises NotAllowed: if it is neither of the user's tournaments, nor are they an admin.
    """
    with connection.transaction():
        row = connection.execute(SQL["lock_alarm"], {"alarm": alarm}).fetchone()
        if row is None:
            raise NotFound(f"there is no alarm {alarm}; 'arena alarms --all' lists them")
        organiser, tournament, opened = row
        if not user.admin and user.name != organiser:
            raise NotAllowed(f"alarm {alarm} is about nothing of yours: an admin settles it")
        if opened:
            connection.execute(SQL["settle"], {"alarm": alarm, "who": user.name})
            audit.note(connection, user.name, "alarm settled", str(alarm), tournament=tournament, reason=reason)
        settled = connection.execute(SQL["alarm"], {"alarm": alarm}).fetchone()
        assert settled is not None
        return Alarm(*settled)


def settle_blocks(connection: Connection, blocks: Sequence[int], who: str) -> None:
    """Settles the open alarms of blocks about which somebody has decided. The decision itself stands in the audit."""
    connection.execute(SQL["settle_blocks"], {"blocks": list(blocks), "who": who})


def open_alarms(connection: Connection) -> int:
    """How many are open."""
    row = connection.execute(SQL["open_alarms"]).fetchone()
    assert row is not None
    return int(row[0])
