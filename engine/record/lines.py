"""The lines of a record: how one is written, and that it is written in no other way. Knows no match.

Public here are what the line of a fault and the header may say besides what the game says.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.cards import write_card

FAULTS: Final = ("ILLEGAL", "LATE", "GARBLED", "GONE")
"""Kinds of faults. The action of such a line is the fallback that was played instead."""

FORFEITED: Final = "FORFEITED"
"""Stands in place of a fault when the house plays for a seat that was forfeited before."""

EXTRAS: Final = {"clock": str, "versions": list, "contents": list, "tournament": str, "unit": int, "rotation": int}
"""Fields that a header may have besides those of every record, in their order, each with its form; a list has a text
for every seat."""

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


class RecordError(ValueError):
    """A record that cannot be trusted: ``line`` (from 1) is where that shows, and ``sentence`` says how."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(f"line {line}: {sentence}")
        self.line = line
        self.sentence = sentence


def write_line(found: Mapping[str, Any]) -> str:
    """A line without its line break."""
    return _ENCODER.encode(found)


def write_pack(pack: Sequence[int]) -> str:
    """The line of a pack, its cards in dealing order."""
    return write_line({"pack": list(map(write_card, pack))})


def read_line(number: int, line: str) -> dict[str, Any]:
    """The object of a line, which must be written exactly as :func:`write_line` writes it.

    :raises RecordError: if it is not.
    """
    try:
        found = json.loads(line)
        same = isinstance(found, dict) and write_line(found) == line
    except (ValueError, RecursionError):
        raise RecordError(number, "This line is not JSON.") from None
    if not same:
        raise RecordError(number, "This line is not a JSON object in compact form.")
    return found  # type: ignore[no-any-return]


def split_lines(text: str | bytes) -> list[str]:
    """The lines of a record without their line breaks.

    :raises RecordError: if it is no text of whole lines.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise RecordError(1 + error.object[: error.start].count(b"\n"), "This line is not UTF-8 text.") from None
    if not text:
        raise RecordError(1, "The record is empty.")
    lines = text.split("\n")
    if lines[-1]:
        raise RecordError(len(lines), "The last line must end with a line break; the record was cut off.")
    return lines[:-1]


def clean(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()
