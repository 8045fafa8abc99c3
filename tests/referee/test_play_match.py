"""PlayMatch over gRPC: house bots sit down for one match and get up again, and a table that cannot play is refused."""

import asyncio
from collections.abc import Awaitable, Callable

import grpc
import psycopg
import pytest

import engine
from arena.api.access import Database
from arena.api.drain import Drain
from arena.api.match import Matches
from arena.api.quota import Quota
from arena.referee.hub import Hub
from arena.store.people import add_user
from arena.tournaments.unsubmitted import of_house
from arena.v1 import match_pb2 as pb
from arena.v1.match_pb2_grpc import MatchServiceStub, add_MatchServiceServicer_to_server
from engine.record import verify
from tests.referee.tables import games, title

HOUSE = ("random", "steady", "random", "bold")
Play = Callable[[pb.PlayMatchRequest], Awaitable[pb.Record]]


def at_the_service(
    database_url: str, visit: Callable[[Hub, Play], Awaitable[None]], quota: Callable[[Hub], Quota] = Quota
) -> None:
    """Runs the visit beside a real service, with what calls PlayMatch as a user."""

    async def served() -> None:
        with psycopg.connect(database_url, autocommit=True) as connection:
            token = add_user(connection, "anna")
        database = Database(database_url, size=1)
        server = grpc.aio.server()
        async with Hub() as hub, asyncio.timeout(60):
            add_MatchServiceServicer_to_server(Matches(database, hub, quota(hub), Drain()), server)
            port = server.add_insecure_port("127.0.0.1:0")
            await server.start()
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                stub = MatchServiceStub(channel)

                async def play(request: pb.PlayMatchRequest) -> pb.Record:
                    record = await stub.PlayMatch(request, metadata=(("authorization", f"Bearer {token}"),))
                    assert isinstance(record, pb.Record)
                    return record

                await visit(hub, play)
            await server.stop(0)
        database.close()

    asyncio.run(served())


def test_a_match_of_house_bots_ends_with_a_record_and_nobody_stays_at_the_table(database_url: str) -> None:
    async def visit(hub: Hub, play: Play) -> None:
        for game in games():
            seed = bytes(range(32))
            record = await play(pb.PlayMatchRequest(game=game.id, bots=HOUSE[: game.seats], seed=seed))
            verified = verify(record.text)
            assert verified.header["seed"] == seed.hex(), title(game)
            assert tuple(verified.header["players"]) == HOUSE[: game.seats]
            assert verified.header["versions"] == [""] * game.seats
            assert verified.header["contents"] == [of_house(name).content_hash for name in HOUSE[: game.seats]]
            assert not any(decision.fault for decision in verified.decisions)
            assert hub.connected() == {}

    at_the_service(database_url, visit)


@pytest.mark.parametrize(
    ("clock", "held"),
    [
        ("", "move=2s,bank=30s,increment=0s,faults=3"),
        ("people", "move=60s,show=30s,keep=20s,bank=0s,increment=0s,faults=3"),
        ("move=1s,increment=0.1s", "move=1s,bank=0s,increment=100ms,faults=3"),
    ],
)
def test_the_record_says_which_clock_held(clock: str, held: str, database_url: str) -> None:
    async def visit(_hub: Hub, play: Play) -> None:
        record = await play(pb.PlayMatchRequest(game="minus_one", bots=HOUSE[:3], clock=clock))
        assert verify(record.text).header["clock"] == held

    at_the_service(database_url, visit)


def test_a_clock_beyond_what_the_server_offers_is_refused_with_the_limit(database_url: str) -> None:
    async def visit(_hub: Hub, play: Play) -> None:
        for clock, sentence in (
            ("move=61s", "the clock's move_ms is 61000; it can be at most 60000"),
            ("move=1s,keep=61s", "the clock's phase_ms is 61000; it can be at most 60000"),
            ("move=1s,bank=601s", "the clock's bank_ms is 601000; it can be at most 600000"),
            ("move=1s,increment=6s", "the clock's increment_ms is 6000; it can be at most 5000"),
            ("move=1s,faults=1001", "the clock's max_faults is 1001; it can be at most 1000"),
            ("move=1", "move is '1', which is no time"),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await play(pb.PlayMatchRequest(game="minus_one", bots=HOUSE[:3], clock=clock))
            assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert sentence in str(refused.value.details())

    at_the_service(database_url, visit)


def test_matches_with_the_same_house_bots_run_at_the_same_time(database_url: str) -> None:
    async def visit(hub: Hub, play: Play) -> None:
        request = pb.PlayMatchRequest(game=next(iter(engine.GAMES)), bots=HOUSE)
        records = await asyncio.gather(*(play(request) for _ in range(3)))
        assert len({verify(record.text).header["seed"] for record in records}) == 3
        assert hub.finished == 3

    at_the_service(database_url, visit)


@pytest.mark.parametrize(
    ("bots", "code"),
    [
        ((), grpc.StatusCode.INVALID_ARGUMENT),
        (("random", "random", "random", "nobody"), grpc.StatusCode.INVALID_ARGUMENT),
        (("random", "random", "random", "remote:far"), grpc.StatusCode.NOT_FOUND),
    ],
)
def test_a_bot_that_is_not_there_is_named_and_the_others_get_up(
    bots: tuple[str, ...], code: grpc.StatusCode, database_url: str
) -> None:
    async def visit(hub: Hub, play: Play) -> None:
        named = bots[-1].removeprefix("remote:") if bots else "needs 4 bots"
        with pytest.raises(grpc.aio.AioRpcError, match=named) as refused:
            await play(pb.PlayMatchRequest(game=next(iter(engine.GAMES)), bots=bots))
        assert refused.value.code() is code
        assert hub.connected() == {}

    at_the_service(database_url, visit)


def test_an_owner_with_as_many_open_matches_as_allowed_is_told_the_limit(database_url: str) -> None:
    quotas: list[Quota] = []

    def strict(hub: Hub) -> Quota:
        quotas.append(Quota(hub, matches=2))
        return quotas[0]

    async def visit(_hub: Hub, play: Play) -> None:
        request = pb.PlayMatchRequest(game="callbreak", bots=HOUSE)
        with quotas[0].match("anna"):
            await play(request)
            # A match that cannot begin gives its place back, too.
            with pytest.raises(grpc.aio.AioRpcError):
                await play(pb.PlayMatchRequest(game="callbreak", bots=["nobody"] * 4))
            with quotas[0].match("anna"):
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await play(request)
                with quotas[0].match("bob"):
                    pass
            await play(request)
        assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert refused.value.details() == "anna has 2 matches open, and the limit is 2; wait until one ends"

    at_the_service(database_url, visit, strict)
