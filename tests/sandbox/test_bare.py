"""Cells without namespaces: their places on paper, and that nothing is left if launcher or worker is killed."""

import json
import os
import re
import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.bare import launcher_argv, placed
from sandbox.box import BOT, SEAT, Box
from sandbox.launcher import refusal
from tests.sandbox.attacks.nobody import NOBODY, NobodyError, open_python
from tests.sandbox.attacks.scene import SLOT

ROOM = Path(__file__).parents[2]
BOX = Box(
    Path("/srv/bots/7"),
    ("/opt/py/bin/python", "main.py", f"--at={BOT}", f"{BOT}/x", f"print('{BOT}')"),
    Path("/srv/seats/1"),
    4,
    binds=(("/opt/py", "/opt/py"), ("/opt/lib/grpc", "/kit/grpc")),
)
ROOMS = Path("/tmp/rooms")
OWN = f"{ROOMS}/61004"


def orders_of(box: Box) -> dict[str, object]:
    orders: dict[str, object] = json.loads(launcher_argv(box, ROOMS, "python", filter_fd=10, status_fd=11)[-1])
    return orders


def test_what_a_bot_can_read_is_the_system_its_own_room_and_what_is_bound() -> None:
    orders = orders_of(BOX)
    reads = set(orders["reads"])  # type: ignore[call-overload]
    assert {place for place in reads if not place.startswith(("/usr", "/bin", "/sbin", "/lib", "/etc"))} == {
        OWN,
        "/opt/py",
        "/opt/lib/grpc",
    }
    assert orders["copies"] == {f"{OWN}/bot": "/srv/bots/7"}
    assert orders["names"] == {f"{OWN}/run/arena": "/srv/seats/1"}
    assert orders["links"] == {f"{OWN}/kit/grpc": "/opt/lib/grpc"}


def test_paths_of_the_cell_become_those_of_its_room_and_other_text_stays() -> None:
    assert orders_of(BOX)["argv"][-5:] == [  # type: ignore[index]
        "/opt/py/bin/python",
        "main.py",
        f"--at={BOT}",
        f"{OWN}/bot/x",
        f"print('{BOT}')",
    ]
    environment = {"PYTHONPATH": "/kit:/kit/more:/kitten", "SOCKET": f"unix:{SEAT}/seat.sock", "PATH": "/usr/bin"}
    assert placed(environment, BOX, ROOMS) == {
        "PYTHONPATH": f"{OWN}/kit:{OWN}/kit/more:/kitten",
        "SOCKET": f"unix:{OWN}/run/arena/seat.sock",
        "PATH": "/usr/bin",
    }


def test_a_kernel_that_does_not_keep_signals_in_a_cell_is_refused() -> None:
    assert not refusal(6)
    assert refusal(5) == "Landlock has version 5 here and must have 6, as Linux 6.12 and newer ones have"


HEAD = f"""
import contextlib, json, os, signal, socket, subprocess, sys, time
from pathlib import Path
from sandbox.box import Box, Limits, Tier
from sandbox.host import Host, rooms, survey
from sandbox.interpreter import packages, python_argv, python_binds
from sandbox.runner import CellError, start
host = Host(Tier.NONS, sys.executable)
folder = Path(sys.argv[1])
DAEMONS = '''
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: os.closerange(0, 64); time.sleep(600)
        os._exit(0)
for _ in range(3): os.wait()
print("ready", flush=True)
time.sleep(600)
'''
def cell(code, slot={SLOT}, **more):
    binds = (*python_binds(), *more.pop("binds", ()))
    return start(Box(folder, python_argv("-c", code), slot=slot, binds=binds, hidden=packages(), **more), host, {{}})
def alive(slot={SLOT}):
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            status = (entry / "status").read_text()
            if f"Uid:\\t{{61_000 + slot}}\\t" in status and "State:\\tZ" not in status: found.append(entry.name)
    return found
def until(condition):
    late = time.monotonic() + 10
    while not condition(): assert time.monotonic() < late; time.sleep(0.01)
def left(slot={SLOT}): return alive(slot), (rooms() / str(61_000 + slot)).exists()
"""

