"""Asks of a pool's results who lets whom win. Knows no formula."""

from dataclasses import dataclass

from psycopg.rows import class_row

from arena.ratings.event import tables
from arena.ratings.periods import rated_units
from arena.ratings.soft_play import Beside, soft_play
from arena.store import Connection
from arena.store.sql import statements

SQL = statements(__file__)


@dataclass(frozen=True, slots=True)
class _Fitted:
    version: int
    micro_elo: int
    position: int
    bot: str
    owner: str


def suspects(connection: Connection, pool: int, *, owners: bool = False) -> list[Beside[str]]:
    """Every pair of bots of the pool that could be tested, or of their owners, the least likely by chance first, over
    all units of the newest fit. Nothing for a pool that has none."""
    fits = connection.cursor(row_factory=class_row(_Fitted)).execute(SQL["fitted"], {"pool": pool}).fetchall()
    if not fits:
        return []
    elo = {fit.version: fit.micro_elo / 1e6 for fit in fits}
    who = {fit.version: fit.owner if owners else fit.bot for fit in fits}
    units = rated_units(connection, pool, fits[0].position)
    return soft_play((table for unit in units for table in tables(unit)), elo, who)
