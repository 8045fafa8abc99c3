"""A cell from start to end: what it tells, what it lets through, and that nothing of it is ever left."""

import contextlib
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
import typing_extensions

from sandbox.box import Box, Limits, Tier, bwrap_argv, slot_uid
from sandbox.host import Host, filter_fd
from sandbox.interpreter import packages, python_argv, python_binds
from sandbox.orphans import end_orphans
from sandbox.runner import CellError, lend, start
from tests.sandbox.attacks.scene import Scene, marked

ROOM = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("code", "number", "signal", "reason"),
    [
        ("pass", 0, None, "ended by itself with code 0"),
        ("sys.exit(3)", 3, None, "ended by itself with code 3"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", None, 11, "ended by signal 11 (SIGSEGV)"),
        ("time.sleep(60)", None, None, "was stopped: it still ran 300 ms after its work was over"),
    ],
)
def test_the_end_is_told_in_words(scene: Scene, code: str, number: int | None, signal: int | None, reason: str) -> None:
    ended, left = scene.run(code, grace_ms=300 if "sleep" in code else 5_000)
    assert (ended.code, ended.signal, ended.reason, left) == (number, signal, reason, [])


def test_output_and_errors_are_kept_in_the_order_they_were_written(scene: Scene) -> None:
    ended, _ = scene.run("print('one'); print('two', file=sys.stderr); print('three')")
    assert ended.log == b"one\ntwo\nthree\n"


def test_of_long_output_the_beginning_and_the_end_are_kept(scene: Scene) -> None:
    ended, _ = scene.run("print('begin' + 'x' * 300_000 + 'end')", Limits(kept_kib=4))
    assert ended.log.startswith(b"begin")
    assert ended.log.endswith(b"end\n")
    assert re.search(rb"\n\[\.\.\. 2959\d\d bytes are left out here \.\.\.\]\n", ended.log)
    assert ended.written == 300_009
    assert len(ended.log) < 4200


def test_a_program_that_is_not_there_is_told(scene: Scene, host: Host) -> None:
    ended = start(Box(scene.folder / "bot", ("/usr/bin/no-such-program",)), host, {}).stop(5_000)
    assert ended.code == 127
    assert b"no-such-program" in ended.log


def test_stop_may_be_called_again_and_from_several_threads(scene: Scene, host: Host) -> None:
    cell = start(Box(scene.folder / "bot", ("/bin/sleep", "60")), host, {})
    assert cell.poll() is None
    with ThreadPoolExecutor() as pool:
        exits = list(pool.map(lambda _: cell.stop(0), range(4)))
    assert len(set(exits)) == 1
    assert cell.poll() is cell.wait_gone() is exits[0]


def test_a_cell_that_is_stopped_at_once_leaves_nothing(scene: Scene, host: Host) -> None:
    for _ in range(20):
        cell = start(Box(scene.folder / "bot", ("/bin/sleep", "6017")), host, {})
        assert cell.stop(0).reason == "was stopped: it still ran 0 ms after its work was over"
        assert not Path(f"/proc/{cell.pid}").exists()
    assert not marked("6017")


def test_a_cell_outlives_the_thread_that_asked_for_it(scene: Scene, host: Host) -> None:
    cells = []
    box = Box(scene.folder / "bot", ("/bin/sh", "-c", "sleep 0.2; echo done"))
    thread = threading.Thread(target=lambda: cells.append(start(box, host, {})))
    thread.start()
    thread.join()
    assert cells[0].stop(5_000).log == b"done\n"


def test_no_descriptor_is_left_open(scene: Scene, host: Host) -> None:
    def held() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    box = Box(scene.folder / "bot", ("/usr/bin/true",))
    start(box, host, {}).stop(5_000)
    before = held()
    for _ in range(5):
        start(box, host, {}).stop(5_000)
    with pytest.raises(CellError):
        start(box, Host(host.tier, "/no/such/bwrap"), {})
    assert held() == before


