"""Uploads on a real server: what breaks the terms is refused with a sentence, and many at once stay within bounds."""

import asyncio
import itertools
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator

import grpc
import pytest

from arena.api.access import Database
from arena.api.submission import Submission
from arena.api.uploads import Terms
from arena.referee.service import server_options
from arena.store import Connection
from arena.store.people import add_user
from arena.v1 import submission_pb2 as pb
from arena.v1.submission_pb2_grpc import SubmissionServiceStub, add_SubmissionServiceServicer_to_server
from tests.tournaments.ground import archive_of, one

MIB = 1 << 20
PIECE = 64 << 10
OTHER = archive_of("other")
TERMS = Terms(most_bytes=MIB)

Part = pb.CreateVersionRequest


class Upload:
    """Uploads of owners, each over a connection of its own."""

    def __init__(self, address: str, tokens: dict[str, str]) -> None:
        self._address = address
        self._metadata = {owner: (("authorization", f"Bearer {token}"),) for owner, token in tokens.items()}
        self._channels = {owner: grpc.aio.insecure_channel(address) for owner in tokens}

    async def __call__(self, owner: str, parts: AsyncIterator[Part]) -> pb.Version:
        stub = SubmissionServiceStub(self._channels[owner])
        version = await stub.CreateVersion(parts, metadata=self._metadata[owner])
        assert isinstance(version, pb.Version)
        return version

    async def plainly(self, owner: str, parts: Iterator[Part]) -> pb.Version:
        """The same in a thread: this client hears the refusal also in the middle of a write."""

        def call() -> pb.Version:
            with grpc.insecure_channel(self._address) as channel:
                return SubmissionServiceStub(channel).CreateVersion(parts, metadata=self._metadata[owner])

        return await asyncio.to_thread(call)

    async def close(self) -> None:
        for channel in self._channels.values():
            await channel.close()


Visit = Callable[[Submission, Upload], Awaitable[None]]


def at_the_door(database_url: str, terms: Terms, visit: Visit, *owners: str) -> None:
    """The service on a server as `arena serve` makes it."""

    async def served() -> None:
        database = Database(database_url)
        tokens = {owner: await database.ask(add_user, owner) for owner in owners or ("ann", "bob")}
        server = grpc.aio.server(options=server_options(60_000))
        submission = Submission(database, lambda: None, terms)
        add_SubmissionServiceServicer_to_server(submission, server)
        upload = Upload(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}", tokens)
        await server.start()
        try:
            await visit(submission, upload)
        finally:
            await upload.close()
            await server.stop(0)
            database.close()

    asyncio.run(served())


def header(size: int, bot: str = "mine") -> Part:
    return Part(header=pb.VersionHeader(bot=bot, size=size))


def pieces(archive: bytes) -> list[Part]:
    return [Part(chunk=archive[at : at + PIECE]) for at in range(0, len(archive), PIECE)]


def in_turn(*parts: Part | Iterable[Part]) -> Iterator[Part]:
    for part in parts:
        yield from [part] if isinstance(part, Part) else part


async def sent(*parts: Part | Iterable[Part]) -> AsyncIterator[Part]:
    for part in in_turn(*parts):
        yield part


async def never() -> None:
    await asyncio.get_running_loop().create_future()


async def and_then_nothing(*parts: Part) -> AsyncIterator[Part]:
    for part in parts:
        yield part
    await never()


async def dripping(size: int) -> AsyncIterator[Part]:
    yield header(size)
    while True:
        yield Part(chunk=b"x")
        await asyncio.sleep(0.02)


REFUSED: dict[str, tuple[Callable[[], Iterator[Part]], str]] = {
    "nothing": (in_turn, "the upload is empty"),
    "no header": (lambda: in_turn(Part(chunk=b"x")), "send the header first"),
    "nothing in a part": (lambda: in_turn(Part()), "send the header first"),
    "two headers": (lambda: in_turn(header(9), header(9)), "the upload has two headers"),
    "headers for ever": (lambda: in_turn(itertools.repeat(header(9))), "the upload has two headers"),
    "a header in the middle": (lambda: in_turn(header(9), Part(chunk=b"x"), header(9)), "the upload has two headers"),
    "too large": (lambda: in_turn(header(MIB + 1)), "the archive has 1,048,577 bytes; the limit is 1,048,576; leave"),
    "far too large": (lambda: in_turn(header((1 << 64) - 1)), "the limit is 1,048,576"),
    "more than announced": (lambda: in_turn(header(3), Part(chunk=b"1234")), "more than the announced 3 bytes came"),
    "more for ever": (
        lambda: in_turn(header(MIB), itertools.repeat(Part(chunk=bytes(PIECE)))),
        "more than the announced",
    ),
    "less than announced": (lambda: in_turn(header(9), Part(chunk=b"1234")), "4 of 9 bytes came; upload it again"),
    "nothing announced": (lambda: in_turn(header(0)), "the archive is refused: this is not a whole zip archive"),
    "empty for ever": (lambda: in_turn(header(9), itertools.repeat(Part(chunk=b""))), "a part of the upload is empty"),
    "parts of nothing for ever": (
        lambda: in_turn(header(9), itertools.repeat(Part())),
        "a part of the upload is empty",
    ),
    "small for ever": (lambda: in_turn(header(MIB), itertools.repeat(Part(chunk=b"x"))), "comes in too small pieces"),
    "a large chunk": (
        lambda: in_turn(header(MIB), Part(chunk=bytes(PIECE + 1))),
        "a chunk has 65,537 bytes; send at most",
    ),
    "no zip": (
        lambda: in_turn(header(5), Part(chunk=b"hello")),
        "the archive is refused: this is not a whole zip archive",
    ),
    "another name": (
        lambda: in_turn(header(len(OTHER)), pieces(OTHER)),
        "the manifest names 'other', the upload 'mine'",
    ),
}


