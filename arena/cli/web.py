"""`arena web`: the pages alone. Knows no page."""

import argparse
import asyncio
import logging
import os
from typing import Any

from arena.cli.data import add_data_option, add_log_option, address, configure_logs

LISTEN = "127.0.0.1:7080"


def add_commands(commands: Any) -> None:
    """Adds `arena web`."""
    parser = commands.add_parser(
        "web",
        help="the pages alone",
        description="Shows the arena of ARENA_SERVER with ARENA_TOKEN, a token that may only read; without these, that "
        "of 'arena up' on this host.",
    )
    parser.add_argument("--listen", type=address, default=LISTEN, metavar="HOST:PORT", help=f"default {LISTEN}")
    parser.add_argument(
        "--proxy",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="from where what speaks TLS to the world calls, or * for anywhere; it is believed who its caller is",
    )
    parser.set_defaults(run=run_web)
    add_log_option(parser)
    add_data_option(parser)


def run_web(arguments: argparse.Namespace) -> int:
    """Serves until it is told to stop."""
    from arena.cli.client import find_login, find_login_in
    from arena.stack.services import READY_WEB
    from arena.web.serve import serve

    configure_logs(arguments, logging.WARNING)
    named = os.environ.get("ARENA_SERVER") and os.environ.get("ARENA_TOKEN")
    login = find_login(arguments.data) if named else find_login_in(arguments.data / "web.json")
    asyncio.run(
        serve(
            login.address,
            login.token,
            login.ca,
            listen=arguments.listen,
            proxy=arguments.proxy,
            on_ready=lambda where: print(f"{READY_WEB}{where}", flush=True),
        )
    )
    return 0
