"""`arena compare` as a user types it: house bots against each other, its answers and what it refuses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli import main


def test_a_much_better_bot_is_known_at_the_first_look(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "random", "steady", "--game", "callbreak", "--seed", "01"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("steady is better than random: 25 Elo are likelier than 0\n")
    assert "32 deals, 64 matches" in said.out
    assert "32 units  LLR" in said.err


def test_a_bot_is_not_better_than_itself(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "steady", "steady", "--game", "minus_one", "--seats", "3", "--set", "rounds=6", "--seed", "01"]
    assert main([*words, "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert (found["answer"], found["units"], found["elo"], found["points"]) == ("not better", 59, 0.0, 0.0)
    assert found["beside"] == ["cautious"]


def test_what_is_not_known_after_the_most_units_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "steady", "bold", "--game", "minus_one", "--seats", "3", "--set", "rounds=6", "--most", "32"]
    assert main([*words, "--elo0", "0", "--elo1", "2", "--seed", "01"]) == 4
    assert capsys.readouterr().out.startswith("it is not known whether bold is better than steady after 32 units\n")


def test_a_weaker_bot_of_ones_own_is_not_better(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine"
    assert main(["bot", "new", str(mine), "--game", "minus_one"]) == 0
    words = ["compare", "steady", str(mine), "--game", "minus_one", "--seats", "3", "--set", "rounds=6", "--seed", "02"]
    assert main(words) == 3
    assert f"{mine} is not better than steady" in capsys.readouterr().out


def test_what_a_bot_prints_stays_out_of_the_answer(tmp_path: Path) -> None:
    loud = tmp_path / "loud"
    assert main(["bot", "new", str(loud), "--game", "minus"]) == 0
    (loud / "main.py").write_text("def choose(turn):\n    print('hello')\n    return turn.legal[0]\n")
    words = ["compare", "random", str(loud), "--game", "minus", "--set", "deals=1", "--most", "32", "--json"]
    done = subprocess.run([sys.executable, "-m", "arena", *words], capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["units"] == 32
    assert "hello" in done.stderr


def test_a_bot_that_fails_shows_its_author_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad"
    assert main(["bot", "new", str(bad), "--game", "minus"]) == 0
    (bad / "main.py").write_text("def choose(turn):\n    return {}[turn.number]\n")
    capsys.readouterr()
    assert main(["compare", "random", str(bad), "--game", "minus", "--set", "deals=1"]) == 1
    error = capsys.readouterr().err
    assert "return {}[turn.number]" in error
    assert error.splitlines()[-1].endswith("on a server it would have ended there")


GAME = ["--game", "minus_one"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["steady", "nobody", *GAME], "there is no bot 'nobody'"),
        (["steady", "bold", "--game", "nogame"], "There is no game"),
        (["steady", "bold", *GAME, "--seats", "2"], "cannot have 2 seats"),
        (["steady", "bold", *GAME, "--seats", "9"], "cannot have 9 seats"),
        (["steady", "bold", *GAME, "--elo0", "30"], "elo1 must be the greater one"),
        (["steady", "bold", *GAME, "--elo1", "nan"], "elo1 must be the greater one"),
        (["steady", "bold", *GAME, "--alpha", "0"], "alpha and beta must be between"),
        (["steady", "bold", *GAME, "--most", "31"], "first looks at 32 units"),
        (["steady", "bold", *GAME, "--seed", "xyz"], "not hexadecimal"),
        (["steady", "bold", *GAME, "--set", "rounds"], "has no value"),
        (["steady", "bold", *GAME, "--clock", "fast"], "There is no clock 'fast'"),
        ([".", "remote:mine", *GAME], "'.' cannot sit at a table of the server"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *words]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1
