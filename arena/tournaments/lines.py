"""Frozen values as lines of JSON: the annotations of their dataclasses are the schema, and reading is strict. Knows no
block and no process."""

import dataclasses
import json
import re
import types
import typing
from collections.abc import Callable
from enum import StrEnum
from typing import Any


class BlockError(ValueError):
    """A line that is not what it should be. The sentence says which member and why."""


def require(condition: bool, sentence: str) -> None:
    """Returns if the condition holds.

    :raises BlockError: with the sentence if it does not.
    """
    if not condition:
        raise BlockError(f"{sentence}.")


def write_line(members: dict[str, Any]) -> str:
    """The members as one line without its line end. Pure ASCII."""
    return json.dumps(members, separators=(",", ":"), allow_nan=False)


def plain(value: Any) -> Any:
    """The value in the kinds that JSON has. Characters that no database stores, NUL and lone surrogates, become
    U+FFFD."""
    if isinstance(value, str):
        return "".join("\ufffd" if sign == "\0" or "\ud800" <= sign <= "\udfff" else sign for sign in value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return value


def read_line(line: str | bytes) -> dict[str, Any]:
    """The members of the line.

    :raises BlockError: if it is no JSON object, or has a member twice.
    """
    try:
        members = json.loads(line, object_pairs_hook=_members_once)
    except (ValueError, RecursionError) as error:
        raise BlockError(f"The line is not JSON: {error}") from None
    if not isinstance(members, dict):
        raise BlockError("The line must be a JSON object.")
    return members


def _members_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise BlockError("A member stands twice in one object.")
    return members


def read_value(kind: Any, found: Any, where: str) -> Any:
    """The value of that kind: a dataclass, whose annotations are the schema, a tuple, a dict, an optional value, a
    StrEnum, or a text, number, flag or bytes. ``where`` names it in errors.

    :raises BlockError: if what was found is anything else.
    """
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, found, where)
    if typing.get_origin(kind) is tuple:
        if not isinstance(found, list):
            raise BlockError(f"{where} must be a list.")
        item_kind = typing.get_args(kind)[0]
        return tuple(read_value(item_kind, item, f"{where}[{index}]") for index, item in enumerate(found))
    if typing.get_origin(kind) is dict:
        if not isinstance(found, dict):
            raise BlockError(f"{where} must be an object.")
        item_kind = typing.get_args(kind)[1]
        return {_text(name, where): read_value(item_kind, item, f"{where}.{name}") for name, item in found.items()}
    if isinstance(kind, types.UnionType):
        return None if found is None else read_value(typing.get_args(kind)[0], found, where)
    if kind in _SCALARS:
        return _SCALARS[kind](found, where)
    return _word(kind, found, where)


def _record(kind: type, found: Any, where: str) -> Any:
    if not isinstance(found, dict):
        raise BlockError(f"{where} must be an object.")
    kinds = typing.get_type_hints(kind)
    if missing := kinds.keys() - found.keys():
        raise BlockError(f"{where} lacks {', '.join(sorted(missing))}.")
    if unknown := found.keys() - kinds.keys():
        raise BlockError(f"{where} has unknown members: {', '.join(sorted(unknown))}.")
    try:
        return kind(**{name: read_value(kinds[name], found[name], name) for name in kinds})
    except BlockError as error:
        raise BlockError(f"{where}: {error}") from None


def _word(kind: type[StrEnum], found: Any, where: str) -> StrEnum:
    if found not in list(kind):
        raise BlockError(f"{where} must be one of {', '.join(kind)}.")
    return kind(found)


def _text(found: Any, where: str) -> str:
    if not isinstance(found, str) or plain(found) != found:
        raise BlockError(f"{where} must be a text without NUL and lone surrogates.")
    return found


def _number(found: Any, where: str) -> int:
    if type(found) is not int or not -(1 << 63) <= found < 1 << 63:
        raise BlockError(f"{where} must be an integer of 64 bits.")
    return found


def _flag(found: Any, where: str) -> bool:
    if not isinstance(found, bool):
        raise BlockError(f"{where} must be true or false.")
    return found


def _octets(found: Any, where: str) -> bytes:
    if not isinstance(found, str) or re.fullmatch("(?:[0-9a-f]{2})*", found) is None:
        raise BlockError(f"{where} must be bytes in lower-case hex.")
    return bytes.fromhex(found)


_SCALARS: dict[type, Callable[[Any, str], Any]] = {str: _text, int: _number, bool: _flag, bytes: _octets}
