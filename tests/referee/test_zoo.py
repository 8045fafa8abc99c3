"""Every kind of bad bot at a table with honest ones, over real streams: the match ends, the record says what happened,
and nobody else is troubled."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import engine
from arena.referee.clock import Limits
from arena.referee.faults import FaultKind
from arena.referee.stream import DEAD
from arena.v1 import play_pb2
from engine.record import verify
from tests.referee.tables import games, title
from tests.referee.wire import Behaviour, Room, Wire, honest, room
from tests.referee.zoo import (
    answers_garbage,
    answers_illegally,
    answers_the_turn_before,
    answers_turns_that_nobody_asked,
    answers_twice,
    floods,
    never_answers,
    never_reads,
    says_hello_again_and_nothing_at_all,
    sends_a_huge_frame,
    vanishes,
)

HASTY = Limits(move_ms=40, bank_ms=20, max_faults=3)


@dataclass(frozen=True)
class Bad:
    """A behaviour, and the fault it must lead to; None if it must lead to none."""

    behaviour: Behaviour
    fault: FaultKind | None


ZOO = [
    Bad(never_answers, FaultKind.LATE),
    Bad(answers_the_turn_before, FaultKind.LATE),
    Bad(never_reads, FaultKind.LATE),
    Bad(answers_illegally, FaultKind.ILLEGAL),
    Bad(answers_garbage, FaultKind.GARBLED),
    Bad(vanishes, FaultKind.GONE),
    Bad(sends_a_huge_frame, FaultKind.GONE),
    Bad(floods, FaultKind.GONE),
    Bad(answers_twice, None),
    Bad(answers_turns_that_nobody_asked, None),
    Bad(says_hello_again_and_nothing_at_all, None),
    Bad(honest, None),
]


@pytest.mark.parametrize("bad", ZOO, ids=lambda bad: bad.behaviour.__name__)
def test_one_bad_bot_troubles_nobody_but_itself(bad: Bad, short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, games()[0]) as table:
            strict = {2: HASTY} if bad.fault else {}
            verdict = await table.play(table.plan(strict=strict), {2: bad.behaviour})
            verify(verdict.record)
            assert {fault.seat for fault in verdict.faults} == ({2} if bad.fault else set())
            assert [fault.kind for fault in verdict.faults] == ([bad.fault] * 3 if bad.fault else [])
            assert verdict.forfeited == ((2,) if bad.fault else ())
            assert all(fault.reason.endswith(".") for fault in verdict.faults)

    asyncio.run(at_the_table())


@pytest.mark.parametrize("game", games(), ids=title)
def test_a_table_of_bad_bots_ends_too(game, short_dir: Path) -> None:  # type: ignore[no-untyped-def]
    async def at_the_table() -> None:
        async with room(short_dir, game) as table:
            behaviours = [never_answers, answers_garbage, vanishes, answers_illegally, floods, never_reads, honest]
            strict = dict.fromkeys(range(game.seats), HASTY)
            verdict = await table.play(table.plan(strict=strict), dict(enumerate(behaviours[: game.seats])))
            assert verify(verdict.record).forfeited == tuple(range(game.seats))
            assert set(verdict.places) == {1}

    asyncio.run(at_the_table())


def test_the_first_answer_counts(short_dir: Path) -> None:
    async def records(behaviour: Behaviour) -> Sequence[int]:
        async with room(short_dir, games()[0]) as table:
            verdict = await table.play(table.plan(), {2: behaviour})
            counters = table.hub.counters("player 2")
            assert counters.stale == (2 * counters.answered if behaviour is answers_twice else 0)
            return [decision.action for decision in verify(verdict.record).decisions]

    assert asyncio.run(records(answers_twice)) == asyncio.run(records(honest))


def test_mo_b7_an_answer_that_comes_too_late_counts_for_nothing(short_dir: Path) -> None:
    """The bot wants the highest pair and the higher card, always one turn too late: the house has played low."""

    async def always_late(wire: Wire) -> None:
        held: list[play_pb2.Choice] = []
        while (frame := await wire.read()) is not None:
            await wire.send(play_pb2.PlayRequest(choices=held))
            held = [
                play_pb2.Choice(match_id=turn.match_id, turn=turn.turn, action=turn.first + turn.legal.bit_length() - 1)
                for turn in frame.turns
            ]

    async def at_the_table() -> None:
        game = engine.load("minus_one", 3, rounds=6)
        async with room(short_dir, game) as table:
            verdict = await table.play(table.plan(strict={2: HASTY}), {2: always_late})
            own = [decision for decision in verify(verdict.record).decisions if decision.seat == 2]
            assert [decision.fault for decision in own[:3]] == ["LATE"] * 3
            assert [game.write(decision.action) for decision in own[:3]] == ["show 1 2", "keep 1", "show 3 4"]

    asyncio.run(at_the_table())


def test_a_bot_that_lets_three_frames_expire_is_shown_the_door(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, games()[0]) as table:
            seen: list[Wire] = []

            async def dead(wire: Wire) -> None:
                seen.append(wire)
                await never_answers(wire)

            plans = [table.plan(match_id, strict={0: HASTY}) for match_id in range(1, 9)]
            verdicts = await table.play_all(plans, {0: dead})
            assert [frame.farewell.message for frame in seen[0].frames if frame.HasField("farewell")] == [DEAD.sentence]
            assert sum(len(frame.turns) for frame in seen[0].frames) == 3
            assert all(verdict.forfeited == (0,) for verdict in verdicts)

    asyncio.run(at_the_table())


async def wait_until_told(table: Room, event: asyncio.Event) -> None:
    await event.wait()
    table.hub.gone("player 1", "The bot's process ended with exit code 1.")


def test_nobody_waits_for_a_bot_whose_process_has_ended(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, games()[0]) as table:
            asked = asyncio.Event()

            async def crashes(wire: Wire) -> None:
                await wire.turn()
                asked.set()
                await never_answers(wire)

            telling = asyncio.create_task(wait_until_told(table, asked))
            verdict = await table.play(table.plan(), {1: crashes})
            await telling
            assert [fault.kind for fault in verdict.faults] == [FaultKind.GONE] * 3
            assert verdict.faults[0].reason == "The bot's process ended with exit code 1."

    asyncio.run(at_the_table())
