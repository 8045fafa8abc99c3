"""`arena rules` as a reader sees it: the page of a game as plain text, and beside it what the engine takes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

import engine
from arena.cli import main, rules
from tests.requirements import ID

PAGES = Path(__file__).parent.parent.parent / "docs" / "rules"


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the terminal that runs the tests says of itself."""
    for name in ("COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["rules", *words]) == 0
    return capsys.readouterr().out


def test_without_a_game_the_games_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    firsts = [line.split()[0] for line in printed(capsys).splitlines() if line]
    assert firsts == ["Game", *engine.GAMES, "next:"]


@pytest.mark.parametrize("game", engine.GAMES)
def test_every_rule_of_the_page_is_printed_with_its_id(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = (PAGES / f"{game}.md").read_text("utf-8")
    out = printed(capsys, game)
    assert set(ID.findall(page)) <= set(ID.findall(out))
    words = " ".join(page.partition("\n| ")[0].replace("**", "").replace("`", "").split()[2:])
    assert words[:400] in " ".join(out.split())
    assert "**" not in out
    assert "| ---" not in out


@pytest.mark.parametrize("game", engine.GAMES)
def test_every_name_and_option_is_printed_as_the_engine_has_it(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    kind = engine.GAMES[game]
    for words in ([game], [game, "--options"]):
        out = printed(capsys, *words)
        for name, value in engine.write_options(engine.load(game).options).items():
            assert f"\n{name}={value}\n" in out
        joined = " ".join(out.split())
        for alias in kind.aliases:
            assert alias in joined
        for preset in kind.presets:
            assert f"\n    preset {preset}: " in out


def test_a_preset_prints_its_game_with_what_the_preset_sets(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\ndirection=anticlockwise\n" in printed(capsys, "callbreak-nepal")


@pytest.mark.parametrize("game", engine.GAMES)
def test_options_alone_come_without_the_page(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = printed(capsys, game, "--options")
    assert options.startswith(f"{engine.GAMES[game].title} ({game}), ")
    assert "House play" not in options
    assert printed(capsys, game).endswith(f"\n\n{options}")


@pytest.mark.parametrize(("columns", "most"), [(None, 80), ("200", 80), ("60", 60)])
@pytest.mark.parametrize("game", engine.GAMES)
def test_lines_fit_the_terminal_and_eighty_columns(
    game: str, columns: str | None, most: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    lines = printed(capsys, game).splitlines()
    assert max(map(cell_len, lines)) <= most
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize(("terminal", "one"), [("0", "one"), ("1", "\x1b[1mone\x1b[0m")])
def test_a_link_is_printed_as_its_text(
    terminal: str, one: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", terminal)
    monkeypatch.setenv("TERM", "xterm")
    rules._print_page("As in [Callbreak](callbreak.md), with **one** call.", 80)
    assert capsys.readouterr().out == f"As in Callbreak, with {one} call.\n"


def test_letters_that_a_terminal_does_not_have_become_question_marks() -> None:
    command = [sys.executable, "-m", "arena", "rules", "callbreak"]
    latin = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(command, env=latin, capture_output=True, encoding="latin-1", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "lakadi, ?????, call" in " ".join(done.stdout.split())


@pytest.mark.parametrize("words", [["whist"], ["whist", "--options"], ["--options"]])
def test_a_wrong_or_missing_game_is_told_the_right_ones(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", *words]) == 2
    assert ", ".join(engine.GAMES) in capsys.readouterr().err
