"""`arena doctor`: what this host can do, found by trying. Knows no fix that it does not print."""

import argparse
import platform
import sys
from typing import Any

import engine
from arena.cli.data import add_data_option, add_tier_option


def add_commands(commands: Any) -> None:
    """Adds `arena doctor`."""
    parser = commands.add_parser("doctor", help="what this host enforces, and what is missing")
    parser.set_defaults(run=run_doctor)
    add_tier_option(parser)
    add_data_option(parser)


def run_doctor(arguments: argparse.Namespace) -> int:
    """Tries the cells and the embedded servers; 0 when submitted bots can be run."""
    from arena.errors import ArenaError
    from arena.stack import Stack
    from arena.store import connect
    from arena.tournaments.libraries import MissingLibraryError, versions
    from arena.tournaments.strangers import refusal
    from sandbox.host import NoCellError, detect, survey

    print(f"engine    version {engine.VERSION}, {'compiled' if engine.COMPILED else 'interpreted'}")
    print(f"python    {platform.python_version()} on {platform.system()} {platform.release()}")
    code = 0
    try:
        print(f"libraries {', '.join(f'{name} {version}' for name, version in versions().items())}")
    except MissingLibraryError as error:
        print(f"libraries {error}", file=sys.stderr)
        code = 1
    for trial in survey():
        print(f"cell      {trial.host.tier.value} with {trial.host.bwrap}: {trial.complaint or 'works'}")
    try:
        tier, least = detect().tier, arguments.least_tier
        refused = refusal(tier, least)
        print(f"bots run  in tier {tier.value}")
        print(f"strangers {refused or f'run here, too: their least tier is {least.value}'}")
        code = 1 if refused else code
    except NoCellError as error:
        print(f"bots run  not at all: {error}", file=sys.stderr)
        code = 1
    try:
        with Stack(arguments.data) as stack:
            connect(stack.database_url).close()
            reach(stack.broker_url)
            print(f"data      {arguments.data}: the database and the broker answer")
    except ArenaError as error:
        print(f"data      {' '.join(str(error).split())}", file=sys.stderr)
        code = 1
    return code


def reach(broker_url: str) -> None:
    """Returns if the broker answers.

    :raises Unavailable: if it does not.
    """
    from kombu.exceptions import OperationalError

    from arena.errors import Unavailable
    from arena.tournaments.broker import application

    try:
        with application(broker_url).connection_for_write() as connection:
            connection.ensure_connection(max_retries=1)
    except (OperationalError, OSError, KeyError, ValueError) as error:
        raise Unavailable(
            f"the broker does not answer ({error}): start it with 'arena up', or set ARENA_BROKER_URL"
        ) from error
