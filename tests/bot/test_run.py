"""The kit as its author starts it: a process of its own against a real referee."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import grpc.aio
import pytest

from arena.referee.hub import Hub
from arena.referee.plan import PlayerId
from arena.referee.service import Referee, Refusal, server_options
from arena.referee.stream import DONE, SHUTDOWN, Hello
from engine.record import verify
from tests.referee.tables import games
from tests.referee.wire import honest, room

ROOT = Path(__file__).parents[2]
GAME = games()[0]

DICE = """
from arena.bot import run

def choose(turn):
    turn.notes["turns"] = turn.notes.get("turns", 0) + 1
    return turn.rng.choice(turn.legal)

if __name__ == "__main__":
    run(choose, name="dice", games=["callbreak"])
"""

BATCHES = """
from arena.bot import run

def choose_many(turns):
    return [turn.legal[0] for turn in turns]

if __name__ == "__main__":
    run(choose_many=choose_many, name="batches", games=["callbreak"], batch=8)
"""

FUTURE = DICE.replace(
    "from arena.bot import run", "import arena.bot.connect as kit\nfrom arena.bot import run\nkit.PROTOCOL = 7"
)
"""The kit of a protocol that is not spoken yet."""

NOTHING = DICE.replace("return turn.rng.choice(turn.legal)", "return None")


def program(folder: Path, code: str) -> Path:
    """The code in a file."""
    path = folder / "main.py"
    path.write_text(code)
    return path


async def started(path: Path, *arguments: str, **environment: str) -> asyncio.subprocess.Process:
    """The bot's process."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        str(path),
        *arguments,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


async def ended(process: asyncio.subprocess.Process) -> tuple[int | None, str]:
    """The exit code, and what was written."""
    _, said = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode, said.decode()


