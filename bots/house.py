"""The house bots by name: functions to play with in this process, and folders to submit. Knows no archive, no server.

Several entries may share a program and differ in a settings file. ``folder`` writes what an author would submit: inside
a cell only the kit and the engine can be imported besides the folder's own files.
"""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from arena.bot import Choose
from bots.random import main as random_program
from bots.rules import main as rules_program
from bots.rules.settings import read_settings

GAMES = ("callbreak", "contract_whist", "minus", "minus_one")
BATCH = 32
"""Turns that a house bot takes at once: its answers cost less than the frames that carry them."""

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Entry:
    """A house bot: a program, the games it plays, and the settings file in the program's folder that makes it who it is
    (none for a program without settings)."""

    name: str
    program: str
    settings: str = ""
    games: tuple[str, ...] = GAMES


ENTRIES = (
    Entry("random-1", "random"),
    Entry("random-2", "random"),
    Entry("cautious", "rules", "cautious.toml"),
    Entry("steady", "rules", "steady.toml"),
    Entry("bold", "rules", "bold.toml"),
    Entry("sly", "rules", "sly.toml"),
    Entry("patient", "rules", "patient.toml"),
)
"""The house's entries. Two bots of the same program draw differently: each seat gets its own seed from the arena."""

ALIASES = {"random": "random-1", "rules": "steady"}
"""Names that only ``choose`` and ``entry`` know: a program by its own name."""

_MAIN = '''"""The house bot {name}: the program in {program}/ with the settings in settings.toml."""

from pathlib import Path

from arena.bot import run
from {program}.main import chooser
from {program}.settings import read_settings

choose = chooser(read_settings(Path(__file__).parent / "settings.toml"))

if __name__ == "__main__":
    run(choose, name={name!r}, games={games!r}, batch={batch})
'''


def entry(name: str) -> Entry:
    """The entry of a name or alias.

    :raises ValueError: if the house has no such bot.
    """
    wanted = ALIASES.get(name, name)
    for one in ENTRIES:
        if one.name == wanted:
            return one
    names = ", ".join([*ALIASES, *(one.name for one in ENTRIES)])
    raise ValueError(f"The house has no bot {name!r}; its bots are {names}.")


def choose(name: str, game: str) -> Choose:
    """The function of a house bot that answers turns of a game (an id) in this process. It keeps nothing between turns,
    so one function may sit in several seats.

    :raises ValueError: if the house has no such bot, or it does not play that game.
    """
    one = entry(name)
    if game not in one.games:
        raise ValueError(f"{name} does not play {game!r}; it plays {', '.join(one.games)}.")
    if one.program == "random":
        return random_program.choose
    return rules_program.chooser(read_settings(HERE / one.program / one.settings))


def folder(one: Entry, into: Path) -> Path:
    """Writes the folder to submit for an entry into an existing directory.

    :returns: the folder, ``into`` / the entry's name.
    """
    target = into / one.name
    target.mkdir()
    program = HERE / one.program
    if one.settings:
        shutil.copytree(program, target / one.program, ignore=shutil.ignore_patterns("__pycache__", "*.toml"))
        shutil.copy(program / one.settings, target / "settings.toml")
        (target / "main.py").write_text(_MAIN.format(name=one.name, program=one.program, games=one.games, batch=BATCH))
    else:
        shutil.copy(program / "main.py", target / "main.py")
    (target / "bot.toml").write_text(
        f'name = {json.dumps(one.name)}\nentry = "main.py"\ngames = {json.dumps(list(one.games))}\nbatch = {BATCH}\n'
    )
    return target
