"""Tournaments in the database as if somebody had played them: every result is a function of its unit and rotation."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from psycopg.types.json import Jsonb

from arena.store import Connection
from arena.tournaments.schedule import Entry, schedule

GAME = "a game"


@dataclass(frozen=True, slots=True)
class Planned:
    """A started tournament: its blocks by orbit."""

    name: str
    seats: int
    orbits: tuple[tuple[int, ...], ...]

    @property
    def blocks(self) -> list[int]:
        """All blocks."""
        return [block for orbit in self.orbits for block in orbit]


def add_bots(connection: Connection, names: Sequence[str]) -> None:
    """Makes bots of one owner each, with one version."""
    for name in names:
        connection.execute("INSERT INTO users (name) VALUES (%s)", [name])
        connection.execute("INSERT INTO bots (name, owner, kind) VALUES (%s, %s, 'remote')", [name, name])
        add_version(connection, name)


def add_version(connection: Connection, bot: str) -> None:
    """Makes the bot's next version."""
    connection.execute(
        "INSERT INTO versions (bot, number, declared, manifest)"
        " SELECT %(bot)s, n, 'v' || n, '{\"games\": []}'"
        " FROM (SELECT count(*) + 1 AS n FROM versions WHERE bot = %(bot)s)",
        {"bot": bot},
    )


def start(
    connection: Connection,
    name: str,
    bots: Sequence[str],
    *,
    seats: int = 3,
    orbits: int = 2,
    units: int = 2,
    kind: str = "rotation",
    options: Mapping[str, str] | None = None,
    rules: str = "1",
) -> Planned:
    """A tournament of the bots' newest versions, with every block queued."""
    secret = hashlib.sha256(b"the same in every tournament").digest()
    connection.execute(
        "INSERT INTO tournaments (name, owner, game, seats, options, orbits, units, move_ms, bank_ms, max_faults,"
        " startup_ms, secret, commitment, engine, started_at)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, 1, 0, 1, 1, %s, sha256(%s), %s, clock_timestamp())",
        [name, bots[0], GAME, seats, Jsonb(dict(options or {})), orbits, units, secret, secret, rules],
    )
    for position, bot in enumerate(bots):
        connection.execute(
            "INSERT INTO entries (tournament, bot, position, version)"
            " VALUES (%s, %s, %s, (SELECT max(id) FROM versions WHERE bot = %s))",
            [name, bot, position, bot],
        )
    by_orbit: dict[int, list[int]] = {}
    tables = schedule([Entry(bot, bot, house=False) for bot in bots], seats, orbits, secret)
    for number, table in enumerate(tables):
        row = connection.execute(
            "INSERT INTO blocks (tournament, orbit, table_index, entries, kind, first_unit, units)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING id",
            [name, table.orbit, table.index, list(table.entries), kind, number * units, units],
        ).fetchone()
        assert row is not None
        by_orbit.setdefault(table.orbit, []).append(row[0])
    return Planned(name, seats, tuple(map(tuple, by_orbit.values())))


def play(connection: Connection, block: int, *, skip: Sequence[tuple[int, int]] = ()) -> None:
    """Writes the results of the block, but those of the skipped (unit, rotation), and ends it."""
    row = connection.execute(
        "SELECT tournament, cardinality(entries), kind, first_unit, units FROM blocks WHERE id = %s", [block]
    ).fetchone()
    assert row is not None
    tournament, seats, kind, first_unit, units = row
    with connection.transaction():
        for unit in range(first_unit, first_unit + units):
            for rotation in range(seats if kind == "rotation" else 1):
                if (unit, rotation) not in skip:
                    _write_match(connection, block, tournament, seats, unit, rotation)
        connection.execute(
            "UPDATE blocks SET state = 'done', lease = %s, ended_at = clock_timestamp() WHERE id = %s",
            [uuid.uuid4(), block],
        )


def give_up(connection: Connection, block: int) -> None:
    """Makes the block void."""
    connection.execute("UPDATE blocks SET state = 'void', ended_at = clock_timestamp() WHERE id = %s", [block])


def replace(connection: Connection, block: int) -> int:
    """A new block with new units in the place of a void one."""
    row = connection.execute(
        "INSERT INTO blocks (tournament, orbit, table_index, entries, kind, first_unit, units, replaces)"
        " SELECT tournament, orbit, table_index, entries, kind, first_unit + 1000, units, id FROM blocks WHERE id = %s"
        " RETURNING id",
        [block],
    ).fetchone()
    assert row is not None
    return int(row[0])


def close(connection: Connection, tournament: str) -> None:
    """Closes the tournament."""
    connection.execute("UPDATE tournaments SET closed_at = clock_timestamp() WHERE name = %s", [tournament])


def _write_match(connection: Connection, block: int, tournament: str, seats: int, unit: int, rotation: int) -> None:
    luck = hashlib.sha256(f"{unit} {rotation}".encode()).digest()
    scores = [byte % 7 - 2 for byte in luck[:seats]]
    connection.execute(
        "INSERT INTO results (block, tournament, unit, rotation, seats, scores, places, faults, forfeited, decisions,"
        " digest) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, '{}', 1, %s)",
        [
            block,
            tournament,
            unit,
            rotation,
            [(seat + rotation) % seats for seat in range(seats)],
            scores,
            [1 + sum(other > score for other in scores) for score in scores],
            [byte % 2 for byte in luck[-seats:]],
            luck,
        ],
    )