@pytest.mark.parametrize("code", [DICE, BATCHES])
def test_a_hosted_bot_plays_and_ends_when_the_work_is_done(code: str, short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            process = await started(
                program(short_dir, code), ARENA_SOCKET=table.addresses[0], ARENA_TICKET="ticket 0", ARENA_BOT="anna"
            )
            assert not await table.hub.arrival(["player 0"], 20_000)
            said = table.hub.hello("player 0")
            assert said is not None
            assert said.bot == "anna"
            others = [table.wire(seat, batch=8) for seat in range(1, 4)]
            for wire in others:
                await wire.__aenter__()
            bots = [asyncio.create_task(honest(wire)) for wire in others]
            verdicts = await asyncio.gather(*(table.hub.play(table.plan(match_id)) for match_id in range(1, 6)))
            assert not any(verdict.faults for verdict in verdicts)
            for verdict in verdicts:
                verify(verdict.record)
            table.hub.forget("player 0")
            assert await ended(process) == (0, "")
            for bot, wire in zip(bots, others, strict=True):
                bot.cancel()
                await wire.close()

    asyncio.run(at_the_table())


def test_a_bot_that_returns_nothing_shows_where_and_ends(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            process = await started(
                program(short_dir, NOTHING), ARENA_SOCKET=table.addresses[0], ARENA_TICKET="ticket 0"
            )
            assert not await table.hub.arrival(["player 0"], 20_000)
            playing = asyncio.create_task(table.hub.play(table.plan()))
            for seat in range(1, 4):
                table.hub.gone(f"player {seat}", "The bot is not here.")
            code, said = await ended(process)
            assert code == 1
            assert "Traceback" in said
            assert "must return an action number out of turn.legal, and returned None" in said
            playing.cancel()

    asyncio.run(at_the_table())


async def by_name(token: str, hello: Hello) -> PlayerId | Refusal:
    """Remote bots have their name for a token."""
    if token == hello.bot:
        return hello.bot
    return Refusal(grpc.StatusCode.UNAUTHENTICATED, "Log in again with 'arena login'.")


@asynccontextmanager
async def referee_at(port: int = 0) -> AsyncIterator[tuple[Hub, int]]:
    """A referee on loopback that says SHUTDOWN at the end."""
    async with Hub() as hub:
        server = grpc.aio.server(options=server_options(2_000))
        referee = Referee(hub)
        referee.add_to(server, by_name)
        port = server.add_insecure_port(f"127.0.0.1:{port}")
        await server.start()
        yield hub, port
        await referee.close(SHUTDOWN)
        await server.stop(1)


def test_a_remote_bot_comes_back_to_a_referee_that_was_started_again(short_dir: Path) -> None:
    async def on_loopback() -> None:
        async with referee_at() as (hub, port):
            path = program(short_dir, DICE)
            process = await started(path, "--server", f"127.0.0.1:{port}", "--token", "dice")
            assert not await hub.arrival(["dice"], 20_000)
        async with referee_at(port) as (hub, _):
            assert not await hub.arrival(["dice"], 20_000)
            hub.close(DONE)
            code, said = await ended(process)
            assert code == 0
            assert said.splitlines() == [
                f"dice plays at 127.0.0.1:{port}.",
                f"{SHUTDOWN.sentence} Trying again in 0.5 s.",
                f"dice plays at 127.0.0.1:{port}.",
            ]

    asyncio.run(on_loopback())


def test_the_older_of_two_equal_bots_is_told_and_does_not_come_back(short_dir: Path) -> None:
    async def on_loopback() -> None:
        async with referee_at() as (hub, port):
            path = program(short_dir, DICE)
            environment = {"ARENA_SERVER": f"127.0.0.1:{port}", "ARENA_TOKEN": "dice"}
            old = await started(path, **environment)
            assert not await hub.arrival(["dice"], 20_000)
            new = await started(path, **environment)
            code, said = await ended(old)
            assert code == 1
            assert said.splitlines()[-1] == "Taken over: The same bot has logged in again; this stream is closed."
            assert hub.connected().keys() == {"dice"}
            hub.close(DONE)
            assert (await ended(new))[0] == 0

    asyncio.run(on_loopback())


def test_a_wrong_token_a_wrong_port_and_missing_settings_take_one_line_each(short_dir: Path) -> None:
    async def on_loopback() -> None:
        path = program(short_dir, DICE)
        async with referee_at() as (_, port):
            bot = await started(path, "--server", f"127.0.0.1:{port}", "--token", "wrong")
            assert await ended(bot) == (
                1,
                f"127.0.0.1:{port}: the token is not accepted: Log in again with 'arena login'.\n",
            )
        other = grpc.aio.server()
        port = other.add_insecure_port("127.0.0.1:0")
        await other.start()
        bot = await started(path, "--server", f"127.0.0.1:{port}", "--token", "dice")
        assert await ended(bot) == (1, f"127.0.0.1:{port}: there is no referee at this address: Method not found!\n")
        await other.stop(0)
        bot = await started(path, "--server", "127.0.0.1:1")
        assert await ended(bot) == (2, "Who are you? Give --token TOKEN or set ARENA_TOKEN.\n")
        bot = await started(path, "--token", "dice")
        assert await ended(bot) == (2, "Where is the referee? Give --server HOST:PORT or set ARENA_SERVER.\n")

    asyncio.run(on_loopback())


def test_a_kit_of_another_protocol_is_told_which_one_works_and_ends_at_once(short_dir: Path) -> None:
    async def on_loopback() -> None:
        async with referee_at() as (hub, port):
            path = program(short_dir, FUTURE)
            bot = await started(path, "--server", f"127.0.0.1:{port}", "--token", "dice")
            code, said = await ended(bot)
            assert code == 1
            assert said == (
                f"127.0.0.1:{port}: the referee does not take this bot: The bot speaks protocol 7, this referee 1: "
                "use an older kit, or ask the organiser for a newer referee.\n"
            )
            assert hub.connected() == {}

    asyncio.run(on_loopback())


def test_a_referee_that_is_not_there_is_named_and_tried_again(short_dir: Path) -> None:
    async def on_loopback() -> None:
        bot = await started(program(short_dir, DICE), "--server", "127.0.0.1:1", "--token", "dice")
        assert bot.stderr is not None
        line = (await asyncio.wait_for(bot.stderr.readline(), 60)).decode()
        assert line.startswith("No referee answers at 127.0.0.1:1 (")
        assert line.endswith("Trying again in 0.5 s.\n")
        bot.kill()
        await bot.communicate()

    asyncio.run(on_loopback())


def test_the_kit_needs_grpc_protobuf_and_the_engine_and_nothing_else() -> None:
    code = (
        "import sys, arena.bot\n"
        "ours = {name for name in sys.modules if name.split('.')[0] in ('arena', 'bots', 'sandbox')}\n"
        "allowed = ('arena', 'arena.bot', 'arena.codec', 'arena.v1')\n"
        "print(sorted(n for n in ours if n not in allowed and not n.startswith(tuple(a + '.' for a in allowed[1:]))))\n"
        "third = {name.split('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)\n"
        "print(sorted(name for name in third if not name.startswith('_')))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    ours, third = done.stdout.splitlines()
    assert ours == "[]"
    third_names = {name for name in third.strip("[]").replace("'", "").split(", ") if not name.startswith("grpc")}
    # Compiled, engine and codec are a library each.
    compiled = {"codec__mypyc", "engine__mypyc"}
    assert third_names <= {
        "arena",
        "engine",
        "google",
        "cython_runtime",
        "typing_extensions",
        "sitecustomize",
        *compiled,
    }
