"""A bot that answers all turns of a frame at once, as its author starts it, and what it is told when it goes wrong."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from arena.bot import Turn, load
from arena.bot.answers import LARGEST_BATCH, all_at_once, one_by_one
from arena.bot.turn import one_for_each
from arena.referee import stream
from arena.referee.faults import FaultKind
from arena.referee.local import play_local
from engine.record import verify
from tests.bot.test_run import GAME, ROOT, ended, program, started
from tests.bot.test_turn import turn
from tests.referee.wire import Room, honest, room

MATCHES = 40

BY_ITS_HAND = """
from pathlib import Path
from arena.bot import run

SIZES = Path(__file__).with_name("sizes")

def choose_many(turns):
    with SIZES.open("a") as sizes:
        print(len(turns), file=sizes)
    return [turn.legal[(turn.observation.hand % 1009 + turn.number) % len(turn.legal)] for turn in turns]

if __name__ == "__main__":
    run(choose_many=choose_many, name="by its hand", games=["callbreak"]{batch})
"""
"""What it answers depends on the match and on the turn, so an answer in another's place is another choice."""

WRONG = """
from arena.bot import run

def choose_many(turns):
    return {returned}

if __name__ == "__main__":
    run(choose_many=choose_many, name="wrong", games=["callbreak"])
"""


def lowest(turn: Turn) -> int:
    return turn.legal[0]


async def seated(table: Room, path: Path) -> asyncio.subprocess.Process:
    """The program's process, which has said hello as the player of seat 0."""
    process = await started(path, ARENA_SOCKET=table.addresses[0], ARENA_TICKET="ticket 0")
    assert not await table.hub.arrival(["player 0"], 20_000)
    return process


