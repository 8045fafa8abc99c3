"""What a bot's program runs: it finds out where to go, plays, and ends the process. Knows no stream and no rules."""

import argparse
import contextlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

from arena.bot.answers import LARGEST_BATCH, Answers, answers_of
from arena.bot.dial import UntrustedError, roots
from arena.bot.follow import play
from arena.bot.matches import Matches
from arena.bot.stream import Address, Ended, Stream
from arena.bot.turn import Choose, ChooseMany
from arena.v1 import play_pb2

PROTOCOL = 1


def run(
    choose: Choose | None = None,
    *,
    name: str,
    games: Sequence[str],
    version: str = "",
    batch: int | None = None,
    choose_many: ChooseMany | None = None,
    follow: bool = True,
) -> NoReturn:
    """Plays until the referee says that the work is done; does not return, the process ends here.

    Give ``choose``, which answers one turn, or ``choose_many``, which answers all turns of a frame at once. ``batch``
    is the most turns of different matches that the referee sends in one frame, 1 to 256: unless given, 1 for
    ``choose`` and 256 for ``choose_many``. A bot of your own finds the referee by ``--server`` and ``--token`` or by
    ARENA_SERVER and ARENA_TOKEN, and speaks TLS if ``--ca`` or ARENA_CA names the root certificates to trust; a hosted
    bot is told where it is by the one who starts it. An arena may have several referees: the bot opens a stream to each
    that the first one names, and is asked about one frame at a time, whichever it comes from. With ``follow=False`` it
    stays with the referee that it was given.

    The exit code is 0 when the work is done, 1 when the bot failed or was refused, 2 when it does not know where to go.

    :raises TypeError: if both or neither of ``choose`` and ``choose_many`` are given.
    :raises ValueError: if the batch is out of range.
    """
    answers = answers_of(choose, choose_many)
    if batch is None:
        batch = 1 if choose_many is None else LARGEST_BATCH
    if not 1 <= batch <= LARGEST_BATCH:
        raise ValueError(f"batch must be a number of turns from 1 to {LARGEST_BATCH}, and is {batch}.")
    address = _address(sys.argv[1:])
    if isinstance(address, str):
        _exit(2, address)
    hello = play_pb2.Hello(
        bot=os.environ.get("ARENA_BOT", "") if address.hosted else name,
        version=version,
        games=games,
        batch=batch,
        protocol=PROTOCOL,
    )
    hello.bot = hello.bot or name
    try:
        ended = _play(address, hello, answers, follow=follow)
    except KeyboardInterrupt:
        _exit(1, "stopped")
    except Exception:
        # The exception last: the last line is what the owner is told first.
        _say(f"{name} failed:")
        traceback.print_exc()
        _exit(1, "")
    _exit(ended.exit_code, ended.sentence)


def _play(address: Address, hello: play_pb2.Hello, answers: Answers, *, follow: bool) -> Ended:
    """Plays until it has ended for good. A hosted bot has one stream, and reads it itself."""
    if not address.hosted:
        return play(address, hello, answers, _say, follow=follow)
    stream = Stream(address, hello, Matches())
    for frame in stream.frames():
        stream.take(frame, answers)
    return stream.ended()


def _address(arguments: Sequence[str]) -> Address | str:
    """Where to go, or a sentence about what is missing."""
    if socket := os.environ.get("ARENA_SOCKET"):
        return Address(socket, os.environ.get("ARENA_TICKET", ""), hosted=True)
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--server", default=os.environ.get("ARENA_SERVER", ""))
    parser.add_argument("--token", default=os.environ.get("ARENA_TOKEN", ""))
    parser.add_argument("--ca", default=os.environ.get("ARENA_CA", ""))
    given, _ = parser.parse_known_args(arguments)
    if not given.server:
        return "Where is the referee? Give --server HOST:PORT or set ARENA_SERVER."
    if not given.token:
        return "Who are you? Give --token TOKEN or set ARENA_TOKEN."
    if given.ca:
        try:
            roots(given.ca)
        except UntrustedError as error:
            return f"{error}."
    return Address(given.server, given.token, hosted=False, ca=given.ca)


def _say(sentence: str) -> None:
    if sentence:
        print(sentence, file=sys.stderr, flush=True)  # noqa: T201 - a bot talks to its author


def _exit(code: int, sentence: str) -> NoReturn:
    """Ends the process without the clean-up of the interpreter, in which a gRPC client hangs now and then."""
    _say(sentence)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
