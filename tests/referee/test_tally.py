"""Laws of the referee's numbers, over real streams."""

import asyncio
from pathlib import Path

import pytest

from arena.referee.clock import Limits
from arena.referee.faults import FaultKind
from arena.referee.match import Verdict
from arena.referee.plan import Abandoned
from arena.referee.tally import Tally, Times
from arena.v1 import play_pb2
from engine.record import verify
from tests.referee.tables import games
from tests.referee.wire import Behaviour, Wire, lowest, room

GAME = games()[0]
BAD = 2
STRICT = Limits(move_ms=200, bank_ms=0, max_faults=4)


@pytest.mark.parametrize(("time_us", "bucket"), [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (1023, 10), (1024, 11)])
def test_a_time_is_counted_in_the_bucket_of_its_bits(time_us: int, bucket: int) -> None:
    times = Times()
    times.add(time_us)
    assert times.counts[bucket] == sum(times.counts) == 1
    assert times.total_us == time_us


async def illegal(wire: Wire) -> None:
    while (frame := await wire.read()) is not None:
        wrong = [play_pb2.Choice(match_id=turn.match_id, turn=turn.turn, action=60) for turn in frame.turns]
        await wire.send(play_pb2.PlayRequest(choices=wrong))


async def garbled(wire: Wire) -> None:
    while (frame := await wire.read()) is not None:
        if frame.turns:
            await wire.send(b"\xff" * 17)


async def late(wire: Wire) -> None:
    while await wire.read() is not None:
        pass


async def vanishes(wire: Wire) -> None:
    await wire.turn()
    await wire.close()


def asked(verdict: Verdict) -> int:
    """Decisions of a match for which a bot was asked, the house's for faults included."""
    return sum(decision.fault != "FORFEITED" for decision in verify(verdict.record).decisions)


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [(illegal, "ILLEGAL"), (garbled, "GARBLED"), (late, "LATE"), (vanishes, "GONE")],
)
def test_every_decision_is_an_answer_or_a_fault(behaviour: Behaviour, kind: str, short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            plans = [table.plan(match_id, strict={BAD: STRICT}) for match_id in (1, 2)]
            verdicts = await table.play_all(plans, {BAD: behaviour}, batch=2)
            tally, hub = table.hub.tally, table.hub
            told = [fault.kind for verdict in verdicts for fault in verdict.faults]
            assert FaultKind(kind) in told
            assert tally.faults == {each: told.count(each) for each in FaultKind}
            unanswered = sum(tally.faults.values()) - tally.faults[FaultKind.ILLEGAL]
            assert sum(tally.thinking.counts) + unanswered == hub.decisions
            assert hub.decisions == sum(map(asked, verdicts))
            assert (tally.begun, tally.abandoned, hub.finished) == (2, 0, 2)

    asyncio.run(at_the_table())


def test_the_think_time_is_the_bots_and_the_delay_is_the_referees(short_dir: Path) -> None:
    """The bot takes its time over a frame, and a turn of another match waits behind it: neither is the referee's."""

    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            thought_us = 0

            async def thinks_once(wire: Wire) -> None:
                nonlocal thought_us
                while (frame := await wire.read()) is not None:
                    if frame.turns and not thought_us:
                        # By the referee's watch, which stands still while the loop is late.
                        began_us = table.hub.now_us()
                        await asyncio.sleep(0.6)
                        thought_us = table.hub.now_us() - began_us
                    await wire.answer(frame.turns)

            await table.play_all([table.plan(1), table.plan(2)], {0: thinks_once})
            tally: Tally = table.hub.tally
            frames = sum(tally.delay.counts)
            longest = thought_us.bit_length()
            assert tally.thinking.total_us >= thought_us > 0
            assert frames == table.hub.decisions
            assert sum(tally.delay.counts[:longest]) == frames
            assert sum(tally.thinking.counts[longest:]) == 1

    asyncio.run(at_the_table())


def test_a_match_is_open_finished_or_abandoned(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table, table.wire(0) as wire:
            playing = asyncio.create_task(table.hub.play(table.plan()))
            turn = await wire.turn()
            assert lowest(turn).match_id == 1
            assert (table.hub.tally.begun, table.hub.tally.abandoned) == (1, 0)
            playing.cancel()
            with pytest.raises((asyncio.CancelledError, Abandoned)):
                await playing
            assert (table.hub.tally.begun, table.hub.tally.abandoned, table.hub.finished) == (1, 1, 0)

    asyncio.run(at_the_table())
