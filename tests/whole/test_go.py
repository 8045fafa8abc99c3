"""The bot in Go of examples/go, built and checked as its author would do it. Run by `make go`."""

import subprocess
from pathlib import Path

import pytest

from arena.bot import load
from arena.tournaments.check import check_folder
from sandbox.manifest import read_manifest

pytestmark = pytest.mark.go

EXAMPLE = Path(__file__).parents[2] / "examples" / "go"


def test_it_is_one_static_file_that_plays_every_game_in_a_cell(tmp_path: Path) -> None:
    subprocess.run([EXAMPLE / "build.sh", tmp_path], check=True)
    verdict = check_folder(tmp_path)
    assert (verdict.admitted, verdict.reason) == (True, "")
    games = read_manifest(tmp_path).games
    assert [f"[{game}] It ended by itself with code 0." in verdict.log for game in games] == [True] * 4
    with pytest.raises(ValueError, match=r"is no bot in Python: its program plays in a cell \(`arena bot check`\)"):
        load(tmp_path)
