"""The end in good order: what is counted, and how long it is waited for."""

import asyncio

import pytest

from arena.api.drain import BLOCK, MATCH, Drain
from arena.errors import Unavailable


def test_what_is_open_is_counted_and_nothing_begins_once_it_is_asked() -> None:
    drain = Drain()
    with drain.open(BLOCK), drain.open(MATCH), drain.open(MATCH):
        assert drain.waits_for() == "1 block and 2 matches"
        drain.ask()
        with pytest.raises(Unavailable, match="shutting down"), drain.open(MATCH):
            pass
        assert drain.waits_for() == "1 block and 2 matches"
    assert drain.waits_for() == ""


def test_a_second_signal_ends_the_waiting_at_once() -> None:
    async def ended() -> bool:
        drain = Drain()
        with drain.open(MATCH):
            drain.ask()
            waiting = asyncio.create_task(drain.quiet(3600))
            await asyncio.sleep(0)
            drain.ask()
            return await asyncio.wait_for(waiting, 20)

    assert asyncio.run(ended()) is False


def test_the_last_that_ends_ends_the_waiting() -> None:
    async def ended() -> bool:
        drain = Drain()
        with drain.open(MATCH):
            drain.ask()
            waiting = asyncio.create_task(drain.quiet(3600))
            await asyncio.sleep(0)
        return await asyncio.wait_for(waiting, 20)

    assert asyncio.run(ended()) is True
