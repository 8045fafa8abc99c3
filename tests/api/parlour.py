"""A referee with its rooms on real sockets, for tests, and people of two kinds: those with a token, and visitors."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import psycopg
import pytest

from arena.api.access import Database
from arena.api.account import Accounts
from arena.api.drain import Drain
from arena.api.guests import Register
from arena.api.login import remote_bots
from arena.api.quota import Quota
from arena.api.room import Rooms
from arena.referee.hub import Hub
from arena.referee.service import Referee
from arena.scopes import READ
from arena.store.people import add_token, add_user
from arena.v1 import account_pb2, play_pb2
from arena.v1 import room_pb2 as pb
from arena.v1.account_pb2_grpc import AccountServiceStub, add_AccountServiceServicer_to_server
from arena.v1.room_pb2_grpc import RoomServiceStub, add_RoomServiceServicer_to_server
from tests.referee.wire import Wire

SHORT: dict[str, Any] = {"game": "minus_one", "options": {"rounds": "6"}, "seats": 4}


@dataclass
class Arena:
    """A referee with its rooms, and who may come: anna, who may do everything, and the token of the pages."""

    address: str
    stub: Any
    accounts: Any
    hub: Hub
    rooms: Rooms
    drain: Drain
    tokens: dict[str, str]
    time_s: list[float] = field(default_factory=lambda: [0.0])

    async def ask(self, method: str, request: Any, who: str = "anna") -> Any:
        call = getattr(self.stub, method)
        return await call(request, metadata=(("authorization", f"Bearer {self.tokens[who]}"),))

    async def account(self, who: str) -> account_pb2.Account:
        """The account, with its quotas."""
        metadata = (("authorization", f"Bearer {self.tokens[who]}"),)
        answer: account_pb2.Account = await self.accounts.GetAccount(account_pb2.GetAccountRequest(), metadata=metadata)
        return answer

    async def room(self, method: str, request: Any, who: str = "anna") -> pb.Room:
        answer: pb.Room = await self.ask(method, request, who)
        return answer

    async def create(self, **wanted: Any) -> pb.Room:
        return await self.room("CreateRoom", pb.CreateRoomRequest(**{**SHORT, **wanted}))

    async def join(self, room: pb.Room, player: str, who: str = "web") -> pb.JoinRoomResponse:
        asked = pb.JoinRoomRequest(room=room.room, invite=room.invite, player=player)
        seat: pb.JoinRoomResponse = await self.ask("JoinRoom", asked, who)
        return seat

    async def start(self, room: pb.Room, who: str = "anna") -> pb.Room:
        return await self.room("StartRoom", pb.StartRoomRequest(room=room.room), who)

    async def get(self, room: pb.Room, key: str = "", who: str = "anna") -> pb.Room:
        return await self.room("GetRoom", pb.GetRoomRequest(room=room.room, key=key), who)

    async def leave(self, room: pb.Room, ticket: str = "", who: str = "web", **seat: int) -> pb.Room:
        return await self.room("LeaveRoom", pb.LeaveRoomRequest(room=room.room, ticket=ticket, **seat), who)

    async def record(self, room: pb.Room, ticket: str, who: str = "web") -> str:
        answer = await self.ask("GetRoomRecord", pb.GetRoomRecordRequest(room=room.room, ticket=ticket), who)
        return str(answer.text)

    def wire(self, ticket: str) -> Wire:
        return Wire(self.address, ticket, name="person")

    async def ended(self, room: pb.Room) -> pb.Room:
        """The room when its match is over."""
        await asyncio.gather(*self.rooms._matches)
        return await self.get(room)


def at_the_arena(
    database_url: str,
    visit: Callable[[Arena], Awaitable[None]],
    *,
    clock: str = "",
    most: int = 64,
    quota: Callable[[Hub], Quota] = Quota,
) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        tokens = {"anna": add_user(connection, "anna"), "bob": add_user(connection, "bob")}
        add_user(connection, "web")
        tokens["web"] = add_token(connection, "web", scopes=[READ])

    async def served() -> None:
        async with AsyncExitStack() as stack:
            arena = await stack.enter_async_context(_served(database_url, tokens, clock, most, quota))
            await visit(arena)

    asyncio.run(served())


@asynccontextmanager
async def _served(
    database_url: str, tokens: dict[str, str], clock: str, most: int, quota: Callable[[Hub], Quota]
) -> Any:
    database, drain, time_s = Database(database_url, size=1), Drain(), [0.0]
    server = grpc.aio.server()
    async with Hub() as hub, asyncio.timeout(60):
        limits, referee = quota(hub), Referee(hub)
        register = Register(lambda: time_s[0], most=most)
        rooms = Rooms(database, hub, limits, drain, register=register, clock=clock)
        add_RoomServiceServicer_to_server(rooms, server)
        add_AccountServiceServicer_to_server(Accounts(database, limits), server)
        referee.add_to(server, rooms.seated(remote_bots(database, hub, limits, drain)), rooms.metered(limits.meter))
        address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        await server.start()
        async with grpc.aio.insecure_channel(address) as channel:
            yield Arena(
                address, RoomServiceStub(channel), AccountServiceStub(channel), hub, rooms, drain, tokens, time_s
            )
        await server.stop(0)
    database.close()


async def refused(call: Awaitable[Any], code: grpc.StatusCode, sentence: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError, match=sentence) as error:
        await call
    assert error.value.code() is code


async def play_to_the_end(wire: Wire) -> play_pb2.MatchEnd:
    """Answers with the lowest legal actions until a match ends."""
    while (frame := await wire.read()) is not None:
        if frame.turns:
            await wire.answer(frame.turns)
        if frame.ends:
            return frame.ends[0]
    raise AssertionError("The stream ended before the match did.")
