"""A ledger full of results that nobody played, for the benchmark of its queries. Knows no query.

Five tournaments of five orbits are over; one runs, of which an orbit has ended and another one waits. An orbit has a
table for each bot; results follow from the strength of the bots and from luck.
"""

import json
import random
import uuid
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import engine
from arena.store import Connection

GAME = "callbreak"
SEATS = 4
OPTIONS = json.dumps(engine.write_options(engine.load(GAME).options))
ORBITS = 5
CLOSED = 5
DISTANCES = (0, 1, 3, 7)
OWNERS = 50

RUN = json.dumps(
    {
        "game": GAME,
        "exit": "ended by itself with code 0",
        "last_line": "",
        "cpu_ms": 900,
        "peak_mib": 40,
        "written": 80,
        "hello_ms": 210,
        "answer_ms": 230,
        "faults": {},
        "thinking": [],
    }
)


@dataclass(frozen=True, slots=True)
class Crowd:
    """What the ledger has. ``running`` is the tournament that is not over, ``waiting`` its blocks to be played."""

    bots: list[str]
    closed: list[str]
    running: str
    results: int
    waiting: "Planned"
    strengths: dict[str, float]


Planned = list[tuple[int, int, Sequence[str]]]
"""Blocks that wait: id, first unit, and the bots at the table."""


def fill(connection: Connection, bots: int, units: int) -> Crowd:
    """Fills an empty ledger: so many bots, so many units of every table."""
    names = [f"bot-{number:05}" for number in range(bots)]
    copy(connection, "users (name)", [[f"owner-{number}"] for number in range(OWNERS)])
    copy(
        connection,
        "bots (name, owner, kind)",
        [[name, f"owner-{at % OWNERS}", "hosted"] for at, name in enumerate(names)],
    )
    hashes = [f"{number:064x}" for number in range(bots)]
    copy(connection, "archives (content_hash, data)", [[content, b"PK"] for content in hashes])
    manifests = [json.dumps({"name": name, "games": [GAME], "batch": 1}) for name in names]
    copy(
        connection,
        "versions (bot, number, content_hash, manifest, state)",
        [[name, 1, *rest, "active"] for name, *rest in zip(names, hashes, manifests, strict=True)],
    )
    lines = [[name, "faults", "a match", 0, "LATE", "No answer within 250 ms.", 2] for name in names for _ in range(20)]
    copy(connection, "notices (bot, what, match, seat, kind, reason, count)", lines)
    strengths = {name: random.Random(name).gauss(0, 3) for name in names}
    closed = [f"cup-{number}" for number in range(CLOSED)]
    for number, name in enumerate([*closed, "cup-now"]):
        _tournament(connection, name, names, units, days=CLOSED - number)
    results = 0
    for name in closed:
        for orbit in range(ORBITS):
            planned = plan(connection, name, orbit, names, units)
            results += play(connection, name, orbit, units=units, planned=planned, strengths=strengths)
        connection.execute("UPDATE tournaments SET closed_at = started_at + interval '1 hour' WHERE name = %s", [name])
    planned = plan(connection, "cup-now", 0, names, units)
    results += play(connection, "cup-now", 0, units=units, planned=planned, strengths=strengths)
    waiting = plan(connection, "cup-now", 1, names, units)
    _acts(connection, closed)
    connection.execute("ANALYZE")
    return Crowd(names, closed, "cup-now", results, waiting, strengths)


def plan(connection: Connection, tournament: str, orbit: int, names: Sequence[str], units: int) -> Planned:
    """The blocks of an orbit, which wait."""
    tables = [[names[(at + step) % len(names)] for step in DISTANCES] for at in range(len(names))]
    first = [(orbit * len(names) + at) * units for at in range(len(names))]
    columns = "blocks (tournament, orbit, table_index, entries, kind, first_unit, units, strangers)"
    copy(
        connection,
        columns,
        [[tournament, orbit, at, table, "rotation", first[at], units, True] for at, table in enumerate(tables)],
    )
    found = connection.execute(
        "SELECT id, first_unit, entries FROM blocks WHERE tournament = %s AND orbit = %s ORDER BY first_unit",
        [tournament, orbit],
    )
    return [(block, unit, entries) for block, unit, entries in found]


