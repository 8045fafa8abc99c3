"""`arena user` and `arena login`: people and their tokens. Knows no SQL."""

import argparse
import getpass
import os
import sys
from pathlib import Path
from typing import Any

from arena.bot.dial import PUBLIC
from arena.cli.client import LOGIN_FILE, Login, Server, calls, save_login
from arena.cli.data import add_data_option, address
from arena.cli.wait import waiting
from arena.v1.tournament_pb2 import ListTournamentsRequest
from arena.v1.tournament_pb2_grpc import TournamentServiceStub

OPENING = "opening the database"


def add_commands(commands: Any) -> None:
    """Adds `arena user …` and `arena login`."""
    parser = commands.add_parser("user", help="people and their tokens; run it where the services run")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    add = actions.add_parser("add", help="make a user and print a token")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--admin", action="store_true", help="may do what the owner of anything may")
    add.set_defaults(run=run_add)
    token = actions.add_parser("token", help="print one more token for a user")
    token.add_argument("name", metavar="NAME")
    token.add_argument("--label", default="", help="what it is for")
    token.set_defaults(run=run_token)
    listing = actions.add_parser("list", help="print the users")
    listing.set_defaults(run=run_list)
    for action in (add, token, listing):
        add_data_option(action)

    login = commands.add_parser("login", help="remember a server and your token for it")
    login.add_argument("address", type=address, metavar="HOST:PORT")
    login.add_argument(
        "--ca",
        default="",
        metavar="FILE",
        help=f"speak TLS and trust what these root certificates signed; '{PUBLIC}' for the public authorities",
    )
    login.set_defaults(run=run_login)


def run_add(arguments: argparse.Namespace) -> int:
    """Prints the new user's token, which is shown only now."""
    from arena.stack.database import open_database
    from arena.store import people

    with waiting(OPENING), open_database(arguments.data) as connection:
        token = people.add_user(connection, arguments.name, admin=arguments.admin)
    print(token)
    return 0


def run_token(arguments: argparse.Namespace) -> int:
    """Prints a new token, which is shown only now."""
    from arena.stack.database import open_database
    from arena.store import people

    with waiting(OPENING), open_database(arguments.data) as connection:
        token = people.add_token(connection, arguments.name, arguments.label)
    print(token)
    return 0


def run_list(arguments: argparse.Namespace) -> int:
    """Prints the names."""
    from arena.stack.database import open_database
    from arena.store import people

    with waiting(OPENING), open_database(arguments.data) as connection:
        users = list(people.users(connection))
    for user in users:
        print(f"{user.name}{'  (admin)' if user.admin else ''}")
    return 0


def run_login(arguments: argparse.Namespace) -> int:
    """Asks for the token, tries it, and keeps both where only this user can read them."""
    token = os.environ.get("ARENA_TOKEN") or (
        getpass.getpass("token: ") if sys.stdin.isatty() else sys.stdin.readline().strip()
    )
    ca = arguments.ca or os.environ.get("ARENA_CA", "")
    if ca and ca != PUBLIC:
        ca = str(Path(ca).absolute())  # it is kept, and used from any folder
    login = Login(arguments.address, token.strip(), ca)
    server = Server(login)
    with calls(server):
        TournamentServiceStub(server.channel).ListTournaments(ListTournamentsRequest(), metadata=server.metadata)
    save_login(LOGIN_FILE, login)
    print(f"logged in at {login.address}; kept in {LOGIN_FILE}")
    return 0
