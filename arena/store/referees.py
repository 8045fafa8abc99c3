"""Where the referees of remote bots are. Knows no bot."""

from dataclasses import dataclass

from arena.store import Connection
from arena.store.sql import statements

SQL = statements(__file__)

SILENCE_S = 30.0
"""A referee that was not heard of for so long is taken for gone."""


@dataclass(frozen=True, slots=True)
class RefereePlace:
    """A referee: its address, and the secret that a worker shows it, in hex."""

    address: str
    secret: str


def beat(connection: Connection, address: str, secret: bytes) -> None:
    """Notes that a referee is there."""
    connection.execute(SQL["beat"], {"address": address, "secret": secret})


def leave(connection: Connection, address: str) -> None:
    """Notes that a referee goes."""
    connection.execute(SQL["leave"], {"address": address})


def living(connection: Connection) -> RefereePlace | None:
    """A referee that is there; None if there is none."""
    row = connection.execute(SQL["living"], {"within_s": SILENCE_S}).fetchone()
    return RefereePlace(row[0], row[1].hex()) if row is not None else None
