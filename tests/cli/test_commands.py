"""The command as a user types it: what it prints, where it complains, and how it exits."""

import json
import os
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

import grpc
import pytest
from grpc_status import rpc_status

import engine
from arena.cli import main
from arena.cli.bot import excerpt
from arena.cli.doctor import reach
from arena.cli.runs import print_runs
from arena.errors import Unavailable
from arena.status import status_of
from arena.tournaments.admission import told
from arena.tournaments.block import ReportedFault
from arena.v1 import submission_pb2, tournament_pb2
from engine.record import verify
from sandbox.archive import content_hash, pack
from sandbox.program import HERE, MACHINES

TABLES = [(game, seats) for game, kind in sorted(engine.GAMES.items()) for seats in kind.seat_counts]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_a_match_of_every_game_and_size_leaves_a_record_that_verifies(
    game: str, seats: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "m.jsonl"
    assert main(["play", game, *["random"] * seats, "--seed", "00", "--record", str(record)]) == 0
    assert main(["record", "verify", str(record)]) == 0
    assert "verified" in capsys.readouterr().out


def test_the_same_seed_is_the_same_match(tmp_path: Path) -> None:
    records = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for record in records:
        main(["play", "callbreak", *["random"] * 4, "--seed", "0badcafe", "--record", str(record)])
    first, second = ([move.action for move in verify(record.read_text()).decisions] for record in records)
    assert first == second


def test_an_altered_record_is_refused_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "m.jsonl"
    main(["play", "callbreak", *["random"] * 4, "--seed", "01", "--record", str(record)])
    lines = record.read_text().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if '"action":"call' in line)
    move = json.loads(lines[at])
    lines[at] = lines[at].replace(move["action"], "call 9" if move["action"] != "call 9" else "call 8")
    record.write_text("".join(lines))
    capsys.readouterr()
    assert main(["record", "verify", str(record)]) == 1
    assert "refused" in capsys.readouterr().err


def test_the_record_of_a_match_here_names_the_files_that_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bot", "new", "mine"]) == 0
    with Path("mine/bot.toml").open("a") as manifest:
        manifest.write('version = "0.2"\n')
    assert main(["play", "minus_one", "mine", "random", "steady", "--record", "m.jsonl"]) == 0
    header = verify(Path("m.jsonl").read_text()).header
    assert header["versions"] == ["0.2", "", ""]
    assert header["contents"][0] == content_hash(pack(Path("mine")))
    assert len(set(header["contents"])) == 3
    capsys.readouterr()
    assert main(["record", "show", "m.jsonl"]) == 0
    assert f"  0 mine: version 0.2, content {header['contents'][0]}\n" in capsys.readouterr().out


