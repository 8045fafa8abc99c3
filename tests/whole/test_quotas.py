"""The quotas of an owner at the real server, and what the kit makes of a refusal."""

import asyncio
import contextlib
import os
import subprocess
import sys
from pathlib import Path

from arena.api.quota import BOTS, BYTES
from arena.cli.client import Login, Server
from arena.cli.user import get_account
from arena.stack.services import Services
from arena.store import connect, people
from arena.v1 import play_pb2
from tests.referee.wire import Wire

BOT = """
from arena.bot import Turn, run

def choose(turn: Turn) -> int:
    return turn.legal[0]

if __name__ == "__main__":
    run(choose, name="one-too-many", games=["callbreak"])
"""


def test_a_bot_beyond_the_quota_of_its_owner_is_told_so_and_waits_for_its_place(
    services: Services, tmp_path: Path
) -> None:
    with connect(services.database_url) as connection:
        token = people.add_user(connection, "collector")
    program = tmp_path / "bot.py"
    program.write_text(BOT)

    async def crowded() -> None:
        async with contextlib.AsyncExitStack() as streams:
            for number in range(BOTS):
                await streams.enter_async_context(Wire(services.address, token, name=f"collected-{number}"))
            bot = await asyncio.create_subprocess_exec(
                sys.executable,
                str(program),
                env={**os.environ, "ARENA_SERVER": services.address, "ARENA_TOKEN": token},
                stderr=subprocess.PIPE,
            )
            assert bot.stderr is not None
            assert (await bot.stderr.readline()).decode() == (
                f"{services.address}: collector has {BOTS} bots connected, and the limit is {BOTS}: "
                "end one of them first. Trying again in 0.5 s.\n"
            )
        while "Trying again" in (said := (await bot.stderr.readline()).decode() or "It ended."):
            pass
        assert said == f"one-too-many plays at {services.address}.\n"
        bot.kill()
        await bot.communicate()

    asyncio.run(asyncio.wait_for(crowded(), 60))


def test_the_bytes_that_a_bot_sends_are_counted_for_its_owner(services: Services) -> None:
    with connect(services.database_url) as connection:
        token = people.add_user(connection, "padder")
    server = Server(Login(services.address, token))
    # A choice, and 255 KiB in a field that there is not: it takes seconds until so many of them are forgiven.
    padded = (
        play_pb2.PlayRequest(choices=[play_pb2.Choice()]).SerializeToString() + b"\x7a\x80\xf8\x0f" + bytes(255 << 10)
    )
    frames = BYTES // len(padded) // 2

    async def counted() -> None:
        async with Wire(services.address, token, name="padding") as bot:
            for _ in range(frames):
                await bot.send(padded)
            while not (await asyncio.to_thread(get_account, server)).quotas[-1].used:
                pass
            assert len(bot.frames) == 1  # the welcome, and no farewell

    asyncio.run(asyncio.wait_for(counted(), 60))
