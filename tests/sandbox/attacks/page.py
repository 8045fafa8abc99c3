"""docs/attacks.md: every attack, what stops it, and in which set-ups that was seen. Knows no cell.

`python -m tests.sandbox.attacks.page` runs all attacks in all set-ups that this host and user can have, says where one
was not held, and ends with 1 then; `make attacks` has it write the page, too.
"""

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.host import detect
from tests.sandbox.attacks import BY_NAME, FAMILIES, MACHINE
from tests.sandbox.attacks.attack import Attack
from tests.sandbox.attacks.groups import described, divided
from tests.sandbox.attacks.nobody import NOBODY, NobodyError, told_by_nobody, told_without_namespaces
from tests.sandbox.attacks.scene import SECRET, Scene, set_up, verdict

PAGE = Path(__file__).parents[3] / "docs" / "attacks.md"
SETUPS = ("root", "root, group", "user", "user, group", "nons")
HELD, OPEN, UNTRIED = "held", "NOT HELD", "-"

Outcomes = Mapping[tuple[str, str], str]
"""Of an attack in a set-up."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An attack that takes more than a program in a cell; its test is somewhere else."""

    name: str
    stops: str
    test: str


ELSEWHERE = (
    Elsewhere(
        "archives of every kind: links, devices, paths that lead out, bombs",
        "`sandbox.archive` reads the whole archive first",
        "tests/sandbox/test_malformed.py::test_every_kind_is_refused_with_its_reason",
    ),
    Elsewhere(
        "links, fifos and devices in what is collected of a bot",
        "nothing is: its output comes through a pipe",
        "tests/sandbox/test_cell.py::test_output_and_errors_are_kept_in_the_order_they_were_written",
    ),
    Elsewhere(
        "fourteen ways to remember the rotation or the attempt before",
        "new processes in new cells for each",
        "tests/referee/test_forgetful.py::test_no_bot_finds_what_the_rotation_or_the_attempt_before_left_and_the_host_has_nothing_of_it",
    ),
    Elsewhere(
        "the worker is killed with -9",
        "the parent-death signals of bubblewrap",
        "tests/sandbox/test_cell.py::test_a_worker_that_is_killed_leaves_nothing_behind",
    ),
    Elsewhere(
        "the worker is killed with -9 in any moment",
        "whoever starts the next cell ends what waits",
        "tests/sandbox/test_cell.py::test_a_worker_that_is_killed_at_any_moment_leaves_nothing_that_the_next_one_does_not_end",
    ),
    Elsewhere(
        "the launcher of a cell in `nons` is killed with -9",
        "the keeper, or the next worker's, ends all of its user id",
        "tests/sandbox/test_bare.py::test_a_launcher_that_is_killed_leaves_nothing_that_its_worker_does_not_end",
    ),
    Elsewhere(
        "the block process is killed with -9",
        "as above; the next one removes the seats",
        "tests/referee/test_play_block.py::test_a_block_process_that_is_killed_takes_its_cells_with_it_and_the_next_one_removes_their_seats",
    ),
    Elsewhere(
        "the groups of a starter that was killed",
        "the next one removes them",
        "tests/sandbox/test_cgroup.py::test_the_groups_of_a_starter_that_was_killed_are_removed_when_the_next_one_starts_a_cell",
    ),
    Elsewhere(
        "more than one processor, with a group",
        "cpu.max, or cpu.cfs_quota_us",
        "tests/sandbox/test_cgroup.py::test_a_cell_in_a_group_has_one_processor",
    ),
)


_HEAD = """\
# Attacks

What hostile bots try, and what stops them. `make attacks` writes this page: it runs every program of
`tests/sandbox/attacks/` in every set-up that its host can have, and a test sees that both say the same. An attack is
*held* when what stops it was seen to stop it, by the error that the bot got or by the sentence with which its cell
ended, with the number of the limit, and when no process of it was left.

*root* starts its cells in the tier `root`; *user*, who has no rights at all, in the tier `userns`; *nons* is root
again, in the tier `nons`, where something else stops many of them and a few are not held, for the reason given.
Without a group the limits are held without the kernel's control groups; *group* is one of {kind}.
What such a group lacks, the watch holds as without one. `-` was not tried.

The suite runs the columns *root* and *user* each time, `make long` the column *nons*: `test_an_attack_is_held`,
`test_an_attack_is_held_in_cells_started_by_nobody` and `test_an_attack_is_held_without_namespaces` of
`tests/sandbox/test_attacks.py`, with the name of the attack. The limits there are small: 160 MiB of memory, 32
processes, 64 descriptors, 8 MiB and 500 files of /tmp.
[The sandbox](sandbox.md) has the usual ones, and what is not held.
"""


