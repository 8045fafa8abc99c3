"""A bot's connection to a referee: dial, say hello, answer, come back. Knows no rules."""

import argparse
import contextlib
import os
import queue
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import grpc

from arena.bot.answers import LARGEST_BATCH, Answers, answers_of
from arena.bot.dial import UntrustedError, mistrust, open_channel, roots
from arena.bot.matches import Matches
from arena.bot.turn import Choose, ChooseMany
from arena.v1 import play_pb2, play_pb2_grpc

PROTOCOL = 1
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
PATIENCE_S = 60.0
"""How long a bot keeps trying to reach an address that has never answered."""

FINAL = {
    grpc.StatusCode.UNAUTHENTICATED: "the token is not accepted",
    grpc.StatusCode.PERMISSION_DENIED: "the token may not play this bot",
    grpc.StatusCode.INVALID_ARGUMENT: "the referee does not take the hello",
    grpc.StatusCode.FAILED_PRECONDITION: "the referee does not take this bot",
    grpc.StatusCode.ALREADY_EXISTS: "the referee has another bot of this name",
    grpc.StatusCode.UNIMPLEMENTED: "there is no referee at this address",
    grpc.StatusCode.NOT_FOUND: "the referee does not know this bot",
}
"""Refusals that trying again does not change."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the referee is and what proves who the bot is. ``hosted``: the bot was started by a referee for one block,
    and does not come back once its stream has ended. ``ca`` is as in :func:`arena.bot.dial.open_channel`."""

    server: str
    token: str
    hosted: bool
    ca: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a stream ended. ``again`` tells whether it makes sense to come back; ``welcomed`` whether it ever stood."""

    sentence: str
    exit_code: int
    again: bool
    welcomed: bool


def run(
    choose: Choose | None = None,
    *,
    name: str,
    games: Sequence[str],
    version: str = "",
    batch: int | None = None,
    choose_many: ChooseMany | None = None,
) -> NoReturn:
    """Plays until the referee says that the work is done; does not return, the process ends here.

    Give ``choose``, which answers one turn, or ``choose_many``, which answers all turns of a frame at once. ``batch``
    is the most turns of different matches that the referee sends in one frame, 1 to 256: unless given, 1 for
    ``choose`` and 256 for ``choose_many``. A bot of your own finds the referee by ``--server`` and ``--token`` or by
    ARENA_SERVER and ARENA_TOKEN, and speaks TLS if ``--ca`` or ARENA_CA names the root certificates to trust; a hosted
    bot is told where it is by the one who starts it.

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
        ended = _sessions(address, hello, answers)
    except KeyboardInterrupt:
        _exit(1, "stopped")
    except Exception:
        # The exception last: the last line is what the owner is told first.
        _say(f"{name} failed:")
        traceback.print_exc()
        _exit(1, "")
    _exit(ended.exit_code, ended.sentence)


def _sessions(address: Address, hello: play_pb2.Hello, answers: Answers) -> Ended:
    """Stream after stream until one ends for good."""
    matches = Matches()
    welcomed = False
    pause_s = FIRST_PAUSE_S
    started = time.monotonic()
    while True:
        ended = _session(address, hello, answers, matches)
        if ended.welcomed:
            welcomed = True
            pause_s = FIRST_PAUSE_S
        if not ended.again or address.hosted:
            return ended
        if not welcomed and time.monotonic() - started > PATIENCE_S:
            return Ended(f"{ended.sentence} Gave up after {PATIENCE_S:.0f} s.", 1, again=False, welcomed=False)
        _say(f"{ended.sentence} Trying again in {pause_s:.1f} s.")
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def _session(address: Address, hello: play_pb2.Hello, answers: Answers, matches: Matches) -> Ended:
    """One stream from hello to its end."""
    outgoing: queue.SimpleQueue[play_pb2.PlayRequest | None] = queue.SimpleQueue()
    outgoing.put(play_pb2.PlayRequest(hello=hello))
    channel = open_channel(address.server, address.ca, _options(address))
    call = play_pb2_grpc.PlayServiceStub(channel).Play(
        iter(outgoing.get, None), metadata=(("authorization", f"Bearer {address.token}"),)
    )
    welcomed = False
    farewell: play_pb2.Farewell | None = None
    try:
        for frame in call:
            if frame.HasField("welcome"):
                welcomed = True
                _say(f"{frame.welcome.bot} plays at {address.server}.", quiet=address.hosted)
            for start in frame.starts:
                matches.start(start)
            for choices in answers([matches.turn(turn) for turn in frame.turns]):
                outgoing.put(play_pb2.PlayRequest(choices=choices))
            for end in frame.ends:
                matches.end(end)
            if frame.HasField("farewell"):
                farewell = frame.farewell
                break
    except grpc.RpcError:
        if farewell is None:
            return _refused(call, address, welcomed)
    finally:
        outgoing.put(None)
        call.cancel()
        channel.close()
    return _parted(farewell, welcomed)


def _parted(farewell: play_pb2.Farewell | None, welcomed: bool) -> Ended:
    if farewell is None:
        return Ended("The referee closed the stream.", 1, again=True, welcomed=welcomed)
    match farewell.reason:
        case play_pb2.FAREWELL_REASON_DONE:
            return Ended("", 0, again=False, welcomed=welcomed)
        case play_pb2.FAREWELL_REASON_SHUTDOWN:
            return Ended(farewell.message, 1, again=True, welcomed=welcomed)
        case play_pb2.FAREWELL_REASON_TAKEN_OVER:
            return Ended(f"Taken over: {farewell.message}", 1, again=False, welcomed=welcomed)
        case _:
            return Ended(f"The referee ended the stream: {farewell.message}", 1, again=False, welcomed=welcomed)


def _refused(call: grpc.Call, address: Address, welcomed: bool) -> Ended:
    code, details = call.code(), call.details() or ""
    if code in FINAL and not welcomed:
        return Ended(f"{address.server}: {FINAL[code]}: {details}", 1, again=False, welcomed=False)
    if welcomed:
        return Ended(f"The stream to {address.server} was lost ({details}).", 1, again=True, welcomed=True)
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return Ended(f"{address.server}: {details}", 1, again=True, welcomed=False)
    if sentence := mistrust(details, address.server, address.ca):
        return Ended(sentence, 1, again=False, welcomed=False)
    return Ended(f"No referee answers at {address.server} ({details}).", 1, again=True, welcomed=False)


def _options(address: Address) -> list[tuple[str, int]]:
    if address.hosted:
        return []
    # A referee that vanished without a word is found after about 50 s.
    return [
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.http2.ping_timeout_ms", 20_000),
        ("grpc.http2.max_pings_without_data", 0),
        # The pause between two sessions is ours alone: a channel is used once.
        ("grpc.enable_retries", 0),
    ]


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


def _say(sentence: str, *, quiet: bool = False) -> None:
    if sentence and not quiet:
        print(sentence, file=sys.stderr, flush=True)  # noqa: T201 - a bot talks to its author


def _exit(code: int, sentence: str) -> NoReturn:
    """Ends the process without the clean-up of the interpreter, in which a gRPC client hangs now and then."""
    _say(sentence)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
