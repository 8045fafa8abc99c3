"""The published schema of bot.toml and what reads it say yes and no to the same manifests."""

import json
import tomllib
from importlib import resources
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from sandbox.archive import ArchiveError, parse_manifest
from tests.sandbox.test_archive import MANIFESTS

SCHEMA = json.loads((resources.files("sandbox") / "bot.schema.json").read_text("utf-8"))
GOOD: dict[str, Any] = {"name": "lucky", "entry": "main.py", "games": ["whist"]}

ALTERED: dict[str, tuple[dict[str, Any], bool]] = {
    "as it should be": ({}, True),
    "every key": ({"batch": 256, "version": "2.1 é ✓"}, True),
    "a name of a letter": ({"name": "a"}, True),
    "a name of 40": ({"name": "a" * 40}, True),
    "a name of 41": ({"name": "a" * 41}, False),
    "a name that ends in a hyphen": ({"name": "a-"}, False),
    "a name and a line break": ({"name": "lucky\n"}, False),
    "no name": ({"name": ""}, False),
    "an entry in a folder": ({"entry": "src/..main/bot.py"}, True),
    "an entry that is a program": ({"entry": "bin/bot"}, True),
    "no entry": ({"entry": ""}, False),
    "an entry that is absolute": ({"entry": "/bin/sh"}, False),
    "an entry that ends upwards": ({"entry": "src/.."}, False),
    "an entry upwards behind a line break": ({"entry": "a\n/../b"}, False),
    "64 games": ({"games": [f"g{number}" for number in range(64)]}, True),
    "65 games": ({"games": [f"g{number}" for number in range(65)]}, False),
    "a game in capitals": ({"games": ["Whist"]}, False),
    "a game and a line break": ({"games": ["whist\n"]}, False),
    "a game that is a number": ({"games": [1]}, False),
    "no batch": ({"batch": 0}, False),
    "half a batch": ({"batch": 1.5}, False),
    "a version of 80": ({"version": "v" * 80}, True),
    "a version of 81": ({"version": "v" * 81}, False),
    "a version with a line break": ({"version": "1\n"}, False),
    "a version that turns the line round": ({"version": "1\u202e0"}, False),
    "another key": ({"author": "me"}, False),
}


def in_toml(table: dict[str, Any]) -> str:
    """The table as TOML, whose strings and lists are those of JSON, but for a bare DEL."""
    return "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in table.items())


def is_read(text: str) -> bool:
    try:
        parse_manifest(text.encode())
    except ArchiveError:
        return False
    return True


def fits(text: str) -> bool:
    return Draft202012Validator(SCHEMA).is_valid(tomllib.loads(text))


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("what", ALTERED)
def test_schema_and_reader_agree_on_what_an_author_may_write(what: str) -> None:
    altered, good = ALTERED[what]
    text = in_toml({**GOOD, **altered})
    assert (is_read(text), fits(text)) == (good, good)


@pytest.mark.parametrize("what", set(MANIFESTS) - {"not TOML", "not UTF-8", "long"})
def test_the_schema_refuses_what_the_reader_has_a_sentence_for(what: str) -> None:
    assert not fits(MANIFESTS[what][0].decode())


letters = st.characters(exclude_categories=["Cs"], exclude_characters="\x7f")
words = st.text(st.sampled_from("aZ09-_./ \n\u00e9\u00ad\u200b\u2028"), max_size=6) | st.text(letters, max_size=3)
values = words | st.integers(-1, 300) | st.booleans() | st.lists(words, max_size=3)


@settings(deadline=None, max_examples=300)
@given(st.dictionaries(st.sampled_from(["name", "entry", "games", "batch", "version"]), values, max_size=2))
@example({"entry": "..\n"})
def test_schema_and_reader_agree_on_anything_else(altered: dict[str, Any]) -> None:
    text = in_toml({**GOOD, **altered})
    assert is_read(text) == fits(text)
