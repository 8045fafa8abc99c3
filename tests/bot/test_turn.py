"""What a bot sees of a turn, and how a bot's folder is loaded."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from arena.bot import Turn, load
from arena.bot.matches import NO_ACTION, choice
from arena.bot.turn import actions_of

GAME = engine.load("callbreak")


def turn(legal: tuple[int, ...] = (0, 5)) -> Turn:
    observation = GAME.start(bytes(32)).observe(0)
    return Turn(
        match_id=3,
        game=GAME,
        seat=0,
        number=9,
        phase=GAME.phases[0],
        observation=observation,  # type: ignore[arg-type]
        legal=legal,
        budget_ms=250,
        last_answer_us=0,
        rng=random.Random(0),
        notes={},
    )


@given(st.integers(0, 1000), st.sets(st.integers(0, 51)))
def test_a_mask_means_its_bits_counted_from_the_first_action(first: int, bits: set[int]) -> None:
    assert actions_of(first, sum(1 << bit for bit in bits)) == tuple(first + bit for bit in sorted(bits))


@given(st.integers())
def test_whatever_number_a_bot_chooses_is_sent_and_only_legal_ones_can_become_legal(number: int) -> None:
    sent = choice(turn(), number)
    assert (sent.match_id, sent.turn) == (3, 9)
    assert sent.action == (number if 0 <= number < NO_ACTION else NO_ACTION)


class Zero:
    """A number of somebody else's making, as NumPy has them."""

    def __index__(self) -> int:
        return 5


def test_a_number_of_another_library_is_a_number() -> None:
    assert choice(turn(), Zero()).action == 5


@pytest.mark.parametrize("nothing", [None, "5", 5.0, [5]])
def test_what_is_no_number_is_told_with_the_legal_actions(nothing: object) -> None:
    with pytest.raises(TypeError, match=r"returned .* \(match 3, turn 9; legal: 2C, 7C\)"):
        choice(turn(), nothing)


def write(folder: Path, toml: str, **files: str) -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text(toml)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


MANIFEST = 'name = "dice"\nentry = "main.py"\ngames = ["callbreak"]\nbatch = 4\n'


def test_two_bots_with_modules_of_the_same_name_share_nothing(tmp_path: Path) -> None:
    main = "import brain\n\n\ndef choose(turn):\n    return brain.NUMBER\n"
    one = load(write(tmp_path / "one", MANIFEST, main=main, brain="NUMBER = 1"))
    two = load(write(tmp_path / "two", MANIFEST, main=main, brain="NUMBER = 2"))
    again = load(tmp_path / "one")
    assert (one.choose(turn()), two.choose(turn()), again.choose(turn())) == (1, 2, 1)
    assert one.choose is not again.choose
    assert (one.name, one.entry, one.games, one.batch) == ("dice", "main.py", ("callbreak",), 4)


@pytest.mark.parametrize(
    ("toml", "main", "said"),
    [
        ("= what", "", "is not TOML"),
        ('entry = "other.py"\n', "", "which is no file of the folder"),
        ("games = 3\n", "", "games must be a list"),
        (MANIFEST, "choice = 1\n", r"defines no function choose\(turn\)"),
    ],
)
def test_a_folder_that_is_no_bot_is_refused_with_a_sentence(toml: str, main: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=said):
        load(write(tmp_path / "bot", toml, main=main))


def test_a_missing_folder_or_manifest_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="There is no folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(ValueError, match=r"has no bot\.toml"):
        load(tmp_path)
