"""Tournaments in the database for the tests of what happens to their blocks."""

import dataclasses
import hashlib
import itertools
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg

import engine
from arena.store import Connection
from arena.tournaments import ledger
from arena.tournaments.block import BotLog, MatchReport, ReportedFault, UnitKind
from arena.tournaments.ledger import Lease, NewBlock
from arena.tournaments.runs import LogPart, MatchSpan, Run, ThinkTime
from sandbox import archive

BOTS = ("ann", "bob", "cyd", "dan")
FIELD = tuple(f"bot-{number:02}" for number in range(16))
"""The bots of a field of four tables."""
STAND_IN = (sys.executable, str(Path(__file__).parent / "stand_in.py"))

_numbers = itertools.count(1)


def make_tournament(
    connection: Connection,
    blocks: int = 1,
    units: int = 1,
    kind: UnitKind = UnitKind.ROTATION,
    move_ms: int = 250,
    *,
    house: bool = True,
    bots: Sequence[str] = (),
    game: str = "callbreak",
    startup_ms: int = 1000,
) -> list[int]:
    """Ids of the blocks of a new tournament that has started, of four bots, or of 16 for a field at tables of four,
    unless others are named. Unless they are the house's, the last one is a stranger's."""
    name = f"cup-{next(_numbers)}"
    bots = bots or (FIELD if kind is UnitKind.FIELD else BOTS)
    seats = 4 if kind is UnitKind.FIELD else len(bots)
    with connection.transaction():
        connection.execute("INSERT INTO users (name) VALUES ('owner') ON CONFLICT DO NOTHING")
        versions = {bot: make_version(connection, bot, house=house or bot != bots[-1]) for bot in bots}
        secret = hashlib.sha256(name.encode()).digest()
        connection.execute(
            "INSERT INTO tournaments (name, owner, game, seats, options, orbits, units, move_ms, bank_ms, max_faults, "
            "startup_ms, secret, commitment, engine, started_at) "
            "VALUES (%s, 'owner', %s, %s, '{}', 1, %s, %s, 0, 3, %s, %s, sha256(%s), %s, now())",
            (name, game, seats, units, move_ms, startup_ms, secret, secret, engine.VERSION),
        )
        for position, bot in enumerate(bots):
            connection.execute("INSERT INTO entries VALUES (%s, %s, %s, %s)", (name, bot, position, versions[bot]))
        return ledger.enqueue(
            connection,
            name,
            [NewBlock(0, index, tuple(bots), kind, index * units, units) for index in range(blocks)],
        )


def make_version(connection: Connection, bot: str, *, state: str = "active", house: bool = True) -> int:
    """Id of a version of a hosted bot; the one that is there if there is one."""
    connection.execute("INSERT INTO users (name) VALUES ('owner') ON CONFLICT DO NOTHING")
    connection.execute("INSERT INTO bots VALUES (%s, 'owner', 'hosted', %s) ON CONFLICT DO NOTHING", (bot, house))
    data = archive_of(bot)
    content_hash = archive.content_hash(data)
    connection.execute("INSERT INTO archives VALUES (%s, %s) ON CONFLICT DO NOTHING", (content_hash, data))
    connection.execute(
        "INSERT INTO versions (bot, number, content_hash, manifest, state) "
        """VALUES (%s, 1, %s, '{"games": ["callbreak"], "batch": 1}', %s) ON CONFLICT DO NOTHING""",
        (bot, content_hash, state),
    )
    return int(one(connection, "SELECT id FROM versions WHERE bot = %s", bot))


def archive_of(bot: str) -> bytes:
    """A bot's archive."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / bot
        place.mkdir()
        (place / "bot.toml").write_text(f'name = "{bot}"\nentry = "main.py"\ngames = ["callbreak"]\n')
        (place / "main.py").write_text(f"print('I am {bot}')\n")
        return archive.pack(place)


def reports_of(
    units: Sequence[int], rotations: int = 4, salt: str = "", faults: tuple[ReportedFault, ...] = ()
) -> list[MatchReport]:
    """The reports of a whole block; another salt means that other cards were played."""
    return [
        MatchReport(
            unit=unit,
            rotation=rotation,
            seats=tuple((seat + rotation) % 4 for seat in range(4)),
            scores=(40, 30, 20, 10),
            places=(1, 2, 3, 4),
            forfeited=(),
            faults=faults,
            decisions=52,
            digest=hashlib.sha256(f"{unit} {rotation} {salt}".encode()).hexdigest(),
            record=f'{{"record":1,"unit":{unit}}}\n',
        )
        for unit in units
        for rotation in range(rotations)
    ]


def field_of(unit: int, tables: Sequence[int] = range(4), salt: str = "") -> list[MatchReport]:
    """The reports of some of the tables of a field."""
    return [
        dataclasses.replace(report, seats=tuple(4 * report.rotation + seat for seat in range(4)))
        for report in reports_of([unit], salt=salt)
        if report.rotation in tables
    ]


def log_of(
    player: int = 1, rotation: int = 0, text: str = "hello", ended: str = "ended by itself with code 0", last: str = ""
) -> BotLog:
    """The log of one run, with a word in the middle of the match of unit 0."""
    run = Run("callbreak", ended, last, 120, 41, len(text), 200, 210, {}, (ThinkTime("all", 52, 9, 20, 40, 77, 0),))
    return BotLog(player, rotation, run, (LogPart(300, 350, text),), (MatchSpan(0, 4096, 250, 900),))


def one(connection: psycopg.Connection, query: str, *values: object) -> Any:
    """The first column of the first row."""
    row = connection.execute(query.encode(), values).fetchone()
    assert row is not None
    return row[0]


def expire(connection: psycopg.Connection, block: int) -> None:
    """Lets the lease of a block run out."""
    connection.execute(
        "UPDATE blocks SET lease_expires_at = now() - interval '1 s' WHERE id = %s AND state = 'leased'", (block,)
    )


def claimed(connection: Connection, block: int, worker: str = "w") -> Lease:
    """A lease of a block that must be free."""
    lease = ledger.claim(connection, block, worker, engine.VERSION)
    assert lease is not None
    return lease