Ask = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Runs a program with `HEAD` by a Python that bots can run, too."""
    if os.geteuid() != 0:
        pytest.skip("without namespaces only root starts cells")
    try:
        python = open_python()
    except NobodyError as error:
        pytest.skip(str(error))
    tmp_path.chmod(0o755)

    def run(code: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [python, "-W", "ignore", "-c", HEAD + textwrap.dedent(code), str(tmp_path)],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOM), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def told(done: "subprocess.CompletedProcess[str]") -> list[str]:
    assert not done.stderr
    return done.stdout.splitlines()


def test_nothing_is_left_of_a_cell_and_its_descriptors_and_its_room(ask: Ask) -> None:
    said = ask(f"""
        cell("pass").stop(5_000)
        before = len(os.listdir("/proc/self/fd"))
        first = cell({"DAEMONS"})
        until(lambda: len(alive()) == 4)
        print(first.stop(0).reason, *left())
        print(cell("pass").stop(5_000).reason, *left(), len(os.listdir("/proc/self/fd")) - before)
    """)
    assert told(said) == [
        "was stopped: it still ran 0 ms after its work was over [] False",
        "ended by itself with code 0 [] False 0",
    ]


def test_a_cell_that_ends_takes_nobody_else_with_the_same_user_id_along(ask: Ask) -> None:
    said = ask(f"""
        uid = str(61_000 + {SLOT})
        argv = ["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", "sleep", "60"]
        with subprocess.Popen(argv) as stranger:
            until(lambda: len(alive()) == 1)
            print(cell(DAEMONS).stop(1_000).reason.split(":")[0], stranger.poll(), len(alive()))
            stranger.kill()
    """)
    assert told(said) == ["was stopped None 1"]


def test_a_worker_that_is_killed_leaves_nothing_behind(ask: Ask) -> None:
    said = ask("""
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.close(writing)
            cell(DAEMONS)
            until(lambda: len(alive()) == 4)
            if os.fork() == 0:  # it has the gate, too, and lives on to the end of the test
                os.closerange(0, 3)
                os.read(reading, 1)
                os._exit(0)
            os.kill(os.getpid(), signal.SIGKILL)
        os.wait()
        until(lambda: left() == ([], False))
        print("nothing")
    """)
    assert told(said) == ["nothing"]


def test_a_launcher_that_is_killed_leaves_nothing_that_its_worker_does_not_end(ask: Ask) -> None:
    said = ask("""
        killed = cell(DAEMONS)
        until(lambda: len(alive()) == 4)
        os.kill(killed.pid, signal.SIGKILL)
        print(killed.wait_gone().reason, *left())
    """)
    assert told(said) == ["was ended from outside [] False"]


def test_a_launcher_ends_what_the_last_one_of_its_slot_has_left(ask: Ask) -> None:
    said = ask(f"""
        from sandbox.host import command, filter_fd
        cell("pass", slot={SLOT + 1}).stop(5_000)  # whoever starts cells looks for what is left when it begins
        box = Box(folder, python_argv("-c", DAEMONS), slot={SLOT}, binds=python_binds())
        (gate, ours), program, status = socket.socketpair(), filter_fd(), os.open(os.devnull, os.O_WRONLY)
        ours.send(b"go\\n")
        argv, given = command(box, host, filter_fd=program, status_fd=status), (program, status)
        with subprocess.Popen(argv, stdin=gate, stdout=subprocess.DEVNULL, pass_fds=given) as launcher:
            until(lambda: len(alive()) == 4)
            launcher.kill()
        until(lambda: len(alive()) == 3)
        print(cell("print('well')").stop(5_000).log.decode().strip(), *left())
    """)
    assert told(said) == ["well [] False"]


def test_what_a_launcher_and_a_worker_leave_that_are_killed_together_is_ended_by_the_next_worker(ask: Ask) -> None:
    said = ask(
        """
        reading, writing = os.pipe()
        if os.fork() == 0:
            killed = cell(DAEMONS)
            until(lambda: len(alive()) == 4)
            os.kill(killed.pid, signal.SIGSTOP)
            os.write(writing, str(killed.pid).encode())
            os.kill(os.getpid(), signal.SIGKILL)
        os.wait()
        os.kill(int(os.read(reading, 99)), signal.SIGKILL)
        until(lambda: len(alive()) == 3)
        print(left()[1])
        other = cell("pass", slot=SLOT + 1)
        other.wait_begun()
        print(*left())
        other.stop(5_000)
    """.replace("SLOT + 1", str(SLOT + 1))
    )
    assert told(said) == ["True", "[] False"]


def test_cells_side_by_side_cannot_pass_the_rooms_of_others_and_one_slot_has_one_at_a_time(ask: Ask) -> None:
    said = ask(f"""
        first = cell("import time; time.sleep(600)")
        first.wait_begun()
        room = rooms() / str(61_000 + {SLOT})
        look = '''
        import os
        def attempt(what, *arguments):
            try: return what(*arguments)
            except OSError as error: return error.errno
        print(attempt(os.listdir, ROOM), attempt(os.stat, ROOM + "/bot"), attempt(os.listdir, os.path.dirname(ROOM)))
        '''.replace("ROOM", repr(str(room))).replace("\\n        ", "\\n")
        print(cell(look, slot={SLOT + 1}).stop(5_000).log.decode().strip())
        second = cell("print(2)")
        print(second.poll(), first.stop(0).reason.split(":")[0])
        print(second.stop(5_000).log)
    """)
    assert told(said) == ["13 13 13", "None was stopped", "b'2\\n'"]


def test_what_the_bots_user_cannot_read_is_told_and_no_bot_starts(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o700)
    said = ask("""
        (place,) = folder.iterdir()
        try: cell("pass", binds=((str(place), str(place)),)).wait_begun()
        except CellError as error: print(error)
        print(*left())
    """)
    sentence, left = told(said)
    assert re.fullmatch(
        r"a cell did not start: user id \d+ cannot read .*/closed: bots here need a Python and libraries that every "
        r"user may read, such as below /usr or /opt; run 'arena doctor' on this host\.",
        sentence,
    )
    assert left == "[] False"


def test_what_is_hidden_cannot_be_opened_and_what_is_bound_out_of_it_can(ask: Ask) -> None:
    look = """
