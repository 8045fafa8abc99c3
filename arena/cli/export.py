"""`arena export`: results, records and ratings in bulk, into one file. Knows no file format's inside and no SQL."""

import argparse
import io
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC
from pathlib import Path
from typing import Any, BinaryIO

from arena.cli.client import Server, calls, find_login
from arena.cli.data import add_data_option
from arena.cli.files import FORMATS, Column, Kind, Row, format_of, open_writer
from arena.cli.ratings import list_games, list_tables
from arena.cli.wait import waiting
from arena.errors import ArenaError, BadRequest
from arena.v1 import export_pb2 as pb
from arena.v1 import rating_pb2
from arena.v1.export_pb2_grpc import ExportServiceStub

RESULTS = (
    Column("tournament", Kind.TEXT),
    Column("game", Kind.TEXT),
    Column("seats", Kind.INTEGER),
    Column("options", Kind.OPTIONS),
    Column("engine", Kind.TEXT),
    Column("unit_kind", Kind.TEXT),
    Column("orbit", Kind.INTEGER),
    Column("unit", Kind.INTEGER),
    Column("rotation", Kind.INTEGER),
    Column("seat", Kind.INTEGER),
    Column("bot", Kind.TEXT),
    Column("version", Kind.INTEGER),
    Column("content_hash", Kind.TEXT),
    Column("score", Kind.INTEGER),
    Column("score_decimals", Kind.INTEGER),
    Column("place", Kind.INTEGER),
    Column("faults", Kind.INTEGER),
    Column("forfeited", Kind.FLAG),
    Column("counts", Kind.FLAG),
    Column("decisions", Kind.INTEGER),
    Column("digest", Kind.TEXT),
    Column("end_time", Kind.TIME),
    Column("close_time", Kind.TIME),
)
"""One row per seat of a match. A score of 105 with 1 decimal is 10.5 points."""

RECORDS = (
    Column("tournament", Kind.TEXT),
    Column("game", Kind.TEXT),
    Column("unit", Kind.INTEGER),
    Column("rotation", Kind.INTEGER),
    Column("record", Kind.TEXT),
)
"""One row per match; `record` is the text of a record file."""

RATINGS = (
    Column("game", Kind.TEXT),
    Column("seats", Kind.INTEGER),
    Column("options", Kind.OPTIONS),
    Column("unit_kind", Kind.TEXT),
    Column("place", Kind.INTEGER),
    Column("bot", Kind.TEXT),
    Column("version", Kind.INTEGER),
    Column("rating", Kind.NUMBER),
    Column("rating_margin", Kind.NUMBER),
    Column("first_rank", Kind.INTEGER),
    Column("last_rank", Kind.INTEGER),
    Column("provisional", Kind.FLAG),
    Column("elo", Kind.NUMBER),
    Column("units", Kind.INTEGER),
    Column("matches", Kind.INTEGER),
    Column("mean_points", Kind.NUMBER),
    Column("points_margin", Kind.NUMBER),
    Column("faults", Kind.INTEGER),
    Column("vs_field", Kind.NUMBER),
    Column("vs_field_margin", Kind.NUMBER),
    Column("shift", Kind.NUMBER),
    Column("anchors", Kind.TEXT),
)
"""One row per bot of a table; `options` are those that differ from the defaults. `rating` is the fitted one plus
`shift`, which sets the house bots in `anchors`, by name with spaces between them, at their numbers."""


def add_commands(commands: Any) -> None:
    """Adds `arena export`."""
    parser = commands.add_parser("export", help="results, records or ratings as CSV, JSON Lines or Parquet")
    parser.add_argument(
        "what",
        choices=("results", "records", "ratings"),
        metavar="WHAT",
        help="results: a row for each seat of a match; records: a row for each match; ratings: a row for each bot of a "
        "table",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="ends in .csv, .jsonl or .parquet; - for the output")
    parser.add_argument("--format", choices=FORMATS, help="instead of what FILE ends in")
    parser.add_argument("--tournament", default="", metavar="NAME", help="only this one; it must be closed")
    parser.add_argument("--game", default="", metavar="GAME", help="only this one")
    parser.set_defaults(run=run_export)
    add_data_option(parser)


