"""Clocks as an organiser writes them: the name of a preset, or times such as ``move=2s,bank=30s,increment=0.1s``. Knows
no watch and no game by name: the time of a phase is the game's."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from arena.referee.clock import Limits
from engine.game import Game

HOSTED: Final = Limits(move_ms=250, bank_ms=10_000, max_faults=3)
"""What a bot gets that runs beside the referee."""

REMOTE: Final = Limits(move_ms=2_000, bank_ms=30_000, max_faults=3)
"""What a bot gets that runs at its owner's."""

BLITZ: Final = Limits(move_ms=20, bank_ms=3_000, max_faults=3, increment_ms=50)
"""For bots that answer at once: most of the time is what they save."""

PEOPLE: Final = Limits(move_ms=60_000, bank_ms=0, max_faults=3)
"""What a person gets in a phase for which the rules give no time of their own."""

PRESETS: Final[Mapping[str, Limits]] = {"hosted": HOSTED, "remote": REMOTE, "people": PEOPLE, "blitz": BLITZ}

_PART = re.compile(r"(\d{1,9})(?:\.(\d{1,3}))?(ms|s)?", re.ASCII)


def preset(name: str, game: Game) -> Limits:
    """The preset at a table of the game; for people a phase has the time that its rules give.

    :raises KeyError: if there is no such preset.
    """
    limits = PRESETS[name]
    if limits is PEOPLE and any(phase.human_limit_s for phase in game.phases):
        own = tuple(1000 * phase.human_limit_s if phase.human_limit_s else limits.move_ms for phase in game.phases)
        return replace(limits, phase_ms=own)
    return limits


def is_for_ratings(limits: Limits, *, remote: bool) -> bool:
    """Whether bots lose by their play rather than by the clock: whoever chooses one on which others are late could
    choose who wins. It has three faults, and 2 s a move or as much of everything as `hosted` or `blitz`; 2 s where a
    remote bot plays."""
    shortest_ms = min(limits.phase_ms, default=limits.move_ms)
    least = () if remote else (HOSTED, BLITZ)
    return limits.max_faults >= HOSTED.max_faults and (
        shortest_ms >= REMOTE.move_ms
        or any(
            shortest_ms >= one.move_ms and limits.bank_ms >= one.bank_ms and limits.increment_ms >= one.increment_ms
            for one in least
        )
    )


def read_clock(text: str, game: Game) -> Limits:
    """The clock of a text: a preset, or ``move=TIME`` with any of ``bank=TIME``, ``increment=TIME``, ``faults=N`` and
    ``PHASE=TIME``, in which a phase of the game has a time of its own. TIME is a number with ``ms`` or ``s``. What is
    left out is 0, and three faults.

    :raises ValueError: if it is no clock; a sentence that says what would be one.
    """
    if text in PRESETS:
        return preset(text, game)
    names = [phase.name for phase in game.phases]
    fields = {"move": 0, "bank": 0, "increment": 0, "faults": 3}
    phases: dict[str, int] = {}
    seen: set[str] = set()
    for part in text.split(","):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            raise ValueError(
                f"There is no clock '{text}'; use {', '.join(PRESETS)}, or times such as move=2s,bank=30s."
            )
        if name in seen:
            raise ValueError(f"The clock '{text}' says {name} twice; say it once.")
        seen.add(name)
        if name in fields:
            fields[name] = _count(value) if name == "faults" else _ms(name, value)
        elif name in names:
            phases[name] = _ms(name, value)
        else:
            raise ValueError(f"A clock has no '{name}'; it has {', '.join(fields)}, and here {', '.join(names)}.")
    if not fields["move"]:
        raise ValueError(f"The clock '{text}' gives no time for a move; add one, such as move=2s.")
    if 0 in phases.values():
        raise ValueError(f"The clock '{text}' gives a phase no time; give it more than 0.")
    phase_ms = tuple(phases.get(name, fields["move"]) for name in names) if phases else ()
    return Limits(fields["move"], fields["bank"], fields["faults"], phase_ms, fields["increment"])


def write_clock(limits: Limits, game: Game) -> str:
    """The text that :func:`read_clock` reads."""
    parts = {"move": _time(limits.move_ms)}
    for phase, limit_ms in zip(game.phases, limits.phase_ms, strict=False):
        if limit_ms != limits.move_ms:
            parts[phase.name] = _time(limit_ms)
    parts |= {"bank": _time(limits.bank_ms), "increment": _time(limits.increment_ms), "faults": str(limits.max_faults)}
    return ",".join(f"{name}={value}" for name, value in parts.items())


def describe_clock(limits: Limits, game: Game) -> str:
    """The text, after the name of the preset if it is one."""
    names = [name for name in PRESETS if preset(name, game) == limits]
    return ": ".join((*names[:1], write_clock(limits, game)))


def _ms(name: str, value: str) -> int:
    found = _PART.fullmatch(value)
    if found is None or found[3] is None or (found[3] == "ms" and found[2]):
        raise ValueError(f"{name} is '{value}', which is no time; give whole milliseconds, such as 250ms, 2s or 0.1s.")
    whole, part, unit = found.groups()
    return int(whole) if unit == "ms" else int(whole) * 1000 + int((part or "0").ljust(3, "0"))


def _count(value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", value) or not int(value):
        raise ValueError(f"faults is '{value}'; give the number of faults that forfeit a seat, 1 or more.")
    return int(value)


def _time(ms: int) -> str:
    return f"{ms}ms" if ms % 1000 else f"{ms // 1000}s"