def test_who_loses_on_time_can_read_in_the_record_that_it_was_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bot that sleeps for 30 ms where it has 1."""
    slow = tmp_path / "slow"
    assert main(["bot", "new", str(slow), "--game", "callbreak"]) == 0
    (slow / "main.py").write_text("import time\ndef choose(turn):\n    time.sleep(0.03)\n    return turn.legal[0]\n")
    record = tmp_path / "m.jsonl"
    words = ["play", "callbreak", str(slow), *["random"] * 3, "--clock", "move=1ms,bank=50ms,faults=2"]
    assert main([*words, "--record", str(record)]) == 0
    capsys.readouterr()
    assert main(["record", "show", str(record)]) == 0
    lines = capsys.readouterr().out.splitlines()
    faults = [line for line in lines if "LATE" in line]
    assert len(faults) == 2
    assert "[LATE: No answer within 0.001 s, the move's time and all of the bank; judged after 0.0" in faults[1]
    assert "clock move=1ms,bank=50ms,increment=0s,faults=2" in lines
    assert lines[-5].split("  ")[0] == "Seat"
    seat, _, answers, used, longest, _, bank = lines[-4].split()
    assert (seat, bank) == ("0", "0.000")
    assert 2 <= int(answers) <= 4
    assert float(used) >= float(longest) >= 0.03


def test_several_matches_print_means_and_write_a_record_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "m.jsonl"
    assert main(["play", "minus", *["random"] * 4, "--matches", "2", "--json", "--record", str(record)]) == 0
    assert [line["bot"] for line in json.loads(capsys.readouterr().out)] == ["random"] * 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m-1.jsonl", "m-2.jsonl"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["play", "nogame", "random", "random"], "There is no game"),
        (["play", "minus_one", *["random"] * 8], "cannot have 8 seats"),
        (["play", "callbreak", "nobody", "random", "random", "random"], "there is no bot 'nobody'"),
        (["play", "callbreak", *["random"] * 4, "--set", "deals"], "has no value"),
        (["play", "callbreak", *["random"] * 4, "--set", "deals=7"], "deals"),
        (["play", "callbreak", *["random"] * 4, "--seed", "xyz"], "not hexadecimal"),
        (["play", "callbreak", *["random"] * 4, "--seed", "00" * 33], "at most 32"),
        (["play", "callbreak", *["random"] * 4, "--matches", "0"], "give 1 or more"),
        (["play", "callbreak", *["random"] * 4, "--clock", "fast"], "There is no clock 'fast'"),
        (["play", "callbreak", *["random"] * 4, "--clock", "move=2s,show=3s"], "A clock has no 'show'"),
        (["record", "verify", "/nowhere/m.jsonl"], "cannot read"),
        (["bot", "new", "mine", "--game", "nogame"], "There is no game"),
        (["bot", "new", "My Bot"], "lower-case letters"),
        (["rules", "nogame"], "There is no game"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_a_missing_argument_is_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["play"])
    assert ended.value.code == 2
    assert "see 'arena play --help'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["tournament", "create", "--game", "callbreak", "--orbits", "-1"],
        ["tournament", "create", "--game", "callbreak", "--units", "0"],
        ["ratings", "callbreak", "--seats", "-1"],
        ["bot", "log", "mine", "--version", "x"],
        ["up", "--concurrency", "0"],
    ],
)
def test_a_number_out_of_range_is_one_line_and_exit_code_2(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert "is no whole number from 1" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("words", [["up", "--listen"], ["serve", "--listen"], ["login"]])
@pytest.mark.parametrize("address", ["7000", "localhost", "localhost:99999", ":7000", "localhost:x"])
def test_an_address_without_host_or_port_is_one_line_and_exit_code_2(
    words: list[str], address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, address])
    assert ended.value.code == 2
    assert "write it as HOST:PORT" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--advertise", "--tls-advertise"])
@pytest.mark.parametrize("address", ["0.0.0.0:7000", "[::]:7000", "arena.example:0"])
def test_what_is_advertised_can_be_dialled(option: str, address: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", option, address])
    assert ended.value.code == 2
    assert f"'{address}' leads nowhere; name the host and the port that others dial" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["up", "worker", "doctor"])
@pytest.mark.parametrize("named", ["argument", "environment"])
def test_a_tier_that_there_is_not_is_one_line_and_exit_code_2(
    command: str, named: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_LEAST_TIER", "strong" if named == "environment" else "")
    with pytest.raises(SystemExit) as ended:
        main([command, *(["--least-tier", "strong"] if named == "argument" else [])])
    assert ended.value.code == 2
    assert "'strong' is no tier of cells: choose one of root, userns" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["user", "list"], ["doctor"], ["up", "--listen", "127.0.0.1:0"]])
def test_a_database_that_does_not_answer_is_one_line(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", "postgresql://nobody@127.0.0.1:9/nothing")
    monkeypatch.setenv("ARENA_BROKER_URL", "redis://127.0.0.1:9")
    assert main([*words, "--data", str(tmp_path)]) == 1
    # The doctor says beside it if no bot can be run on this host.
    (error,) = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("bots run")]
    assert "set ARENA_DATABASE_URL" in error


def test_the_doctor_says_the_same_in_json_and_in_80_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", "postgresql://nobody@127.0.0.1:9/nothing")
    monkeypatch.setenv("ARENA_BROKER_URL", "redis://127.0.0.1:9")
    main(["doctor", "--json", "--data", str(tmp_path)])
    found = json.loads(capsys.readouterr().out)
    assert "set ARENA_DATABASE_URL" in found["complaints"]["data"]
    main(["doctor", "--data", str(tmp_path)])
    text = capsys.readouterr().out
    for line in text.splitlines():
        assert len(line) <= 80 or len(line.split()) == 1, line
    words = " ".join(text.split())
    for hold in found["holds"]:
        assert f"{hold['limit']} {hold['by'] or 'nothing'}" in words
    assert found["tier"] in words
    assert all(sentence in words for sentence in found["advice"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--match", "cup/12"], "'cup/12' is no match; write TOURNAMENT/UNIT/ROTATION, such as cup/12/0"),
        (["--whole"], "--whole is of a match: name one with --match TOURNAMENT/UNIT/ROTATION"),
        (
            ["--match", "cup/12/0", "--version", "2"],
            "a match was played by one version: leave out --version or --match",
        ),
    ],
)
def test_a_log_that_is_asked_for_in_a_wrong_way_is_told_how(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bot", "log", "ann", *words]) == 2
    assert capsys.readouterr().err == f"arena: {told}\n"


def test_the_end_of_a_run_is_told_with_its_last_line_last(capsys: pytest.CaptureFixture[str]) -> None:
    run = submission_pb2.Run(game="minus", exit="ended by itself with code 1", last_line="oh no", faults={"GONE": 3})
    print_runs([run], phases=True)
    told = capsys.readouterr().out.splitlines()[-1]
    assert told == "minus: Faults: 3 GONE. It ended by itself with code 1. Its last line: oh no"


def test_a_broker_that_does_not_answer_is_found_by_the_doctor() -> None:
    with pytest.raises(Unavailable, match="set ARENA_BROKER_URL"):
        reach("redis://127.0.0.1:9")


def test_a_token_that_cannot_be_one_is_told_before_it_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_SERVER", "127.0.0.1:9")
    monkeypatch.setenv("ARENA_TOKEN", "zwölf")
    assert main(["ratings", "--data", str(tmp_path)]) == 1
    assert "copy it again" in capsys.readouterr().err


def test_a_log_fits_on_a_terminal() -> None:
    shown = excerpt("\n".join(f"{number} {'x' * 1000}" for number in range(500))).splitlines()
    assert (shown[0][:2], shown[-1][:4]) == ("0 ", "499 ")
    assert len(shown) < 60
    assert max(map(len, shown)) < 210
    assert excerpt("short\nlog\n") == "short\nlog"


def test_equal_faults_are_told_once_with_their_turns() -> None:
    gone = [ReportedFault(0, turn, "GONE", "It ended.") for turn in (3, 7)]
    late = ReportedFault(0, 9, "LATE", "No answer.")
    assert told((*gone, late)) == "turns 3, 7: GONE, It ended. After it came 1 more."
    assert told((late,)) == "turn 9: LATE, No answer."


def test_without_a_server_a_command_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ARENA_SERVER", raising=False)
    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    monkeypatch.setattr("arena.cli.client.LOGIN_FILE", Path(os.devnull))
    assert main(["ratings", "--data", str(tmp_path)]) == 1
    assert "arena up" in capsys.readouterr().err


def test_without_a_token_a_command_says_where_to_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_SERVER", "127.0.0.1:9")
    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    monkeypatch.setattr("arena.cli.client.LOGIN_FILE", Path(os.devnull))
    assert main(["ratings", "--data", str(tmp_path)]) == 1
    assert "ARENA_TOKEN" in capsys.readouterr().err


def test_a_new_bot_plays_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bot", "new", "first", "--game", "callbreak"]) == 0
    assert main(["play", "callbreak", "first", "random", "random", "random"]) == 0
    assert "first" in capsys.readouterr().out
    assert main(["bot", "new", "first"]) == 1
    assert "exists" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "submit"])
@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "there is no bot.toml at the top"),
        ({"main.py": "", "bot.toml": "name ="}, "bot.toml is not TOML"),
        ({"main.py": "", "bot.toml": 'name = "b"\nentry = "main.py"\n'}, "lacks the key 'games'"),
        ({"bot.toml": 'name = "b"\nentry = "main.py"\ngames = ["callbreak"]\n'}, "is not in the bot's folder"),
        ({"engine.py": "", "bot.toml": 'name = "b"\nentry = "engine.py"\ngames = ["callbreak"]\n'}, "rename it"),
    ],
)
def test_a_folder_that_is_no_bot_is_refused_with_the_servers_sentence_and_exit_code_1(
    command: str, files: dict[str, str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert main(["bot", command, str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert "the archive is refused: " in error
    assert sentence in error
    assert f"arena bot check {tmp_path}" in error, "what to do next"
    assert "Traceback" not in error


def test_a_program_for_another_machine_is_left_to_the_server_to_judge_and_cannot_be_checked_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = next(number for name, number in MACHINES.items() if name != HERE and number > MACHINES["arm"])
    header = struct.pack("<2HI3QI6H", 2, other, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    (tmp_path / "tool").write_bytes(b"\x7fELF\2\1" + bytes(10) + header + struct.pack("<2I6Q", 1, *[0] * 7))
    (tmp_path / "bot.toml").write_text('name = "tool"\nentry = "tool"\ngames = ["callbreak"]\n')
    assert main(["bot", "check", str(tmp_path)]) == 1
    assert f"; build it for {HERE}." in capsys.readouterr().err
    assert main(["bot", "submit", str(tmp_path), "--data", str(tmp_path)]) != 0
    error = capsys.readouterr().err
    assert "refused" not in error
    assert "arena login" in error


@pytest.mark.parametrize("command", ["check", "submit"])
def test_a_folder_that_is_not_there_is_wrong_use(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", command, "/nowhere"]) == 2
    assert capsys.readouterr().err == "arena: /nowhere is not a folder; name the folder that holds bot.toml\n"


def test_a_bot_that_cannot_be_written_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "new", "/proc/mine"]) == 1
    error = capsys.readouterr().err
    assert "choose another place" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("raise OSError('no model')", "OSError: no model"),
        ("def choose(turn:", "SyntaxError"),
        ("import sys\nsys.exit('no model')", "SystemExit: no model"),
        ("def choose(turn):\n    raise ValueError('lost')", "ValueError: lost"),
        ("def choose(turn):\n    return 'AS'", "returned 'AS'"),
    ],
)
def test_a_bot_that_fails_is_told_to_its_author_without_our_own_frames(
    code: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bot.toml").write_text('name = "mine"\nentry = "main.py"\ngames = ["callbreak"]\n')
    (tmp_path / "main.py").write_text(code)
    assert main(["play", "callbreak", str(tmp_path), *["random"] * 3]) == 1
    error = capsys.readouterr().err
    assert told in error
    assert error.splitlines()[-1].startswith(f"arena: the bot '{tmp_path}' failed")
    assert "/arena/cli/" not in error


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    record = tmp_path / "m.jsonl"
    main(["play", "callbreak", *["random"] * 4, "--seed", "01", "--record", str(record)])
    command = [sys.executable, "-m", "arena", "record", "show", *[str(record)] * 20]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as shown:
        assert shown.stdout is not None
        assert shown.stderr is not None
        shown.stdout.readline()
        shown.stdout.close()
        assert shown.stderr.read() == b""


def test_a_server_without_its_database_is_told_from_no_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(request: bytes, context: grpc.ServicerContext) -> NoReturn:
        context.abort_with_status(rpc_status.to_status(status_of(Unavailable("the database is away"))))

    name = tournament_pb2.DESCRIPTOR.services_by_name["TournamentService"].full_name
    methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        "ListTournaments": grpc.unary_unary_rpc_method_handler(refuse)
    }
    server = grpc.server(ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, methods),))
    monkeypatch.setenv("ARENA_SERVER", f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}")
    monkeypatch.setenv("ARENA_TOKEN", "any")
    server.start()
    try:
        assert main(["tournament", "list"]) == 1
        assert capsys.readouterr().err == "arena: the database is away\n"
    finally:
        server.stop(None).wait()
    assert main(["tournament", "list"]) == 1
    assert "no answer from 127.0.0.1" in capsys.readouterr().err
