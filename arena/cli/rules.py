"""`arena rules`: the games, the rules of each and its options, as its page and the engine state them. Knows no game by
name."""

import argparse
import dataclasses
import shutil
import textwrap
from typing import Any

import engine
from arena.cli.table import Value, print_table
from arena.errors import BadRequest
from arena.rules import page_of
from engine.options import valid_values, write_value

INDENT = " " * 4
WIDTH = 80
"""Columns of a text at a terminal that has as many, and wherever there is no terminal."""


def add_commands(commands: Any) -> None:
    """Adds `arena rules`."""
    parser = commands.add_parser("rules", help="the games, and the rules and options of each")
    parser.add_argument("game", nargs="?", metavar="GAME", help="print the rules and options of this one")
    parser.add_argument("--options", action="store_true", help="print its options only")
    parser.set_defaults(run=run_rules)


def run_rules(arguments: argparse.Namespace) -> int:
    """Prints the list of games, or the rules of one game with everything that can be set."""
    if arguments.game is None:
        if arguments.options:
            raise BadRequest(f"--options needs a game: {_listed(engine.GAMES)}.")
        rows: list[list[Value]] = [
            [kind.id, kind.title, _listed(kind.seat_counts), _listed(kind.presets)] for kind in engine.GAMES.values()
        ]
        print_table(["Game", "Title", "Seats", "Presets"], rows)
        print("\nnext: arena rules GAME prints the rules and options of one")
        return 0
    try:
        kind, preset = engine.find(arguments.game)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    width = min(WIDTH, shutil.get_terminal_size().columns)
    if not arguments.options:
        _print_page(page_of(kind.id), width)
        print()
    _print_kind(kind, width)
    _print_options(kind, preset, width)
    return 0


def _print_page(page: str, width: int) -> None:
    """Prints Markdown as plain text, in bold where that shows. Links lead nowhere at a terminal: their text stays."""
    from rich.console import Console
    from rich.markdown import Markdown

    markdown = Markdown(page)
    for token in markdown.parsed:
        token.children = [part for part in token.children or [] if part.type not in {"link_open", "link_close"}] or None
    console = Console(width=width, no_color=True)
    with console.capture() as printed:
        console.print(markdown)
    for line in printed.get().splitlines():
        print(line.rstrip())


def _print_kind(kind: engine.GameKind, width: int) -> None:
    """Prints what a game is called and what its presets set."""
    print(f"{kind.title} ({kind.id}), {_listed(kind.seat_counts)} seats, usually {kind.usual_seats}")
    if kind.aliases:
        _print_wrapped(f"also found as {_listed(kind.aliases)}", width)
    for name, options in kind.presets.items():
        _print_wrapped(
            f"preset {name}: {_listed(f'{key}={write_value(value)}' for key, value in options.items())}", width
        )
    print("set an option with --set OPTION=VALUE")


def _print_options(kind: engine.GameKind, preset: dict[str, object], width: int) -> None:
    """Prints each option with the value it has unless it is set, with its rule and all that it takes."""
    for field in dataclasses.fields(kind.options):
        print(f"\n{field.name}={write_value(preset.get(field.name, field.default))}")
        _print_wrapped(f"{field.metadata['text']} ({field.metadata['rule']})", width)
        _print_wrapped(f"takes {valid_values(field.metadata, kind.seat_counts[-1])}", width)


def _print_wrapped(text: str, width: int) -> None:
    print(textwrap.fill(text, width, initial_indent=INDENT, subsequent_indent=INDENT))


def _listed(values: Any) -> str:
    return ", ".join(map(str, values))
