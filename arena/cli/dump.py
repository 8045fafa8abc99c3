"""`arena dump` and `arena restore`: everything that an arena keeps, in one file and back. Knows no table."""

import argparse
from pathlib import Path
from typing import Any

from arena.cli.data import add_data_option
from arena.cli.wait import waiting


def add_commands(commands: Any) -> None:
    """Adds `arena dump` and `arena restore`."""
    dump = commands.add_parser("dump", help="write everything that the arena keeps into a file; run it on its host")
    dump.add_argument("file", type=Path, metavar="FILE", help="replaced if it is a dump already")
    dump.set_defaults(run=run_dump)
    restore = commands.add_parser("restore", help="fill a new arena with what a dump holds")
    restore.add_argument("file", type=Path, metavar="FILE")
    restore.set_defaults(run=run_restore)
    for parser in (dump, restore):
        add_data_option(parser)


def run_dump(arguments: argparse.Namespace) -> int:
    """Dumps the database of the services, whether they run or not."""
    from arena.stack import Stack
    from arena.stack.dump import dump

    with waiting(f"writing {arguments.file}"), Stack(arguments.data) as stack:
        size = dump(stack.database_url, arguments.file)
    print(f"{arguments.file}: {size / (1 << 20):.1f} MiB, everything but login files; whoever reads it owns the arena")
    return 0


def run_restore(arguments: argparse.Namespace) -> int:
    """Restores into a database that is empty."""
    from arena.stack import Stack
    from arena.stack.dump import restore

    with waiting(f"restoring {arguments.file}"), Stack(arguments.data) as stack:
        restore(stack.database_url, arguments.file)
    print(f"{arguments.file} is restored; next: arena ratings rebuild --verify, then start the services")
    return 0
