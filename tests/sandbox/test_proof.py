"""What holds each limit is found by breaking it, with and without control groups, and what would help is told."""

from pathlib import Path

import pytest

from sandbox.box import Tier
from sandbox.cgroup import controllers, try_out, usable
from sandbox.host import Host, Trial
from sandbox.proof import Hold, advice, holds

SLOT = 4000


def held(host: Host) -> dict[str, Hold]:
    return {hold.limit: hold for hold in holds(host, SLOT)}


def test_every_limit_has_somebody_who_holds_it(host: Host) -> None:
    found = held(Host(host.tier, host.program))
    by = {limit: hold.by for limit, hold in found.items()}
    assert by == {
        "memory, one process": "RLIMIT_DATA",
        "memory, whole tree": "the watch",
        "processor share": "",
        "processes": "RLIMIT_NPROC",
        "disk": "the size of its own /tmp",
        "network": "the system call filter",
        "other processes": "a process namespace",
        "other seats": "mounts, and a user id for each" if host.tier is Tier.ROOT else "mounts",
        "control groups": "",
    }
    assert "its time in all is held" in found["processor share"].but


def test_control_groups_hold_what_their_controllers_are_for(host: Host) -> None:
    places = usable()
    if "memory" not in controllers(places) or try_out(places):
        pytest.skip("this user may make no control group here")
    found = held(Host(host.tier, host.program, places))
    assert found["memory, whole tree"].by == "the control group"
    assert (found["processor share"].by == "the control group") is ("cpu" in controllers(places))
    assert str(places[0]) in found["control groups"].by


def test_a_cell_that_does_not_start_holds_nothing_that_was_seen(tmp_path: Path) -> None:
    found = held(Host(Tier.ROOT, "/bin/false"))
    assert found["network"] == Hold("network", "", "it was not found out: the cell told nothing")
    assert not found["memory, whole tree"].by


@pytest.mark.parametrize(
    ("complaint", "cure"),
    [
        ("bwrap: setting up uid map: Permission denied", "profile with 'userns,'"),
        ("bwrap: No permissions to create new namespace", "seccomp profile"),
        ("bwrap: Creating new namespace failed: Operation not permitted", "seccomp profile"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined"),
        ("bwrap: Failed to make / slave: Operation not permitted", "run as an ordinary user"),
        ("user id 60999 cannot read /root/python: bots here need a Python", "install them below /opt"),
        ("launcher: Landlock has version 5 here and must have 6", "Linux 6.12 or newer"),
        ("gate: 1: exec: /tmp/arena-rooms-0/60999/bot/program: Permission denied", "must not be mounted noexec"),
        ("only root can start cells of this tier", ""),
        ("ARENA_CGROUP cannot be used: /x is not a control group", "mend or unset it"),
        ("No such file or directory", ""),
    ],
)
def test_a_complaint_that_is_known_has_its_cure(complaint: str, cure: str) -> None:
    trial = Trial(Host(Tier.USERNS, "/usr/bin/bwrap"), complaint)
    said = advice([trial, trial], None, ())
    assert len(said) == bool(cure)
    assert cure in "".join(said)


def test_what_is_weaker_than_what_works_needs_no_cure() -> None:
    works, fails = Host(Tier.ROOT, "/usr/bin/bwrap", (Path("/a"),)), Host(Tier.NONS, "/usr/bin/python3")
    assert not advice([Trial(works, ""), Trial(fails, "user id 60999 cannot read /root/python")], works, ())


def test_a_host_without_namespaces_is_told_that_strangers_need_them() -> None:
    said = advice([], Host(Tier.NONS, "/usr/bin/python3", (Path("/a"),)), ())
    assert said == ["no strangers' bots run in tier nons unless --least-tier nons says so: with namespaces they do"]


def test_control_groups_that_are_not_used_are_named(host: Host) -> None:
    alone = Host(Tier.ROOT, host.program)
    places = (Path("/a"), Path("/b"))
    assert advice([], alone, places) == ["control groups can be made here: set ARENA_CGROUP=/a:/b"]
    assert "Delegate=yes" in advice([], alone, ())[0]
    assert advice([], Host(Tier.ROOT, host.program, places), places) == []
