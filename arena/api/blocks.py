"""RefereeService: plays the blocks that have remote bots on the hub that these are connected to. Knows no cell and no
database."""

import asyncio
import contextlib
import hashlib
import hmac
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection

import grpc

from arena.api.access import Context
from arena.api.drain import BLOCK, SENTENCE, Drain
from arena.errors import ArenaError, Unavailable
from arena.referee.hub import Hub
from arena.referee.plan import Abandoned, PlayerId
from arena.referee.service import Authenticate, Refusal, token_of
from arena.referee.stream import Hello
from arena.store import notices
from arena.tournaments.block import (
    Block,
    Cause,
    Done,
    Failed,
    PlayerKind,
    Progress,
    Report,
    UnitKind,
    read_block,
    write_report,
)
from arena.tournaments.lines import BlockError
from arena.tournaments.sitting import Tell, check_block, play_sitting
from arena.v1 import referee_pb2, referee_pb2_grpc

log = logging.getLogger("arena.serve")


Disabled = Callable[[Collection[str]], Awaitable[Collection[str]]]


async def nobody(_bots: Collection[str]) -> Collection[str]:
    """No bot is disabled."""
    return ()


class Blocks(referee_pb2_grpc.RefereeServiceServicer):
    """RefereeService: plays blocks with remote bots on this hub. Whoever calls shows the secret. A block whose cards
    are not dealt when the drain begins is handed back."""

    def __init__(self, hub: Hub, secret: str, drain: Drain, disabled: Disabled = nobody) -> None:
        """``disabled`` tells which of some bots nobody may be seated with."""
        self._disabled = disabled
        self._hub = hub
        self._secret = secret
        self._drain = drain
        # By the hash of the ticket: how long it takes to find none tells nothing of those that there are.
        self._tickets: dict[bytes, PlayerId] = {}

    def seated(self, otherwise: Authenticate) -> Authenticate:
        """Lets the hosted bots of the blocks that are being played in with their tickets, everyone else as before."""

        async def authenticate(token: str, hello: Hello) -> PlayerId | Refusal:
            player = self._tickets.get(_sha256(token))
            return player if player is not None else await otherwise(token, hello)

        return authenticate

    async def PlayBlock(
        self, request: referee_pb2.PlayBlockRequest, context: Context
    ) -> AsyncIterator[referee_pb2.PlayBlockResponse]:
        """Plays the block; the first report comes at once, the last is Done or Failed. A caller that goes away ends the
        block."""
        if not hmac.compare_digest(token_of(context).encode(), self._secret.encode()):
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "Only workers of this arena may ask for a block.")
        reports: asyncio.Queue[Report] = asyncio.Queue(maxsize=64)
        try:
            with self._drain.open(BLOCK):
                playing = asyncio.create_task(self._play(request.block, reports.put))
                try:
                    while True:
                        report = await reports.get()
                        yield referee_pb2.PlayBlockResponse(report=write_report(report))
                        if isinstance(report, Done | Failed):
                            return
                finally:
                    playing.cancel()
                    await asyncio.gather(playing, return_exceptions=True)
        except Unavailable as error:
            # Said, and no status: that would look like a connection that broke when cards were dealt.
            refusal = Failed(f"Nothing was dealt: {error}.", Cause.UNSEEN)
            yield referee_pb2.PlayBlockResponse(report=write_report(refusal))

    async def _play(self, text: str, tell: Tell) -> None:
        try:
            block = read_block(text)
            check_block(block)
        except BlockError as error:
            await tell(Failed(str(error), Cause.DIED))
            return
        if block.kind is UnitKind.ROTATION:
            # A remote bot cannot be made to forget, so it must not meet a deal twice.
            await tell(Failed("A block with a remote bot has no rotation units.", Cause.DIED))
            return
        hosted = {
            player.ticket: f"{block.attempt}/{index}"
            for index, player in enumerate(block.players)
            if player.kind is PlayerKind.HOSTED
        }
        players = [hosted.get(player.ticket, player.bot) for player in block.players]
        absent = await self._absent(block)
        for index, bot in absent.items():
            # Not the bot itself: whatever else it is in goes on. Nobody has a ticket for this player.
            players[index] = f"{block.attempt}/{index}"
            self._hub.expect(players[index])
            self._hub.gone(players[index], f"{notices.sentence(bot)}.")
        for ticket, player in hosted.items():
            self._tickets[_sha256(ticket)] = player
            self._hub.expect(player)
        try:
            # The caller starts its bots now: their tickets are known.
            await tell(Progress(0, 0))
            about = {"block": block.id, "tournament": block.tournament}
            log.info("block %d of %s begins", block.id, block.tournament, extra=about)
            if await self._played(block, players, tell):
                log.info("block %d of %s is played", block.id, block.tournament, extra=about)
                await tell(Done())
            else:
                await tell(Failed(f"Nothing was dealt: {SENTENCE}.", Cause.UNSEEN))
        except* Abandoned as given_up:
            # The referee ends in good order, and nobody is to blame.
            log.warning("block %d of %s is handed back", block.id, block.tournament, extra={"block": block.id})
            await tell(Failed(f"The block was given up: {given_up.exceptions[0]}", Cause.LOST))
        except* Exception as error:
            log.exception("block %d of %s failed", block.id, block.tournament, extra={"block": block.id})
            await tell(Failed(f"The referee failed: {error.exceptions[0]!r}.", Cause.DIED))
            raise
        finally:
            for ticket, player in hosted.items():
                self._tickets.pop(_sha256(ticket), None)
                self._hub.forget(player)
            for index in absent:
                self._hub.forget(players[index])

    async def _absent(self, block: Block) -> dict[int, str]:
        """The disabled bots of the block by player. A database that is away disables nobody."""
        remote = {player.bot: index for index, player in enumerate(block.players) if player.kind is PlayerKind.REMOTE}
        with contextlib.suppress(ArenaError):
            return {remote[bot]: bot for bot in await self._disabled(list(remote))}
        return {}

    async def _played(self, block: Block, players: list[PlayerId], tell: Tell) -> bool:
        """Whether the block was played to its end; False if the drain began before its first card."""
        dealt = asyncio.Event()
        playing = asyncio.create_task(
            play_sitting(
                self._hub, block, block.sittings[0], players, so_far=Progress(0, 0), tell=tell, dealing=dealt.set
            )
        )
        ending = asyncio.create_task(self._drain.asked())
        try:
            await asyncio.wait({playing, ending}, return_when=asyncio.FIRST_COMPLETED)
            if not dealt.is_set() and not playing.done():
                return False
            await playing
            return True
        finally:
            ending.cancel()
            playing.cancel()
            await asyncio.gather(playing, ending, return_exceptions=True)


def _sha256(ticket: str) -> bytes:
    return hashlib.sha256(ticket.encode()).digest()
