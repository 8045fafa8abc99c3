"""The pages of docs/rules say of names and options what the engine has: nothing less, nothing else."""

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.options import write_value
from tests.requirements import ids_in

PAGES = Path(__file__).parent.parent.parent / "docs" / "rules"


def page(kind: engine.GameKind) -> str:
    return (PAGES / f"{kind.id}.md").read_text("utf-8")


def rows(kind: engine.GameKind) -> dict[str, tuple[str, str]]:
    """By option, in the page's order: the cell with its values and the one with its ids."""
    table = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \|$", page(kind), re.MULTILINE)
    return {name: (values, ids) for name, values, ids in table}


def heads(cell: str) -> list[str]:
    """What a cell lists, without the words behind a colon that say what it means: ``8; 0: never`` is 8 and 0."""
    return [part.partition(":")[0].strip() for part in cell.split(";")]


def listed(cell: str, field: Mapping[str, Any], default: str, seats: int) -> tuple[list[str], list[str]]:
    """What the cell says that the option takes, and what it takes; the default leads both."""
    match field["kind"]:
        case "whole":
            return heads(cell), [default, f"any whole number from {field['least']} to {field['most']}"]
        case "seat":
            return heads(cell), [default, f"a seat from 0 to {seats - 1}"]
        case "list":
            return heads(cell), [default, f"any list of {', '.join(field['values'])}"]
    values = [write_value(value) for value in field["values"]]
    found = [value for head in heads(cell) for value in head.split(", ")]
    return [*found[:1], *sorted(found[1:])], [default, *sorted(value for value in values if value != default)]


@pytest.mark.parametrize("kind", engine.GAMES.values(), ids=list(engine.GAMES))
def test_a_page_lists_each_option_with_its_values_its_default_and_its_rule(kind: engine.GameKind) -> None:
    fields = {field.name: field for field in dataclasses.fields(kind.options)}
    assert list(rows(kind)) == list(fields)
    for name, (cell, ids) in rows(kind).items():
        metadata = fields[name].metadata
        said, true = listed(cell, metadata, write_value(fields[name].default), kind.seat_counts[-1])
        assert said == true, name
        assert metadata["rule"] in ids_in(ids), name


@pytest.mark.parametrize("kind", engine.GAMES.values(), ids=list(engine.GAMES))
def test_a_page_names_every_alias_and_preset_of_its_game(kind: engine.GameKind) -> None:
    assert page(kind).startswith(f"# {kind.title} (`{kind.id}`)\n")
    prose = " ".join(page(kind).split())
    for name in kind.aliases:
        assert name in prose
    assert re.findall(r"`(\w+)` \(", prose.partition("Presets: ")[2]) == list(kind.presets)
