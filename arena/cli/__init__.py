"""The command `arena`: reads the arguments, calls the room that does the work, prints. Knows no rules and no SQL.

Exit codes: 0 done, 1 the job failed, 2 wrong use. A command that answers a question has others for its answers.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from arena.cli import (
    bot,
    challenge,
    compare,
    demo,
    doctor,
    dump,
    export,
    match,
    oversight,
    play,
    ratings,
    record,
    rules,
    services,
    tournament,
    user,
    web,
)
from arena.errors import ArenaError, BadRequest
from arena.tournaments.local_bots import BotFailed


class Parser(argparse.ArgumentParser):
    """argparse, but wrong use is one line that says where to look."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see '{self.prog} --help'\n")


def run() -> NoReturn:
    """The console script. Ends without waiting: a gRPC client sometimes hangs while Python takes it apart at exit."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a letter that the terminal does not have ends no command
    code = main()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = 1  # whoever read our output has gone: nobody is left to be told
    sys.stderr.flush()
    os._exit(code)


def make_parser() -> Parser:
    """All commands; what it reads has the function of the command as `run`."""
    parser = Parser(prog="arena", description="Bots play card games with hidden information.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    for room in (
        demo,
        services,
        web,
        rules,
        play,
        challenge,
        compare,
        bot,
        tournament,
        ratings,
        match,
        record,
        user,
        oversight,
        export,
        dump,
        doctor,
    ):
        room.add_commands(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    arguments = make_parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
    except BadRequest as error:
        _complain(error)
        return 2
    except BotFailed as error:
        print(error.trace, file=sys.stderr)
        _complain(error)
        return 1
    except ArenaError as error:
        _complain(error)
        return 1
    except KeyboardInterrupt:
        print("arena: stopped", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    return code


def _complain(error: ArenaError) -> None:
    """One line, though a library's words in the sentence may have come in several."""
    print(f"arena: {' '.join(str(error).split())}", file=sys.stderr)
