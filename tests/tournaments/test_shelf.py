"""Unpacked bots stay while they are used, what was used least recently goes, and a full disk is nobody's fault."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.store import Connection
from arena.tournaments import worker
from arena.tournaments.shelf import Room, Shelf, UnpackError
from arena.tournaments.worker import Settings
from sandbox import archive
from sandbox.host import bwraps
from tests.tournaments.ground import STAND_IN, archive_of, make_tournament, make_version

ROOM = Path(__file__).parents[2]
ARCHIVES = {archive.content_hash(data): data for data in (archive_of(bot) for bot in ("ann", "bob", "cyd", "dan"))}
HASHES = list(ARCHIVES)


@pytest.fixture
def take(tmp_path: Path) -> Callable[[str, Room], int]:
    """Takes a bot from the shelf in the test's folder, as if it was used now."""

    def taking(content_hash: str, room: Room) -> int:
        return Shelf(tmp_path, room).take(content_hash, lambda: ARCHIVES[content_hash])

    return taking


def used(place: Path, *hashes: str) -> None:
    """As if they had been used in that order, some time ago."""
    for number, content_hash in enumerate(hashes):
        os.utime(place / content_hash, (number, number))


def names(place: Path) -> set[str]:
    return {folder.name for folder in place.iterdir()}


def test_what_was_used_least_recently_goes(tmp_path: Path, take: Callable[[str, Room], int]) -> None:
    for content_hash in HASHES[:3]:
        os.close(take(content_hash, Room()))
    used(tmp_path, *HASHES[:3])
    os.close(take(HASHES[0], Room(folders=3)))
    os.close(take(HASHES[3], Room(folders=3)))
    assert names(tmp_path) == {HASHES[0], HASHES[2], HASHES[3]}


def test_what_takes_more_bytes_than_there_is_room_for_goes_but_not_what_is_used(
    tmp_path: Path, take: Callable[[str, Room], int]
) -> None:
    held = [take(content_hash, Room(mib=0)) for content_hash in HASHES[:2]]
    assert names(tmp_path) == set(HASHES[:2])
    os.close(held[0])
    os.close(take(HASHES[2], Room(mib=0)))
    assert names(tmp_path) == {HASHES[1], HASHES[2]}
    os.close(held[1])


def test_what_another_process_uses_stays_until_that_has_ended(tmp_path: Path, take: Callable[[str, Room], int]) -> None:
    os.close(take(HASHES[0], Room()))
    code = f"import fcntl, os; fcntl.flock(os.open({str(tmp_path / HASHES[0])!r}, 0), fcntl.LOCK_SH); print(); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        Shelf(tmp_path, Room(folders=0)).tidy()
        assert names(tmp_path) == {HASHES[0]}
        other.kill()
        other.wait()
    Shelf(tmp_path, Room(folders=0)).tidy()
    assert names(tmp_path) == set()


def test_what_a_killed_worker_left_half_unpacked_goes_after_a_while_and_nothing_of_anybody_else(tmp_path: Path) -> None:
    old, new, not_ours = f"{HASHES[0]}.{'0' * 8}", f"{HASHES[0]}.{'1' * 8}", "thesis"
    for name, age_s in ((old, 7200), (new, 10), (not_ours, 7200)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - age_s,) * 2)
    Shelf(tmp_path, Room(folders=0)).tidy()
    assert names(tmp_path) == {new, not_ours}


FULL = """
import os, sys
from pathlib import Path
from arena.tournaments.shelf import Room, Shelf, UnpackError
from sandbox import archive
from sandbox.host import bwraps
place, source = map(Path, sys.argv[1:])
def take(name):
    data = (source / name).read_bytes()
    return Shelf(place / "bots", Room()).take(archive.content_hash(data), lambda: data)
first, second = take("1"), take("2")
os.close(first)
third = take("3")
print(len(os.listdir(place / "bots")))
try:
    take("4")
except UnpackError as error:
    print(error)
print(len(os.listdir(place / "bots")))
"""


def test_a_full_disk_takes_what_is_not_used_and_is_told_if_all_is(tmp_path: Path) -> None:
    bot, source, place = (tmp_path / name for name in ("bot", "source", "place"))
    for folder in (bot, source, place):
        folder.mkdir()
    (bot / "bot.toml").write_text('name = "big"\nentry = "main.py"\ngames = ["callbreak"]\n')
    for name in "1234":
        (bot / "main.py").write_text(f"# {name}\n" + "#" * 400_000)
        (source / name).write_bytes(archive.pack(bot))
    disk = [bwraps(os.environ)[0], "--dev-bind", "/", "/", "--size", str(1 << 20), "--tmpfs", str(place)]
    program = [sys.executable, "-c", FULL, str(place), str(source)]
    done = subprocess.run([*disk, *program], cwd=ROOM, capture_output=True, text=True, check=True, timeout=60)
    two, told, still_two = done.stdout.splitlines()
    assert (two, still_two) == ("2", "2")
    assert told.startswith(f"No bot can be unpacked into {place}/bots (No space left on device): make room there")


def test_a_place_that_cannot_be_written_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "bots").write_text("not a folder")
    with pytest.raises(UnpackError, match=r"No bot can be unpacked into .*/bots \(File exists\): make room there"):
        Shelf(tmp_path / "bots", Room()).take(HASHES[0], lambda: ARCHIVES[HASHES[0]])


def test_a_host_that_cannot_unpack_is_nobodys_fault(connection: Connection, database_url: str, tmp_path: Path) -> None:
    (block,) = make_tournament(connection)
    version = make_version(connection, "new", state="validating", house=False)
    (tmp_path / "bots").write_text("not a folder")
    settings = Settings(database_url, tmp_path / "bots", (*STAND_IN, "play"), "tester", 20.0)
    for _ in range(4):
        assert worker.play_block(settings, block) is None
        worker.validate_version(settings, version)
    assert connection.execute("SELECT state, deaths FROM blocks").fetchall() == [("queued", 0)]
    assert connection.execute("SELECT state, deaths FROM versions WHERE id = %s", (version,)).fetchall() == [
        ("validating", 0)
    ]
    reasons = connection.execute("SELECT DISTINCT outcome, reason FROM attempts").fetchall()
    assert [outcome for outcome, _ in reasons] == ["abandoned"]
    assert reasons[0][1].startswith("No bot can be unpacked into")
