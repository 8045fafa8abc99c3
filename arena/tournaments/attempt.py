"""One attempt at a block: the process that plays it, and what it reports. Knows no database, no broker and no rules.

The process gets the block as one line on its standard input, which stays open for as long as we want it to play: when
it closes, because we closed it or because we are gone, the process ends its bots and itself.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from arena.tournaments.block import (
    Beginning,
    Block,
    BotLog,
    Cause,
    Done,
    Failed,
    MatchReport,
    Progress,
    read_report,
    write_block,
)
from arena.tournaments.lines import BlockError

_KEPT = frozenset(
    {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "ARENA_BWRAP", "ARENA_CGROUP"}
)
_KEPT_FAMILIES = ("PYTHON", "LC_", "GRPC_")
"""What the process gets of our environment. The rest may hold passwords under any name, and bots speak with it."""

_WORDS_BYTES = 4000
_LEAVE_S = 16.0
"""The process has 15 s to end its bots."""

_LOOK_EVERY_S = 0.2


@dataclass(frozen=True, slots=True)
class Played:
    """The block was played to its end."""

    reports: tuple[MatchReport, ...]
    logs: tuple[BotLog, ...]
    tier: str = ""
    """Of the cells in which it was played."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The block was not played to its end. ``reason`` is a sentence, and ``reports`` and ``logs`` came before.

    :ivar cause: DIED if the process ended before it was done, broke the protocol or fell silent, LOST if we stopped it,
        else what the process says.
    """

    reason: str
    cause: Cause
    reports: tuple[MatchReport, ...] = ()
    logs: tuple[BotLog, ...] = ()


Outcome = Played | Cut


class _Died(Exception):
    """The process has died. The text is a sentence."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """What the process has reported so far."""

    reports: list[MatchReport]
    logs: list[BotLog]


def play(
    command: Sequence[str],
    block: Block,
    *,
    silence_s: float,
    tell: Callable[[int, int], None],
    stopped: Callable[[], str],
    show: Callable[[Beginning], None] = lambda _: None,
    environment: Mapping[str, str] | None = None,
) -> Outcome:
    """How the attempt ended; the process and its group are gone then.

    :param silence_s: how long it may make no progress.
    :param tell: is called with matches and decisions so far whenever they have grown. It must not wait.
    :param stopped: is asked a few times a second why to give up, in a sentence; empty to play on.
    :param show: is called with what may be seen of the block. It must not wait.
    :param environment: variables for the process beside those of ours that open no door.
    """
    heard = _Heard([], [])
    with tempfile.TemporaryFile() as words:
        process = subprocess.Popen(
            [*command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=words,
            env={**_environment(os.environ), **(environment or {})},
            start_new_session=True,
        )
        last: Done | Failed
        try:
            try:
                last = _listen(process, block, heard, silence_s=silence_s, tell=tell, stopped=stopped, show=show)
            finally:
                _end(process)
        except _Died as died:
            last = Failed(f"{died}{_last(words)}", Cause.DIED)
    reports, logs = tuple(heard.reports), tuple(heard.logs)
    if isinstance(last, Failed):
        return Cut(last.reason, last.cause, reports, logs)
    return Played(reports, logs, last.tier)


def _listen(
    process: subprocess.Popen[bytes],
    block: Block,
    heard: _Heard,
    *,
    silence_s: float,
    tell: Callable[[int, int], None],
    stopped: Callable[[], str],
    show: Callable[[Beginning], None],
) -> Done | Failed:
    """The last report of the process, or why we stopped it."""
    assert process.stdin is not None
    assert process.stdout is not None
    matches = decisions = 0
    unsent = memoryview(f"{write_block(block)}\n".encode())
    unread = bytearray()
    deadline = time.monotonic() + silence_s
    os.set_blocking(process.stdin.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdin, selectors.EVENT_WRITE)
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if reason := stopped():
                return Failed(reason, Cause.LOST)
            if time.monotonic() > deadline:
                raise _Died(f"The block process made no progress for {silence_s:.0f} s.")
            for key, _ in selector.select(_LOOK_EVERY_S):
                if key.fileobj is process.stdin:
                    # A process that does not read dies, and that is seen at its output.
                    with contextlib.suppress(BrokenPipeError):
                        unsent = unsent[os.write(process.stdin.fileno(), unsent) :]
                        if unsent:
                            continue
                    selector.unregister(process.stdin)
                    continue
                chunk = os.read(process.stdout.fileno(), 1 << 16)
                if not chunk:
                    raise _Died(f"The block process {_how_ended(process)} before it was done.")
                *lines, rest = (unread + chunk).split(b"\n")
                unread = bytearray(rest)
                for line in lines:
                    try:
                        report = read_report(bytes(line))
                    except BlockError as error:
                        raise _Died(f"The block process broke the protocol: {error}") from None
                    match report:
                        case Done() | Failed():
                            return report
                        case Beginning():
                            show(report)
                        case BotLog():
                            heard.logs.append(report)
                        case MatchReport():
                            heard.reports.append(report)
                        case Progress() if (report.matches, report.decisions) > (matches, decisions):
                            matches, decisions = report.matches, report.decisions
                            deadline = time.monotonic() + silence_s
                            tell(matches, decisions)
                        case Progress():
                            pass


def _environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Of ours what finds programs and says how to run them."""
    return {name: value for name, value in ours.items() if name in _KEPT or name.startswith(_KEPT_FAMILIES)}


def _how_ended(process: subprocess.Popen[bytes]) -> str:
    try:
        code = process.wait(_LEAVE_S)
    except subprocess.TimeoutExpired:
        return "closed its output"
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Closes the pipe that keeps the process alive; what is still there after a while is killed with its group."""
    assert process.stdin is not None
    assert process.stdout is not None
    # Both ends: a process that is blocked while it writes to us must notice as well.
    process.stdin.close()
    process.stdout.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_LEAVE_S)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _last(words: IO[bytes]) -> str:
    """The end of what the process wrote to its standard error."""
    size = words.seek(0, os.SEEK_END)
    words.seek(max(0, size - _WORDS_BYTES))
    text = words.read().decode("utf-8", "replace").replace("\0", "\ufffd").strip()
    return f" Its last words: {text}" if text else ""
