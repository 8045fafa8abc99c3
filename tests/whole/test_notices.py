"""A remote bot that goes wrong again and again at the real server: its owner reads why, and nobody is seated with it
until the owner says so."""

import asyncio

import grpc
import pytest

from arena.cli import main
from arena.stack.services import Services
from arena.store import connect, people
from arena.store.notices import FORFEITS
from arena.v1 import play_pb2
from arena.v1.match_pb2 import PlayMatchRequest
from arena.v1.match_pb2_grpc import MatchServiceStub
from tests.referee.wire import Wire


async def illegal(wire: Wire) -> None:
    """Answers with an action that no game has."""
    while (frame := await wire.read()) is not None:
        choices = [play_pb2.Choice(match_id=turn.match_id, turn=turn.turn, action=999) for turn in frame.turns]
        if choices:
            await wire.send(play_pb2.PlayRequest(choices=choices))


def test_a_bot_that_forfeits_in_a_row_is_shown_the_door_until_its_owner_lets_it_in(
    services: Services, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with connect(services.database_url) as connection:
        token = people.add_user(connection, "careless")
    monkeypatch.setenv("ARENA_SERVER", services.address)
    monkeypatch.setenv("ARENA_TOKEN", token)
    bearer = (("authorization", f"Bearer {token}"),)
    request = PlayMatchRequest(game="minus_one", bots=["remote:clumsy", "random", "random"])

    async def shown_the_door() -> None:
        async with (
            Wire(services.address, token, name="clumsy", games=["minus_one"], batch=8) as wire,
            grpc.aio.insecure_channel(services.address) as channel,
        ):
            bot = asyncio.create_task(illegal(wire))
            stub = MatchServiceStub(channel)
            for _ in range(FORFEITS):
                await stub.PlayMatch(request, metadata=bearer)
            await bot
            farewell = wire.frames[-1].farewell
            assert farewell.reason == play_pb2.FAREWELL_REASON_BROKEN
            assert "arena bot enable clumsy" in farewell.message
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.PlayMatch(request, metadata=bearer)
            assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        again = Wire(services.address, token, name="clumsy")
        await again.dial()
        assert await again.hello() is None
        code, sentence = await again.code()
        await again.close()
        assert code is grpc.StatusCode.FAILED_PRECONDITION
        assert "arena bot enable clumsy" in sentence

    async def comes_in() -> None:
        async with Wire(services.address, token, name="clumsy"):
            pass

    asyncio.run(asyncio.wait_for(shown_the_door(), 60))
    assert main(["bot", "log", "clumsy"]) == 0
    said = capsys.readouterr().out
    assert "forfeit (1 in a row): unrated match" in said
    assert "seat 0: ILLEGAL, There is no action 999" in said
    assert f"disabled ({FORFEITS} in a row)" in said
    assert main(["bot", "notify", "clumsy", "http://localhost:7/"]) == 2
    assert "private network" in capsys.readouterr().err
    assert main(["bot", "notify", "clumsy", "https://8.8.8.8/told"]) == 0
    assert main(["bot", "log", "clumsy"]) == 0
    assert "--- told at https://8.8.8.8/told" in capsys.readouterr().out
    assert main(["bot", "notify", "clumsy", "--off"]) == 0
    assert main(["bot", "enable", "clumsy"]) == 0
    asyncio.run(asyncio.wait_for(comes_in(), 30))
