"""What a block process measures of the bots in its cells, and what it says of one that ends: to its owner all, to the
record of the match nothing that the bot wrote."""

import re
from pathlib import Path

import pytest

from arena.tournaments.block import BotLog, MatchReport, UnitKind
from sandbox.host import NoCellError, detect
from tests.referee.blocks import BOT, SILENT, block_of, hosted, write_bot
from tests.referee.test_play_block import reports_of

try:
    detect()
except NoCellError as error:
    pytest.skip(f"no cells on this host: {error}", allow_module_level=True)

FAILING = """
from arena.bot import run

def choose(turn):
    {body}

if __name__ == "__main__":
    run(choose, name="bot", games=["minus_one"])
"""

TALKING = """
from arena.bot import run

print("up", flush=True)

def choose(turn):
    print(f"unit {turn.match_id} turn {turn.number}", flush=True)
    return turn.rng.choice(turn.legal)

if __name__ == "__main__":
    run(choose, name="bot", games=["minus_one"], batch=16)
"""


def test_a_run_is_measured_from_its_launch_to_its_end(short_dir: Path) -> None:
    bot = write_bot(short_dir, TALKING)
    block = block_of([hosted(name, bot) for name in "abc"], units=3, kind=UnitKind.ROTATION)
    reports = reports_of(block, short_dir)
    logs = [report for report in reports if isinstance(report, BotLog)]
    matches = [report for report in reports if isinstance(report, MatchReport)]
    assert [(log.rotation, log.player) for log in logs] == [(r, p) for r in range(3) for p in range(3)]
    for log in logs:
        run = log.run
        # On a busy host the last one may not get its 200 ms of grace in time.
        assert run.exit.startswith(("ended by itself with code 0", "was stopped"))
        assert (run.last_line, run.faults) == ("", {})
        assert run.hello_ms is not None
        assert run.answer_ms is not None
        assert 0 < run.hello_ms <= run.answer_ms
        assert run.cpu_ms > 0
        assert 10 < run.peak_mib < 512
        assert run.written == len(log.text)
        whole, *phases = run.thinking
        # Every player answers every decision of Minus One: in three matches as many as are in a match.
        assert whole.answers == sum(one.decisions for one in matches if one.rotation == log.rotation) // 3
        assert [one.phase for one in phases] == ["show", "keep"]
        assert sum(one.answers for one in phases) == whole.answers == log.text.count("turn")
        assert whole.p50_us <= whole.p90_us <= whole.p99_us <= whole.longest_us
        assert [span.unit for span in log.matches] == [100, 101, 102]
        assert all(run.hello_ms <= span.begun_ms <= span.ended_ms for span in log.matches)
        assert log.parts[0].text.startswith("up")
        assert log.parts[0].since_ms <= run.hello_ms


ENDS = {
    "killed for memory": (
        "import mmap; hoard = mmap.mmap(-1, 700 << 20); [hoard.write(bytes(1 << 20)) for _ in range(700)]",
        r"was killed: it used (5[1-9]|6\d|70)\d MiB of memory(?: and asked for more)?; the limit is 512 MiB",
        "",
    ),
    "refused memory": (
        "bytearray(1 << 30)",
        "ended by itself with code 1: it got no more memory; the limit is 512 MiB",
        "MemoryError",
    ),
    "an exception": (
        "raise ValueError('my hand is AS KS')",
        "ended by itself with code 1",
        "ValueError: my hand is AS KS",
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_an_end_is_told_to_the_owner_whole_and_to_the_record_without_the_output(name: str, short_dir: Path) -> None:
    body, reason, last_line = ENDS[name]
    good, bad = write_bot(short_dir, BOT), write_bot(short_dir, FAILING.format(body=body))
    players = [hosted("good", good), hosted("bad", bad), hosted("fine", good)]
    reports = reports_of(block_of(players, units=1, kind=UnitKind.SINGLE), short_dir)
    (log,) = [report for report in reports if isinstance(report, BotLog) and report.player == 1]
    assert re.fullmatch(reason, log.run.exit)
    assert log.run.last_line == last_line
    assert log.run.faults == {"GONE": 3}
    assert log.run.answer_ms is None
    assert log.run.thinking == ()
    (match,) = [report for report in reports if isinstance(report, MatchReport)]
    assert {fault.reason for fault in match.faults} == {f"The bot's process {log.run.exit}."}
    assert log.run.exit in match.record
    assert "hand" not in match.record


def test_a_bot_that_never_says_hello_has_no_time_of_it(short_dir: Path) -> None:
    good, bad = write_bot(short_dir, BOT), write_bot(short_dir, SILENT)
    players = [hosted("good", good), hosted("bad", bad), hosted("fine", good)]
    reports = reports_of(block_of(players, units=1, kind=UnitKind.SINGLE, startup_ms=1_000), short_dir)
    (log,) = [report for report in reports if isinstance(report, BotLog) and report.player == 1]
    assert (log.run.hello_ms, log.run.answer_ms, log.run.faults) == (None, None, {"GONE": 3})
    assert log.run.exit == "was stopped: it still ran 200 ms after its work was over"
