"""`arena match watch`: prints the deals of running matches as they are closed. Knows no rules."""

import argparse
import json
import time
from typing import Any

from arena.cli.client import Server, calls, find_login
from arena.cli.data import add_data_option
from arena.cli.record import sentence
from arena.cli.tournament import get
from arena.errors import WrongState
from arena.v1 import tournament_pb2
from arena.v1.match_pb2 import ListOpenMatchesRequest, OpenMatch
from arena.v1.match_pb2_grpc import MatchServiceStub

LOOK_EVERY_S = 1.0
MOST = 100
"""Matches that are followed at a time."""


def add_commands(commands: Any) -> None:
    """Adds `arena match watch`."""
    parser = commands.add_parser("match", help="look on while matches are played")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    watch = actions.add_parser(
        "watch", help="print each deal of a tournament's running matches, once no table will play its cards again"
    )
    watch.add_argument("tournament", metavar="TOURNAMENT")
    watch.set_defaults(run=run_watch)
    add_data_option(watch)


def run_watch(arguments: argparse.Namespace) -> int:
    """Prints what is told until nothing is left to be played. A block that ends in between is in its records.

    :raises WrongState: if it is a ladder, whose periods are played.
    """
    server = Server(find_login(arguments.data))
    stub = MatchServiceStub(server.channel)
    request = ListOpenMatchesRequest(tournament=arguments.tournament, page_size=MOST)
    printed: dict[int, list[str]] = {}
    last = -1
    while True:
        # Asked for first: what is played after that is seen the next time.
        state = get(server, arguments.tournament)
        if state.every_s:
            raise WrongState(f"'{state.tournament}' is a ladder: name the period, as '{state.tournament}.N'")
        with calls(server):
            found = stub.ListOpenMatches(request, metadata=server.metadata).matches
        for match in found:
            if fresh := _fresh(match, printed):
                if match.unit != last:
                    print(f"unit {match.unit}, rotation {match.rotation}")
                last = match.unit
                print("\n".join(sentence(json.loads(line)) for line in fresh), flush=True)
        if over(state):
            break
        time.sleep(LOOK_EVERY_S)
    print(f"next: arena record fetch {arguments.tournament} FOLDER")
    return 0


def over(state: tournament_pb2.Tournament) -> bool:
    """Whether no block is played any more, unless somebody decides about those that were given up. That all have ended
    says little of a Swiss tournament, whose next round may be drawn."""
    waits = state.undecided != "" and state.blocks_done + state.blocks_void == state.blocks
    # The secret is told with the last block, before the last ratings are made.
    return state.state != tournament_pb2.TOURNAMENT_STATE_RUNNING or state.secret != b"" or waits


def _fresh(match: OpenMatch, printed: dict[int, list[str]]) -> list[str]:
    """The lines of the match that were not printed yet: all if another attempt plays it anew."""
    before = printed.get(match.unit, [])
    lines = printed[match.unit] = match.text.splitlines()
    return lines[len(before) :] if lines[: len(before)] == before else lines
