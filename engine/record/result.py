"""The end of a record: places after forfeits, the hash that seals it, and what two records of one match share."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine.record.lines import read_line, split_lines, write_line


def with_forfeits(places: Sequence[int], forfeited: Sequence[int]) -> list[int]:
    """Places by seat when some seats are forfeited: those share the last place, the others' are among themselves."""
    others = [place for seat, place in enumerate(places) if seat not in forfeited]
    return [
        1 + len(others) if seat in forfeited else 1 + sum(other < place for other in others)
        for seat, place in enumerate(places)
    ]


def digest(text: str | bytes) -> str:
    """64 hex digits over what was played and how it ended: actions, faults, scores, places and forfeited seats. Times,
    players and the header do not matter. The record is not verified.

    :raises RecordError: if the text is no record at all.
    """
    lines = split_lines(text)
    played: list[str] = []
    for number, line in enumerate(lines[1:], start=2):
        found = read_line(number, line)
        if "action" in found:
            fault = found.get("fault")
            kind = fault.get("kind") if isinstance(fault, dict) else None
            played.append(json.dumps([found.get("seat"), found["action"], kind], separators=(",", ":")))
    return sum_up(played, read_line(len(lines), lines[-1]))


def sum_up(played: Sequence[str], result: Mapping[str, Any]) -> str:
    """The digest of decisions, each as JSON of its seat, action and kind of fault, and of a result."""
    end = [result.get("scores"), result.get("places"), result.get("forfeited")]
    said = ",".join((*played, json.dumps(end, separators=(",", ":"))))
    return hashlib.sha256(f"[{said}]".encode()).hexdigest()


def seal(body: str, result: Mapping[str, Any]) -> str:
    """64 hex digits over all lines before the result, ``body``, and the result without its hash."""
    return hashlib.sha256((body + write_line(result)).encode("utf-8", "surrogatepass")).hexdigest()
