"""The options of a game as fields of a form. Knows no page and no game."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from engine.game import GameKind
from engine.options import valid_values, write_value

PREFIX = "option."
"""What the name of a field begins with that is an option of the game."""

_REFUSED = re.compile(r"Option (\w+) cannot be ")


@dataclasses.dataclass(frozen=True, slots=True)
class Option:
    """An option as a field: to choose from ``offered``, values with their texts, or to write where nothing is offered.
    ``name`` is the field's, ``takes`` what may be written."""

    name: str
    label: str
    text: str
    rule: str
    usual: str
    offered: tuple[tuple[str, str], ...]
    takes: str


def option_fields(kind: GameKind) -> list[Option]:
    """The options of a game in the order in which it declares them."""
    return [_field(field, kind) for field in dataclasses.fields(kind.options)]


def options_in(sent: Mapping[str, str]) -> dict[str, str]:
    """The options in a form that was sent."""
    return {name.removeprefix(PREFIX): value.strip() for name, value in sent.items() if name.startswith(PREFIX)}


def option_refused(sentence: str) -> str:
    """The name of the field whose value a sentence of the engine refuses; empty if it is about something else."""
    found = _REFUSED.match(sentence)
    return f"{PREFIX}{found[1]}" if found else ""


def _field(field: dataclasses.Field[Any], kind: GameKind) -> Option:
    about = field.metadata
    return Option(
        name=f"{PREFIX}{field.name}",
        label=field.name,
        text=about["text"],
        rule=about["rule"],
        usual=write_value(field.default),
        offered=tuple((write_value(value), write_value(value)) for value in about["values"])
        if about["kind"] == "one of"
        else (),
        takes=valid_values(about, kind.seat_counts[-1]),
    )