def rendered(outcomes: Outcomes, kind: str) -> str:
    """The page.

    :param kind: of the control groups in which the attacks were tried.
    """
    return "\n".join(_lines(outcomes, kind)) + "\n"


def read(text: str) -> tuple[Outcomes, str]:
    """The outcomes that a page tells, and the kind of control group."""
    outcomes: dict[tuple[str, str], str] = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 2 + len(SETUPS) and {*cells[2:]} <= {HELD, OPEN, UNTRIED}:
            outcomes |= {(cells[0], setup): cell for setup, cell in zip(SETUPS, cells[2:], strict=True)}
    told = re.search(r"\*group\* is one of (.*)\.$", text, re.MULTILINE)
    return outcomes, told.group(1) if told else ""


def _lines(outcomes: Outcomes, kind: str) -> Iterator[str]:
    yield from _HEAD.format(kind=kind).splitlines()
    for family, attacks in FAMILIES.items():
        yield from ("", f"## {family.capitalize()}", "", f"`tests/sandbox/attacks/{family}.py`", "")
        yield from _row("attack", "what stops it", *SETUPS)
        yield from _row(*("---",) * (2 + len(SETUPS)))
        for attack in attacks:
            seen = (outcomes.get((attack.name, setup), UNTRIED) for setup in SETUPS)
            yield from _row(attack.name, _stops(attack), *seen)
    yield from ("", "## Elsewhere", "", "What takes more than a program in a cell.", "")
    yield from _row("attack", "what stops it", "test")
    yield from _row("---", "---", "---")
    for other in ELSEWHERE:
        yield from _row(other.name, other.stops, f"`{other.test}`")


def _stops(attack: Attack) -> str:
    bare = attack.nons
    otherwise = f"not held, {bare.open}" if bare.open else bare.stops
    return f"{attack.stops}. In `nons`: {otherwise}" if otherwise else attack.stops


def _row(*cells: str) -> Sequence[str]:
    return (f"| {' | '.join(cells)} |",)


def _own(scene: Scene) -> dict[str, str]:
    faults = {}
    for name, attack in BY_NAME.items():
        if MACHINE in attack.machines:
            ended, left = scene.run(attack.code, attack.limits, attack.grace_ms)
            faults[name] = verdict(attack.in_tier(scene.host.tier), ended, left)
    return faults


def _all() -> Iterator[tuple[str, dict[str, str]]]:
    """What went wrong in each set-up; first the kind of control group."""
    own = "root" if os.geteuid() == 0 else "user"
    with tempfile.TemporaryDirectory() as folder:
        scene, sockets = set_up(Path(folder), detect())
        yield own, _own(scene)
        try:
            with divided() as group:
                yield f"{own}, group", _own(replace(scene, host=replace(scene.host, groups=group)))
        except OSError as error:
            print(f"{own}, group: not tried, {error}")
        for each in sockets:
            each.close()
    if own == "root":
        try:
            yield "user", told_by_nobody()
            with divided(NOBODY) as group:
                yield "user, group", told_by_nobody(":".join(map(str, group)))
        except (NobodyError, OSError) as error:
            print(f"user: not tried, {error}")
        try:
            yield "nons", told_without_namespaces()
        except NobodyError as error:
            print(f"nons: not tried, {error}")


def _kind() -> str:
    try:
        with divided() as group:
            return described(group)
    except OSError:
        return "none, as this host has none to divide"


def main(write: bool) -> int:
    """0 if all attacks went as they must in all set-ups that were tried, else 1."""
    os.environ["ARENA_SECRET"] = SECRET
    outcomes: dict[tuple[str, str], str] = {}
    faults = 0
    for setup, told in _all():
        for name, fault in told.items():
            is_open = bool(BY_NAME[name].nons.open) and setup == "nons"
            outcomes[name, setup] = OPEN if fault or is_open else HELD
            if fault:
                faults += 1
                print(f"{setup}: {name}: {fault}")
        print(f"{setup}: {len(told)} attacks tried", flush=True)
    if write:
        PAGE.write_text(rendered(outcomes, _kind()), "utf-8")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(write=sys.argv[1:] == ["--write"]))
