"""The command line of a cell, as far as paper can show it; the rest is in the tests that start cells."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.box import FIRST_SLOT_UID, Box, Limits, Tier, bwrap_argv, slot_uid

BOX = Box(
    Path("/srv/bots/7"), ("/opt/py/bin/python", "main.py"), Path("/srv/seats/1"), 4, binds=(("/opt/py", "/opt/py"),)
)

tiers = pytest.mark.parametrize("tier", [tier for tier in Tier if tier is not Tier.NONS])


def line(box: Box, tier: Tier) -> list[str]:
    return bwrap_argv(box, tier, "bwrap", filter_fd=10, status_fd=11)


@tiers
def test_nothing_of_the_host_can_be_written(tier: Tier) -> None:
    argv = line(BOX, tier)
    assert not {"--bind", "--bind-try", "--dev-bind", "--dev-bind-try", "--share-net", "--bind-fd"} & set(argv)
    own = argv[: argv.index("--")]
    assert own[-4:-2] == ["--remount-ro", "/"], "the last word on mounts"


@tiers
def test_every_tmpfs_has_a_size_and_comes_before_the_binds(tier: Tier) -> None:
    argv = line(BOX, tier)
    for place, word in enumerate(argv):
        if word == "--tmpfs":
            assert argv[place - 2 : place] == ["--size", str(32 << 20)]
            assert place < argv.index("/opt/py")


@tiers
def test_the_command_comes_last_and_whole(tier: Tier) -> None:
    assert line(BOX, tier)[-2:] == ["/opt/py/bin/python", "main.py"]


def test_only_root_gives_each_slot_a_user_id_and_no_tier_keeps_a_capability() -> None:
    root = line(BOX, Tier.ROOT)
    assert "--unshare-user" not in root
    assert root[root.index("--reuid") + 1] == str(FIRST_SLOT_UID + 4)
    assert "--bounding-set=-all" in root
    for tier in (Tier.USERNS, Tier.USERNS_BARE):
        assert "--unshare-user" in line(BOX, tier)
        assert "--cap-add" not in line(BOX, tier)
    assert {slot_uid(Tier.ROOT, slot, 0) for slot in range(64)} == set(range(61_000, 61_064))
    assert slot_uid(Tier.USERNS, 9, 1000) == 1000


def test_folders_that_lead_to_a_bind_are_open_to_the_slots_user() -> None:
    argv = line(Box(Path("/b"), ("x",), binds=(("/h/k", "/root/.pyenv/versions/3"),)), Tier.ROOT)
    for folder in ("/root", "/root/.pyenv", "/root/.pyenv/versions"):
        assert argv[argv.index(folder) - 3 : argv.index(folder)] == ["--perms", "0755", "--dir"]


@tiers
def test_what_is_hidden_is_empty_where_it_could_be_seen_and_not_made_elsewhere(tier: Tier) -> None:
    hidden = ("/opt/py/lib/packages", "/usr/lib/packages", "/home/me/packages", "/opt/python/packages")
    argv = line(Box(Path("/b"), ("x",), binds=(("/opt/py", "/opt/py"), ("/home/me", "/kit")), hidden=hidden), tier)
    for folder in hidden[:2]:
        place = argv.index(folder)
        assert argv[place - 3 : place + 3] == ["--size", "4096", "--tmpfs", folder, "--remount-ro", folder]
        assert place > argv.index("/opt/py"), "a later mount hides an earlier one"
    assert not set(hidden[2:]) & set(argv)


@given(st.integers(1, 4096), st.integers(1, 500), st.integers(16, 999), st.integers(1, 99))
def test_limits_are_those_of_the_box(memory: int, processes: int, descriptors: int, file: int) -> None:
    limits = Limits(memory_mib=memory, processes=processes, descriptors=descriptors, file_mib=file)
    argv = line(Box(Path("/b"), ("x",), limits=limits), Tier.USERNS)
    assert {
        f"--data={memory << 20}",
        f"--nproc={processes}",
        f"--nofile={descriptors}",
        f"--fsize={file << 20}",
    } <= set(argv)
