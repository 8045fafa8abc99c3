"""The process `arena serve` as a whole, in this one."""

import asyncio

import psycopg
import pytest

from arena.api.serve import serve
from arena.stack import Stack


def test_a_server_whose_sweeper_or_messenger_fails_ends(database_url: str, stack: Stack) -> None:
    """It is started again by whoever started it. Going on without would look well from outside."""

    def break_the_messenger(*_: str) -> None:
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute("DROP TABLE webhooks")

    with pytest.RaisesGroup(psycopg.errors.UndefinedTable):
        asyncio.run(
            serve(
                database_url,
                stack.broker_url,
                listen="127.0.0.1:0",
                tls=None,
                metrics="",
                on_ready=break_the_messenger,
                drain_s=1,
                on_drain=print,
            )
        )
