"""The kit at several referees: real ones, each with a hub and a port of its own, and the bot as a process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc.aio

import engine
from arena.api.lobby import Lobby
from arena.referee.hub import Hub
from arena.referee.inhouse import InHouse
from arena.referee.match import Verdict
from arena.referee.plan import MatchPlan
from arena.referee.service import Referee, server_options
from arena.referee.stream import DONE, SHUTDOWN
from arena.store.referees import Place
from tests.bot.test_run import DICE, GAME, by_name, ended, program, started
from tests.referee.tables import PATIENT

CAREFUL = """
import threading
import time
from arena.bot import run

free = threading.Lock()

def choose(turn):
    assert free.acquire(blocking=False), "I am asked twice at once"
    time.sleep(0.001)
    free.release()
    return turn.rng.choice(turn.legal)

if __name__ == "__main__":
    run(choose, name="dice", games=["callbreak"])
"""
STAYS = DICE.replace('games=["callbreak"]', 'games=["callbreak"], follow=False')


@dataclass
class Table:
    """A referee of the arena."""

    hub: Hub
    lobby: Lobby
    address: str

    async def come(self) -> None:
        """Returns when the bot is connected."""
        assert not await self.hub.arrival(["dice"], 20_000)

    async def play(self, match_id: int) -> Verdict:
        """A match of the bot with three that answer at once."""
        others = [
            InHouse(self.hub, f"{seat}@{match_id}", lambda turn: turn.rng.choice(turn.legal)) for seat in range(1, 4)
        ]
        plan = MatchPlan(
            match_id=match_id,
            game=GAME,
            options=engine.write_options(GAME.options),
            seed=bytes(32),
            players=("dice", *(f"{seat}@{match_id}" for seat in range(1, 4))),
            names=("dice",) * 4,
            limits=(PATIENT,) * 4,
            bot_seeds=(bytes(32),) * 4,
            header={"seed": bytes(32)},
        )
        try:
            return await self.hub.play(plan)
        finally:
            for other in others:
                other.leave()


@asynccontextmanager
async def referee(port: int = 0) -> AsyncIterator[Table]:
    """A referee that knows of no other yet, and says SHUTDOWN at the end."""
    async with Hub() as hub:
        server = grpc.aio.server(options=server_options(2_000))
        port = server.add_insecure_port(f"127.0.0.1:{port}")
        lobby = Lobby(Place(f"127.0.0.1:{port}"), hub)
        here = Referee(hub)
        here.add_to(server, by_name, news_of=lobby.news_of)
        await server.start()
        yield Table(hub, lobby, lobby.here.address)
        await here.close(SHUTDOWN)
        await server.stop(1)


@asynccontextmanager
async def referees(count: int) -> AsyncIterator[list[Table]]:
    """So many that know of each other."""
    async with AsyncExitStack() as stack:
        tables = [await stack.enter_async_context(referee()) for _ in range(count)]
        meet(tables)
        yield tables


def meet(tables: list[Table]) -> None:
    """Each hears of the others."""
    for table in tables:
        table.lobby.hear(tuple(other.lobby.here for other in tables if other is not table))


def close(tables: list[Table]) -> None:
    for table in tables:
        table.hub.close(DONE)


def test_a_bot_that_dials_one_plays_at_all_and_is_asked_one_thing_at_a_time(short_dir: Path) -> None:
    async def arena() -> None:
        async with referees(3) as tables:
            # By another name than the referee calls itself: it must not dial it twice.
            server = tables[0].address.replace("127.0.0.1", "localhost")
            process = await started(program(short_dir, CAREFUL), "--server", server, "--token", "dice")
            for table in tables:
                await table.come()
            matches = [table.play(number) for table in tables for number in (1, 2)]
            for verdict in await asyncio.gather(*matches):
                assert not verdict.faults
            close(tables)
            code, said = await ended(process)
            assert (code, sorted(said.splitlines())) == (
                0,
                sorted(f"dice plays at {address}." for address in (server, tables[1].address, tables[2].address)),
            )

    asyncio.run(arena())


def test_a_referee_that_comes_is_dialled_and_one_that_leaves_is_left(short_dir: Path) -> None:
    async def arena() -> None:
        async with referee() as first:
            process = await started(program(short_dir, DICE), "--server", first.address, "--token", "dice")
            await first.come()
            async with referee() as second:
                meet([first, second])
                await second.come()
                # It is no longer named, and yet its matches come to their end.
                playing = asyncio.create_task(second.play(1))
                meet([first])
                assert not (await playing).faults
                assert not (await first.play(1)).faults
                assert second.hub.hello("dice") is not None
            async with referee() as third:
                meet([first, third])
                await third.come()
                close([first, third])
                code, said = await ended(process)
            assert code == 0
            assert said.splitlines() == [
                *(f"dice plays at {table.address}." for table in (first, second)),
                f"dice plays at {third.address}.",
            ]

    asyncio.run(arena())


def test_a_referee_that_is_named_again_is_dialled_at_once(short_dir: Path) -> None:
    async def arena() -> None:
        async with referee() as first:
            code = "import arena.bot.follow as kit\nkit.FIRST_PAUSE_S = 600\n" + DICE
            async with referee() as second:
                meet([first, second])
                process = await started(program(short_dir, code), "--server", second.address, "--token", "dice")
                for table in (first, second):
                    await table.come()
            assert process.stderr is not None
            while b"Trying again in 600.0 s." not in await process.stderr.readline():
                pass
            meet([first])
            async with referee(int(second.address.rpartition(":")[2])) as again:
                meet([first, again])
                await again.come()
                close([first, again])
                assert (await ended(process))[0] == 0

    asyncio.run(arena())


def test_a_stream_that_is_lost_is_opened_again_while_the_others_go_on(short_dir: Path) -> None:
    async def arena() -> None:
        async with referees(2) as tables:
            first, second = tables
            process = await started(program(short_dir, DICE), "--server", first.address, "--token", "dice")
            for table in tables:
                await table.come()
            for table in (first, second, first):
                playing = asyncio.create_task(table.play(1))
                table.hub.dismiss("dice", SHUTDOWN)
                await table.come()
                assert not (await playing).faults
            close(tables)
            assert (await ended(process))[0] == 0

    asyncio.run(arena())


def test_a_bot_that_is_told_to_stay_stays(short_dir: Path) -> None:
    async def arena() -> None:
        async with referees(2) as (first, second):
            process = await started(program(short_dir, STAYS), "--server", first.address, "--token", "dice")
            await first.come()
            assert not (await first.play(1)).faults
            close([first])
            assert await ended(process) == (0, f"dice plays at {first.address}.\n")
            assert second.hub.hello("dice") is None

    asyncio.run(arena())


def test_the_newest_login_wins_at_every_referee(short_dir: Path) -> None:
    async def arena() -> None:
        async with referees(2) as tables:
            path = program(short_dir, DICE)
            old = await started(path, "--server", tables[0].address, "--token", "dice")
            for table in tables:
                await table.come()
            new = await started(path, "--server", tables[1].address, "--token", "dice")
            code, said = await ended(old)
            assert code == 1
            assert said.count("Taken over: The same bot has logged in again; this stream is closed.") == 2
            for table in tables:
                assert table.hub.hello("dice") is not None
            close(tables)
            assert (await ended(new))[0] == 0

    asyncio.run(arena())


def test_a_referee_that_ends_the_work_does_not_end_it_for_the_others(short_dir: Path) -> None:
    async def arena() -> None:
        async with referees(2) as (first, second):
            process = await started(program(short_dir, DICE), "--server", first.address, "--token", "dice")
            for table in (first, second):
                await table.come()
            close([first])
            assert not (await second.play(1)).faults
            close([second])
            assert (await ended(process))[0] == 0

    asyncio.run(arena())


def test_a_referee_that_nobody_reaches_is_named_once_and_holds_nobody_up(short_dir: Path) -> None:
    async def arena() -> None:
        async with referee() as first:
            first.lobby.hear((Place("127.0.0.1:1"),))
            process = await started(program(short_dir, DICE), "--server", first.address, "--token", "dice")
            await first.come()
            assert process.stderr is not None
            assert b"dice plays at" in await process.stderr.readline()
            assert b"No referee answers at 127.0.0.1:1 (" in await process.stderr.readline()
            assert not (await first.play(1)).faults
            close([first])
            assert (await ended(process))[0] == 0

    asyncio.run(arena())


class Door:
    """An address that leads to one referee, and later to another."""

    def __init__(self, leads_to: str) -> None:
        self.leads_to = leads_to
        self._ways: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for way in self._ways:
            way.cancel()
        await asyncio.gather(*self._ways, return_exceptions=True)

    async def _connect(self, bot: asyncio.StreamReader, to_bot: asyncio.StreamWriter) -> None:
        host, _, port = self.leads_to.rpartition(":")
        referee, to_referee = await asyncio.open_connection(host, int(port))
        for source, target in ((bot, to_referee), (referee, to_bot)):
            self._ways.add(asyncio.create_task(self._pass_on(source, target)))

    async def _pass_on(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while data := await source.read(1 << 16):
            target.write(data)
            await target.drain()
        target.close()


def test_an_address_that_leads_to_another_referee_by_now_takes_nothing_away(short_dir: Path) -> None:
    async def arena() -> None:
        async with referees(2) as (first, second):
            door = Door(first.address)
            async with door as address:
                process = await started(program(short_dir, DICE), "--server", address, "--token", "dice")
                for table in (first, second):
                    await table.come()
                door.leads_to = second.address
                first.hub.dismiss("dice", SHUTDOWN)
                await first.come()
                for table in (first, second):
                    assert not (await table.play(1)).faults
                close([first, second])
                code, said = await ended(process)
            assert code == 0
            assert said.splitlines()[-1] == f"dice plays at {first.address}."

    asyncio.run(arena())
