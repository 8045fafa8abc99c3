"""Control groups: the kernel's own limits, on hosts that give us a group to divide."""

import contextlib
import dataclasses
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from sandbox.box import Limits
from sandbox.cgroup import Group, remove_orphans
from sandbox.host import Host, NoCellError, detect
from tests.sandbox.attacks import BY_NAME
from tests.sandbox.attacks.groups import divided
from tests.sandbox.attacks.scene import Scene, verdict
from tests.sandbox.test_cell import ends_with, worker


@pytest.fixture
def grouped(host: Host) -> Iterator[Host]:
    """A host with a group of our own."""
    with contextlib.ExitStack() as stack:
        try:
            own = stack.enter_context(divided())
        except OSError as error:
            pytest.skip(str(error))
        yield dataclasses.replace(host, groups=own)


def test_a_cell_runs_in_a_group_of_its_own_that_is_gone_when_it_is(scene: Scene, grouped: Host) -> None:
    inside = dataclasses.replace(scene, host=grouped)
    ended, left = inside.run("print(open('/proc/self/cgroup').read())")
    assert (ended.code, left) == (0, [])
    assert ended.log.count(b"/cell-") == len(grouped.groups)
    for place in grouped.groups:
        assert [entry.name for entry in place.iterdir() if entry.is_dir()] == []


@pytest.mark.parametrize("name", ["fork bomb", "memory by many processes", "memory in a shared mapping", "daemons"])
def test_attacks_are_held_in_a_group_too(name: str, scene: Scene, grouped: Host) -> None:
    attack = BY_NAME[name]
    ended, left = dataclasses.replace(scene, host=grouped).run(attack.code, attack.limits, attack.grace_ms)
    assert not verdict(attack, ended, left)


def test_a_cell_in_a_group_has_one_processor(scene: Scene, grouped: Host) -> None:
    code = """
        os.fork(); os.fork()
        until = time.monotonic() + 0.6
        while time.monotonic() < until: pass
        time.sleep(0.15)
    """
    ended, _ = dataclasses.replace(scene, host=grouped).run(code)
    assert ended.cpu_s < 0.6 * 1.4


def test_the_groups_of_a_starter_that_was_killed_are_removed_when_the_next_one_starts_a_cell(
    scene: Scene, grouped: Host
) -> None:
    code = """
        cell("grouped")
        while not all(list(place.glob(f"cell-{os.getpid()}-*")) for place in detect().groups): time.sleep(0.01)
        print("ready", flush=True)
        time.sleep(600)
    """
    for _ in range(2):
        with worker(scene, code, ARENA_CGROUP=":".join(map(str, grouped.groups))) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            process.kill()
        left = [group for place in grouped.groups for group in place.glob("cell-*")]
        assert {group.name.split("-")[1] for group in left} == {str(process.pid)}
        for group in left:
            ends_with(partial(_is_empty, group))
    remove_orphans(grouped.groups)
    Group(grouped.groups, 1, Limits())
    remove_orphans(grouped.groups)
    for place in grouped.groups:
        (alive,) = place.glob("cell-*")
        alive.rmdir()


def _is_empty(group: Path) -> bool:
    return not (group / "cgroup.procs").read_text()


def test_a_group_says_for_which_limit_the_kernel_killed(tmp_path: Path) -> None:
    group = Group([tmp_path], 1, Limits(memory_mib=7))
    events = tmp_path / f"cell-{os.getpid()}-1" / "memory.events"
    events.write_text("low 0\nhigh 0\nmax 12\noom 1\noom_kill 0\n")
    assert group.broken() == ""
    events.write_text("low 0\nhigh 0\nmax 12\noom 1\noom_kill 1\n")
    assert group.broken() == "used 7 MiB of memory and asked for more; the limit is 7 MiB"


def test_a_place_that_is_no_control_group_is_told_and_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_CGROUP", str(tmp_path))
    with pytest.raises(NoCellError, match=f"ARENA_CGROUP cannot be used: {tmp_path} is not a control group"):
        detect()
