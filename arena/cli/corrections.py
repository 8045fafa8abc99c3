"""`arena tournament void`, `retry`, `disqualify` and `cancel`: when a tournament goes wrong. Knows no SQL."""

import argparse
from typing import Any

from arena.cli.client import Server, calls, find_login
from arena.cli.data import add_data_option
from arena.v1 import tournament_pb2 as pb
from arena.v1.tournament_pb2_grpc import TournamentServiceStub

SHOWN = 20
"""Corrections that are printed of a tournament."""


def add_actions(actions: Any) -> None:
    """Adds the four to `arena tournament`."""
    void = actions.add_parser("void", help="give up blocks, or units that were played: they do not count")
    void.add_argument("name", metavar="TOURNAMENT")
    void.add_argument(
        "blocks", nargs="*", type=number, metavar="BLOCK", help="default those that wait for a decision of yours"
    )
    void.add_argument("--unit", nargs="+", type=number, default=[], metavar="UNIT", help="units that were played")
    void.set_defaults(run=run_void)

    retry = actions.add_parser("retry", help="play new units in the place of blocks that were given up")
    retry.add_argument("name", metavar="TOURNAMENT")
    retry.add_argument(
        "blocks", nargs="*", type=number, metavar="BLOCK", help="default those that wait for a decision of yours"
    )
    retry.set_defaults(run=run_retry)

    disqualify = actions.add_parser("disqualify", help="put a bot out: nothing counts at whose table it sat")
    disqualify.add_argument("name", metavar="TOURNAMENT")
    disqualify.add_argument("bot", metavar="BOT")
    disqualify.set_defaults(run=run_disqualify)

    cancel = actions.add_parser("cancel", help="end a tournament for good; orbits that are not complete do not count")
    cancel.add_argument("name", metavar="TOURNAMENT")
    cancel.set_defaults(run=run_cancel)

    for action in (void, disqualify, cancel):
        action.add_argument("--reason", required=True, metavar="TEXT", help="why, for everybody to read")
    for action in (void, retry, disqualify, cancel):
        add_data_option(action)


def number(text: str) -> int:
    """The number of a block, a unit or an alarm.

    :raises ArgumentTypeError: if it is none.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 0 on")
    return int(text)


def run_void(arguments: argparse.Namespace) -> int:
    """Gives blocks and units up."""
    request = pb.VoidBlocksRequest(
        tournament=arguments.name, blocks=arguments.blocks, units=arguments.unit, reason=arguments.reason
    )
    server, stub = _connected(arguments)
    with calls(server):
        return _tell(stub.VoidBlocks(request, metadata=server.metadata))


def run_retry(arguments: argparse.Namespace) -> int:
    """Lets blocks be played again."""
    request = pb.RetryBlocksRequest(tournament=arguments.name, blocks=arguments.blocks)
    server, stub = _connected(arguments)
    with calls(server):
        decision = stub.RetryBlocks(request, metadata=server.metadata)
    _tell(decision)
    print(f"next: arena tournament watch {decision.tournament.tournament}")
    return 0


def run_disqualify(arguments: argparse.Namespace) -> int:
    """Puts a bot out."""
    request = pb.DisqualifyBotRequest(tournament=arguments.name, bot=arguments.bot, reason=arguments.reason)
    server, stub = _connected(arguments)
    with calls(server):
        return _tell(stub.DisqualifyBot(request, metadata=server.metadata))


def run_cancel(arguments: argparse.Namespace) -> int:
    """Ends a tournament."""
    request = pb.CancelTournamentRequest(tournament=arguments.name, reason=arguments.reason)
    server, stub = _connected(arguments)
    with calls(server):
        return _tell(stub.CancelTournament(request, metadata=server.metadata))


def print_corrections(state: pb.Tournament) -> None:
    """Prints what does not count of a tournament, and why."""
    orbits = sum(one.what == "orbit" for one in state.corrections)
    others = [one for one in state.corrections if one.what != "orbit"]
    # What ended it stands first, though it came last.
    others.sort(key=lambda one: one.what != "tournament")
    for one in others[:SHOWN]:
        when = f"{one.create_time.ToDatetime():%Y-%m-%d %H:%M}"
        print(f"corrected   {sentence(one, orbits)}: {one.reason} ({one.user}, {when})")
    if len(others) > SHOWN:
        print(f"corrected   and {len(others) - SHOWN} more")


def sentence(correction: pb.Correction, orbits: int = 0) -> str:
    """What does not count, in words; of a cancelled tournament so many orbits."""
    left = f", and {orbits} orbits do not count, because they were not complete" if orbits else ""
    return {
        "block": f"block {correction.which} is given up",
        "unit": f"unit {correction.which} does not count",
        "bot": f"{correction.which} is disqualified",
        "tournament": f"cancelled{left}",
    }.get(correction.what, f"{correction.what} {correction.which} does not count")


def _connected(arguments: argparse.Namespace) -> tuple[Server, Any]:
    server = Server(find_login(arguments.data))
    return server, TournamentServiceStub(server.channel)


def _tell(decision: pb.Decision) -> int:
    for said in decision.said:
        print(said)
    return 0
