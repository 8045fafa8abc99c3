"""Archives that come in over streams: so many at a time, none larger, slower or in smaller pieces than allowed. Knows
no zip, no bot and no database."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import grpc

from arena.errors import BadRequest, Exhausted
from arena.v1 import submission_pb2 as pb


@dataclass(frozen=True, slots=True)
class Terms:
    """What an upload may be. All archives that are coming in or being looked at hold at most ``places`` times
    ``most_bytes`` of memory.

    :ivar own: places of one owner.
    :ivar wait_s: how long a place is waited for.
    :ivar header_s: time for the header; then ``spare_s`` and a second for each ``bytes_per_s`` of the announced size.
    :ivar piece_bytes: usual size of a chunk and the largest; all but a few have at least a sixty-fourth of it.
    """

    most_bytes: int = 16 << 20
    places: int = 8
    own: int = 2
    wait_s: float = 60.0
    header_s: float = 10.0
    spare_s: float = 10.0
    bytes_per_s: int = 128 << 10
    piece_bytes: int = 64 << 10

    def time_s(self, size: int) -> float:
        """The time for an archive of that size once it has its place."""
        return self.spare_s + size / self.bytes_per_s

    def pieces(self, size: int) -> int:
        """How many chunks an archive of that size may come in."""
        return 64 + 64 * size // self.piece_bytes


class Uploads:
    """The places for archives that come in."""

    def __init__(self, terms: Terms | None = None) -> None:
        self._terms = terms or Terms()
        self._places = asyncio.Semaphore(self._terms.places)
        self._taken: Counter[str] = Counter()

    @asynccontextmanager
    async def receive(
        self, owner: str, parts: AsyncIterator[pb.CreateVersionRequest]
    ) -> AsyncIterator[tuple[pb.VersionHeader, bytearray]]:
        """Header and archive of an owner's upload; its place is its own until the block is left, whoever goes away.

        :raises BadRequest: if a part is missing, out of place or too slow, or the archive is not as large as announced.
        :raises Exhausted: if the owner has as many uploads as allowed, or no place becomes free.
        """
        terms = self._terms
        if self._taken[owner] >= terms.own:
            raise Exhausted(f"{owner} has {terms.own} uploads under way, which is the limit; wait until one has ended")
        self._taken[owner] += 1
        try:
            header = await self._header(parts)
            try:
                async with asyncio.timeout(terms.wait_s):
                    await self._places.acquire()
            except TimeoutError:
                raise Exhausted(f"{terms.places} uploads are under way; try again in a moment") from None
            try:
                yield header, await self._archive(header.size, parts)
            finally:
                self._places.release()
        finally:
            self._taken[owner] -= 1
            if not self._taken[owner]:
                del self._taken[owner]

    async def _header(self, parts: AsyncIterator[pb.CreateVersionRequest]) -> pb.VersionHeader:
        part = await _next(parts, self._terms.header_s)
        if part is None:
            raise BadRequest("the upload is empty; send a header and the archive")
        if not part.HasField("header"):
            raise BadRequest("the upload has no header; send the header first")
        size = part.header.size
        if size > self._terms.most_bytes:
            raise BadRequest(
                f"the archive has {size:,} bytes; the limit is {self._terms.most_bytes:,}; leave something out"
            )
        return part.header

    async def _archive(self, size: int, parts: AsyncIterator[pb.CreateVersionRequest]) -> bytearray:
        terms = self._terms
        archive = bytearray()
        ends = time.monotonic() + terms.time_s(size)
        pieces = 0
        while part := await _next(parts, ends - time.monotonic()):
            pieces += 1
            if part.HasField("header"):
                raise BadRequest("the upload has two headers; send the header once, first")
            if not part.chunk:
                raise BadRequest("a part of the upload is empty; send the archive in chunks, then end the stream")
            if len(part.chunk) > terms.piece_bytes:
                raise BadRequest(f"a chunk has {len(part.chunk):,} bytes; send at most {terms.piece_bytes:,} in each")
            if pieces > terms.pieces(size):
                raise BadRequest(f"the archive comes in too small pieces; send {terms.piece_bytes:,} bytes in each")
            if len(archive) + len(part.chunk) > size:
                raise BadRequest(f"more than the announced {size:,} bytes came; announce the size of the archive")
            archive += part.chunk
        if len(archive) != size:
            raise BadRequest(f"{len(archive):,} of {size:,} bytes came; upload it again")
        return archive


async def _next(parts: AsyncIterator[pb.CreateVersionRequest], within_s: float) -> pb.CreateVersionRequest | None:
    """The next part; None when there are no more or the caller is gone.

    :raises BadRequest: if it does not come in time.
    """
    reading = asyncio.create_task(_read(parts))
    # Not a time-out around the read: the task is left alone and ends with the call.
    await asyncio.wait({reading}, timeout=max(within_s, 0))
    if not reading.done():
        raise BadRequest("the upload is too slow; try again on a faster line")
    return reading.result()


async def _read(parts: AsyncIterator[pb.CreateVersionRequest]) -> pb.CreateVersionRequest | None:
    try:
        return await anext(parts, None)
    except grpc.aio.BaseError:
        return None
