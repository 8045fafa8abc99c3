"""A validation, step by step, and where think times stand."""

import pytest

from arena.v1 import submission_pb2 as pb
from arena.web.report import DECADES, report, scale


def version(state: pb.VersionState.ValueType, *played: str) -> pb.Version:
    return pb.Version(state=state, games=["one", "two", "three"], runs=[pb.Run(game=game) for game in played])


@pytest.mark.parametrize(
    ("state", "played", "expected"),
    [
        (pb.VERSION_STATE_ACTIVE, ("one", "two", "three"), ["passed"] * 4),
        (pb.VERSION_STATE_REPLACED, ("one", "two", "three"), ["passed"] * 4),
        (pb.VERSION_STATE_VALIDATING, (), ["passed", "waits", "waits", "waits"]),
        (pb.VERSION_STATE_REJECTED, ("one", "two", "two"), ["passed", "passed", "failed", "was not played"]),
        (pb.VERSION_STATE_REJECTED, (), ["passed", "was not played", "was not played", "was not played"]),
    ],
)
def test_every_step_has_a_verdict(
    state: pb.VersionState.ValueType, played: tuple[str, ...], expected: list[str]
) -> None:
    steps = report(version(state, *played))
    assert [step.game for step in steps] == ["", "one", "two", "three"]
    assert [step.verdict for step in steps] == expected
    assert [step.failed for step in steps] == [verdict == "failed" for verdict in expected]
    assert [run.game for step in steps for run in step.runs] == list(played)


def test_think_times_stand_on_a_scale_of_powers_of_ten_and_within_it() -> None:
    assert [scale(us) for us in (0, 100, 1000, 10_000_000, 1e9)] == [0, 0, 20, 100, 100]
    assert DECADES == (20, 40, 60, 80)
