"""A bot's manifest, `bot.toml`: what its author says about it. Knows no cell, and no list of games.

``bot.schema.json`` beside this module says the same to other programs; a test holds both together.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.contents import DEFAULT, MANIFEST, ArchiveLimits, contents
from sandbox.layout import ArchiveError
from sandbox.program import HERE, complaint

_KEYS = ("name", "entry", "games", "batch", "version")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_GAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_VERSION = re.compile(
    r"[^\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]{0,80}"
)
_MANIFEST_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bot says of itself: `entry` is a file below its folder, `batch` the turns it takes at once (1-256),
    `version` its author's own text for it. `games` are names that nobody has looked up yet."""

    name: str
    entry: str
    games: tuple[str, ...]
    batch: int = 1
    version: str = ""

    @property
    def is_python(self) -> bool:
        """Whether the entry is run by Python; else it is a program of its own."""
        return self.entry.endswith(".py")


def read_manifest(bot: Path | bytes, limits: ArchiveLimits = DEFAULT) -> Manifest:
    """The manifest of a folder or of an archive.

    :raises ArchiveError: if there is none, a key is unknown, missing or of the wrong kind, or the entry is absent.
    """
    if isinstance(bot, bytes):
        return manifest_of(contents(bot, limits))
    path = bot / MANIFEST
    return _read(path.read_bytes() if path.is_file() else None, lambda entry: (bot / entry).is_file())


def manifest_of(files: Mapping[str, bytes], machine: str = HERE) -> Manifest:
    """The manifest among the files of an archive.

    :raises ArchiveError: as :func:`read_manifest`, and if the entry is a program that the machine cannot start.
    """
    manifest = _read(files.get(MANIFEST), files.__contains__)
    if not manifest.is_python and (why := complaint(files[manifest.entry], machine)):
        raise ArchiveError(f"the entry point {manifest.entry!r} {why}.")
    return manifest


def _read(text: bytes | None, is_file: Callable[[str], bool]) -> Manifest:
    if text is None:
        raise ArchiveError(f"there is no {MANIFEST} at the top; write one with the keys {_listed(_KEYS[:3])}.")
    manifest = parse_manifest(text)
    if not is_file(manifest.entry):
        raise ArchiveError(
            f"the entry point {manifest.entry!r} is not in the bot's folder; correct 'entry' in {MANIFEST}."
        )
    return manifest


def parse_manifest(text: bytes) -> Manifest:
    """The manifest written in TOML.

    :raises ArchiveError: if it is not TOML, or a key is unknown, missing or of the wrong kind.
    """
    if len(text) > _MANIFEST_BYTES:
        raise ArchiveError(f"{MANIFEST} is longer than {_MANIFEST_BYTES // 1024} KiB; shorten it.")
    try:
        table = tomllib.loads(text.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ArchiveError(f"{MANIFEST} is not TOML in UTF-8 ({error}); correct it.") from None
    for key in table:
        if key not in _KEYS:
            raise ArchiveError(f"{MANIFEST} has the unknown key {key!r}; valid keys are {_listed(_KEYS)}.")
    for key in _KEYS[:3]:
        if key not in table:
            raise ArchiveError(f"{MANIFEST} lacks the key {key!r}; it needs {_listed(_KEYS[:3])}.")
    return Manifest(_read_name(table), _read_entry(table), _read_games(table), _read_batch(table), _read_version(table))


def _listed(words: tuple[str, ...]) -> str:
    quoted = [repr(word) for word in words]
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _read_name(table: Mapping[str, Any]) -> str:
    name = table["name"]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ArchiveError(
            f"'name' in {MANIFEST} must be 1 to 40 lower-case letters, digits and inner hyphens; it is {name!r}."
        )
    return name


def _read_entry(table: Mapping[str, Any]) -> str:
    entry = table["entry"]
    if not isinstance(entry, str) or not entry or entry.startswith(("/", "-")) or ".." in entry.split("/"):
        raise ArchiveError(
            f"'entry' in {MANIFEST} must be a file in the folder, a Python file such as 'main.py' or a program; "
            f"it is {entry!r}."
        )
    return entry


def _read_games(table: Mapping[str, Any]) -> tuple[str, ...]:
    games = table["games"]
    if not isinstance(games, list) or not games or len(games) > 64:
        raise ArchiveError(f"'games' in {MANIFEST} must be a list of at least one game's name.")
    for game in games:
        if not isinstance(game, str) or not _GAME.fullmatch(game):
            raise ArchiveError(f"'games' in {MANIFEST} holds {game!r}; write each game's id in lower case.")
    if len(set(games)) != len(games):
        raise ArchiveError(f"'games' in {MANIFEST} names a game twice; name each once.")
    return tuple(games)


def _read_batch(table: Mapping[str, Any]) -> int:
    batch = table.get("batch", 1)
    if type(batch) is not int or not 1 <= batch <= 256:
        raise ArchiveError(f"'batch' in {MANIFEST} must be a whole number from 1 to 256; it is {batch!r}.")
    return batch


def _read_version(table: Mapping[str, Any]) -> str:
    version = table.get("version", "")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise ArchiveError(
            f"'version' in {MANIFEST} must be a text of at most 80 characters, none of them a control or invisible one."
        )
    return version
