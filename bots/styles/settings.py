"""What differs between the players of this program: a style and a level. Knows no rules of play."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Style:
    """What a player wants (MO-21).

    A win with card k is worth (k + 1) to the ``power``. Of two keeps of equal worth it takes the ``higher`` or the
    lower. On level easy it keeps its lower card with the chance ``keeps_lower``.
    """

    power: int
    higher: bool
    keeps_lower: float


STYLES = {
    "sniper": Style(power=0, higher=False, keeps_lower=0.95),
    "steady": Style(power=1, higher=False, keeps_lower=0.8),
    "greedy": Style(power=2, higher=True, keeps_lower=0.6),
}
"""The styles in the order in which they take their seats (MO-20)."""

LEVELS = ("easy", "medium", "hard")
"""How far a player thinks, least first (MO-22)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """A player: one of ``STYLES`` and one of ``LEVELS``."""

    style: str
    level: str

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise ValueError(f"There is no style {self.style!r}; choose one of {', '.join(STYLES)}.")
        if self.level not in LEVELS:
            raise ValueError(f"There is no level {self.level!r}; choose one of {', '.join(LEVELS)}.")


def read_settings(file: Path) -> Settings:
    """The settings in a TOML file.

    :raises TypeError: if a name is unknown or missing.
    :raises ValueError: if there is no such style or level.
    """
    return Settings(**tomllib.loads(file.read_text()))
