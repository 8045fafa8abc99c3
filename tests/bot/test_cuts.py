"""The kit behind a cable that is cut in the middle of frames: it comes back, and nobody is at fault."""

import asyncio
from pathlib import Path

from arena.referee.clock import Limits
from engine.record import verify
from tests.bot.test_run import DICE, ended, program, started
from tests.referee.cable import Cable, Cut
from tests.referee.tables import games
from tests.referee.wire import honest, room

GAME = games()[0]

EAGER = DICE.replace(
    "from arena.bot import run", "import arena.bot.follow as kit\nfrom arena.bot import run\nkit.FIRST_PAUSE_S = 0.05"
)
"""It comes back sooner than the kit does, so that the test is short."""

CUTS = [Cut(up=up, frame=frame, after=after) for up, frame in ((True, 1), (False, 2)) for after in (3, 12, 18)]
"""In the header of the frame, in the length of the message, and in the message: of the first answer of a connection,
and of the turn after it."""


def test_a_network_that_is_cut_in_the_middle_of_a_frame_costs_nothing_but_time(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with (
            asyncio.timeout(60),
            room(short_dir, GAME) as table,
            Cable(short_dir / "cable", table.addresses[0], CUTS) as cable,
        ):
            process = await started(program(short_dir, EAGER), ARENA_SERVER=cable.address, ARENA_TOKEN="ticket 0")
            others = [table.wire(seat) for seat in range(1, 4)]
            for wire in others:
                await wire.__aenter__()
            bots = [asyncio.create_task(honest(wire)) for wire in others]
            verdict = await table.hub.play(table.plan(strict={0: Limits(20_000, 0, 1)}))
            assert verdict.faults == ()
            assert cable.connections == len(CUTS) + 1
            # Answers that were cut were given once: one each of the decisions, and none twice.
            own = [decision for decision in verify(verdict.record).decisions if decision.seat == 0]
            assert table.hub.counters("player 0").answered == len(own)
            table.hub.forget("player 0")
            assert (await ended(process))[0] == 0
            for bot, wire in zip(bots, others, strict=True):
                bot.cancel()
                await wire.close()

    asyncio.run(at_the_table())
