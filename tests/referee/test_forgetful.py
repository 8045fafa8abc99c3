"""No bot learns of a rotation before its own, and nothing of a block stays on the host: real blocks, in which every bot
leaves traces wherever it can and looks for those of the rotation and of the attempt before."""

import json
import os
import re
import secrets
import signal
import time
from collections.abc import Collection
from pathlib import Path

import pytest

from arena.tournaments.block import BotLog, Done, MatchReport, UnitKind
from sandbox.host import NoCellError, detect
from sandbox.syscalls import NUMBERS
from tests.referee.blocks import block_of, hosted, without_namespaces, write_bot
from tests.referee.test_play_block import block_process, cells_of, reports_of
from tests.sandbox.attacks.nobody import NobodyError

try:
    detect()
except NoCellError as error:
    pytest.skip(f"no cells on this host: {error}", allow_module_level=True)

ELEPHANT = (Path(__file__).parent / "elephant.py").read_text("utf-8")
KEY = 0x0A7E7A
PLACES = ("/", "/tmp", "/var/tmp", "/dev/shm", "/run", "/dev/mqueue", str(Path.home()))


def test_no_bot_finds_what_the_rotation_or_the_attempt_before_left_and_the_host_has_nothing_of_it(
    short_dir: Path,
) -> None:
    left = {"file", "socket", "name", "program"}
    _forget(short_dir, left, {*left, "futex"})


def test_nothing_is_found_either_where_no_namespaces_can_be_made(short_dir: Path) -> None:
    """A bot leaves times at its own seat's socket, which is another one in each rotation; and one at the table has the
    name, while it runs."""
    try:
        python, environment = without_namespaces()
    except NobodyError as error:
        pytest.skip(str(error))
    left, again = {"name", "program", "times"}, {"name", "times", "futex"}
    _forget(short_dir, left, again, one={"name"}, PYTHON=python, **environment)


def _forget(short_dir: Path, left: set[str], again: set[str], one: Collection[str] = (), **environment: str) -> None:
    """Plays a block, kills it, and plays it again.

    :param left: what every bot leaves, and ``again`` what it finds of it in its own cell; ``one`` of them perhaps not.
    """
    mark = f"elephant-{secrets.token_hex(8)}"
    temporary = short_dir / "tmp"
    temporary.mkdir()
    bot = write_bot(short_dir, ELEPHANT)
    settings = {"mark": mark, "key": KEY, "numbers": dict(NUMBERS[os.uname().machine])}
    (short_dir / bot / "settings.json").write_text(json.dumps(settings))
    block = block_of([hosted(f"bot-{n}", bot) for n in range(3)], units=1, kind=UnitKind.ROTATION, startup_ms=60_000)

    with block_process(block, short_dir, TMPDIR=str(temporary), **environment) as process:
        deadline = time.monotonic() + 60
        while len(cells_of(mark)) < 3:  # one program of each lives on
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    while cells_of(mark):
        assert time.monotonic() < deadline
        time.sleep(0.02)

    reports = reports_of(block, short_dir, TMPDIR=str(temporary), **environment)
    assert isinstance(reports[-1], Done)
    assert len([report for report in reports if isinstance(report, MatchReport)]) == 3
    logs = [report.text for report in reports if isinstance(report, BotLog)]
    assert len(logs) == 9
    for log in logs:
        told = {kind: set(re.findall(rf"^{kind} <(.*)>$", log, re.MULTILINE)) for kind in ("FOUND", "LEFT", "AGAIN")}
        assert told["FOUND"] == set(), log
        assert told["LEFT"].union(one) == left, log
        assert told["AGAIN"].union(one) == again, log

    assert cells_of(mark) == []
    assert mark not in Path("/proc/net/unix").read_text()
    assert str(short_dir) not in Path("/proc/self/mountinfo").read_text()
    for objects in ("shm", "sem", "msg"):
        lines = Path("/proc/sysvipc", objects).read_text().splitlines()[1:]
        assert KEY not in {int(line.split()[0]) for line in lines}
    for place in PLACES:
        assert not list(Path(place).glob(f"*{mark}*"))
    for folder in temporary.iterdir():
        assert not [place for place in folder.iterdir() if place.is_dir() or place.stat().st_size]
    assert {path.name for path in (short_dir / bot).iterdir()} == {"main.py", "bot.toml", "settings.json"}
