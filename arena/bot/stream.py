"""One stream of a bot to a referee, from its hello to its end. Knows no other referee and no rules."""

import queue
from collections.abc import Iterator
from dataclasses import dataclass

import grpc

from arena.bot.answers import Answers
from arena.bot.dial import mistrust, open_channel
from arena.bot.matches import Matches
from arena.v1 import play_pb2, play_pb2_grpc

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
    """How a stream ended. ``again`` tells whether it makes sense to come back; ``welcomed`` whether it ever stood;
    ``taken_over`` whether the bot has logged in elsewhere."""

    sentence: str
    exit_code: int
    again: bool
    welcomed: bool
    taken_over: bool = False


class Stream:
    """A stream, dialled when it is made.

    :ivar welcomed: whether it ever stood.
    """

    def __init__(self, address: Address, hello: play_pb2.Hello, matches: Matches) -> None:
        """``matches`` are those of this referee, of streams before this one too."""
        self.welcomed = False
        self._address = address
        self._matches = matches
        self._farewell: play_pb2.Farewell | None = None
        self._failed = False
        self._outgoing: queue.SimpleQueue[play_pb2.PlayRequest | None] = queue.SimpleQueue()
        self._outgoing.put(play_pb2.PlayRequest(hello=hello))
        self._channel = open_channel(address.server, address.ca, _options(address))
        self._call = play_pb2_grpc.PlayServiceStub(self._channel).Play(
            iter(self._outgoing.get, None), metadata=(("authorization", f"Bearer {address.token}"),)
        )

    def frames(self) -> Iterator[play_pb2.PlayResponse]:
        """What the referee sends, to the end of the stream, which is closed then."""
        try:
            for frame in self._call:
                yield frame
                if frame.HasField("farewell"):
                    return
        except grpc.RpcError:
            self._failed = True
        finally:
            self.close()

    def take(self, frame: play_pb2.PlayResponse, answers: Answers) -> None:
        """Does what the frame asks for, and sends the answers. What ``answers`` raises goes through."""
        self.welcomed = self.welcomed or frame.HasField("welcome")
        for start in frame.starts:
            self._matches.start(start)
        for choices in answers([self._matches.turn(turn) for turn in frame.turns]):
            self._outgoing.put(play_pb2.PlayRequest(choices=choices))
        for end in frame.ends:
            self._matches.end(end)
        if frame.HasField("farewell"):
            self._farewell = frame.farewell

    def ended(self) -> Ended:
        """How it ended, once the last frame was taken."""
        if self._farewell is None and self._failed:
            return _refused(self._call, self._address, self.welcomed)
        return _parted(self._farewell, self.welcomed)

    def close(self) -> None:
        """Ends it from this side; nothing happens if it has ended."""
        self._outgoing.put(None)
        self._call.cancel()
        self._channel.close()


def _parted(farewell: play_pb2.Farewell | None, welcomed: bool) -> Ended:
    if farewell is None:
        return Ended("The referee closed the stream.", 1, again=True, welcomed=welcomed)
    match farewell.reason:
        case play_pb2.FAREWELL_REASON_DONE:
            return Ended("", 0, again=False, welcomed=welcomed)
        case play_pb2.FAREWELL_REASON_SHUTDOWN:
            return Ended(farewell.message, 1, again=True, welcomed=welcomed)
        case play_pb2.FAREWELL_REASON_TAKEN_OVER:
            return Ended(f"Taken over: {farewell.message}", 1, again=False, welcomed=welcomed, taken_over=True)
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
