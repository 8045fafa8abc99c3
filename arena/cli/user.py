"""`arena user`, `arena login` and `arena whoami`: people and their tokens. Knows no SQL."""

import argparse
import getpass
import json
import os
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from arena.bot.dial import PUBLIC
from arena.cli.client import LOGIN_FILE, Login, Server, calls, find_login, save_login
from arena.cli.data import add_data_option, address, positive
from arena.cli.table import Value, print_table
from arena.cli.wait import waiting
from arena.scopes import SCOPES
from arena.v1 import account_pb2
from arena.v1.account_pb2_grpc import AccountServiceStub

OPENING = "opening the database"


def add_commands(commands: Any) -> None:
    """Adds `arena user …`, `arena login` and `arena whoami`."""
    parser = commands.add_parser("user", help="people and their tokens; run it where the services run")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    add = actions.add_parser("add", help="make a user and print a token")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--admin", action="store_true", help="may do what the owner of anything may")
    add.set_defaults(run=run_add)
    token = actions.add_parser("token", help="print one more token for a user")
    token.add_argument("name", metavar="NAME")
    token.add_argument("--label", default="", help="what it is for")
    token.add_argument(
        "--scope",
        action="append",
        choices=SCOPES,
        default=[],
        metavar="SCOPE",
        help="what it may be used for, default everything; give it again for more: "
        + "; ".join(f"{scope}: {what}" for scope, what in SCOPES.items()),
    )
    token.add_argument("--days", type=positive, metavar="N", help="how long it may be used, default for ever")
    token.set_defaults(run=run_token)
    tokens = actions.add_parser("tokens", help="print a user's tokens: never the tokens themselves")
    tokens.add_argument("name", metavar="NAME")
    tokens.add_argument("--json", action="store_true", help="print JSON")
    tokens.set_defaults(run=run_tokens)
    revoke = actions.add_parser("revoke", help="end a token of a user")
    revoke.add_argument("name", metavar="NAME")
    revoke.add_argument("id", metavar="ID", help="'arena user tokens NAME' shows it")
    revoke.set_defaults(run=run_revoke)
    listing = actions.add_parser("list", help="print the users")
    listing.set_defaults(run=run_list)
    for action in (add, token, tokens, revoke, listing):
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

    whoami = commands.add_parser(
        "whoami", help="who your token says you are, what it opens, what you take of the server"
    )
    whoami.add_argument("--json", action="store_true", help="print JSON")
    whoami.set_defaults(run=run_whoami)
    add_data_option(whoami)


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
        token = people.add_token(
            connection, arguments.name, arguments.label, scopes=arguments.scope or tuple(SCOPES), days=arguments.days
        )
    print(token)
    return 0


def run_tokens(arguments: argparse.Namespace) -> int:
    """Prints what is known of a user's tokens; days are in UTC."""
    from arena.stack.database import open_database
    from arena.store import people

    with waiting(OPENING), open_database(arguments.data) as connection:
        tokens = people.tokens(connection, arguments.name)
    rows: list[list[Value]] = [
        [
            token.id,
            token.label,
            " ".join(token.scopes),
            _day(token.created_at),
            _day(token.expires_at),
            _day(token.used_on),
        ]
        for token in tokens
    ]
    print_table(["Id", "Label", "Scopes", "Made", "Expires", "Used"], rows, as_json=arguments.json)
    return 0


def run_revoke(arguments: argparse.Namespace) -> int:
    """Ends the token."""
    from arena.stack.database import open_database
    from arena.store import people

    with waiting(OPENING), open_database(arguments.data) as connection:
        people.revoke_token(connection, arguments.name, arguments.id)
    print(f"nobody is let in with the token {arguments.id} any more")
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
    account = get_account(server)
    save_login(LOGIN_FILE, login)
    print(f"logged in at {login.address}; kept in {LOGIN_FILE}")
    print_account(account)
    return 0


def run_whoami(arguments: argparse.Namespace) -> int:
    """Prints what the server knows of the caller."""
    account = get_account(Server(find_login(arguments.data)))
    if arguments.json:
        token = account.token
        shown = {
            "user": account.user,
            "admin": account.admin,
            "token": {
                "id": token.id,
                "label": token.label,
                "scopes": list(token.scopes),
                "made": _day(token.create_time.ToDatetime(UTC)),
                "expires": _day(_expiry(token)),
            },
            "quotas": [
                {
                    "quota": quota.quota,
                    "used": quota.used,
                    "limit": quota.limit,
                    "forgiven_a_second": quota.forgiven_per_second,
                }
                for quota in account.quotas
            ],
        }
        print(json.dumps(shown, ensure_ascii=False))
    else:
        print_account(account)
    return 0


def get_account(server: Server) -> account_pb2.Account:
    """The caller's account.

    :raises ArenaError: if the token is not accepted.
    """
    with calls(server):
        return AccountServiceStub(server.channel).GetAccount(account_pb2.GetAccountRequest(), metadata=server.metadata)


def print_account(account: account_pb2.Account) -> None:
    """Prints user, token and quotas."""
    token = account.token
    label = f" ({token.label})" if token.label else ""
    print(f"{account.user}{'  (admin)' if account.admin else ''}")
    print(f"token {token.id}{label}: {', '.join(token.scopes)}; expires {_day(_expiry(token))}")
    rows: list[list[Value]] = [
        [quota.quota, quota.used, quota.limit, quota.forgiven_per_second or None] for quota in account.quotas
    ]
    print_table(["Quota", "Used", "Limit", "Forgiven a second"], rows)


def _expiry(token: account_pb2.Token) -> datetime | None:
    return token.expire_time.ToDatetime(UTC) if token.HasField("expire_time") else None


def _day(moment: date | None) -> str:
    """The day in UTC; `never` for none."""
    if isinstance(moment, datetime):
        moment = moment.astimezone(UTC)
    return f"{moment:%Y-%m-%d}" if moment is not None else "never"
