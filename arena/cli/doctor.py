"""`arena doctor`: what this host can do, found by trying. Knows no fix that it does not print."""

import argparse
import json
import platform
import sys
import textwrap
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import engine
from arena.cli.data import add_data_option, add_tier_option
from sandbox.box import Tier

if TYPE_CHECKING:
    from sandbox.proof import Hold

WIDTH = 80


@dataclass(slots=True)
class Checkup:
    """What was found. ``tier`` is empty if no cell can be started, ``refused`` says why strangers' bots are not run,
    ``complaints`` what else is wrong, by what it is about."""

    engine: str
    python: str
    least_tier: str
    libraries: dict[str, str] = field(default_factory=dict)
    cells: list[str] = field(default_factory=list)
    tier: str = ""
    refused: str = ""
    holds: "list[Hold]" = field(default_factory=list)
    advice: list[str] = field(default_factory=list)
    data: str = ""
    complaints: dict[str, str] = field(default_factory=dict)


def add_commands(commands: Any) -> None:
    """Adds `arena doctor`."""
    parser = commands.add_parser("doctor", help="what this host enforces, what it cannot, and what would help")
    parser.set_defaults(run=run_doctor)
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_tier_option(parser)
    add_data_option(parser)


def run_doctor(arguments: argparse.Namespace) -> int:
    """Tries the cells and the embedded servers; 0 when strangers' bots can be run."""
    found = Checkup(
        engine=f"version {engine.VERSION}, {'compiled' if engine.COMPILED else 'interpreted'}",
        python=f"{platform.python_version()} on {platform.system()} {platform.release()}",
        least_tier=arguments.least_tier.value,
    )
    _look_at_libraries(found)
    _look_at_cells(found, arguments.least_tier)
    _look_at_data(found, arguments.data)
    if arguments.json:
        print(json.dumps(asdict(found), ensure_ascii=False))
    else:
        _print(found)
    for about, sentence in found.complaints.items():
        print(f"{about:<10}{sentence}", file=sys.stderr)
    return 1 if found.complaints or found.refused else 0


def _look_at_libraries(found: Checkup) -> None:
    from arena.tournaments.libraries import MissingLibraryError, versions

    try:
        found.libraries = dict(versions())
    except MissingLibraryError as error:
        found.complaints["libraries"] = str(error)


def _look_at_cells(found: Checkup, least: Tier) -> None:
    from arena.tournaments.cells import Slots
    from arena.tournaments.strangers import refusal
    from sandbox.cgroup import usable
    from sandbox.host import NoCellError, detect, survey
    from sandbox.proof import advice, holds

    trials = survey()
    found.cells = [
        f"{trial.host.tier.value} with {trial.host.program}: {trial.complaint or 'works'}" for trial in trials
    ]
    host = None
    try:
        host = detect()
    except NoCellError as error:
        found.complaints["bots run"] = f"not at all: {error}"
    else:
        found.tier = host.tier.value
        found.refused = refusal(host.tier, least)
        try:
            found.holds = holds(host, Slots().take())
        except OSError as error:
            found.complaints["bots run"] = f"not at all: {error}"
    found.advice = advice(trials, host, usable())


def _look_at_data(found: Checkup, data: Path) -> None:
    from arena.errors import ArenaError
    from arena.stack import Stack
    from arena.store import connect

    try:
        with Stack(data) as stack:
            connect(stack.database_url).close()
            reach(stack.broker_url)
            found.data = f"{data}: the database and the broker answer"
    except ArenaError as error:
        found.complaints["data"] = " ".join(str(error).split())


def _print(found: Checkup) -> None:
    _say("engine", found.engine)
    _say("python", found.python)
    if found.libraries:
        _say("libraries", ", ".join(f"{name} {version}" for name, version in found.libraries.items()))
    for cell in found.cells:
        _say("cell", cell)
    if found.tier:
        _say("bots run", f"in tier {found.tier}, where this holds:")
        for hold in found.holds:
            by = hold.by or "nothing"
            _say("", f"{hold.limit:<20}{f'{by}; {hold.but}' if hold.but else by}", indent=30)
        _say("strangers", found.refused or f"run here, too: their least tier is {found.least_tier}")
    for sentence in found.advice:
        _say("better", sentence)
    if found.data:
        _say("data", found.data)


def _say(about: str, text: str, indent: int = 10) -> None:
    lines = textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"{about:<10}",
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    print("\n".join(lines))


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
