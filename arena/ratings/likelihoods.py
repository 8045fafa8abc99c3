"""How likely each bot of a pool is the stronger one of every two, as the newest fit says. Knows no formula."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from psycopg.rows import class_row, tuple_row

from arena.errors import BadRequest
from arena.paging import numbers_of
from arena.ratings.rows import Floats
from arena.store import Connection
from arena.store.sql import statements

SQL = statements(__file__)

_FLOAT = np.dtype("<f4")


@dataclass(frozen=True, slots=True)
class Likelihood:
    """One bot beside another: how likely it is the stronger one, from 0 to 1."""

    bot: str
    version: int
    other: str
    other_version: int
    stronger: float


def keep(connection: Connection, pool: int, run: int, position: int, found: Mapping[int, Floats]) -> None:
    """Replaces what is kept of the pool: by version, in ascending order, how likely it is stronger than each of the
    same versions."""
    connection.execute(SQL["forget"], {"pool": pool})
    rows = [
        {"run": run, "position": position, "version": version, "stronger": stronger.astype(_FLOAT).tobytes()}
        for version, stronger in found.items()
    ]
    connection.cursor().executemany(SQL["add"], rows)


def likelihoods(
    connection: Connection, pool: int, *, against: str = "", token: str = "", limit: int = 1000
) -> tuple[list[Likelihood], str]:
    """Best first, every bot of the pool beside ``against``, or beside the next one if that is empty; and the token of
    the next page, empty on the last one. None are known of a pool of more bots than a whole covariance is computed for,
    nor of one whose fit is older than this table.

    :raises BadRequest: if the token is not one that this list gave since the last fit.
    """
    row = connection.cursor(row_factory=tuple_row).execute(SQL["newest"], {"pool": pool}).fetchone()
    if row is None:
        return [], ""
    run, position = row
    of_run, of_position, offset = numbers_of(token, 3) or (run, position, 0)
    if (of_run, of_position) != (run, position):
        raise BadRequest("the pool was fitted again since that page; leave the page token empty for the first one")
    where = {"run": run, "position": position, "against": against, "offset": offset, "limit": limit + 1}
    lines = connection.cursor(row_factory=class_row(_Line)).execute(SQL["against" if against else "next"], where)
    found = [
        Likelihood(
            line.bot, line.version, line.other, line.other_version, float(np.frombuffer(line.stronger, _FLOAT)[0])
        )
        for line in lines
    ]
    return found[:limit], f"{run}.{position}.{offset + limit}" if len(found) > limit else ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Some of the ``total`` bots of a pool, best first, and row by row how likely each is stronger than each of the
    same; 1/2 than itself."""

    total: int
    bots: tuple[str, ...]
    stronger: tuple[tuple[float, ...], ...]


def matrix(connection: Connection, pool: int, *, start: int, limit: int) -> Matrix:
    """So many bots of the pool from that line of its table on, counted from 0. None where none are known."""
    row = connection.cursor(row_factory=tuple_row).execute(SQL["newest"], {"pool": pool}).fetchone()
    if row is None:
        return Matrix(0, (), ())
    where = {"run": row[0], "position": row[1], "offset": start, "limit": limit}
    lines = connection.execute(SQL["matrix"], where).fetchall()
    places = np.array([place for _, place, _, _ in lines], np.int64)
    rows = tuple(tuple(np.frombuffer(kept, _FLOAT)[places].tolist()) for _, _, kept, _ in lines)
    return Matrix(lines[0][3] if lines else 0, tuple(bot for bot, _, _, _ in lines), rows)


@dataclass(frozen=True, slots=True)
class _Line:
    bot: str
    version: int
    other: str
    other_version: int
    stronger: bytes