import os, sys
for name in sys.argv[1:]:
    try: os.close(os.open(name, os.O_RDONLY)); print("open")
    except OSError as error: print(error.errno)
"""
    said = ask(f"""
        import tempfile
        with tempfile.TemporaryDirectory() as place:
            os.chmod(place, 0o755)
            os.makedirs(f"{{place}}/packages/listed")
            names = [f"{{place}}/{{name}}" for name in ("packages/other", "packages/listed/one", "beside")]
            for name in names: open(name, "w").close()
            binds = (*python_binds(), (place, place), (f"{{place}}/packages/listed", "/kit/listed"))
            look = python_argv("-c", {look!r}, *names, "/kit/listed/one")
            box = Box(folder, look, slot={SLOT}, binds=binds, hidden=(f"{{place}}/packages",))
            print(start(box, host, {{}}).stop(5_000).log.decode().split())
    """)
    assert told(said) == ["['13', 'open', 'open', 'open']"]


def test_what_holds_each_limit_is_known_by_its_error(ask: Ask) -> None:
    said = ask(f"""
        from sandbox.proof import holds
        print(json.dumps({{hold.limit: hold.by for hold in holds(host, {SLOT})}}))
    """)
    assert json.loads(told(said)[0]) == {
        "memory, one process": "RLIMIT_DATA",
        "memory, whole tree": "the watch",
        "processor share": "",
        "processes": "RLIMIT_NPROC",
        "disk": "Landlock: it can write no folder",
        "network": "the system call filter",
        "other processes": "Landlock, and its user id",
        "other seats": "Landlock, and a user id for each",
        "control groups": "",
    }


def test_it_is_the_last_way_that_is_tried_and_nothing_for_an_ordinary_user(ask: Ask) -> None:
    said = ask(f"""
        os.environ["ARENA_BWRAP"] = "/bin/false"
        print([(trial.host.tier.value, bool(trial.complaint)) for trial in survey()])
        os.setgroups([]), os.setresgid({NOBODY}, {NOBODY}, {NOBODY}), os.setresuid({NOBODY}, {NOBODY}, {NOBODY})
        print(survey()[-1].complaint)
    """)
    assert told(said) == [
        "[('root', True), ('nons', False)]",
        "only root can start cells of this tier, as each needs a user id of its own",
    ]


def test_root_may_lack_the_right_to_look_into_others(ask: Ask) -> None:
    """As in a container: the watch still counts sockets and shares memory that many use."""
    said = ask("""
        import ctypes
        assert ctypes.CDLL(None).prctl(24, 19, 0, 0, 0) == 0  # PR_CAPBSET_DROP, CAP_SYS_PTRACE
        if len(sys.argv) == 2:
            os.execv(sys.executable, [sys.executable, "-W", "ignore", *sys.orig_argv[3:], "again"])
        hoard = "import socket, time; held = [socket.socketpair() for _ in range(50)]; time.sleep(60)"
        print(cell(hoard, limits=Limits(descriptors=128, processes=8)).stop(2_000).reason.split(":")[0])
        two = "import os, socket, time; os.fork(); " + hoard
        print(cell(two, limits=Limits(descriptors=128, processes=8)).stop(20_000).reason)
        share = "hoard = bytearray(b'x') * (40 << 20); import os, time; os.fork(); os.fork(); time.sleep(0.5)"
        print(cell(share, limits=Limits(memory_mib=100)).stop(20_000).reason)
    """)
    stopped, sockets, shared = told(said)
    assert stopped == "was stopped"
    assert re.fullmatch(r"was killed: it opened \d+ sockets; the limit is 128", sockets)
    assert shared == "ended by itself with code 0"