def play(
    connection: Connection, tournament: str, orbit: int, *, units: int, planned: Planned, strengths: dict[str, float]
) -> int:
    """Writes what a whole orbit leaves, and how many results that were."""
    luck = random.Random(f"{tournament} {orbit}")
    matches = list(product(range(units), range(SEATS)))
    record = json.dumps({"record": 1, "players": list("abcd"), "moves": list(range(200))})
    packed = {
        block: zlib.compress(json.dumps([[first + unit, rotation, record] for unit, rotation in matches]).encode())
        for block, first, _ in planned
    }
    rows = (
        [block, tournament, first + unit, rotation, *_result(luck, entries, rotation, strengths)]
        for block, first, entries in planned
        for unit, rotation in matches
    )
    columns = "results (block, tournament, unit, rotation, seats, scores, places, faults, forfeited, decisions, digest)"
    with connection.transaction():
        copy(connection, columns, rows)
        copy(connection, "records (block, data)", list(packed.items()))
        runs = ([block, bot, rotation, RUN] for block, _, bots in planned for bot in bots for rotation in range(SEATS))
        copy(connection, "bot_logs (block, bot, rotation, run)", runs)
        leases = {block: uuid.UUID(int=luck.getrandbits(128)) for block, _, _ in planned}
        copy(
            connection,
            "attempts (lease, block, worker, matches, decisions, outcome, digest, ended_at)",
            [
                [lease, block, "w", len(matches), 52 * len(matches), "done", bytes(32), "now"]
                for block, lease in leases.items()
            ],
        )
        connection.execute(
            "UPDATE blocks b SET state = 'done', lease = a.lease, ended_at = clock_timestamp()"
            " FROM attempts a WHERE a.block = b.id AND b.tournament = %s AND b.orbit = %s",
            [tournament, orbit],
        )
    return len(planned) * len(matches)


def copy(connection: Connection, into: str, rows: "Iterator[list[Any]] | Sequence[Any]") -> None:
    """Copies rows into a table with its columns."""
    with connection.cursor().copy(f"COPY {into} FROM STDIN".encode()) as out:
        for row in rows:
            out.write_row(row)


def _tournament(connection: Connection, name: str, names: Sequence[str], units: int, days: int) -> None:
    connection.execute(
        "INSERT INTO tournaments (name, owner, game, seats, options, orbits, units, move_ms, bank_ms, max_faults,"
        " startup_ms, secret, commitment, engine, created_at, started_at)"
        " VALUES (%(name)s, 'owner-0', %(game)s, %(seats)s, %(options)s, %(orbits)s, %(units)s, 250, 10000, 3, 10000,"
        " sha256('x'), sha256(sha256('x')), %(engine)s, now() - make_interval(days => %(days)s),"
        " now() - make_interval(days => %(days)s))",
        {"name": name, "game": GAME, "seats": SEATS, "options": OPTIONS, "orbits": ORBITS, "units": units}
        | {"engine": engine.VERSION, "days": days},
    )
    versions: dict[str, int] = dict(connection.execute("SELECT bot, id FROM versions").fetchall())
    rows = [[name, bot, at, versions[bot]] for at, bot in enumerate(names)]
    copy(connection, "entries (tournament, bot, position, version)", rows)


def _acts(connection: Connection, closed: Sequence[str]) -> None:
    """What organisers did: a correction and its traces for one unit in a thousand."""
    rows = [["unit", name, unit, 0, "It stood still.", "owner-0"] for name in closed for unit in range(0, 10_000, 1000)]
    copy(connection, "corrections (what, tournament, unit, orbit, reason, who)", rows)
    lines = [
        ["owner-0", "void", str(number), closed[number % len(closed)], "It stood still."] for number in range(20_000)
    ]
    copy(connection, "audit (who, act, subject, tournament, reason)", lines)
    copy(connection, "alarms (kind, sentence, tournament)", [["void", "Look.", closed[0]] for _ in range(5_000)])


def _result(luck: random.Random, entries: Sequence[str], rotation: int, strengths: dict[str, float]) -> list[Any]:
    seats = [(seat + rotation) % SEATS for seat in range(SEATS)]
    scores = [round(10 * (10 + strengths[entries[seat]] + luck.gauss(0, 5))) for seat in seats]
    places = [1 + sum(other > score for other in scores) for score in scores]
    return [seats, scores, places, [0] * SEATS, [], 52, luck.randbytes(32)]
