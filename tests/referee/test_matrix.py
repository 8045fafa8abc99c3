"""The fault matrix: everything a bot can do wrong, once and again and again, against the real service on sockets. Three
good bots sit at the table; their match ends and counts, whatever the fourth does. docs/faults.md has the same rows."""

import asyncio
import contextlib
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from arena.referee import session
from arena.referee.clock import Limits
from arena.referee.faults import FaultKind
from arena.referee.session import FLOOD
from arena.referee.stream import DEAD
from engine.record import verify
from tests.referee.cable import Cable
from tests.referee.mischief import (
    BAD,
    GAME,
    OTHERS,
    Behaviour,
    Table,
    always,
    dripping,
    duplicate_answer,
    flooding,
    garbled,
    gone,
    illegal,
    late,
    once,
    oversized_frame,
    reads_late,
    reads_no_more,
    stale_turn,
    then_right,
    wrong_match,
)
from tests.referee.wire import Room, room

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
COLUMNS = ("first", "repeated")
GOOD = tuple(seat for seat in range(GAME.seats) if seat != BAD)

BRISK = Limits(move_ms=150, bank_ms=50, max_faults=3)
"""For bots that let the deadline pass: time enough for an answer, and no test waits long."""

CALM = Limits(move_ms=20_000, bank_ms=1_000, max_faults=3)
"""For bots whose answer is judged when it comes. No deadline passes."""

NARROW = 8
"""A window into which no frame fits, so that a frame which is not read is not taken either."""


@dataclass(frozen=True)
class Cell:
    """What a bot does, and what comes of it.

    :ivar faults: how many, each of one of the ``kinds``; three forfeit the seat.
    :ivar stale: choices that are counted and have no effect; None where their number is not settled.
    :ivar cable: whether the bot's bytes go through a cable, which it can slow down.
    :ivar closed: the last words on every stream that the referee ended.
    """

    row: str
    column: str
    behaviour: Behaviour
    limits: Limits
    faults: int = 0
    kinds: frozenset[FaultKind] = frozenset()
    stale: int | None = 0
    closed: frozenset[str] = frozenset()
    window: int = -1
    cable: bool = False

    @property
    def id(self) -> str:
        return f"{self.row}, {self.column}"


def kinds(*which: FaultKind) -> frozenset[FaultKind]:
    return frozenset(which)


ILLEGAL, LATE, GARBLED, GONE = (kinds(kind) for kind in FaultKind)
FLOODED = frozenset({FLOOD.sentence})
DEAF = frozenset({DEAD.sentence})
STUCK = frozenset({session.SLOW.sentence})
REFUSED = frozenset({"RESOURCE_EXHAUSTED"})

