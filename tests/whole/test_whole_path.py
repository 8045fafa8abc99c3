"""From a folder with a bot to a line in the rating table, through every part, with the commands that a user types."""

import json
import sys
from pathlib import Path

import pytest

from arena.cli import main
from arena.cli.bot import upload, wait_until_judged
from arena.cli.client import Server, find_login_in
from arena.stack.services import Services
from arena.v1.submission_pb2 import VERSION_STATE_ACTIVE, VERSION_STATE_VALIDATING
from sandbox.archive import pack

MAIN = """
from arena.bot import Turn, run

def choose(turn: Turn) -> int:
    {body}

if __name__ == "__main__":
    run(choose, name="{name}", games=["callbreak"])
"""
MANIFEST = 'name = "{name}"\nentry = "main.py"\ngames = ["callbreak"]\n'


def write_bot(folder: Path, name: str, body: str) -> Path:
    """A folder with a bot whose choose has this body."""
    target = folder / name
    target.mkdir()
    (target / "main.py").write_text(MAIN.format(name=name, body=body))
    (target / "bot.toml").write_text(MANIFEST.format(name=name))
    return target


def test_a_bot_goes_from_its_folder_to_the_rating_table(
    arena: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(arena)]
    folder = write_bot(tmp_path, "first", "return turn.legal[-1]")

    assert main(["bot", "submit", str(folder), *data]) == 0
    assert "is active" in capsys.readouterr().out

    bots = ["first", "random-1", "steady", "bold", "cautious"]
    wanted = ["--game", "callbreak", "--units", "1", "--bots", *bots]
    assert main(["tournament", "create", "whole-path", *wanted, *data]) == 0
    assert main(["tournament", "watch", "whole-path", *data]) == 0
    shown = capsys.readouterr().out
    assert "is done" in shown

    assert main(["ratings", "callbreak", "--json", *data]) == 0
    table = [line for line in json.loads(capsys.readouterr().out) if line["unit_kind"] == "rotation"]
    lines = {line["bot"]: line for line in table}
    # Five bots at tables of four: all five subsets once, four of them with each bot.
    assert {bot: lines[bot]["units"] for bot in bots} == dict.fromkeys(bots, 4)
    assert lines["first"]["faults"] == 0
    assert main(["ratings", "callbreak", "--history", "first", "--json", *data]) == 0
    (step,) = [line for line in json.loads(capsys.readouterr().out) if line["tournament"] == "whole-path"]
    assert (step["elo"], step["units"], step["rating"]) == tuple(
        lines["first"][key] for key in ("elo", "units", "rating")
    )
    assert main(["ratings", "callbreak", "--history", "first", *data]) == 0
    assert "first in callbreak, 4 seats" in capsys.readouterr().out
    assert main(["ratings", "callbreak", "--superiority", *data]) == 0
    assert "is stronger than" in capsys.readouterr().out
    assert main(["ratings", "callbreak", "--against", "random-1", "--json", *data]) == 0
    above = {line["bot"]: line["stronger"] for line in json.loads(capsys.readouterr().out)}
    assert above["steady"] > 0.9
    assert "random-1" not in above
    assert main(["ratings", "callbreak", "--head-to-head", "steady", "--json", *data]) == 0
    found = [line for line in json.loads(capsys.readouterr().out) if line["unit_kind"] == "rotation"]
    met = {line["against"]: line for line in found}
    assert met.keys() == lines.keys() - {"steady"}
    assert (met["first"]["matches"], met["first"]["deals"]) == (3 * 4, 3)  # three of the subsets have both
    assert main(["ratings", "callbreak", "--head-to-head", "steady", *data]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
    assert main(["ratings", "callbreak", "--soft-play", "--owners", *data]) == 0
    assert "callbreak, 4 seats: 0 pairs tested, 0 to look at" in capsys.readouterr().out
    for option in ("--history", "--against", "--head-to-head"):
        assert main(["ratings", "callbreak", option, "nobody", *data]) == 1
        assert "no table has a rated bot 'nobody'" in capsys.readouterr().err

    assert main(["ratings", "rebuild", "--verify", *data]) == 0
    assert "to the last bit" in capsys.readouterr().out

    records = tmp_path / "records"
    assert main(["record", "fetch", "whole-path", str(records), *data]) == 0
    files = sorted(map(str, records.iterdir()))
    assert len(files) == 5 * 4  # tables, rotations of their one unit
    assert main(["record", "verify", *files]) == 0
    assert main(["record", "fetch", "whole-path", str(records), *data]) == 0
    assert "0 records fetched, 20 were there" in capsys.readouterr().out


def test_the_same_archive_is_the_same_version(arena: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_bot(tmp_path, "twice", "return turn.legal[0]")
    for _ in range(2):
        assert main(["bot", "submit", str(folder), "--data", str(arena)]) == 0
        assert "twice version 1 is active" in capsys.readouterr().out


def test_the_wait_for_a_verdict_prints_nothing_into_the_bars_of_a_demo(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    server = Server(find_login_in(services.logins()[0]))
    version = upload(server, "quiet", pack(write_bot(tmp_path, "quiet", "return turn.legal[0]")))
    assert version.state == VERSION_STATE_VALIDATING
    assert wait_until_judged(server, version).state == VERSION_STATE_ACTIVE
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "body", "told"),
    [
        ("crasher", "raise RuntimeError('my own bug')", "my own bug"),
        ("cheater", "return 99", "ILLEGAL"),
    ],
)
def test_a_bot_that_cannot_play_is_rejected_with_the_reason_and_its_log(
    arena: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, body: str, told: str
) -> None:
    folder = write_bot(tmp_path, name, body)
    assert main(["bot", "submit", str(folder), "--data", str(arena)]) == 1
    error = capsys.readouterr().err
    assert "is rejected" in error
    assert told in error
