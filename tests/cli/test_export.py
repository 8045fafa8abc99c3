"""What is exported is what the ledger holds, in every format, and nothing of a tournament that is still played."""

import csv
import json
from datetime import UTC
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from arena.cli import files, main
from arena.cli.export import RATINGS, RECORDS, RESULTS
from arena.cli.export import _rating as rating_row
from arena.ratings.official import fit_due
from arena.ratings.periods import apply_due
from arena.store import Connection, export
from arena.tournaments import ledger
from arena.v1 import rating_pb2
from tests.tournaments.ground import claimed, make_tournament, reports_of


@pytest.fixture
def ledger_of_three(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of tournaments of two blocks of two units: two that are closed, and one of which a block is still to be
    played. Pages are of five matches."""
    monkeypatch.setattr(export, "PAGE", 5)
    monkeypatch.setattr(files, "GROUP_ROWS", 50)
    names = []
    for played in (2, 2, 1):
        for number, block in enumerate(make_tournament(connection, blocks=2, units=2)[:played]):
            lease = claimed(connection, block)
            ledger.finish(connection, lease, reports_of([2 * number, 2 * number + 1]))
        names.append(lease.tournament)
    connection.execute("UPDATE tournaments SET unrated = true WHERE name = %s", [names[1]])
    connection.execute(
        "INSERT INTO corrections (tournament, what, unit, orbit, reason, who) VALUES (%s, 'unit', 3, 0, 'so', 'owner')",
        [names[0]],
    )
    return names


def exported(what: str, folder: Path, *more: str) -> tuple[list[dict[str, Any]], pyarrow.Table]:
    """The rows of an export as JSON Lines, which those in the other formats must equal, and the table of Parquet."""
    place = {name: folder / f"{what}.{name}" for name in files.FORMATS}
    for file in place.values():
        assert main(["export", what, str(file), *more]) == 0
    lines = [json.loads(line) for line in place["jsonl"].read_text("utf-8").splitlines()]
    with place["csv"].open(newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    assert rows == [{name: as_text(value) for name, value in line.items()} for line in lines]
    table = parquet.read_table(place["parquet"])
    assert [{name: as_text(value) for name, value in row.items()} for row in table.to_pylist()] == rows
    assert sorted(path.name for path in folder.iterdir()) == sorted(file.name for file in place.values())
    return lines, table


def as_text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool | dict):
        return json.dumps(value, sort_keys=True)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def test_every_seat_of_every_closed_match_is_exported_as_the_ledger_has_it(
    connection: Connection, ledger_of_three: list[str], served: None, tmp_path: Path
) -> None:
    lines, table = exported("results", tmp_path)
    held = connection.execute(
        "SELECT r.tournament, r.unit, r.rotation, b.entries[r.seats[seat] + 1], v.content_hash, r.scores[seat],"
        " r.places[seat], r.faults[seat], encode(r.digest, 'hex'), b.ended_at"
        " FROM results r JOIN blocks b ON b.id = r.block CROSS JOIN generate_series(1, 4) AS seat"
        " JOIN versions v ON v.bot = b.entries[r.seats[seat] + 1] JOIN tournaments t ON t.name = r.tournament"
        " WHERE t.closed_at IS NOT NULL ORDER BY 1, 2, 3, seat"
    ).fetchall()
    assert len(held) == 2 * 16 * 4
    names = ("tournament", "unit", "rotation", "bot", "content_hash", "score", "place", "faults", "digest", "end_time")
    assert [tuple(line[name] for name in names) for line in lines] == [
        (*row[:-1], row[-1].astimezone(UTC).isoformat()) for row in held
    ]
    left_out = {(line["tournament"], line["unit"]) for line in lines if not line["counts"]}
    assert left_out == {(ledger_of_three[0], 3), *((ledger_of_three[1], unit) for unit in range(4))}
    first = lines[0]
    assert (first["game"], first["seats"], first["options"], first["unit_kind"]) == ("callbreak", 4, {}, "rotation")
    assert (first["version"], first["score_decimals"], first["forfeited"], first["decisions"]) == (1, 1, False, 52)
    assert [line["seat"] for line in lines[:5]] == [0, 1, 2, 3, 0]

    assert [(field.name, str(field.type)) for field in table.schema] == [
        (column.name, PARQUET[column.kind]) for column in RESULTS
    ]
    assert parquet.ParquetFile(tmp_path / "results.parquet").num_row_groups == 3  # 128 rows, fifty at a time


PARQUET = {
    files.Kind.TEXT: "string",
    files.Kind.INTEGER: "int64",
    files.Kind.NUMBER: "double",
    files.Kind.FLAG: "bool",
    files.Kind.TIME: "timestamp[us, tz=UTC]",
    files.Kind.OPTIONS: "string",
}


def test_records_are_exported_of_closed_tournaments_alone(
    ledger_of_three: list[str], served: None, tmp_path: Path
) -> None:
    lines, table = exported("records", tmp_path)
    where = [(line["tournament"], line["unit"], line["rotation"]) for line in lines]
    assert where == [
        (name, unit, rotation) for name in ledger_of_three[:2] for unit in range(4) for rotation in range(4)
    ]
    assert all(line["record"] == f'{{"record":1,"unit":{line["unit"]}}}\n' for line in lines)
    assert table.column_names == [column.name for column in RECORDS]


def test_one_tournament_or_one_game_can_be_asked_for(
    ledger_of_three: list[str], served: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, _ = exported("results", tmp_path, "--tournament", ledger_of_three[1])
    assert {line["tournament"] for line in lines} == {ledger_of_three[1]}
    capsys.readouterr()
    for game, rows in (("callbreak", 128), ("minus", 0)):
        assert main(["export", "results", str(tmp_path / "game.csv"), "--game", game]) == 0
        assert capsys.readouterr().out == f"{tmp_path / 'game.csv'}: {rows} rows\n"
    assert main(["export", "records", "-", "--format", "jsonl", "--tournament", ledger_of_three[0]]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 16


def test_ratings_are_exported_as_the_table_shows_them(
    connection: Connection, ledger_of_three: list[str], served: None, tmp_path: Path
) -> None:
    assert apply_due(connection) == 1
    assert fit_due(connection) == 1
    lines, table = exported("ratings", tmp_path)
    assert len(lines) == 4
    held = connection.execute("SELECT bot, micro_elo, matches FROM ratings r JOIN versions v ON v.id = r.version")
    assert {(line["bot"], round(line["elo"] * 1e6), line["matches"]) for line in lines} == set(held.fetchall())
    assert [(field.name, str(field.type)) for field in table.schema] == [
        (column.name, PARQUET[column.kind]) for column in RATINGS
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["results", "a.csv", "--tournament", "nothing"], 1, "there is no tournament 'nothing'"),
        (
            ["results", "a.csv", "--tournament", "OPEN"],
            1,
            "is not closed, and what is still to be played is not exported",
        ),
        (["results", "a.csv", "--game", "chess"], 2, "chess"),
        (["results", "a.xlsx"], 2, "end its name in .csv, .jsonl, .parquet, or give --format"),
        (["ratings", "a.csv", "--tournament", "any"], 2, "leave --tournament out"),
        (["results", "nowhere/a.csv"], 1, "cannot write nowhere/a.csv: No such file or directory"),
    ],
)
def test_what_cannot_be_exported_is_told_and_leaves_no_file(
    ledger_of_three: list[str],
    served: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [ledger_of_three[2] if word == "OPEN" else word for word in arguments]
    assert main(["export", *words]) == code
    assert told in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_whoever_is_refused_is_refused_before_anything_is_written(
    served: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["export", "results", "-", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("tournament,game,")
    monkeypatch.setenv("ARENA_TOKEN", "0" * 64)
    for what in ("results", "records", "ratings"):
        assert main(["export", what, "-", "--format", "csv"]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert "nobody has this token" in said.err


def test_the_lead_over_the_field_and_the_shift_to_the_anchors_are_exported() -> None:
    fitted = rating_pb2.Fitted(micro_elo=1_512_500_000, milli_datum=-12_500, milli_datum_margin=2_500)
    line = rating_pb2.Rating(bot="ann", fitted=fitted)
    table = rating_pb2.RatingTable(
        unit_kind="field", score_decimals=1, shift_micro_elo=12_500_000, anchors=["bob", "cyd"], ratings=[line]
    )
    row = dict(zip([column.name for column in RATINGS], rating_row(table, line), strict=True))
    assert (row["rating"], row["shift"], row["anchors"]) == (1512.5, 12.5, "bob cyd")
    assert (row["vs_field"], row["vs_field_margin"]) == (-1.25, 0.25)