CELLS = [
    Cell("illegal", "first", once(illegal), CALM, 1, ILLEGAL),
    Cell("illegal", "repeated", always(illegal), CALM, 3, ILLEGAL),
    Cell("late", "first", once(late), BRISK, 1, LATE, stale=1),
    Cell("late", "repeated", always(late), BRISK, 3, LATE, stale=2, closed=DEAF),
    Cell("dripping", "first", once(dripping), BRISK, 1, LATE, stale=1, cable=True),
    Cell("dripping", "repeated", always(dripping), BRISK, 3, LATE, stale=2, closed=DEAF, cable=True),
    Cell("garbled", "first", once(garbled), CALM, 1, GARBLED),
    Cell("garbled", "repeated", always(garbled), CALM, 3, GARBLED),
    Cell("gone", "first", once(gone), BRISK, 1, GONE),
    Cell("gone", "repeated", always(gone), BRISK, 3, GONE),
    Cell("flooding", "first", once(flooding), CALM, stale=None, closed=FLOODED),
    Cell("flooding", "repeated", always(flooding), BRISK, 3, GONE | LATE, stale=None, closed=FLOODED),
    Cell("not reading", "first", reads_late, BRISK, 1, LATE, stale=1, window=NARROW),
    Cell("not reading", "repeated", reads_no_more, BRISK, 3, GONE | LATE, closed=STUCK, window=NARROW),
    Cell("oversized frame", "first", once(oversized_frame), CALM, closed=REFUSED),
    Cell("oversized frame", "repeated", always(oversized_frame), BRISK, 3, GONE | LATE, closed=REFUSED),
    Cell("wrong match", "first", once(then_right(wrong_match)), CALM, stale=3),
    Cell("wrong match", "repeated", always(wrong_match), BRISK, 3, LATE, stale=9, closed=DEAF),
    Cell("stale turn", "first", once(then_right(stale_turn)), CALM, stale=1),
    Cell("stale turn", "repeated", always(stale_turn), BRISK, 3, LATE, stale=3, closed=DEAF),
    Cell("duplicate answer", "first", once(duplicate_answer), CALM, stale=2),
    Cell("duplicate answer", "repeated", always(duplicate_answer), CALM, stale=None),
]


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.id)
def test_whatever_a_bot_does_the_match_of_the_others_counts(
    cell: Cell, short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Longer than BRISK, or the stream of a bot that does not read would end before its turn. Then it has time to hear
    # why it ended.
    monkeypatch.setattr(session, "STUCK_S", 0.3)
    monkeypatch.setattr(session, "PARTING_S", 20.0)

    async def at_the_table() -> None:
        async with asyncio.timeout(120), room(short_dir, GAME) as place:
            await played(cell, place, short_dir)

    asyncio.run(at_the_table())


async def played(cell: Cell, place: Room, folder: Path) -> None:
    """One match of the bad bot with three good ones, while others play theirs."""
    elsewhere = replace(place.plan(OTHERS), players=("a", "b", "c", "d"))
    others = asyncio.create_task(place.hub.play(elsewhere))
    async with contextlib.AsyncExitStack() as streams, asyncio.TaskGroup() as group:
        cable = Cable(folder / "cable", place.addresses[BAD])
        if cell.cable:
            place.addresses[BAD] = (await streams.enter_async_context(cable)).address
        table = Table(place, streams, cell.window, cable)
        bad = await table.dial()
        assert bad is not None
        good = [group.create_task(table.good(await streams.enter_async_context(place.wire(seat)))) for seat in GOOD]
        behaving = group.create_task(cell.behaviour(table, bad))
        verdict = await place.hub.play(place.plan(strict={BAD: cell.limits}))
        ends = [await one for one in good]
        await behaving

    # The good bots are told a result, and it counts.
    for end in ends:
        assert (end.match_id, end.abandoned, len(end.faults)) == (1, False, 0)
        assert (tuple(end.scores), tuple(end.places)) == (verdict.scores, verdict.places)
    forfeited = cell.faults >= cell.limits.max_faults
    assert verdict.forfeited == ((BAD,) if forfeited else ())
    assert verdict.places[BAD] == GAME.seats or not forfeited
    assert place.hub.decisions_in([OTHERS]) == 0
    others.cancel()
    await asyncio.gather(others, return_exceptions=True)

    # The faults, the house's play for them, and the bot's own for the rest.
    assert [fault.seat for fault in verdict.faults] == [BAD] * cell.faults
    assert {fault.kind for fault in verdict.faults} <= cell.kinds
    for number, decision in enumerate(verify(verdict.record).decisions):
        if decision.seat == BAD and not decision.fault:
            assert decision.action == table.said[number]

    # What it cost the bot beside that.
    counters = place.hub.counters(place.players[BAD])
    assert counters.stale == cell.stale or cell.stale is None
    assert set(table.closed) == cell.closed
    bank_ms = 0 if cell.limits is BRISK else cell.limits.bank_ms
    assert forfeited or table.budgets[-1] == cell.limits.move_ms + bank_ms


def test_the_page_has_the_cells_that_are_tested_and_names_their_tests() -> None:
    """Each line of the table: row, column, what happens, tests."""
    lines = [line.strip("|").split("|") for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    cells = {f"{line[0].strip()}, {line[1].strip()}": line[-1] for line in lines if line[1].strip() in COLUMNS}
    assert cells.keys() == {cell.id for cell in CELLS}
    folder = Path(__file__).parent
    for named in cells.values():
        tests = re.findall(r"`(test_\w+)\.py::(test_\w+)(?:\[(\w+)\])?`", named)
        for file, test, row in tests:
            text = (folder / f"{file}.py").read_text("utf-8")
            assert f"def {test}(" in text, f"{file} has no {test}."
            assert row in text, f"{file} has no {row}."
