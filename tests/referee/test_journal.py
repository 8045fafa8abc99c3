"""What the referee logs of bots: enough to see what is wrong, and no flood from a bad one."""

import asyncio
import logging
from pathlib import Path

import pytest

from arena.referee.clock import Limits
from arena.referee.journal import LINES, Journal
from arena.v1 import play_pb2
from tests.referee.tables import games
from tests.referee.wire import Wire, room

GAME = games()[0]
BAD = 2


def lines(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.name == "arena.referee"]


def test_a_fault_is_told_with_what_it_is_about(short_dir: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "arena.referee")

    async def illegal_once(wire: Wire) -> None:
        turn = await wire.turn()
        await wire.send(play_pb2.PlayRequest(choices=[play_pb2.Choice(match_id=1, turn=turn.turn, action=99)]))
        while (frame := await wire.read()) is not None:
            await wire.answer(frame.turns)

    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            await table.play(table.plan(), {BAD: illegal_once})

    asyncio.run(at_the_table())
    (fault,) = (vars(record) for record in lines(caplog) if "kind" in vars(record))
    assert (fault["match"], fault["seat"], fault["bot"], fault["kind"]) == (1, BAD, "player 2", "ILLEGAL")
    assert fault["reason"] in fault["msg"] % fault["args"]
    said = [record.getMessage() for record in lines(caplog) if record.levelno == logging.DEBUG]
    assert said == ["match 1 begins: player 0, player 1, player 2, player 3", "match 1 has ended"]


def test_a_bot_of_many_faults_fills_no_log(short_dir: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "arena.referee")
    strict = Limits(move_ms=60_000, bank_ms=0, max_faults=3)
    matches = 10

    async def illegal(wire: Wire) -> None:
        while (frame := await wire.read()) is not None:
            wrong = [play_pb2.Choice(match_id=turn.match_id, turn=turn.turn, action=99) for turn in frame.turns]
            await wire.send(play_pb2.PlayRequest(choices=wrong))

    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            plans = [table.plan(match_id, strict={BAD: strict}) for match_id in range(1, matches + 1)]
            await table.play_all(plans, {BAD: illegal}, batch=10)

    asyncio.run(at_the_table())
    told = [record for record in lines(caplog) if "kind" in vars(record)]
    left_out = [record for record in lines(caplog) if "left_out" in vars(record)]
    assert len(told) == LINES
    assert [record.getMessage() for record in left_out] == [
        f"faults of player 2: {3 * matches - LINES} more within a minute"
    ]


def test_a_bot_writes_no_line_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "arena.referee")

    async def told() -> None:
        journal = Journal()
        journal.tell("names", "it is called x\n2026 arena.referee all is well\x1b[2J")
        journal.close()

    asyncio.run(told())
    assert [record.getMessage() for record in lines(caplog)] == ["it is called x 2026 arena.referee all is well [2J"]
