"""The results of a block as rows and as one digest. Knows no lease and no rules."""

import dataclasses
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence

from psycopg.types.json import Jsonb

from arena.store import Connection, notices
from arena.store.sql import statements
from arena.tournaments.block import BotLog, MatchReport
from arena.tournaments.field import least_done

SQL = statements(__file__)


def check_whole(reports: Sequence[MatchReport], units: range, rotations: int) -> None:
    """Returns if every match of the units was reported once.

    :raises ValueError: if not; the sentence has what is missing, twice or too much.
    """
    expected = [(unit, rotation) for unit in units for rotation in range(rotations)]
    got = sorted((report.unit, report.rotation) for report in reports)
    if got != expected:
        raise ValueError(f"the block has the matches (unit, rotation) {expected} and the results are of {got}")


def check_field(reports: Sequence[MatchReport], unit: int, tables: int) -> None:
    """Returns if as many of the field's tables as it needs to count were reported, each once.

    :raises ValueError: if not; the sentence has what was reported.
    """
    expected = {(unit, table) for table in range(tables)}
    got = sorted((report.unit, report.rotation) for report in reports)
    if len(set(got)) < len(got) or not expected.issuperset(got) or len(got) < least_done(tables):
        raise ValueError(
            f"unit {unit} is a field of {tables} tables, of which {least_done(tables)} or more must have a result, "
            f"each one, and the results are of the matches (unit, table) {got}"
        )


def digest_of(reports: Sequence[MatchReport]) -> bytes:
    """SHA-256 over the digests of all matches in order of unit and rotation."""
    parts = sorted((report.unit, report.rotation, report.digest) for report in reports)
    return hashlib.sha256(json.dumps(parts).encode()).digest()


def pack_records(reports: Sequence[MatchReport]) -> bytes:
    """The records of a block as one compressed value."""
    rows = sorted((report.unit, report.rotation, report.record) for report in reports)
    return zlib.compress(json.dumps(rows).encode(), 6)


def write_results(connection: Connection, block: int, tournament: str, reports: Sequence[MatchReport]) -> None:
    """Writes a row for every match, and the records as one value. Call it in the transaction that ends the block."""
    rows = [
        {
            "block": block,
            "tournament": tournament,
            "unit": report.unit,
            "rotation": report.rotation,
            "seats": list(report.seats),
            "scores": list(report.scores),
            "places": list(report.places),
            "faults": [sum(fault.seat == seat for fault in report.faults) for seat in range(len(report.seats))],
            "forfeited": list(report.forfeited),
            "decisions": report.decisions,
            "digest": bytes.fromhex(report.digest),
        }
        for report in reports
    ]
    with connection.cursor() as cursor:
        cursor.executemany(SQL["add_result"], rows)
        cursor.execute(SQL["add_records"], {"block": block, "data": pack_records(reports)})


def write_logs(connection: Connection, block: int, bots: Sequence[str], logs: Sequence[BotLog]) -> None:
    """Writes what the runs of the bots, by player, did and wrote."""
    rows = [
        {
            "block": block,
            "bot": bots[log.player],
            "rotation": log.rotation,
            "run": Jsonb(dataclasses.asdict(log.run)),
            "parts": Jsonb([dataclasses.asdict(part) for part in log.parts]),
            "matches": Jsonb([dataclasses.asdict(span) for span in log.matches]),
        }
        for log in logs
    ]
    with connection.cursor() as cursor:
        cursor.executemany(SQL["add_bot_log"], rows)


def write_notices(
    connection: Connection,
    tournament: str,
    bots: Sequence[str],
    reports: Sequence[MatchReport],
    logs: Sequence[BotLog],
) -> None:
    """Notes for the owners how the bots, by player, behaved."""
    last_lines = {(log.player, log.rotation): log.run.last_line for log in logs}
    in_order = sorted(reports, key=lambda report: (report.unit, report.rotation))
    # By name, so that two blocks that end together do not wait for each other.
    for bot, player in sorted((bot, player) for player, bot in enumerate(bots)):
        played = [
            _played(report, report.seats.index(player), tournament, last_lines)
            for report in in_order
            if player in report.seats
        ]
        notices.note(connection, bot, played)


def _played(
    report: MatchReport, seat: int, tournament: str, last_lines: Mapping[tuple[int, int], str]
) -> notices.Played:
    faults = [fault for fault in report.faults if fault.seat == seat]
    last = faults[-1] if faults else None
    last_line = last_lines.get((report.seats[seat], report.rotation), "")
    return notices.Played(
        match=f"{tournament}, unit {report.unit}, rotation {report.rotation}",
        seat=seat,
        faults=len(faults),
        forfeited=seat in report.forfeited,
        kind=last.kind if last is not None else "",
        reason=last.told(last_line) if last is not None else "",
    )
