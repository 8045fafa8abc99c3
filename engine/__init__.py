"""The rules of the games, for referees, bots and search: ``engine.load("callbreak").start(seed)``.

Knows no network, no clock and no file. Read :mod:`engine.game` first.
"""

from collections.abc import Mapping
from typing import Final

from engine.callbreak import CALLBREAK
from engine.contract_whist import CONTRACT_WHIST
from engine.game import (
    Action,
    Game,
    GameKind,
    IllegalAction,
    Observation,
    OutOfPacks,
    Phase,
    Seat,
    State,
)
from engine.minus import MINUS
from engine.minus_one import MINUS_ONE
from engine.options import read_options, write_options
from engine.playout import playout, playouts
from engine.worlds import Worlds, sample, worlds

__all__ = [
    "COMPILED",
    "GAMES",
    "VERSION",
    "Action",
    "Game",
    "GameKind",
    "IllegalAction",
    "Observation",
    "OutOfPacks",
    "Phase",
    "Seat",
    "State",
    "Worlds",
    "find",
    "load",
    "load_with",
    "playout",
    "playouts",
    "sample",
    "unusual",
    "worlds",
    "write_options",
]

COMPILED: Final = not __file__.endswith(".py")
"""Whether this is the compiled engine and not the Python source; both play alike."""

VERSION: Final = "1"
"""Version of the rules' behaviour; it grows when some match would go another way than before."""

GAMES: Final[dict[str, GameKind]] = {kind.id: kind for kind in (CALLBREAK, MINUS, MINUS_ONE, CONTRACT_WHIST)}


def load(name: str, seats: int | str | None = None, **options: object) -> Game:
    """A game by id, alias or preset, for a table of ``seats`` (the game's usual number if not given).

    Options are Python values or texts: ``load("callbreak", deals=10)`` and ``load("callbreak", deals="10")`` are equal.

    :raises ValueError: if the name, the seat count, an option or a value is unknown; the sentence lists the valid ones.
    """
    return load_with(name, seats, options)


def load_with(name: str, seats: int | str | None, options: Mapping[str, object]) -> Game:
    """The same with the options as a mapping, for names that come from outside.

    :raises ValueError: as :func:`load`.
    """
    kind, preset = find(name)
    count = kind.usual_seats if seats is None else seats
    if isinstance(count, str) and count.isascii() and count.isdigit() and len(count) < 3:
        count = int(count)
    if not isinstance(count, int) or isinstance(count, bool) or count not in kind.seat_counts:
        counts = ", ".join(map(str, kind.seat_counts))
        raise ValueError(f"{kind.title} cannot have {count!r} seats; it takes {counts}.")
    return kind.make(count, read_options(kind.options, kind.id, count, {**preset, **options}))


def unusual(game: Game) -> dict[str, str]:
    """The options of a game that differ from its defaults, as text, in the order in which the game declares them."""
    usual = write_options(load(game.id, game.seats).options)
    return {name: value for name, value in write_options(game.options).items() if usual[name] != value}


def find(name: str) -> tuple[GameKind, dict[str, object]]:
    """The game of a name, and the options that the name sets. Ids come first, then presets, then aliases; case, spaces,
    hyphens and underscores do not matter.

    :raises ValueError: if no game has the name.
    """
    plain = _plain(name)
    for kind in GAMES.values():
        if _plain(kind.id) == plain:
            return kind, {}
    for kind in GAMES.values():
        for preset, options in kind.presets.items():
            if _plain(preset) == plain:
                return kind, dict(options)
    for kind in GAMES.values():
        if plain in map(_plain, kind.aliases):
            return kind, {}
    presets = [preset for kind in GAMES.values() for preset in kind.presets]
    raise ValueError(f"There is no game {name!r}; games are {', '.join(GAMES)}, presets {', '.join(presets)}.")


def _plain(name: str) -> str:
    return name.casefold().translate({ord(c): None for c in " -_"})
