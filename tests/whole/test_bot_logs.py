"""What an author is told of a submitted bot's processes, with the commands that they type: numbers, logs by match, and
one line for a bot that was ended."""

import json
import re
from pathlib import Path

import pytest

from arena.cli import main
from arena.cli.client import Login, Server, find_login_in
from arena.stack.services import Services
from arena.store import connect, people
from arena.v1.submission_pb2 import ListBotsRequest
from arena.v1.submission_pb2_grpc import SubmissionServiceStub
from tests.whole.test_whole_path import write_bot

TALKER = "print('asked', turn.number, flush=True); return turn.legal[0]"
HOG = "import mmap; hoard = mmap.mmap(-1, 700 << 20); [hoard.write(bytes(1 << 20)) for _ in range(700)]; return 0"


def write_minus_bot(folder: Path, name: str, body: str) -> Path:
    """A bot for a game in which no other test counts what is rated."""
    target = write_bot(folder, name, body)
    for file in target.iterdir():
        file.write_text(file.read_text().replace("callbreak", "minus"))
    return target


def test_an_author_reads_what_a_bot_wrote_during_which_match_and_nobody_else_does(
    arena: Path,
    services: Services,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = ["--data", str(arena)]
    assert main(["bot", "submit", str(write_minus_bot(tmp_path, "talker", TALKER)), *data]) == 0
    said = capsys.readouterr().out
    assert re.search(r"Run +Peak MiB +CPU s +Hello s +Answer s +Output B +Faults\nminus +\d+ ", said)
    assert "talker version 1 is active" in said

    bots = ["talker", "random-1", "steady", "bold"]
    assert main(["tournament", "create", "talk", "--game", "minus", "--units", "2", "--bots", *bots, *data]) == 0
    assert main(["tournament", "watch", "talk", *data]) == 0
    capsys.readouterr()

    assert main(["bot", "show", "talker", "--runs", "4", *data]) == 0
    said = capsys.readouterr().out
    assert "4 runs in tournaments, the newest first" in said
    found = re.findall(r"^(talk/\d-\d/\d) .* 0$", said, re.MULTILINE)
    assert found[:4] == found[4:]
    assert [name[-1] for name in found[:4]] == ["3", "2", "1", "0"]
    assert max(map(len, said.splitlines())) <= 80
    assert main(["bot", "show", "talker", "--runs", "4", "--json", *data]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [run["rotation"] for run in shown["runs"]] == [3, 2, 1, 0]
    for run in (*shown["runs"], *shown["validation"]):
        assert run["thinking"][0]["answers"] > 0
        assert run["hello_ms"] <= run["answer_ms"]

    first = shown["runs"][0]["first_unit"]
    match = f"talk/{first + 1}/2"
    assert main(["bot", "log", "talker", "--match", match, *data]) == 0
    said = capsys.readouterr().out
    assert re.match(rf"{match}: match \d+ ran from \d+\.\d\d s to \d+\.\d\d s after the launch,\nand 1 other", said)
    assert "--- what it wrote meanwhile, in any of these matches\nasked" in said
    assert main(["bot", "log", "talker", "--match", match, "--json", *data]) == 0
    log = json.loads(capsys.readouterr().out)
    assert [span["unit"] for span in log["matches"]] == [first, first + 1]
    assert sum(len(part["text"]) for part in log["parts"]) == log["run"]["written"]
    assert main(["bot", "log", "talker", "--match", "talk/99/2", *data]) == 1
    assert "'arena bot show talker' lists its runs" in capsys.readouterr().err

    with connect(services.database_url) as connection:
        token = people.add_user(connection, "curious")
    monkeypatch.setenv("ARENA_SERVER", services.address)
    monkeypatch.setenv("ARENA_TOKEN", token)
    for command in (["log", "talker", "--match", match], ["log", "talker"], ["show", "talker"]):
        assert main(["bot", *command]) == 1
        said, error = capsys.readouterr()
        assert "belongs to" in error
        assert "asked" not in said


def test_a_bot_that_is_killed_for_memory_says_so_to_its_owner_in_one_line_with_the_number(
    arena: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bot", "submit", str(write_bot(tmp_path, "hog", HOG)), "--data", str(arena)]) == 1
    error = capsys.readouterr().err
    lines = [line for line in error.splitlines() if "hog version 1 is rejected" in line]
    used = r"was killed: it used [5-7]\d\d MiB of memory(?: and asked for more)?; the limit is 512 MiB\."
    assert len(lines) == 1
    assert re.search(rf"GONE, The bot's process {used}", lines[0])
    assert main(["bot", "log", "hog", "--data", str(arena)]) == 0
    assert re.search(rf"^\[callbreak\] It {used}$", capsys.readouterr().out, re.MULTILINE)


def test_an_import_that_fails_is_told_by_its_last_line_to_the_owner_alone(
    arena: Path,
    services: Services,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = write_bot(tmp_path, "torchless", "return turn.legal[0]")
    (folder / "main.py").write_text("import torch\n")
    assert main(["bot", "submit", str(folder), "--data", str(arena)]) == 1
    told = "ended by itself with code 1. Its last line: ModuleNotFoundError: No module named 'torch'"
    assert told in capsys.readouterr().err.splitlines()[0]
    with connect(services.database_url) as connection:
        token = people.add_user(connection, "nosy")
    monkeypatch.setenv("ARENA_SERVER", services.address)
    monkeypatch.setenv("ARENA_TOKEN", token)
    assert main(["bot", "log", "torchless"]) == 1
    assert "torch'" not in "".join(capsys.readouterr())
    # In a list of bots nobody gets logs, and the owner the reason.
    for login, reason in ((find_login_in(services.logins()[0]), told), (Login(services.address, token), "")):
        server = Server(login)
        bots = SubmissionServiceStub(server.channel).ListBots(ListBotsRequest(page_size=200), metadata=server.metadata)
        (latest,) = [bot.latest for bot in bots.bots if bot.bot == "torchless"]
        assert reason in latest.reason
        assert bool(latest.reason) is bool(reason)
        assert (latest.log, len(latest.runs)) == ("", 0)