def test_an_upload_that_breaks_the_terms_is_refused_with_a_sentence(database_url: str) -> None:
    async def visit(submission: Submission, upload: Upload) -> None:
        for what, (parts, sentence) in REFUSED.items():
            with pytest.raises(grpc.RpcError) as refused:
                await upload.plainly("ann", parts())
            assert (what, refused.value.code()) == (what, grpc.StatusCode.INVALID_ARGUMENT)
            assert sentence in str(refused.value.details()), what
        with pytest.raises(grpc.RpcError) as refused:
            await upload.plainly("ann", in_turn(header(MIB), Part(chunk=bytes(300_000))))
        assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED, "gRPC itself takes no such message"
        assert not submission._uploads._taken
        assert submission._uploads._places._value == TERMS.places

    at_the_door(database_url, TERMS, visit)


@pytest.mark.parametrize(
    "parts",
    [and_then_nothing, lambda: and_then_nothing(header(9)), lambda: dripping(MIB)],
    ids=["no header", "no bytes", "drops"],
)
def test_a_slow_upload_is_given_up(parts: Callable[[], AsyncIterator[Part]], database_url: str) -> None:
    async def visit(_submission: Submission, upload: Upload) -> None:
        with pytest.raises(grpc.aio.AioRpcError, match="the upload is too slow; try again on a faster line"):
            await upload("ann", parts())

    at_the_door(database_url, Terms(header_s=0.3, spare_s=0.3, bytes_per_s=1 << 40), visit)


def test_the_time_for_an_upload_follows_its_size() -> None:
    assert [Terms().time_s(size) for size in (0, MIB, 16 * MIB)] == [10, 18, 138]


def test_a_caller_that_goes_away_leaves_its_place(database_url: str) -> None:
    async def visit(submission: Submission, upload: Upload) -> None:
        going = asyncio.create_task(
            _as_task(upload("ann", and_then_nothing(header(PIECE * 2), Part(chunk=bytes(PIECE)))))
        )
        while not submission._uploads._places.locked():  # noqa: ASYNC110 - nobody tells when a place is taken
            await asyncio.sleep(0.005)
        coming = asyncio.create_task(_as_task(upload("bob", sent(header(len(OTHER), "other"), pieces(OTHER)))))
        going.cancel()
        assert (await coming).state == pb.VERSION_STATE_VALIDATING
        while submission._uploads._taken:  # noqa: ASYNC110 - the same
            await asyncio.sleep(0.005)

    at_the_door(database_url, Terms(places=1), visit)


def test_an_owner_and_all_owners_have_as_many_places_as_the_terms_say(database_url: str) -> None:
    async def visit(submission: Submission, upload: Upload) -> None:
        holding = asyncio.create_task(_as_task(upload("ann", and_then_nothing(header(9)))))
        while not submission._uploads._places.locked():  # noqa: ASYNC110 - nobody tells when a place is taken
            await asyncio.sleep(0.005)
        for owner, sentence in (
            ("ann", "ann has 1 uploads under way, which is the limit; wait until one has ended"),
            ("bob", "1 uploads are under way; try again in a moment"),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await upload(owner, sent(header(9)))
            assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert refused.value.details() == sentence
        holding.cancel()

    at_the_door(database_url, Terms(places=1, own=1, wait_s=0.1), visit)


def test_many_uploads_at_once_take_no_more_memory_than_their_places(database_url: str) -> None:
    owners = [f"owner-{number}" for number in range(16)]
    piece = Part(chunk=bytes(PIECE))

    async def visit(_submission: Submission, upload: Upload) -> None:
        tracemalloc.start()
        try:
            whole = [upload(owner, sent(header(MIB), itertools.repeat(piece, MIB // PIECE))) for owner in owners]
            answers = await asyncio.gather(*whole, return_exceptions=True)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert all("this is not a whole zip archive" in str(answer) for answer in answers)
        # Two archives, one of them copied while it is looked at, and a few pieces of each upload on the way.
        assert peak < 3 * MIB + len(owners) * 4 * PIECE

    at_the_door(database_url, Terms(most_bytes=MIB, places=2), visit, *owners)


def test_a_version_keeps_its_whole_manifest(connection: Connection, database_url: str) -> None:
    async def visit(_submission: Submission, upload: Upload) -> None:
        versions = [await upload("ann", sent(header(len(OTHER), "other"), pieces(OTHER))) for _ in range(2)]
        assert versions[0] == versions[1]

    at_the_door(database_url, TERMS, visit)
    kept = {"name": "other", "entry": "main.py", "games": ["callbreak"], "batch": 1, "version": ""}
    assert one(connection, "SELECT manifest FROM versions") == kept


async def _as_task(answer: Awaitable[pb.Version]) -> pb.Version:
    return await answer
