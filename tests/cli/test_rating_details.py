"""What `arena ratings GAME` prints with an option."""

import pytest

from arena.cli import main
from arena.cli.rating_details import print_pairs
from arena.v1 import rating_pb2 as pb

TABLE = pb.RatingTable(game="bridge", seats=4, unit_kind="rotation")


def test_pairs_to_look_at_are_marked_and_fit_on_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    sure = pb.SoftPlay(
        helper="a-bot-that-gives-way", friend="and-its-friend", together=25, z=8.5, p=1e-12, suspect=True
    )
    sure.gain, sure.helper_gain = 0.09, -0.608
    chance = pb.SoftPlay(helper="one", friend="two", together=31, gain=0.1, helper_gain=-0.02, z=2.6, p=0.01, q=0.32)
    pairs = [sure, chance]
    print_pairs(TABLE, pb.ListSoftPlayResponse(pairs=pairs, tested=66))
    _, title, heads, first, second = capsys.readouterr().out.splitlines()
    assert title == "bridge, 4 seats: 66 pairs tested, 1 to look at"
    assert heads.split()[-1] == "Look"
    assert first.split() == [
        "a-bot-that-gives-way",
        "and-its-friend",
        "25",
        "9.0",
        "-60.8",
        "8.5",
        "0.000000",
        "0.0000",
        "yes",
    ]
    assert second.split()[-1] == "0.3200"
    assert max(map(len, (title, heads, first, second))) <= 92


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--history", "mine"], "name the game, too"),
        (["--superiority"], "name the game, too"),
        (["callbreak", "--owners"], "--owners is of --soft-play"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_SERVER", "127.0.0.1:1")
    monkeypatch.setenv("ARENA_TOKEN", "00")
    assert main(["ratings", *words]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1
