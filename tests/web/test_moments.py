"""What many ask for at the same moment is worked out once."""

import asyncio
import gc
import weakref

import pytest

from arena.errors import NotFound
from arena.web.moments import Moments


class Work:
    """Counts how often it is done; ends when it is let."""

    def __init__(self) -> None:
        self.begun = 0
        self.started = asyncio.Event()
        self.go_on = asyncio.Event()

    async def __call__(self) -> int:
        self.begun += 1
        self.started.set()
        await self.go_on.wait()
        return self.begun


def test_all_who_ask_while_it_is_worked_out_and_a_moment_later_get_one_answer() -> None:
    async def ask() -> None:
        moments, work, other = Moments[int](fresh_s=3600), Work(), Work()
        many = [asyncio.create_task(moments.of("cup", work)) for _ in range(200)]
        another = asyncio.create_task(moments.of("another", other))
        await work.started.wait()
        many[0].cancel()  # who goes away takes nothing from the others
        work.go_on.set()
        other.go_on.set()
        assert {await one for one in many[1:]} == {1}
        assert await moments.of("cup", work) == await another == 1

    asyncio.run(ask())


def test_it_is_worked_out_again_when_the_moment_is_over() -> None:
    async def ask() -> None:
        moments, work = Moments[int](fresh_s=-1), Work()
        work.go_on.set()
        assert [await moments.of("cup", work) for _ in range(3)] == [1, 2, 3]

    asyncio.run(ask())


def test_an_answer_that_is_given_no_more_goes_with_the_next_one() -> None:
    async def ask() -> None:
        moments = Moments[Work](fresh_s=-1)
        held = weakref.ref(await moments.of("cup", lambda: asyncio.sleep(0, Work())))
        await moments.of("another", lambda: asyncio.sleep(0, Work()))
        gc.collect()
        assert held() is None

    asyncio.run(ask())


def test_a_refusal_is_everybodys() -> None:
    async def refuse() -> int:
        raise NotFound("there is no such tournament")

    async def ask() -> None:
        moments = Moments[int](fresh_s=3600)
        for _ in range(2):
            with pytest.raises(NotFound):
                await moments.of("cup", refuse)

    asyncio.run(ask())