@pytest.mark.parametrize(("batch", "most"), [("", LARGEST_BATCH), (", batch=3", 3)])
def test_every_answer_of_a_batch_reaches_its_own_match(batch: str, most: int, short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            path = program(short_dir, BY_ITS_HAND.format(batch=batch))
            process = await seated(table, path)
            said = table.hub.hello("player 0")
            assert said is not None
            assert said.batch == most
            others = [table.wire(seat, batch=MATCHES) for seat in range(1, 4)]
            for wire in others:
                await wire.__aenter__()
            bots = [asyncio.create_task(honest(wire)) for wire in others]
            plans = [table.plan(match_id) for match_id in range(1, MATCHES + 1)]
            verdicts = await asyncio.gather(*map(table.hub.play, plans))
            table.hub.forget("player 0")
            assert await ended(process) == (0, "")
            for bot, wire in zip(bots, others, strict=True):
                bot.cancel()
                await wire.close()
        sizes = [int(size) for size in (short_dir / "sizes").read_text().split()]
        assert 1 < max(sizes) <= min(most, MATCHES)
        assert sum(sizes) == sum(
            decision.seat == 0 for verdict in verdicts for decision in verify(verdict.record).decisions
        )
        (short_dir / "bot.toml").write_text("")
        alone = load(short_dir).choose
        for plan, verdict in zip(plans, verdicts, strict=True):
            assert not verdict.faults
            expected = play_local(GAME, plan.seed, [alone, lowest, lowest, lowest], names=plan.names).record
            assert choices(verdict.record) == choices(expected)

    asyncio.run(at_the_table())


def choices(record: str) -> list[tuple[int, int]]:
    """Who chose what, of a record that is verified."""
    return [(decision.seat, decision.action) for decision in verify(record).decisions]


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("1 // 0", "ZeroDivisionError"),
        (
            "[]",
            "choose_many must return a list with one action for each of the 1 turns, in their order, and returned 0",
        ),
        (
            "None",
            "choose_many must return a list with one action for each of the 1 turns, in their order, and returned N",
        ),
        ("['2C'] * len(turns)", "The bot must return an action number out of turn.legal, and returned '2C'"),
    ],
)
def test_a_bot_whose_choose_many_goes_wrong_shows_where_and_ends(returned: str, said: str, short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            process = await seated(table, program(short_dir, WRONG.format(returned=returned)))
            playing = asyncio.create_task(table.hub.play(table.plan()))
            for seat in range(1, 4):
                table.hub.gone(f"player {seat}", "The bot is not here.")
            code, written = await ended(process)
            assert code == 1
            assert "Traceback" in written
            assert said in written
            assert "wrong failed:\nTraceback" in written
            assert "Error: " in written.splitlines()[-1]
            # Whoever started the process sees it end, as with a choose that fails.
            table.hub.gone("player 0", "The bot has ended.")
            verdict = await playing
            assert {fault.kind for fault in verdict.faults if fault.seat == 0} == {FaultKind.GONE}

    asyncio.run(at_the_table())


@pytest.mark.parametrize("returned", [[5, 0, 5], (5, 0, 5), np.array([5, 0, 5]), range(3)])
def test_lists_tuples_and_arrays_are_answers_in_order(returned: Sequence[int]) -> None:
    turns = [turn(), turn(), turn()]
    (choices,) = all_at_once(lambda _: returned)(turns)
    assert [choice.action for choice in choices] == list(returned)


@pytest.mark.parametrize("returned", [{0, 5}, {0: 5, 5: 0}, iter([0, 5]), 5, None, np.int64(5), np.array(5)])
def test_what_has_no_order_or_no_end_is_no_list_of_answers(returned: object) -> None:
    with pytest.raises(TypeError, match=r"one action for each of the 2 turns, in their order, and returned "):
        one_for_each([turn(), turn()], returned)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_too_few_and_too_many_answers_are_counted(count: int) -> None:
    with pytest.raises(ValueError, match=rf"one action for each of the 2 turns, .* returned {count} actions"):
        one_for_each([turn(), turn()], [0] * count)


def test_a_row_in_place_of_a_number_names_its_turn() -> None:
    with pytest.raises(TypeError, match=r"returned array\(\[5\]\) \(match 3, turn 9; legal: 2C, 7C\)"):
        list(all_at_once(lambda _: np.array([[5], [0]]))([turn(), turn()]))  # type: ignore[arg-type, return-value]


def test_a_frame_without_turns_asks_nobody() -> None:
    def never(turns: Sequence[Turn]) -> list[int]:
        raise AssertionError(turns)

    assert list(all_at_once(never)([])) == []
    assert list(one_by_one(lambda turn: never([turn])[0])([])) == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("run(", "Give run either choose, which answers one turn, or choose_many; neither was given."),
        (
            "run(len, choose_many=len, ",
            "Give run either choose, which answers one turn, or choose_many; both were given.",
        ),
        ("run(len, batch=0, ", "batch must be a number of turns from 1 to 256, and is 0."),
        ("run(choose_many=len, batch=257, ", "batch must be a number of turns from 1 to 256, and is 257."),
    ],
)
def test_what_run_cannot_use_is_a_sentence(call: str, said: str) -> None:
    code = f"from arena.bot import run\n{call}name='wrong', games=[])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(f": {said}")


def test_the_kit_asks_for_as_much_as_a_frame_of_the_referee_carries() -> None:
    assert LARGEST_BATCH == stream.LARGEST_BATCH


@pytest.mark.parametrize(("returns", "error"), [("[]", ValueError), ("None", TypeError), ("[None]", TypeError)])
def test_a_folder_with_choose_many_alone_is_asked_for_one_turn_at_a_time(
    returns: str, error: type[Exception], tmp_path: Path
) -> None:
    (tmp_path / "bot.toml").write_text("")
    (tmp_path / "main.py").write_text("def choose_many(turns):\n    return [turn.legal[-1] for turn in turns]\n")
    assert load(tmp_path).choose(turn()) == 5
    (tmp_path / "main.py").write_text(f"def choose_many(turns):\n    return {returns}\n")
    with pytest.raises(error, match=r"choose_many|The bot must return an action number"):
        load(tmp_path).choose(turn())


def test_the_example_plays_legal_actions_only(tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "batch.py", tmp_path / "main.py")
    (tmp_path / "bot.toml").write_text("")
    bot = load(tmp_path)
    assert not play_local(GAME, bytes(32), [bot.choose] * 4, names=["a", "b", "c", "d"]).faults
