"""Deletes records and bots' runs of tournaments that closed long ago. Results, their digests and the ratings stay.

Knows no clock but the database's, and not who may ask for it.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from psycopg.rows import class_row

from arena.errors import BadRequest
from arena.store import Connection, audit
from arena.store.sql import statements

SQL = statements(__file__)

KEEP = "ARENA_KEEP_RECORDS_DAYS"
"""The setting of how many days after its close a tournament's records are kept; for ever without it."""

LONGEST_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class Prunable:
    """What a closed tournament has that can go: records of so many blocks, their bytes, and runs of bots."""

    name: str
    blocks: int
    bytes: int
    runs: int


def kept_days() -> int | None:
    """What :data:`KEEP` says; None where nothing is pruned by itself.

    :raises BadRequest: if it is no number of days.
    """
    text = os.environ.get(KEEP, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and int(text) <= LONGEST_DAYS):
        raise BadRequest(
            f"{KEEP} is '{text}', which is no number of days up to {LONGEST_DAYS}; leave it empty to keep all"
        )
    return int(text)


def prunable(connection: Connection, days: int) -> list[Prunable]:
    """Tournaments that closed more than so many days ago and have something that can go, those closed first first."""
    return connection.cursor(row_factory=class_row(Prunable)).execute(SQL["prunable"], {"days": days}).fetchall()


def prune(connection: Connection, who: str, days: int) -> Iterator[Prunable]:
    """Deletes it, one tournament after the other, each in a transaction that notes the act; yields what has gone."""
    for found in prunable(connection, days):
        with connection.transaction():
            connection.execute(SQL["prune_records"], {"tournament": found.name})
            connection.execute(SQL["prune_runs_of"], {"tournament": found.name})
            reason = f"closed more than {days} days ago"
            audit.note(connection, who, "prune records", found.name, tournament=found.name, reason=reason)
        yield found