def run_export(arguments: argparse.Namespace) -> int:
    """Writes the rows beside FILE, which is renamed when all are there."""
    if arguments.what == "ratings" and arguments.tournament:
        raise BadRequest("ratings are of all tournaments of a pool; leave --tournament out")
    file: Path = arguments.file
    form = format_of(file, arguments.format)
    columns, rows = {
        "results": (RESULTS, _results),
        "records": (RECORDS, _records),
        "ratings": (RATINGS, _ratings),
    }[arguments.what]
    server = Server(find_login(arguments.data))
    pages = rows(server, arguments.tournament, arguments.game)
    if str(file) == "-":
        with calls(server):
            _write(sys.stdout.buffer, form, columns, pages, lambda _: None)
        return 0
    unfinished = file.with_name(f"{file.name}.part")
    try:
        with waiting(f"exporting {arguments.what}") as shown, calls(server), unfinished.open("wb") as out:
            count = _write(out, form, columns, pages, lambda n: shown(f"exporting {arguments.what}: {n:,} rows"))
        unfinished.rename(file)
    except OSError as error:
        raise ArenaError(f"cannot write {file}: {error.strerror}; make room, or name another file") from error
    finally:
        with suppress(OSError):
            unfinished.unlink()
    print(f"{file}: {count:,} rows")
    return 0


def _write(
    out: BinaryIO, form: str, columns: Sequence[Column], pages: Iterable[list[Row]], shown: Callable[[int], None]
) -> int:
    """How many rows were written."""
    count = 0
    pages = iter(pages)
    # Whoever is refused is refused before anything is written.
    first = next(pages, [])
    text = io.TextIOWrapper(out, "utf-8", newline="", write_through=True)
    try:
        with open_writer(out, text, form, columns) as writer:
            for page in itertools.chain([first], pages):
                writer.write(page)
                count += len(page)
                shown(count)
    finally:
        text.detach()
    out.flush()
    return count


def _results(server: Server, tournament: str, game: str) -> Iterator[list[Row]]:
    request = pb.ExportMatchesRequest(tournament=tournament, game=game)
    of: pb.ExportedTournament | None = None
    for page in ExportServiceStub(server.channel).ExportMatches(request, metadata=server.metadata):
        if page.HasField("tournament"):
            of = page.tournament
        assert of is not None
        yield [row for match in page.matches for row in _seats(of, match)]


def _seats(of: pb.ExportedTournament, match: pb.ExportedMatch) -> Iterator[Row]:
    """The rows of a match, under RESULTS."""
    facts = (of.tournament, of.game, of.seats, dict(of.options), of.engine, match.unit_kind)
    ended = match.end_time.ToDatetime(UTC), of.close_time.ToDatetime(UTC)
    for seat, bot in enumerate(match.bots):
        yield (
            *facts,
            *(match.orbit, match.unit, match.rotation),
            *(seat, bot, match.versions[seat], match.content_hashes[seat] or None),
            *(match.scores[seat], of.score_decimals, match.places[seat], match.faults[seat]),
            *(seat in match.forfeited, match.counts, match.decisions, match.digest.hex()),
            *ended,
        )


def _records(server: Server, tournament: str, game: str) -> Iterator[list[Row]]:
    request = pb.ExportRecordsRequest(tournament=tournament, game=game)
    for record in ExportServiceStub(server.channel).ExportRecords(request, metadata=server.metadata):
        yield [(record.tournament, record.game, record.unit, record.rotation, record.text)]


def _ratings(server: Server, _: str, game: str) -> Iterator[list[Row]]:
    for name in [game] if game else list_games(server):
        for table in list_tables(server, name):
            yield [_rating(table, line) for line in table.ratings]


def _rating(table: rating_pb2.RatingTable, line: rating_pb2.Rating) -> Row:
    """The row of a bot, under RATINGS."""
    unit = 1000 * 10**table.score_decimals
    fitted = line.fitted if line.HasField("fitted") else rating_pb2.Fitted(provisional=True)
    return (
        *(table.game, table.seats, dict(table.options), table.unit_kind, line.place, line.bot, line.version),
        fitted.micro_elo / 1e6 if line.HasField("fitted") else None,
        fitted.micro_margin / 1e6 if fitted.HasField("micro_margin") else None,
        fitted.first_rank if fitted.HasField("first_rank") else None,
        fitted.last_rank if fitted.HasField("last_rank") else None,
        fitted.provisional,
        *(line.micro_elo / 1e6, line.units, line.matches, line.mean_milli_points / unit),
        fitted.milli_points_margin / unit if fitted.HasField("milli_points_margin") else None,
        line.faults,
        fitted.milli_datum / unit if fitted.HasField("milli_datum") else None,
        fitted.milli_datum_margin / unit if fitted.HasField("milli_datum_margin") else None,
        *(table.shift_micro_elo / 1e6, " ".join(table.anchors)),
    )
