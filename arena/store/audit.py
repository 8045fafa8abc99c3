"""The audit log: who did what to whom, and why. Knows no act itself; whoever acts notes it in the same transaction.

A row is written once. Users act under their names; who has a shell on a host of the platform acts under the name there,
an @ and the host, and the platform itself as :data:`PLATFORM`.
"""

import getpass
import socket
from dataclasses import dataclass
from datetime import datetime

from arena.store import Connection
from arena.store.sql import statements

SQL = statements(__file__)

PLATFORM = "the arena"


@dataclass(frozen=True, slots=True)
class Act:
    """One line of the log. ``tournament`` is empty where none is concerned, ``reason`` where none was given."""

    id: int
    acted_at: datetime
    who: str
    act: str
    subject: str
    tournament: str
    reason: str


def note(
    connection: Connection, who: str, act: str, subject: str, *, tournament: str | None = None, reason: str = ""
) -> None:
    """Writes a line. Call it in the transaction of the act."""
    values = {"who": who, "act": act, "subject": subject, "tournament": tournament, "reason": reason}
    connection.execute(SQL["note"], values)


def at_host() -> str:
    """Whoever runs this process, as `name@host`."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in a container
        name = "somebody"
    return f"{name}@{socket.gethostname()}"


def acts(connection: Connection, *, organiser: str | None, before: int | None, limit: int) -> list[Act]:
    """Lines, newest first, those with an id below ``before``; only those of an organiser's tournaments, if one is
    named."""
    asked = {"organiser": organiser, "before": before, "limit": limit}
    return [Act(*row) for row in connection.execute(SQL["acts"], asked)]
