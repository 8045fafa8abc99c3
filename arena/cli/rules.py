"""`arena rules`: the games, their table sizes and their options, as the engine declares them. Knows no game by name."""

import argparse
import dataclasses
import textwrap
from typing import Any

import engine
from arena.cli.table import Value, print_table
from arena.errors import BadRequest
from engine.options import valid_values, write_value

INDENT = " " * 4
WIDTH = 80


def add_commands(commands: Any) -> None:
    """Adds `arena rules`."""
    parser = commands.add_parser("rules", help="the games, and the options of each")
    parser.add_argument("game", nargs="?", metavar="GAME", help="print the options of this one")
    parser.set_defaults(run=run_rules)


def run_rules(arguments: argparse.Namespace) -> int:
    """Prints the list of games, or one game with everything that can be set."""
    if arguments.game is None:
        rows: list[list[Value]] = [
            [kind.id, kind.title, _listed(kind.seat_counts), _listed(kind.presets)] for kind in engine.GAMES.values()
        ]
        print_table(["Game", "Title", "Seats", "Presets"], rows)
        print("\nnext: arena rules GAME prints the options of one; its rules are in docs/rules")
        return 0
    try:
        kind, preset = engine.find(arguments.game)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    print(f"{kind.title} ({kind.id}), {_listed(kind.seat_counts)} seats, usually {kind.usual_seats}")
    print(f"rules in docs/rules/{kind.id}.md; set an option with --set OPTION=VALUE")
    for field in dataclasses.fields(kind.options):
        usual = write_value(preset.get(field.name, field.default))
        print(f"\n{field.name}={usual}")
        _print_wrapped(f"{field.metadata['text']} ({field.metadata['rule']})")
        _print_wrapped(f"takes {valid_values(field.metadata, kind.usual_seats)}")
    return 0


def _print_wrapped(text: str) -> None:
    print(textwrap.fill(text, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT))


def _listed(values: Any) -> str:
    return ", ".join(map(str, values))
