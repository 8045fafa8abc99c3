"""A bot that works while it has nothing to do is stopped until it has; one that rests is never touched."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.box import Box
from sandbox.host import Host
from sandbox.interpreter import python_argv, python_binds
from sandbox.rest import Debt, Rest
from sandbox.runner import Cell, start
from sandbox.watch import tree
from tests.sandbox.attacks.scene import Scene

LOOK_S = 0.05
PYTHON = Path(python_argv()[0]).name.encode()
BUSY = "import os; os.fork(); [os.getpid() for _ in iter(int, 1)]"
IDLE = "import time; print('idle', flush=True); time.sleep(60)"


@pytest.mark.parametrize(("share", "caught"), [(1.0, True), (0.1, True), (0.02, False), (0.0, False)])
def test_who_works_at_rest_is_caught(share: float, caught: bool) -> None:
    debt = Debt()
    assert any(debt.count(share * LOOK_S, LOOK_S) for _ in range(50)) is caught


def test_what_is_used_at_rest_now_and_then_is_forgiven() -> None:
    debt = Debt()
    assert not any(debt.count(0.05 if number % 50 == 0 else 0.0, LOOK_S) for number in range(1000))


@pytest.fixture
def run(scene: Scene, host: Host) -> Iterator["Runner"]:
    runner = Runner(scene, host)
    yield runner
    for cell in runner.cells:
        cell.stop(0)


class Runner:
    """Starts programs in cells, and stops them when the test is over."""

    def __init__(self, scene: Scene, host: Host) -> None:
        self.cells: list[Cell] = []
        self._scene = scene
        self._host = host

    def __call__(self, code: str) -> Cell:
        box = Box(self._scene.folder / "bot", python_argv("-c", code), binds=python_binds())
        self.cells.append(start(box, self._host, {}))
        return self.cells[-1]


def states(cell: Cell) -> set[str]:
    """How the bot's processes are, as /proc has it, without those of bubblewrap and before the bot was started."""
    found = set()
    for pid in tree(cell.pid):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if words[0].endswith(PYTHON):
                found.add(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0])
        except OSError:
            continue
    return found


def until(cell: Cell, wanted: set[str]) -> None:
    deadline = time.monotonic() + 60
    while states(cell) != wanted:
        assert time.monotonic() < deadline, states(cell)
        time.sleep(0.01)


def test_a_bot_that_works_at_rest_is_stopped_with_all_its_processes_and_goes_on_when_it_is_woken(
    run: "Runner",
) -> None:
    cell = run(BUSY)
    until(cell, {"R"})
    cell.rest()
    until(cell, {"T"})
    cell.wake()
    until(cell, {"R"})
    cell.rest()
    until(cell, {"T"})


def test_who_was_caught_once_is_stopped_as_soon_as_it_rests() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        rest = Rest()
        rest.look([process.pid])
        rest.rest()
        while not rest.caught:
            rest.look([process.pid])
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        for _ in range(20):
            rest.wake()
            os.waitid(os.P_PID, process.pid, os.WCONTINUED)
            rest.rest()
            os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        rest.end()
        process.kill()


def test_a_bot_that_rests_is_never_touched(run: "Runner") -> None:
    idle, busy = run(IDLE), run(BUSY)
    idle.rest()
    busy.rest()
    until(busy, {"T"})  # by then the idle one was looked at as often
    assert states(idle) == {"S"}


def test_a_bot_that_was_stopped_may_end_by_itself(run: "Runner") -> None:
    code = "import time\nuntil = time.process_time() + 0.5\nwhile time.process_time() < until: pass\nprint('ended')"
    cell = run(code)
    until(cell, {"R"})
    cell.rest()
    until(cell, {"T"})
    ended = cell.stop(10_000)
    assert (ended.code, ended.log) == (0, b"ended\n")


def test_a_bot_that_is_stopped_can_be_killed(run: "Runner") -> None:
    cell = run(BUSY)
    until(cell, {"R"})
    cell.rest()
    until(cell, {"T"})
    cell._keeper.kill(cell._life, "was killed: enough")
    assert cell.wait_gone().reason == "was killed: enough"
