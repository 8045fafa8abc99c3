"""Where the referees of remote bots are, and which bots are connected to them. Knows no block."""

from collections.abc import Collection
from dataclasses import dataclass

from arena.store import Connection
from arena.store.sql import statements

SQL = statements(__file__)

SILENCE_S = 30.0
"""A referee that was not heard of for so long is taken for gone."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a referee is reached.

    :ivar address: HOST:PORT of workers, and of bots that do not speak TLS.
    :ivar tls_address: that of bots that do; empty if there is none.
    """

    address: str
    tls_address: str = ""


def beat(connection: Connection, here: Place, secret: bytes, bots: Collection[str] = ()) -> tuple[Place, ...]:
    """Notes that a referee is there, with the bots that are connected to it; returns where the others are."""
    values = {"address": here.address, "tls_address": here.tls_address, "secret": secret, "bots": sorted(bots)}
    connection.execute(SQL["beat"], values)
    others = connection.execute(SQL["others"], {"address": here.address, "within_s": SILENCE_S})
    return tuple(Place(*row) for row in others)


def leave(connection: Connection, address: str) -> None:
    """Notes that a referee goes."""
    connection.execute(SQL["leave"], {"address": address})
