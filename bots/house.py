"""The house bots by name: functions to play with in this process, and folders to submit. Knows no archive, no server.

Several entries may share a program and differ in a settings file. ``folder`` writes what an author would submit: inside
a cell only the kit and the engine can be imported besides the folder's own files.
"""

import json
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import engine
from arena.bot import Choose
from bots.random import main as random_program
from bots.rules import main as rules_program
from bots.rules.settings import read_settings as read_rules_settings
from bots.styles import main as styles_program
from bots.styles.settings import LEVELS, STYLES
from bots.styles.settings import read_settings as read_styles_settings

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
    batch: int = BATCH


ENTRIES = (
    Entry("random-1", "random"),
    Entry("random-2", "random"),
    Entry("cautious", "rules", "cautious.toml"),
    Entry("steady", "rules", "steady.toml"),
    Entry("bold", "rules", "bold.toml"),
    Entry("sly", "rules", "sly.toml"),
    Entry("patient", "rules", "patient.toml"),
)
"""The roster: the entries that fill the house's tournaments. Two bots of the same program draw differently: each seat
gets its own seed from the arena."""

COMPANY = tuple(
    Entry(f"{style}-{level}", "styles", f"{style}-{level}.toml", games=("minus_one",), batch=1)
    for level in LEVELS
    for style in STYLES
)
"""Company for people at Minus One, in every style on every level. It is not on the roster.
A show on level hard takes up to 20 ms, so these take one turn at a time."""

ALIASES = {"random": "random-1", "rules": "steady"}
"""Names that only ``choose`` and ``entry`` know: a program by its own name."""

ANCHORS = {"steady": 1500}
"""The number in Elo at which a rating table shows a bot of the house, whoever else plays."""

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
    for one in (*ENTRIES, *COMPANY):
        if one.name == wanted:
            return one
    raise ValueError(f"The house has no bot {name!r}; its bots are {', '.join(names())}.")


def names() -> tuple[str, ...]:
    """Every name that ``entry`` and ``choose`` know: aliases, roster and company."""
    return (*ALIASES, *(one.name for one in (*ENTRIES, *COMPANY)))


def regulars(count: int, besides: Collection[str] = ()) -> tuple[str, ...]:
    """The names of ``count`` different bots of the roster that play by rules, up to five: the rest of a table at which
    two bots are compared. Those in ``besides`` come last, for they sit there already.

    :raises ValueError: if there are not so many.
    """
    known = [one.name for one in ENTRIES if one.program == "rules"]
    if count > len(known):
        raise ValueError(f"The house has {len(known)} bots that play by rules, not {count}.")
    aliases = {ALIASES.get(name, name) for name in besides}
    return tuple(sorted(known, key=lambda name: name in aliases)[:count])


def playing(game: str) -> tuple[str, ...]:
    """The names of the roster's bots that play a game (an id)."""
    return tuple(one.name for one in ENTRIES if game in one.games)


def levels(game: str) -> tuple[str, ...]:
    """The levels on which the house keeps company at a game (an id); none where it has no company."""
    return LEVELS if any(game in one.games for one in COMPANY) else ()


def company(count: int, level: str, people: int = 1) -> tuple[str, ...]:
    """The names of the house bots that fill ``count`` seats beside people at Minus One, all on one level: the styles
    take turns, sniper, steady, greedy, sniper and so on (MO-20).

    :param people: how many people sit at the table, at least one.
    :raises ValueError: if there is no such level, or the table has not 3 to 7 seats (MO-19).
    """
    if level not in LEVELS:
        raise ValueError(f"There is no level {level!r}; choose one of {', '.join(LEVELS)}.")
    seats = engine.GAMES["minus_one"].seat_counts
    fewest, full = min(seats), max(seats)
    if people < 1:
        raise ValueError(f"There are {people} people at the table; company needs at least one.")
    least, most = max(0, fewest - people), full - people
    if most < 0:
        raise ValueError(f"A table of Minus One seats {fewest} to {full}, not {people} people; start a second one.")
    if not least <= count <= most:
        raise ValueError(
            f"A table of Minus One seats {fewest} to {full}; beside {people} {'person' if people == 1 else 'people'} "
            f"choose {least} to {most} computer players, not {count}."
        )
    styles = list(STYLES)
    return tuple(f"{styles[seat % len(styles)]}-{level}" for seat in range(count))


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
    settings = HERE / one.program / one.settings
    if one.program == "styles":
        return styles_program.chooser(read_styles_settings(settings))
    return rules_program.chooser(read_rules_settings(settings))


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
        (target / "main.py").write_text(
            _MAIN.format(name=one.name, program=one.program, games=one.games, batch=one.batch)
        )
    else:
        shutil.copy(program / "main.py", target / "main.py")
    name, games = json.dumps(one.name), json.dumps(list(one.games))
    (target / "bot.toml").write_text(f'name = {name}\nentry = "main.py"\ngames = {games}\nbatch = {one.batch}\n')
    return target
