"""A bot as a folder on this disk: its manifest, and its ``choose`` or ``choose_many`` for play in one process. Knows no
archive and no cell."""

import importlib.util
import itertools
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from arena.bot.turn import Choose, one_at_a_time

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class BotFolder:
    """A loaded bot: what its ``bot.toml`` says, and its ``choose``. A bot that has only a ``choose_many`` is asked for
    one turn at a time."""

    name: str
    entry: str
    games: tuple[str, ...]
    batch: int
    choose: Choose


def load(folder: str | Path) -> BotFolder:
    """The bot in the folder. Its entry point is imported under a name of its own, so that two bots, and two copies of
    one, share nothing; it must define ``choose`` or ``choose_many`` at top level and call ``run`` only under
    ``if __name__ == "__main__"``.

    :raises ValueError: if the folder, its ``bot.toml`` or its ``choose`` is missing or wrong. What the bot's own code
        raises when it is imported goes through as it is.
    """
    folder = Path(folder).resolve()
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder}.")
    try:
        manifest = tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8"))
    except OSError:
        raise ValueError(f"{folder} has no bot.toml; `arena bot new` writes one.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{folder / 'bot.toml'} is not TOML: {error}") from None
    entry = manifest.get("entry", "main.py")
    if not isinstance(entry, str) or not (folder / entry).is_file():
        raise ValueError(f"{folder / 'bot.toml'}: entry names {entry!r}, which is no file of the folder.")
    if not entry.endswith(".py"):
        raise ValueError(f"{folder} is no bot in Python: its program plays in a cell (`arena bot check`) or from home.")
    games = manifest.get("games", [])
    if not isinstance(games, list) or not all(isinstance(game, str) for game in games):
        raise ValueError(f"{folder / 'bot.toml'}: games must be a list of game ids.")
    module = _imported(folder, entry)
    choose, choose_many = getattr(module, "choose", None), getattr(module, "choose_many", None)
    if not callable(choose):
        if not callable(choose_many):
            raise ValueError(f"{folder / entry} defines no function choose(turn) or choose_many(turns) at top level.")  # noqa: TRY004 - as documented
        choose = one_at_a_time(choose_many)
    name, batch = manifest.get("name", folder.name), manifest.get("batch", 1)
    return BotFolder(str(name), entry, tuple(games), int(batch), choose)


def _imported(folder: Path, entry: str) -> object:
    """The module of the entry point. Modules that it imports from its own folder are its own, too."""
    name = f"_bot_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(name, folder / entry)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = set(sys.modules)
    sys.modules[name] = module
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
        for key in set(sys.modules) - before - {name}:
            file = getattr(sys.modules[key], "__file__", None)
            if file and Path(file).is_relative_to(folder):
                del sys.modules[key]
    return module
