"""`arena tournament schedule`: every table of a tournament, and what they amount to. Knows no SQL and no draw."""

import argparse
import contextlib
from typing import Any

from arena.cli.client import Server, calls, find_login
from arena.cli.data import add_data_option
from arena.cli.standings import print_amounts
from arena.cli.table import Value, print_table
from arena.errors import Exhausted
from arena.v1 import tournament_pb2 as pb
from arena.v1.tournament_pb2_grpc import TournamentServiceStub

AT_ONCE = 1000

STATES = {
    pb.BLOCK_STATE_WAITING: "waiting",
    pb.BLOCK_STATE_PLAYING: "playing",
    pb.BLOCK_STATE_DONE: "done",
    pb.BLOCK_STATE_VOID: "given up",
    pb.BLOCK_STATE_REPLACED: "replaced",
}


def add_actions(actions: Any) -> None:
    """Adds it to `arena tournament`."""
    schedule = actions.add_parser("schedule", help="print every table that is drawn, and how even it all is")
    schedule.add_argument("name", metavar="TOURNAMENT")
    schedule.add_argument("--bot", default="", metavar="BOT", help="only tables at which it sits")
    schedule.add_argument("--json", action="store_true", help="print JSON")
    schedule.set_defaults(run=run_schedule)
    add_data_option(schedule)


def run_schedule(arguments: argparse.Namespace) -> int:
    """Prints the tables."""
    server = Server(find_login(arguments.data))
    stub: Any = TournamentServiceStub(server.channel)
    with contextlib.suppress(Exhausted), calls(server):
        plan = stub.GetBalance(pb.GetBalanceRequest(tournament=arguments.name), metadata=server.metadata)
        if not arguments.json:
            print_amounts(plan)
            print()
    rows: list[list[Value]] = []
    request = pb.ListBlocksRequest(tournament=arguments.name, bot=arguments.bot, page_size=AT_ONCE)
    while True:
        with calls(server):
            page = stub.ListBlocks(request, metadata=server.metadata)
        rows += [
            [one.block, STATES[one.state], one.orbit, one.table, one.first_unit, one.units, " ".join(one.bots)]
            for one in page.blocks
        ]
        request.page_token = page.next_page_token
        if not request.page_token:
            break
    print_table(["Block", "State", "Orbit", "Table", "First unit", "Units", "Bots"], rows, as_json=arguments.json)
    return 0
