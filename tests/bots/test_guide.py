"""The bots printed in the guide for authors play whole matches."""

import re
import tomllib
from pathlib import Path

import pytest

import engine
from arena.bot import load
from tests.bots.tables import play

GUIDE = (Path(__file__).parents[2] / "docs" / "writing-a-bot.md").read_text()
PROGRAMS = [block for block in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL) if "def choose" in block]
MANIFESTS = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)


def test_the_guide_has_its_bots_and_its_manifest() -> None:
    assert len(PROGRAMS) == 4
    assert [set(tomllib.loads(text)) for text in MANIFESTS] == [{"name", "entry", "games"}]


@pytest.mark.parametrize("program", PROGRAMS, ids=[re.findall(r'name="(\w+)"', text)[0] for text in PROGRAMS])
def test_a_bot_of_the_guide_plays_every_game_it_names(program: str, tmp_path: Path) -> None:
    games = sorted(set(re.findall(r'"(callbreak|contract_whist|minus|minus_one)"', program)))
    (tmp_path / "main.py").write_text(program)
    (tmp_path / "bot.toml").write_text(f'name = "guide"\nentry = "main.py"\ngames = {games}\n')
    choose = load(tmp_path).choose
    assert games
    for game in map(engine.load, games):
        state = play(game, bytes(32), [choose] * game.seats, range(game.seats))
        assert not state.to_act()