def test_eight_cells_run_side_by_side_and_see_nothing_of_each_other(scene: Scene, host: Host) -> None:
    # Python itself is bound in where it is, and that may be below /tmp.
    code = (
        "import os, sys, time; open('/tmp/mine', 'w').close(); time.sleep(0.3); "
        "print([n for n in os.listdir('/tmp') if not sys.prefix.startswith(f'/tmp/{n}/')], os.getpid() < 10)"
    )
    boxes = [Box(scene.folder / "bot", python_argv("-c", code), slot=slot, binds=python_binds()) for slot in range(8)]
    cells = [start(box, host, {}) for box in boxes]
    assert [cell.stop(10_000).log for cell in cells] == [b"['mine'] True\n"] * 8


def test_python_runs_without_the_packages_that_are_installed_for_it(scene: Scene) -> None:
    code = f"""
        import importlib, sysconfig
        for folder in {packages()!r}:
            assert not os.path.isdir(folder) or not os.listdir(folder), folder
        print(sys.flags.no_site, "site" in sys.modules, sys.prefix == sys.base_prefix)
        for name in ("pytest", "grpc", "pip"):
            try:
                importlib.import_module(name)
            except ModuleNotFoundError as error:
                print(error.name)
    """
    ended, _ = scene.run(code)
    assert ended.log.decode().splitlines() == ["1 False True", "pytest", "grpc", "pip"]
    assert packages()


def test_a_hidden_folder_is_empty_and_what_is_bound_out_of_it_is_there(scene: Scene, host: Host) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        (place / "packages").mkdir()
        for file in ("packages/listed", "packages/other", "beside"):
            (place / file).touch()
        binds = ((name, name), (f"{name}/packages/listed", "/kit/listed"))
        look = ("/bin/sh", "-c", f"ls -R {name} /kit; touch {name}/packages/mine")
        box = Box(scene.folder / "bot", look, binds=binds, hidden=(f"{name}/packages",))
        said = start(box, host, {}).stop(5_000).log.decode().split()
    assert said[: said.index("touch:")] == ["/kit:", "listed", f"{name}:", "beside", "packages", f"{name}/packages:"]


def test_every_slot_has_a_user_id_of_its_own_when_root_starts_the_cells(scene: Scene, host: Host) -> None:
    if host.tier is not Tier.ROOT:
        pytest.skip("only root can give each slot a user id of its own")
    for slot in (0, 5):
        box = Box(scene.folder / "bot", ("/usr/bin/id", "-u"), slot=slot)
        assert start(box, host, {}).stop(5_000).log == f"{slot_uid(host.tier, slot, 0)}\n".encode()


def test_a_seat_is_lent_to_its_slot_alone(host: Host, tmp_path: Path) -> None:
    (tmp_path / "seat.sock").touch()
    lend(tmp_path, host, 3)
    for path, mode in ((tmp_path, 0o40700), (tmp_path / "seat.sock", 0o100600)):
        assert (path.stat().st_mode, path.stat().st_uid) == (mode, slot_uid(host.tier, 3, os.geteuid()))


