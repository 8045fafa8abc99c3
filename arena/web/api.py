"""The pages' side of the API: one channel, asked with the token of whoever looks. Knows no page."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import grpc
from grpc_status import rpc_status

from arena.bot.dial import roots
from arena.errors import ArenaError, NotAllowed, Unavailable
from arena.scopes import READ
from arena.status import CODES
from arena.v1 import account_pb2
from arena.v1.account_pb2_grpc import AccountServiceStub
from arena.v1.match_pb2_grpc import MatchServiceStub
from arena.v1.oversight_pb2_grpc import OversightServiceStub
from arena.v1.rating_pb2_grpc import RatingServiceStub
from arena.v1.room_pb2_grpc import RoomServiceStub
from arena.v1.submission_pb2_grpc import SubmissionServiceStub
from arena.v1.tournament_pb2_grpc import TournamentServiceStub

Answer = TypeVar("Answer")
Call = Callable[..., Awaitable[Answer]]

ERRORS = {code: error for error, code in CODES.items()}
ANSWER_S = 20.0
"""A page is not waited for any longer."""
LARGEST_ANSWER = 64 << 20


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever looks at the pages. ``user`` is empty for somebody who has not signed in."""

    token: str
    user: str = ""
    admin: bool = False
    scopes: tuple[str, ...] = ()

    @property
    def signed_in(self) -> bool:
        """Whether the token is the visitor's own."""
        return bool(self.user)


class Api:
    """The services, and a token that may only read for visitors who have none.

    :ivar address: HOST:PORT.
    """

    def __init__(self, address: str, token: str, ca: str = "") -> None:
        """
        :raises UntrustedError: if ``ca`` names a file without root certificates.
        """
        self.address = address
        self.ca = ca
        self._roots = roots(ca) if ca else None
        self.channel = self.dial()
        self.anybody = Visitor(token)
        # The stubs of a channel of grpc.aio answer with awaitables, which their generated types do not say.
        channel: Any = self.channel
        self.accounts: Any = AccountServiceStub(channel)
        self.bots: Any = SubmissionServiceStub(channel)
        self.matches: Any = MatchServiceStub(channel)
        self.oversight: Any = OversightServiceStub(channel)
        self.ratings: Any = RatingServiceStub(channel)
        self.rooms: Any = RoomServiceStub(channel)
        self.tournaments: Any = TournamentServiceStub(channel)

    def dial(self, *, own: bool = False) -> grpc.aio.Channel:
        """A channel to the server; ``own`` for one that shares no connection with others."""
        options = [("grpc.max_receive_message_length", LARGEST_ANSWER), ("grpc.use_local_subchannel_pool", int(own))]
        if self.ca:
            return grpc.aio.secure_channel(self.address, grpc.ssl_channel_credentials(self._roots), options=options)
        return grpc.aio.insecure_channel(self.address, options=options)

    async def ask(self, call: Call[Answer], request: object, visitor: Visitor | None = None) -> Answer:
        """The answer of a service, asked as the visitor.

        :raises ArenaError: with the sentence of a refusal.
        :raises Unavailable: if nobody answers.
        """
        token = (visitor or self.anybody).token
        try:
            return await call(request, metadata=(("authorization", f"Bearer {token}"),), timeout=ANSWER_S)
        except grpc.aio.AioRpcError as error:
            sentence = error.details() or f"the server answered {error.code().name}"
            if error.code() == grpc.StatusCode.UNAVAILABLE and rpc_status.from_call(error) is None:
                raise Unavailable(f"no answer from {self.address}; try again in a moment") from error
            raise ERRORS.get(error.code(), ArenaError)(sentence) from error

    async def visitor(self, token: str) -> Visitor:
        """Whoever has the token.

        :raises NotLoggedIn: if nobody has it.
        """
        account = await self.ask(self.accounts.GetAccount, account_pb2.GetAccountRequest(), Visitor(token))
        return Visitor(token, account.user, account.admin, tuple(account.token.scopes))

    async def check(self) -> None:
        """Returns if the token for visitors may read, and do nothing else.

        :raises NotLoggedIn: if nobody has it.
        :raises NotAllowed: if it may do more, which every visitor could do then.
        """
        found = await self.visitor(self.anybody.token)
        if found.admin or found.scopes != (READ,):
            raise NotAllowed(
                f"the token of the pages belongs to {found.user} and may do more than read, and whoever looks at the "
                f"pages could do it, too; make one for them: 'arena user add web', 'arena user token web --scope read'"
            )

    async def close(self) -> None:
        """Ends the channel."""
        await self.channel.close()
