"""Options as data: how a game declares them, and how values and texts are read and checked. Knows no game.

A game's options are a frozen dataclass whose fields are made by the functions below. A field's metadata describe it:
``rule`` (id), ``text`` (a sentence), ``kind`` (``one of``, ``whole``, ``seat``, ``list``) and ``values`` (all, or
the items of a list) or ``least`` and ``most``.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, Final, TypeVar

RANDOM: Final = "random"
MOST: Final = 1_000_000
"""Largest whole number that an option takes unless it says otherwise."""

Options = TypeVar("Options")


def one_of(rule: str, text: str, *values: str | int) -> Any:
    """A field that takes one of the values; the first one is the default."""
    return dataclasses.field(
        default=values[0], metadata={"rule": rule, "text": text, "kind": "one of", "values": values}
    )


def flag(rule: str, text: str, default: bool) -> Any:
    """A field that is true or false."""
    return dataclasses.field(
        default=default, metadata={"rule": rule, "text": text, "kind": "one of", "values": (False, True)}
    )


def whole(rule: str, text: str, default: int, least: int, most: int = MOST) -> Any:
    """A field that takes a whole number from least to most."""
    return dataclasses.field(
        default=default, metadata={"rule": rule, "text": text, "kind": "whole", "least": least, "most": most}
    )


def seat_or_random(rule: str, text: str) -> Any:
    """A field that takes a seat number or ``random``, which is the default."""
    return dataclasses.field(default=RANDOM, metadata={"rule": rule, "text": text, "kind": "seat"})


def list_of(rule: str, text: str, *items: str) -> Any:
    """A field that takes a non-empty list of the items, in any order and number; by default all of them in order."""
    return dataclasses.field(default=items, metadata={"rule": rule, "text": text, "kind": "list", "values": items})


def read_options(kind: type[Options], game: str, seats: int, given: Mapping[str, object]) -> Options:
    """The options of a game: what is given, as Python values or as text, and defaults for the rest.

    :raises ValueError: if a name or a value is unknown; the sentence lists the valid ones.
    """
    fields = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    values: dict[str, object] = {}
    for name, value in given.items():
        if name not in fields:
            raise ValueError(f"{game} has no option {name!r}; its options are {', '.join(fields)}.")
        values[name] = _read(name, fields[name].metadata, seats, value)
    return kind(**values)


def write_options(options: object) -> dict[str, str]:
    """All options as text, defaults too, in the order in which the game declares them."""
    return {f.name: write_value(getattr(options, f.name)) for f in dataclasses.fields(options)}  # type: ignore[arg-type]


def write_value(value: object) -> str:
    """The text of one value: ``true``, ``13``, ``S,H,D,C,NT``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value)


def valid_values(metadata: Mapping[str, Any], seats: int) -> str:
    """What a field takes, as text for people: ``clockwise, anticlockwise``."""
    kind = metadata["kind"]
    if kind == "whole":
        return f"a whole number from {metadata['least']} to {metadata['most']}"
    if kind == "seat":
        return ", ".join([RANDOM, *(str(seat) for seat in range(seats))])
    values = ", ".join(write_value(value) for value in metadata["values"])
    return f"a list of {values}, such as {write_value(metadata['values'])}" if kind == "list" else values


def _read(name: str, metadata: Mapping[str, Any], seats: int, value: object) -> object:
    kind = metadata["kind"]
    found: object = None
    if kind == "whole":
        number = _number(value)
        if number is not None and metadata["least"] <= number <= metadata["most"]:
            found = number
    elif kind == "seat":
        number = _number(value)
        if value == RANDOM:
            found = RANDOM
        elif number is not None and 0 <= number < seats:
            found = number
    elif kind == "list":
        items = value.strip("[]").replace(",", " ").split() if isinstance(value, str) else value
        if isinstance(items, list | tuple) and items and all(item in metadata["values"] for item in items):
            found = tuple(items)
    else:
        for valid in metadata["values"]:
            # True == 1 in Python; an option does not take one for the other.
            if (type(value) is type(valid) and value == valid) or (
                isinstance(value, str) and value == write_value(valid)
            ):
                found = valid
    if found is None:
        raise ValueError(f"Option {name} cannot be {value!r}; it takes {valid_values(metadata, seats)}.")
    return found


def _number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 9:
        return int(value)
    return None
