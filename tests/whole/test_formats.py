"""A challenge and a dry run, with the commands that a user types."""

from pathlib import Path

import pytest

from arena.cli import main

BOTS = ["random-1", "random-2", "steady", "bold"]


def test_a_dry_run_makes_nothing_and_a_challenge_touches_no_rating(
    arena: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(arena)]
    assert main(["ratings", "minus", "--json", *data]) == 0
    rated = capsys.readouterr().out
    assert main(["tournament", "create", "dry", "--game", "minus", "--bots", *BOTS, "--dry-run", *data]) == 0
    assert "same-owner tables  0" in capsys.readouterr().out
    assert main(["tournament", "show", "dry", *data]) == 1
    capsys.readouterr()

    assert main(["challenge", *BOTS, "--game", "minus", "--units", "1", *data]) == 0
    said = capsys.readouterr().out
    assert "Mean points" in said
    assert "Above %" in said
    name = said.split(" has started")[0]
    assert main(["tournament", "watch", name, *data]) == 0
    assert f"next: arena tournament standings {name}" in capsys.readouterr().out
    assert main(["ratings", "minus", "--json", *data]) == 0
    assert capsys.readouterr().out == rated

    assert main(["challenge", "steady", "bold", "--game", "minus", *data]) == 2
    assert "enter more" in capsys.readouterr().err
    assert main(["tournament", "show", f"{name[:-1]}{int(name[-1]) + 1}", *data]) == 1
