"""`arena doctor`: what this host can do, found by trying. Knows no fix that it does not print."""

import argparse
import platform
import sys
from typing import Any

from arena.cli.data import add_data_option


def add_commands(commands: Any) -> None:
    """Adds `arena doctor`."""
    parser = commands.add_parser("doctor", help="what this host enforces, and what is missing")
    parser.set_defaults(run=run_doctor)
    add_data_option(parser)


def run_doctor(arguments: argparse.Namespace) -> int:
    """Tries the cells and the embedded servers; 0 when submitted bots can be run."""
    from arena.errors import ArenaError
    from arena.stack import Stack
    from sandbox.host import NoCellError, detect, survey

    print(f"python    {platform.python_version()} on {platform.system()} {platform.release()}")
    code = 0
    for trial in survey():
        print(f"cell      {trial.host.tier.value} with {trial.host.bwrap}: {trial.complaint or 'works'}")
    try:
        print(f"bots run  in tier {detect().tier.value}")
    except NoCellError as error:
        print(f"bots run  not at all: {error}", file=sys.stderr)
        code = 1
    try:
        with Stack(arguments.data):
            print(f"data      {arguments.data}: PostgreSQL and Valkey answer")
    except ArenaError as error:
        print(f"data      {error}", file=sys.stderr)
        code = 1
    return code
