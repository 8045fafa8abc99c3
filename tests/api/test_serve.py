"""The process `arena serve` as a whole, in this one."""

import asyncio
import logging
import threading

import psycopg
import pytest

from arena.api import webhook
from arena.api.serve import serve
from arena.stack import Stack
from arena.tournaments import sweeper


def test_a_server_that_fails_ends(database_url: str, stack: Stack) -> None:
    """With all its threads: it is started again by whoever started it."""

    def break_it(*_: str) -> None:
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute("DROP TABLE referees")

    with pytest.RaisesGroup(psycopg.errors.UndefinedTable):
        asyncio.run(
            serve(
                database_url,
                stack.broker_url,
                listen="127.0.0.1:0",
                tls=None,
                metrics="",
                on_ready=break_it,
                drain_s=1,
                on_drain=print,
            )
        )


def test_messenger_and_sweeper_go_on_after_a_failure(
    database_url: str, stack: Stack, caplog: pytest.LogCaptureFixture
) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE webhooks DROP COLUMN tries; ALTER TABLE blocks DROP COLUMN strangers")
    ending = threading.Event()
    threads = [
        threading.Thread(target=webhook.run, args=(database_url, ending, 0.01)),
        threading.Thread(target=sweeper.run, args=(database_url, stack.broker_url, ending, 0.01)),
    ]
    for thread in threads:
        thread.start()
    for logger in ("arena.webhook", "arena.tournaments.sweeper"):
        while sum(record.name == logger and record.levelno == logging.ERROR for record in caplog.records) < 2:
            assert all(thread.is_alive() for thread in threads)
            threading.Event().wait(0.01)
    ending.set()
    for thread in threads:
        thread.join(60)
