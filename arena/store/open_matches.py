"""What may be seen of matches while their blocks are played. Knows no process, and does not ask whether a deal is
closed: whoever plays says so.

A row of its own for each block, which the attempt that plays it writes and which goes with that attempt; the ledger
sees to that.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from arena.store import Connection
from arena.store.sql import statements

SQL = statements(__file__)


@dataclass(frozen=True, slots=True)
class OpenMatch:
    """A match whose block is being played: bots by seat, and its record up to the end of the last deal that is
    closed."""

    unit: int
    rotation: int
    bots: list[str]
    record: str


def show(
    connection: Connection,
    *,
    block: int,
    lease: uuid.UUID,
    unit: int,
    rotation: int,
    seats: Sequence[int],
    record: str,
) -> None:
    """Notes what may be seen of a block in place of what could be seen before; nothing if the lease is not the block's
    any more. ``seats`` are indexes of the block's bots."""
    shown = {"block": block, "lease": lease, "unit": unit, "rotation": rotation, "seats": list(seats), "record": record}
    connection.execute(SQL["show"], shown)


def list_open(connection: Connection, tournament: str, *, after: int, limit: int) -> list[OpenMatch]:
    """What may be seen of the blocks of a tournament that are being played, by unit, behind the unit ``after``."""
    asked = {"tournament": tournament, "after": after, "limit": limit}
    return [OpenMatch(*row) for row in connection.execute(SQL["open_matches"], asked)]
