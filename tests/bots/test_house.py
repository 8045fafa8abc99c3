"""The house's entries: names, errors, and folders that stand alone."""

import os
import random
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import engine
from arena.bot import load
from bots import house
from bots.rules.settings import read_settings
from sandbox.archive import pack, read_manifest
from tests.bots.tables import turn_of, walks

ROOT = Path(__file__).parents[2]


def test_every_game_has_at_least_six_entries_of_different_names() -> None:
    names = [entry.name for entry in house.ENTRIES]
    assert len(set(names)) == len(names)
    for game in engine.GAMES:
        assert sum(game in entry.games for entry in house.ENTRIES) >= 6


def test_every_entry_and_alias_chooses_and_other_names_are_refused_with_the_list() -> None:
    for name in [*house.ALIASES, *(entry.name for entry in house.ENTRIES)]:
        assert callable(house.choose(name, "callbreak"))
    with pytest.raises(ValueError, match=r"no bot 'nobody'; its bots are random, .*steady"):
        house.choose("nobody", "callbreak")
    with pytest.raises(ValueError, match="does not play 'chess'; it plays callbreak"):
        house.choose("steady", "chess")


def test_the_players_of_one_program_differ() -> None:
    players = [entry for entry in house.ENTRIES if entry.settings]
    settings = {read_settings(house.HERE / entry.program / entry.settings) for entry in players}
    assert len(settings) == len(players)


def test_a_folder_has_a_manifest_with_the_entry_s_name_and_games(tmp_path: Path) -> None:
    for entry in house.ENTRIES:
        folder = house.folder(entry, tmp_path)
        manifest = tomllib.loads((folder / "bot.toml").read_text())
        said = {"name": entry.name, "entry": "main.py", "games": list(entry.games), "batch": house.BATCH}
        assert manifest == said
        assert (folder / manifest["entry"]).is_file()
        files = {"bot.toml", "settings.toml"} if entry.settings else {"bot.toml"}
        assert {file.relative_to(folder).as_posix() for file in folder.rglob("*.toml")} == files


def test_the_server_takes_every_folder_as_it_is(tmp_path: Path) -> None:
    for entry in house.ENTRIES:
        manifest = read_manifest(pack(house.folder(entry, tmp_path)))
        assert (manifest.name, manifest.games) == (entry.name, entry.games)


def test_writing_a_folder_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for entry in house.ENTRIES:
        written = []
        for place in ("first", "second"):
            into = tmp_path / entry.name / place
            into.mkdir(parents=True)
            folder = house.folder(entry, into)
            written.append({p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()})
        assert written[0] == written[1]


def test_a_loaded_folder_answers_like_the_entry_in_this_process(tmp_path: Path) -> None:
    for name in ("random-2", "bold"):
        folder = load(house.folder(house.entry(name), tmp_path))
        for game in map(engine.load, engine.GAMES):
            here = house.choose(name, game.id)
            for state, seat in walks(game, seed=8):
                assert folder.choose(turn_of(state, seat, random.Random(1))) == here(
                    turn_of(state, seat, random.Random(1))
                )


def test_a_folder_imports_only_itself_the_kit_and_the_engine(tmp_path: Path) -> None:
    code = (
        "import sys, main\n"
        "ours = {name for name in sys.modules if name.split('.')[0] in ('arena', 'bots', 'engine', 'sandbox')}\n"
        "allowed = ('engine', 'arena.bot', 'arena.v1', 'arena.codec')\n"
        "assert all(name == 'arena' or name.startswith(allowed) for name in ours), ours\n"
    )
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("random-1", "sly", "greedy-hard"):
        folder = house.folder(house.entry(name), tmp_path)
        subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, check=True)


def test_regulars_are_different_and_those_that_sit_already_come_last() -> None:
    assert len(set(house.regulars(5))) == 5
    assert not {"steady", "bold"} & set(house.regulars(3, ("steady", "bold")))
    assert "steady" not in house.regulars(4, ("rules",))
    assert sorted(house.regulars(5, ("steady", "bold"))) == sorted(house.regulars(5))
    with pytest.raises(ValueError, match="not 6"):
        house.regulars(6)
