"""How a cell ended: as a value, and in sentences with the numbers that an author needs. Knows no process."""

import signal
from dataclasses import dataclass

from sandbox.box import Limits
from sandbox.output import Part


@dataclass(frozen=True, slots=True)
class Exit:
    """How a cell ended.

    :ivar code: the bot's own, as ``signal``; both None if it was killed.
    :ivar reason: a sentence without its end and without anything that the bot wrote.
    :ivar last_line: of its output, if it ended by itself with an error, or from outside; else empty.
    :ivar parts: what is kept of its output, and ``written`` how many bytes there were.
    :ivar started_s: when it was started, by ``time.monotonic``.
    """

    code: int | None
    signal: int | None
    reason: str
    last_line: str
    parts: tuple[Part, ...]
    written: int
    started_s: float
    cpu_s: float
    peak_mib: int

    @property
    def log(self) -> bytes:
        """What is kept of its output."""
        return b"".join(part.data for part in self.parts)


_MEANINGS = (
    (("MemoryError", "bad_alloc", "Cannot allocate memory"), "it got no more memory; the limit is {memory_mib} MiB"),
    (
        ("start new thread", "Resource temporarily unavailable"),
        "it got no more processes or threads; the limit is {processes}",
    ),
    (("Too many open files",), "it got no more descriptors; the limit is {descriptors}"),
    (("File too large",), "a file of it grew too large; the limit is {file_mib} MiB"),
    (("No space left on device",), "its /tmp or /dev/shm was full; the limit is {tmp_mib} MiB each"),
)
"""What a last line says of a limit that the kernel holds by refusing: nobody but the bot sees that it was refused."""

_SIGNALS = {
    signal.SIGXCPU: "it used up its processor time; the limit is {cpu_s:g} s",
    signal.SIGXFSZ: "a file of it grew too large; the limit is {file_mib} MiB",
    signal.SIGSYS: "it made a system call that no bot may make",
    signal.SIGKILL: "not by the arena: it killed itself, or the host had no memory left",
}


def by_itself(code: int, last_line: str, limits: Limits) -> str:
    """The reason for a program that ended with a code."""
    return f"ended by itself with code {code}{_meaning(last_line, limits) if code else ''}"


def by_signal(number: int, last_line: str, limits: Limits) -> str:
    """The reason for a program that a signal ended."""
    known = {each.value: each for each in signal.Signals}
    ended = f"ended by signal {number} ({known[number].name if number in known else 'unknown'})"
    meant = _SIGNALS.get(known[number]) if number in known else None
    return f"{ended}: {_filled(meant, limits)}" if meant else f"{ended}{_meaning(last_line, limits)}"


def _meaning(last_line: str, limits: Limits) -> str:
    for words, meant in _MEANINGS:
        if any(word in last_line for word in words):
            return f": {_filled(meant, limits)}"
    return ""


def _filled(meant: str, limits: Limits) -> str:
    return meant.format(**{name: getattr(limits, name) for name in Limits.__slots__})
