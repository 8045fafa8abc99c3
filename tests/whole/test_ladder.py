"""A ladder from its first command to its last, as a user types them."""

import threading
from pathlib import Path

import pytest

from arena.cli import main
from arena.cli.client import Server, find_login
from arena.cli.tournament import get
from arena.v1 import tournament_pb2 as pb


def newest(server: Server, name: str) -> str:
    """The newest period, waited for by those who play it."""
    while not (found := get(server, name).standing.periods):
        threading.Event().wait(0.05)
    return found[0].tournament


@pytest.mark.long
def test_a_ladder_plays_by_itself_until_it_is_closed_and_whoever_comes_is_in_the_next_period(
    arena: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(arena)]
    server = Server(find_login(arena))
    # Unrated, for the tables of the others say who has played.
    ladder = ["--game", "minus", "--format", "ladder", "--every", "1s", "--units", "1", "--unrated"]
    assert main(["tournament", "create", "night", *ladder, "--bots", "random-1", "random-2", "steady", *data]) == 0
    said = capsys.readouterr().out
    assert main(["tournament", "show", "night", *data]) == 0
    assert "paused      No two bots of one owner" in capsys.readouterr().out
    assert main(["tournament", "enter", "night", "bold", *data]) == 0
    first = newest(server, "night")
    assert first == "night.1"
    assert main(["tournament", "watch", first, *data]) == 0
    assert "night.1 is done" in capsys.readouterr().out
    assert main(["tournament", "show", first, *data]) == 0
    shown = capsys.readouterr().out
    committed = next(line.split()[1] for line in said.splitlines() if line.startswith("commitment"))
    assert f"commitment  {committed}\n" in shown
    assert "\nsecret " in shown
    assert "period      1 of the ladder night" in shown
    assert main(["tournament", "show", "night", *data]) == 0
    shown = capsys.readouterr().out
    assert "\nsecret " not in shown
    assert "of the next period" in shown

    assert main(["tournament", "close", "night", *data]) == 0
    assert main(["tournament", "list", *data]) == 0
    listed = capsys.readouterr().out
    assert "night " in listed
    assert "night.1" not in listed.split("Tournament")[1]
    for period in get(server, "night").standing.periods:
        assert main(["tournament", "watch", period.tournament, *data]) == 0
    assert get(server, "night").state == pb.TOURNAMENT_STATE_DONE
    capsys.readouterr()
    assert main(["tournament", "enter", "night", "sly", *data]) == 1
    assert "is closed" in capsys.readouterr().err


def test_a_bot_leaves_an_open_tournament(arena: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--data", str(arena)]
    assert main(["tournament", "create", "open", "--game", "minus", "--bots", "bold", "steady", "--open", *data]) == 0
    assert main(["tournament", "leave", "open", "bold", *data]) == 0
    assert "open: 1 bots are left: steady" in capsys.readouterr().out
    assert main(["tournament", "leave", "open", "bold", *data]) == 1
    assert "is not in 'open'" in capsys.readouterr().err