def test_a_folder_that_the_bot_could_not_read_is_refused_with_a_sentence(host: Host, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(CellError, match="closed to other users; set its mode to 0755"):
        start(Box(tmp_path, ("/usr/bin/true",)), host, {})
    with pytest.raises(CellError, match=r"is not a folder; extract the bot first\."):
        start(Box(tmp_path / "no", ("/usr/bin/true",)), host, {})


def test_a_bubblewrap_that_fails_is_told_in_its_own_words(scene: Scene, host: Host) -> None:
    box = Box(scene.folder / "bot", ("/usr/bin/true",), binds=(("/no/such/place", "/mnt"),))
    cell = start(box, host, {})
    with pytest.raises(
        CellError, match=r"^a cell did not start: .*/no/such/place.*; run 'arena doctor' on this host\.$"
    ):
        cell.wait_begun()
    ended = cell.stop(5_000)
    assert "did not start" in ended.reason
    assert "/no/such/place" in ended.reason
    good = start(Box(scene.folder / "bot", ("/usr/bin/true",)), host, {})
    good.wait_begun()
    assert good.stop(5_000).code == 0


def test_a_cell_that_is_ended_from_outside_says_so_and_nothing_that_the_bot_wrote(scene: Scene, host: Host) -> None:
    cell = start(Box(scene.folder / "bot", ("/bin/sh", "-c", "echo AS KS; exec sleep 6018")), host, {})
    ends_with(lambda: b"sleep\x006018\0" in [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in marked("6018")])
    os.kill(cell.pid, signal.SIGKILL)
    ended = cell.wait_gone()
    assert (ended.code, ended.signal, ended.reason) == (None, None, "was ended from outside")
    assert ended.last_line == "AS KS"
    assert not marked("6018")


def test_a_bot_does_not_start_when_its_starter_is_gone_before_the_gate_opens(scene: Scene, host: Host) -> None:
    box = Box(scene.folder / "bot", ("/bin/echo", "REACHED"))
    program = filter_fd()
    status = os.open(os.devnull, os.O_WRONLY)
    argv = bwrap_argv(box, host.tier, host.program, filter_fd=program, status_fd=status)
    done = subprocess.run(argv, input=b"", capture_output=True, pass_fds=(program, status), check=False, timeout=10)
    os.close(program)
    os.close(status)
    assert (done.returncode, done.stdout) == (125, b"")


@contextlib.contextmanager
def worker(scene: Scene, code: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that starts cells and says on its output what it did."""
    head = f"""
        import os, sys, time
        from pathlib import Path
        from sandbox.box import Box
        from sandbox.host import detect
        from sandbox.interpreter import python_argv, python_binds
        from sandbox.runner import start
        def cell(mark):
            code = "import os, time; os.fork(); os.fork(); print(1); time.sleep(600)"
            box = Box(Path({str(scene.folder / "bot")!r}), python_argv("-c", code, mark), binds=python_binds())
            return start(box, detect(), {{}})
    """
    program = textwrap.dedent(head) + textwrap.dedent(code)
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", program],
        cwd=ROOM,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_worker_that_is_killed_leaves_nothing_behind(scene: Scene) -> None:
    mark = f"mark-of-worker-{os.getpid()}"
    code = f"""
        for _ in range(2): cell({mark!r})
        while sum({mark!r}.encode() in (entry / "cmdline").read_bytes() for entry in Path("/proc").iterdir()
                  if entry.name.isdigit() and entry.exists()) < 8: time.sleep(0.01)
        print("ready", flush=True)
        time.sleep(600)
    """
    with worker(scene, code) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        pids = marked(mark)
        assert len(pids) >= 8
        poll = select.poll()
        pidfds = {os.pidfd_open(pid) for pid in pids}
        for descriptor in pidfds:
            poll.register(descriptor, select.POLLIN)
        process.kill()
        waiting = set(pidfds)
        while waiting:
            ended = poll.poll(5_000)
            assert ended, f"{len(waiting)} processes live on"
            for descriptor, _ in ended:
                poll.unregister(descriptor)
                waiting.discard(descriptor)
        for descriptor in pidfds:
            os.close(descriptor)
    assert not marked(mark)


def test_a_worker_that_is_killed_at_any_moment_leaves_nothing_that_the_next_one_does_not_end(scene: Scene) -> None:
    mark = f"mark-of-many-{os.getpid()}"
    code = f"""
        print("ready", flush=True)
        while True:
            cells = [cell({mark!r}) for _ in range(2)]
            for each in cells: each.stop(2)
    """
    for delay_s in (0.0, 0.003, 0.011, 0.017, 0.029):
        with worker(scene, code) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(delay_s)  # not a wait for anything: the moment of death is the subject
            process.kill()
        ends_with(lambda: end_orphans() or not marked(mark))
    ends_with(lambda: not marked(mark))


def test_only_cells_without_a_bwrap_above_them_are_orphans(scene: Scene, host: Host) -> None:
    box = Box(scene.folder / "bot", ("/bin/sleep", "60"))
    alive = start(box, host, {})
    program = filter_fd()
    reading, status = os.pipe()
    argv = bwrap_argv(box, host.tier, host.program, filter_fd=program, status_fd=status)
    argv.remove("--die-with-parent")  # as if it had been killed before it came to that
    gate, held_open = socket.socketpair()
    with (
        gate,
        held_open,
        subprocess.Popen(argv, stdin=gate.fileno(), pass_fds=(program, status)) as bwrap,
    ):
        with os.fdopen(reading) as told:
            first = json.loads(told.readline())["child-pid"]
        descriptor = os.pidfd_open(first)
        end_orphans()
        assert not select.select([descriptor], [], [], 0.2)[0], "it had a bwrap above it"
        bwrap.kill()
        bwrap.wait()
        ends_with(lambda: end_orphans() and bool(select.select([descriptor], [], [], 1)[0]))
    for each in (descriptor, program, status):
        os.close(each)
    assert alive.poll() is None
    assert alive.stop(0).reason.startswith("was stopped")


def ends_with(condition: Callable[[], object]) -> None:
    """Asks again for a few seconds at most; for what the kernel does in its own time and tells nobody."""
    until = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_forked_worker_starts_cells_of_its_own(scene: Scene) -> None:
    code = """
        first = cell("parent")
        child = os.fork()
        ended = cell("child").stop(100)
        print(ended.reason.split(":")[0], flush=True)
        if child:
            os.waitpid(child, 0)
            print(first.poll() is None, first.stop(0).reason.split(":")[0], flush=True)
        os._exit(0)
    """
    with worker(scene, code) as process:
        said, _ = process.communicate(timeout=20)
    assert said == "was stopped\nwas stopped\nTrue was stopped\n"


GRPC_BOT = """
import os, sys
import grpc
channel = grpc.insecure_channel(os.environ["SEAT"])
answers = channel.stream_stream("/echo.Echo/Talk")(
    iter([b"hello", b"again"]), metadata=[("ticket", os.environ["TICKET"])], wait_for_ready=True, timeout=10
)
print([answer.decode() for answer in answers], flush=True)
os._exit(0)
"""


def test_a_bot_speaks_grpc_over_the_socket_of_its_seat(host: Host) -> None:
    def talk(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        ticket = dict(context.invocation_metadata())["ticket"]
        for request in requests:
            yield request + b" " + str(ticket).encode()

    handler = grpc.method_handlers_generic_handler("echo.Echo", {"Talk": grpc.stream_stream_rpc_method_handler(talk)})
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        seat, bot = Path(name, "seat"), Path(name, "bot")
        seat.mkdir()
        bot.mkdir()
        (bot / "main.py").write_text(GRPC_BOT)
        server = grpc.server(pool, handlers=[handler])
        server.add_insecure_port(f"unix:{seat}/seat.sock")
        server.start()
        lend(seat, host, 1)
        libraries = [(str(Path(grpc.__file__).parent), "/kit/grpc")]
        libraries.append((typing_extensions.__file__, "/kit/typing_extensions.py"))
        box = Box(bot, python_argv("main.py"), seat=seat, slot=1, binds=(*python_binds(), *libraries))
        environment = {"SEAT": "unix:/run/arena/seat.sock", "TICKET": "t7", "PYTHONPATH": "/kit"}
        ended = start(box, host, environment).stop(15_000)
        server.stop(None).wait()
    assert (ended.log.decode(), ended.code) == ("['hello t7', 'again t7']\n", 0)
