"""What a run is made of: percentiles, times from its launch, and text that keeps its signs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cli.runs import label, match_of, meanwhile, overlap, plain, printable
from arena.errors import BadRequest
from arena.tournaments.admission import LOG_SIGNS, Verdict, together
from arena.tournaments.block import PlayerReport, UnitKind
from arena.tournaments.logs import Logs
from arena.tournaments.runs import ThinkTime, think_times
from arena.v1 import submission_pb2 as pb
from sandbox.output import Part
from sandbox.runner import Exit
from tests.referee.blocks import block_of, hosted
from tests.tournaments.ground import reports_of

BLOCK = block_of([hosted(name, "") for name in "abc"], units=2, kind=UnitKind.ROTATION)
KILLED = Exit(
    code=None,
    signal=None,
    reason="was killed: it used 531 MiB of memory; the limit is 512 MiB",
    last_line="",
    parts=(Part(100, 100, b"caf\xc3"), Part(200, 200, b"\xa9 \xff"), Part(200, 300, b"[... 7 ...]")),
    written=16,
    started_s=1000.0,
    cpu_s=1.23,
    peak_mib=531,
)


@pytest.mark.parametrize(
    ("times_us", "found"),
    [
        ([[], []], ()),
        ([[7], []], (ThinkTime("all", 1, 7, 7, 7, 7, 0),)),
        (
            [[*range(1, 101)], [300]],
            (
                ThinkTime("all", 101, 51, 91, 100, 300, 1),
                ThinkTime("call", 100, 50, 90, 99, 100, 0),
                ThinkTime("play", 1, 300, 300, 300, 300, 1),
            ),
        ),
        ([[100, 101], []], (ThinkTime("all", 2, 100, 101, 101, 101, 1),)),
    ],
)
def test_think_times_are_ranks_of_what_was_measured(times_us: list[list[int]], found: tuple[ThinkTime, ...]) -> None:
    assert think_times(times_us, ("call", "play"), (100, 200)) == found


@given(st.lists(st.integers(0, 10**9), min_size=1))
def test_a_percentile_is_a_time_that_so_many_answers_did_not_exceed(times_us: list[int]) -> None:
    (found,) = think_times([times_us], ("play",), (250_000,))
    for share, time_us in ((50, found.p50_us), (90, found.p90_us), (99, found.p99_us), (100, found.longest_us)):
        assert time_us in times_us
        assert 100 * sum(one <= time_us for one in times_us) >= share * len(times_us)
        assert 100 * sum(one < time_us for one in times_us) < share * len(times_us)


def test_times_of_a_run_count_from_its_launch() -> None:
    logs = Logs(BLOCK, range(2, 3))
    logs.begin(1000.5)  # The referee begins to wait for the players half a second after this one was launched.
    match = reports_of([101])[2]
    assert not logs.take(match)
    assert logs.take(PlayerReport(1, -300, 20, {"LATE": 2}, ()))
    log = logs.of(1, KILLED)
    assert (log.player, log.rotation, log.run.game) == (1, 2, BLOCK.game)
    assert (log.run.hello_ms, log.run.answer_ms) == (200, 520)
    assert [(span.unit, span.begun_ms, span.ended_ms) for span in log.matches] == [(101, 500, 500)]
    assert log.matches[0].match_id == BLOCK.match_id(1, 2)
    assert (log.run.cpu_ms, log.run.peak_mib, log.run.written, log.run.faults) == (1230, 531, 16, {"LATE": 2})
    assert log.run.ending == "It was killed: it used 531 MiB of memory; the limit is 512 MiB."


def test_a_sign_whose_bytes_came_one_after_the_other_is_one() -> None:
    log = Logs(BLOCK, range(1)).of(0, KILLED)
    assert log.text == "café \ufffd[... 7 ...]"
    assert [part.since_ms for part in log.parts] == [100, 200, 200]
    assert (log.run.hello_ms, log.run.answer_ms, log.run.thinking) == (None, None, ())


def test_output_is_of_a_match_if_it_may_have_been_written_while_it_ran() -> None:
    match = pb.MatchSpan(begun_ms=1000, ended_ms=2000)
    for since_ms, until_ms, shown in (
        (900, 900, False),
        (1000, 1000, True),
        (2040, 2040, True),
        (2060, 2060, False),
        (100, 9000, True),
    ):
        assert meanwhile(pb.LogPart(since_ms=since_ms, until_ms=until_ms), match) is shown
    assert overlap(match, pb.MatchSpan(begun_ms=1900, ended_ms=2100))
    assert not overlap(match, pb.MatchSpan(begun_ms=2001, ended_ms=2100))


def test_a_match_is_named_by_tournament_unit_and_rotation() -> None:
    assert match_of("cup-1/12/3") == ("cup-1", 12, 3)
    for text in ("cup", "cup/1", "cup/x/1", "cup/1/2/3", "cup/-1/0"):
        with pytest.raises(BadRequest, match="write TOURNAMENT/UNIT/ROTATION"):
            match_of(text)
    assert label(pb.Run(tournament="cup", first_unit=10, units=10, rotation=3)) == "cup/10-19/3"
    assert label(pb.Run(tournament="a" * 64, first_unit=0, units=1, rotation=3)) == "a" * 15 + "…/0/3"
    assert label(pb.Run(game="callbreak")) == "callbreak"


def test_what_a_bot_wrote_is_no_command_for_a_terminal() -> None:
    assert printable("a\tb\n\x1b[2J\x9b1m\r") == "a\tb\n?[2J?1m?"


def test_a_message_as_json_has_every_field() -> None:
    run = pb.Run(game="callbreak", cpu_ms=7, faults={"LATE": 1}, thinking=[pb.ThinkTime(phase="all", answers=3)])
    found = plain(run)
    assert set(found) == {field.name for field in pb.Run.DESCRIPTOR.fields}
    assert (found["cpu_ms"], found["hello_ms"], found["end_time"]) == (7, None, None)
    assert found["faults"] == {"LATE": 1}
    assert found["thinking"][0]["answers"] == 3
    run.end_time.FromJsonString("2026-11-30T10:00:00Z")
    assert plain(run)["end_time"] == "2026-11-30T10:00:00Z"


def test_the_log_of_a_version_is_bounded_and_says_what_is_missing() -> None:
    verdicts = [Verdict(True, "", sign * LOG_SIGNS) for sign in "ab"]
    log = together([*verdicts, Verdict(False, "No.", "end")]).log
    assert log.startswith("aaa")
    assert log.endswith("bbb\nend")
    assert f"\n[... {LOG_SIGNS + 5} characters are left out here ...]\n" in log
    assert len(log) < LOG_SIGNS + 100
    assert together([Verdict(True, "", "one"), Verdict(False, "No.", "two")]) == Verdict(False, "No.", "one\ntwo")
