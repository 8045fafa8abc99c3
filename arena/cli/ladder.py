"""`arena tournament leave` and `close`, and what `show` says of a ladder. Knows no SQL."""

import argparse
from typing import Any

from arena.cli.client import Server, calls, find_login
from arena.cli.data import add_data_option
from arena.v1 import tournament_pb2 as pb
from arena.v1.tournament_pb2_grpc import TournamentServiceStub

SHOWN = 5
"""Periods that are printed of a ladder."""
NEXT = 20
"""Bots that are printed as those whose turn comes next."""

STATES = {
    pb.TOURNAMENT_STATE_OPEN: "open",
    pb.TOURNAMENT_STATE_RUNNING: "running",
    pb.TOURNAMENT_STATE_DONE: "done",
    pb.TOURNAMENT_STATE_CANCELLED: "cancelled",
}


def add_actions(actions: Any) -> None:
    """Adds the two to `arena tournament`."""
    leave = actions.add_parser("leave", help="take bots out of an open tournament, or out of a ladder")
    leave.add_argument("name", metavar="TOURNAMENT")
    leave.add_argument("bots", nargs="+", metavar="BOT")
    leave.set_defaults(run=run_leave)

    close = actions.add_parser("close", help="end a ladder when the period that is played has ended")
    close.add_argument("name", metavar="LADDER")
    close.set_defaults(run=run_close)

    for action in (leave, close):
        add_data_option(action)


def run_leave(arguments: argparse.Namespace) -> int:
    """Takes bots out."""
    server = Server(find_login(arguments.data))
    request = pb.LeaveTournamentRequest(tournament=arguments.name, bots=arguments.bots)
    with calls(server):
        left = TournamentServiceStub(server.channel).LeaveTournament(request, metadata=server.metadata)
    print(f"{left.tournament}: {len(left.bots)} bots are left: {' '.join(left.bots)}")
    return 0


def run_close(arguments: argparse.Namespace) -> int:
    """Closes a ladder."""
    server = Server(find_login(arguments.data))
    request = pb.CloseTournamentRequest(tournament=arguments.name)
    with calls(server):
        closed = TournamentServiceStub(server.channel).CloseTournament(request, metadata=server.metadata)
    played = next((one for one in closed.standing.periods if one.state == pb.TOURNAMENT_STATE_RUNNING), None)
    following = f"; next: arena tournament watch {played.tournament}" if played is not None else ""
    print(f"{closed.tournament} is closed: no period is added{following}")
    return 0


def print_ladder(ladder: pb.Tournament) -> None:
    """Prints how a ladder goes on."""
    tables = f"at most {ladder.batch} tables" if ladder.batch else "as many tables as its bots fill"
    private, unrated = ", private" if ladder.private else "", ", unrated" if ladder.unrated else ""
    print(f"schedule    ladder{private}{unrated}, a period every {span_of(ladder.every_s)}")
    print(f"            or later, {tables}, {ladder.units} units at each")
    label = "periods"
    for period in ladder.standing.periods[:SHOWN]:
        done = f"{period.blocks_done} of {period.blocks} blocks done"
        print(f"{label:<11} {period.tournament}: {period.bots} bots, {STATES[period.state]}, {done}")
        label = ""
    if ladder.state != pb.TOURNAMENT_STATE_OPEN:
        return
    able = [one for one in ladder.standing.bots if not one.barred]
    if able:
        more = f" and {len(able) - NEXT} more" if len(able) > NEXT else ""
        print(f"in turn     {' '.join(f'{one.bot}({one.periods})' for one in able[:NEXT])}{more}; (periods so far)")
    for one in ladder.standing.bots:
        if one.barred:
            print(f"cannot play {one.bot}: {one.barred}")
    if ladder.standing.paused:
        print(f"paused      {ladder.standing.paused}")
    elif ladder.standing.HasField("next_time"):
        newest = ladder.standing.periods[0]
        ended = newest.state in (pb.TOURNAMENT_STATE_DONE, pb.TOURNAMENT_STATE_CANCELLED)
        later = "" if ended else f", or later, when {newest.tournament} has ended"
        print(f"next period {ladder.standing.next_time.ToDatetime():%Y-%m-%d %H:%M:%S} UTC{later}")
    else:
        print("next period within some seconds")


def span_of(seconds: int) -> str:
    """A span as the user gave it, such as 90s, 10m or 2d."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
