"""Rows as CSV, JSON Lines or Parquet, written as they come and in bounded memory. Knows nothing of what they mean."""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self, TextIO

from arena.errors import BadRequest

Value = str | int | float | bool | datetime | dict[str, str] | None
Row = Sequence[Value]

GROUP_ROWS = 20_000
"""Rows that a Parquet file is written in at a time, so many are in memory."""


class Kind(StrEnum):
    """What a column holds. Options are names with texts: an object in JSON Lines, its text elsewhere."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    FLAG = "flag"
    TIME = "time"
    OPTIONS = "options"


@dataclass(frozen=True, slots=True)
class Column:
    """A column by its name."""

    name: str
    kind: Kind


class Writer(Protocol):
    """Takes rows in the order of its columns until it is left."""

    def write(self, rows: Iterable[Row]) -> None:
        """Writes more rows."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class Csv:
    """CSV as RFC 4180 has it, with a line of heads: flags are true and false, times ISO 8601, and what is not known is
    empty."""

    def __init__(self, out: TextIO, columns: Sequence[Column]) -> None:
        self._writer = csv.writer(out)
        self._writer.writerow([column.name for column in columns])

    def write(self, rows: Iterable[Row]) -> None:
        """Writes more rows."""
        self._writer.writerows([_text(value) for value in row] for row in rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held back."""


class JsonLines:
    """One JSON object a row."""

    def __init__(self, out: TextIO, columns: Sequence[Column]) -> None:
        self._out = out
        self._names = [column.name for column in columns]

    def write(self, rows: Iterable[Row]) -> None:
        """Writes more rows."""
        for row in rows:
            members = dict(zip(self._names, row, strict=True))
            self._out.write(json.dumps(members, ensure_ascii=False, default=datetime.isoformat) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held back."""


class Parquet:
    """Typed columns: 64-bit integers and floats, flags, times in UTC to the microsecond, text."""

    def __init__(self, out: BinaryIO, columns: Sequence[Column]) -> None:
        # Here, because only this needs it and it takes a while to import.
        import pyarrow as pa
        from pyarrow import parquet

        types = {
            Kind.TEXT: pa.string(),
            Kind.INTEGER: pa.int64(),
            Kind.NUMBER: pa.float64(),
            Kind.FLAG: pa.bool_(),
            Kind.TIME: pa.timestamp("us", "UTC"),
            Kind.OPTIONS: pa.string(),
        }
        self._schema = pa.schema([(column.name, types[column.kind]) for column in columns])
        self._batch = pa.RecordBatch.from_arrays
        self._array = pa.array
        self._writer = parquet.ParquetWriter(out, self._schema, compression="zstd")
        self._waiting: list[list[Value]] = []

    def write(self, rows: Iterable[Row]) -> None:
        """Writes more rows, or keeps them until they are a group."""
        for row in rows:
            self._waiting.append([_json(value) if isinstance(value, dict) else value for value in row])
            if len(self._waiting) == GROUP_ROWS:
                self._flush()

    def _flush(self) -> None:
        columns = zip(*self._waiting, strict=True)
        arrays = [self._array(values, field.type) for values, field in zip(columns, self._schema, strict=True)]
        self._writer.write_batch(self._batch(arrays, schema=self._schema))
        self._waiting.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Writes what was kept, and the foot."""
        if kind is None and self._waiting:
            self._flush()
        self._writer.close()


SUFFIXES = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}
FORMATS = tuple(SUFFIXES.values())


def format_of(file: Path, asked: str | None) -> str:
    """The format that is asked for, else that of the file's suffix.

    :raises BadRequest: if neither says one.
    """
    if found := asked or SUFFIXES.get(file.suffix.lower()):
        return found
    raise BadRequest(f"'{file}' says no format; end its name in {', '.join(SUFFIXES)}, or give --format")


def open_writer(out: BinaryIO, text: TextIO, name: str, columns: Sequence[Column]) -> Writer:
    """A writer of the format onto the stream, of which ``text`` is the side for text; to be entered and left."""
    if name == "parquet":
        return Parquet(out, columns)
    return Csv(text, columns) if name == "csv" else JsonLines(text, columns)


def _text(value: Value) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.isoformat()
        case dict():
            return _json(value)
    return str(value)


def _json(options: dict[str, str]) -> str:
    return json.dumps(options, ensure_ascii=False, sort_keys=True)
