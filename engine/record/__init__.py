"""Records of matches: written while a match is played, and verified by playing them again. Knows no clock and no file.

A record is UTF-8 text with one compact JSON object on each line: a header, every pack as it is dealt, every decision,
and the result. docs/record.md describes the fields.
"""

from engine.record.lines import FAULTS, FORFEITED, RecordError
from engine.record.recorder import Recorder
from engine.record.replay import Decision, Verified, read_beginning, verify
from engine.record.result import digest, with_forfeits

__all__ = [
    "FAULTS",
    "FORFEITED",
    "Decision",
    "RecordError",
    "Recorder",
    "Verified",
    "digest",
    "read_beginning",
    "verify",
    "with_forfeits",
]
