"""What a host can enforce is found by trying, and told in words when nothing works."""

import os

import pytest

from sandbox.box import Tier
from sandbox.host import Host, NoCellError, bwraps, detect, survey


def test_the_tier_that_is_found_is_the_strongest_that_starts(host: Host) -> None:
    works = [trial.host for trial in survey() if not trial.complaint]
    assert host == works[0]
    assert host.tier is Tier.ROOT or os.geteuid() != 0


@pytest.mark.parametrize(
    ("program", "complaint"), [("/bin/false", "it ended with code 1"), ("/no/bwrap", "No such file")]
)
def test_a_bubblewrap_that_does_not_work_is_told_with_what_to_do(
    program: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_BWRAP", program)
    trial, last = survey()[0], survey()[-1]
    assert (trial.host.program, last.host.tier) == (program, Tier.NONS)
    assert complaint in trial.complaint
    if not last.complaint:
        assert detect() == last.host
        return
    with pytest.raises(NoCellError) as caught:
        detect()
    text = str(caught.value)
    assert text.startswith("no cell can be started on this host")
    assert trial.complaint in text
    assert last.complaint in text
    assert "install bubblewrap" in text


def test_the_program_that_the_environment_names_is_the_only_one_tried() -> None:
    assert bwraps({"ARENA_BWRAP": "/my/bwrap"}) == ["/my/bwrap"]


def test_a_stronger_tier_is_at_least_a_weaker_one_and_not_the_other_way_round() -> None:
    tiers = list(Tier)
    for place, stronger in enumerate(tiers):
        assert all(stronger.is_at_least(weaker) for weaker in tiers[place:])
        assert not any(weaker.is_at_least(stronger) for weaker in tiers[place + 1 :])
