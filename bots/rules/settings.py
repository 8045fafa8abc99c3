"""What differs between the players of this program. Knows no rules of play."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Calls:
    """How a player calls.

    ``hope`` is added to the tricks it counts. ``spread`` is how far the count may be out, in tricks of a 13-card hand:
    a wide spread makes careful calls. ``listen`` is how much of the gap between tricks and calls so far it takes for
    its own, 0 to 1. ``pass_worth`` is the points that it expects of a deal of Minus in which it does not call trump.
    """

    hope: float = 0.0
    spread: float = 1.0
    listen: float = 0.0
    pass_worth: float = 2.0


@dataclass(frozen=True, slots=True)
class Plays:
    """How a player plays. ``spoil`` is how much it values a trick that the present winner still needs, in tricks."""

    spoil: float = 0.3


@dataclass(frozen=True, slots=True)
class Pairs:
    """How a player plays for points in pairs.

    ``power`` is the exponent of a win's worth: 0 wants wins, 1 weighs the score, 2 chases high scores. ``respect`` is
    the chance that it expects sense of another seat's show, 0 to 1. The sharpnesses say how closely its choices follow
    what they promise: 0 is any choice, and a sharp player is easy to foresee.
    """

    power: float = 1.0
    respect: float = 0.7
    show_sharpness: float = 2.0
    keep_sharpness: float = 3.0


@dataclass(frozen=True, slots=True)
class Settings:
    """A player."""

    calls: Calls = field(default_factory=Calls)
    plays: Plays = field(default_factory=Plays)
    pairs: Pairs = field(default_factory=Pairs)


def settings_of(tables: dict[str, dict[str, Any]]) -> Settings:
    """The settings in a TOML file's tables ``calls``, ``plays`` and ``pairs``; what is missing has its default.

    :raises TypeError: if a name is unknown.
    """
    return Settings(
        Calls(**tables.get("calls", {})), Plays(**tables.get("plays", {})), Pairs(**tables.get("pairs", {}))
    )


def read_settings(file: Path) -> Settings:
    """The settings in a file, or the defaults if there is none."""
    return settings_of(tomllib.loads(file.read_text())) if file.exists() else Settings()
