"""What the processes of submitted bots did and wrote, for their owners. Knows no cell and no match's cards.

A run is read when its block is done, as the records of the block are: until then its deals may be played again, and
what a bot wrote could tell the others their cards.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from arena.errors import NotFound
from arena.store import Connection
from arena.store.bots import check_owner
from arena.store.people import User
from arena.store.sql import statements

SQL = statements(__file__)


@dataclass(frozen=True, slots=True)
class Retention:
    """What is kept: runs of so many days, and of every bot the newest so many."""

    days: int
    runs: int


KEPT = Retention(days=30, runs=500)
"""The kept output of a bot is at most 256 KiB a block, so that its runs are at most 128 MiB, and rarely a hundredth."""


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """A run of a bot in a block. ``run`` has the members of `arena.tournaments.runs.Run`."""

    tournament: str
    first_unit: int
    units: int
    rotation: int
    ended_at: datetime
    run: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RunLog:
    """A run, what it wrote and when its matches were played; members as in `arena.tournaments.block.BotLog`."""

    played: PlayedRun
    parts: list[dict[str, Any]]
    matches: list[dict[str, Any]]


def list_runs(connection: Connection, user: User, bot: str, limit: int) -> list[PlayedRun]:
    """The newest runs of a bot, the newest first.

    :raises ArenaError: as :func:`check_owner`.
    """
    check_owner(connection, user, bot)
    return [PlayedRun(*row) for row in connection.execute(SQL["runs"], {"bot": bot, "limit": limit})]


def find_log(connection: Connection, user: User, bot: str, *, tournament: str, unit: int, rotation: int) -> RunLog:
    """The log of the run that played a match.

    :raises NotFound: if there is none: the sentence says what may be the reason.
    :raises ArenaError: as :func:`check_owner`.
    """
    check_owner(connection, user, bot)
    asked = {"bot": bot, "tournament": tournament, "unit": unit, "rotation": rotation}
    row = connection.execute(SQL["log"], asked).fetchone()
    if row is None:
        raise NotFound(
            f"there is no log of '{bot}' in {tournament}/{unit}/{rotation}: it sat at another table, the block of the "
            f"match is not done yet, or the log is older than {KEPT.days} days; 'arena bot show {bot}' lists its runs"
        )
    *played, parts, matches = row
    return RunLog(PlayedRun(*played), parts, matches)


def prune(connection: Connection, kept: Retention = KEPT) -> int:
    """How many runs were deleted because they are no longer kept."""
    return connection.execute(SQL["prune_runs"], {"days": kept.days, "runs": kept.runs}).rowcount
