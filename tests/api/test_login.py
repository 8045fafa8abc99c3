"""Who may dial in as a remote bot."""

import asyncio

import grpc
import psycopg

from arena.api.access import Database
from arena.api.drain import Drain
from arena.api.login import remote_bots
from arena.api.quota import Quota
from arena.referee.hub import Hub
from arena.referee.logins import LOGINS
from arena.referee.service import Refusal
from arena.referee.stream import Hello
from arena.store.people import add_user


def test_a_bot_that_logs_in_too_often_is_refused_before_anything_is_written_down(database_url: str) -> None:
    async def at_the_door() -> None:
        database = Database(database_url, size=1)
        async with Hub() as hub:
            authenticate = remote_bots(database, hub, Quota(hub), Drain())
            taken = 0
            while taken < 10 * LOGINS and not isinstance(
                answer := await authenticate(anna, Hello("far", f"version {taken}", ("minus",), 1)), Refusal
            ):
                taken += 1
            assert isinstance(answer, Refusal)
            assert answer.code is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert taken >= LOGINS
            with psycopg.connect(database_url) as connection:
                assert connection.execute("SELECT count(*) FROM versions").fetchone() == (taken,)
            # Somebody else's attempts are not the bot's, and the other way round.
            strange = await authenticate(bob, Hello("far", "1", ("minus",), 1))
            assert isinstance(strange, Refusal)
            assert strange.code is grpc.StatusCode.PERMISSION_DENIED
            assert await authenticate(anna, Hello("near", "1", ("minus",), 1)) == "near"
        database.close()

    with psycopg.connect(database_url, autocommit=True) as connection:
        anna, bob = add_user(connection, "anna"), add_user(connection, "bob")
    asyncio.run(at_the_door())
