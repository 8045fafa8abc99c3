"""`arena challenge`: some bots against each other, unrated. Knows no SQL and no schedule."""

import argparse
import uuid
from typing import Any

from arena.cli.client import Server, calls, find_login
from arena.cli.data import add_clock_option, add_data_option, positive, read_settings
from arena.cli.standings import print_standings
from arena.cli.tournament import follow, start
from arena.v1 import tournament_pb2 as pb
from arena.v1.tournament_pb2_grpc import TournamentServiceStub


def add_commands(commands: Any) -> None:
    """Adds `arena challenge`."""
    parser = commands.add_parser("challenge", help="let any bots that play meet, unrated")
    parser.add_argument(
        "bots", nargs="+", metavar="BOT", help="yours or anybody's hosted bots, as many as seats or more"
    )
    parser.add_argument("--game", required=True, help="a game's id or one of its presets; 'arena rules' lists them")
    parser.add_argument("--units", type=positive, default=8, metavar="N", help="duplicate units at a table (default 8)")
    parser.add_argument("--seats", type=positive, default=0, metavar="N", help="default the usual number of the game")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the game")
    add_clock_option(parser, "remote if a remote bot plays, else hosted")
    parser.add_argument("--no-wait", action="store_true", help="come back when it has started")
    parser.set_defaults(run=run_challenge)
    add_data_option(parser)


def run_challenge(arguments: argparse.Namespace) -> int:
    """Makes and starts a challenge, waits for its end and prints how the bots did."""
    server = Server(find_login(arguments.data))
    request = pb.CreateTournamentRequest(
        game=arguments.game,
        seats=arguments.seats,
        options=read_settings(arguments.set),
        bots=arguments.bots,
        units=arguments.units,
        clock=arguments.clock,
        format=pb.TOURNAMENT_FORMAT_CHALLENGE,
        request_id=str(uuid.uuid4()),
    )
    with calls(server):
        # What cannot be scheduled is told before anything is made.
        stub = TournamentServiceStub(server.channel)
        stub.PlanTournament(pb.PlanTournamentRequest(create=request), metadata=server.metadata)
        made = stub.CreateTournament(request, metadata=server.metadata)
    start(server, made.tournament)
    if arguments.no_wait:
        return 0
    if code := follow(server, made.tournament):
        return code
    print_standings(server, made.tournament)
    return 0
