"""`arena tournament`: an organiser's life. Knows no SQL and no schedule."""

import argparse
import sys
import time
import uuid
from typing import Any

import engine
from arena.cli import corrections
from arena.cli.client import Server, calls, find_login
from arena.cli.data import add_clock_option, add_data_option, positive, read_settings
from arena.cli.table import Value, print_table
from arena.referee.clock import Limits
from arena.referee.presets import describe_clock
from arena.v1 import tournament_pb2 as pb
from arena.v1.tournament_pb2_grpc import TournamentServiceStub

ALARMS = 5
"""Open alarms that are printed of a tournament."""

CLEAR = "\r\033[K"
"""Empties the line of a terminal."""

STATES = {
    pb.TOURNAMENT_STATE_OPEN: "open",
    pb.TOURNAMENT_STATE_RUNNING: "running",
    pb.TOURNAMENT_STATE_DONE: "done",
    pb.TOURNAMENT_STATE_CANCELLED: "cancelled",
}


def add_commands(commands: Any) -> None:
    """Adds `arena tournament …`."""
    parser = commands.add_parser("tournament", help="make, start and watch tournaments")
    actions = parser.add_subparsers(metavar="ACTION", required=True)

    create = actions.add_parser("create", help="make a balanced round-robin; with --bots it starts at once")
    create.add_argument("name", nargs="?", default="", metavar="NAME", help="default GAME-N")
    create.add_argument("--game", required=True, help="a game's id or one of its presets; 'arena rules' lists them")
    create.add_argument(
        "--bots", nargs="+", default=[], metavar="BOT", help="names, or 'all' for every bot of the game"
    )
    create.add_argument("--seats", type=positive, default=0, metavar="N", help="default the usual number of the game")
    create.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the game")
    create.add_argument("--orbits", type=positive, default=1, metavar="N", help="passes of the schedule (default 1)")
    create.add_argument(
        "--units", type=positive, default=4, metavar="N", help="duplicate units at each table of a pass (default 4)"
    )
    add_clock_option(create, "remote if a remote bot plays, else hosted")
    create.add_argument("--open", action="store_true", help="leave it open for entries; start it with 'start'")
    create.set_defaults(run=run_create)

    enter = actions.add_parser("enter", help="enter bots into an open tournament")
    enter.add_argument("name", metavar="TOURNAMENT")
    enter.add_argument("bots", nargs="+", metavar="BOT")
    enter.set_defaults(run=run_enter)

    for word, text, what in (
        ("start", "close the entries and start", run_start),
        ("watch", "show the progress until it is done", run_watch),
        ("show", "print one tournament", run_show),
    ):
        action = actions.add_parser(word, help=text)
        action.add_argument("name", metavar="TOURNAMENT")
        action.set_defaults(run=what)
        add_data_option(action)

    listing = actions.add_parser("list", help="the tournaments, newest first")
    listing.add_argument("--json", action="store_true", help="print JSON")
    listing.set_defaults(run=run_list)

    for action in (create, enter, listing):
        add_data_option(action)
    corrections.add_actions(actions)


def run_create(arguments: argparse.Namespace) -> int:
    """Creates, and starts when bots are given and it is not to stay open."""
    server = Server(find_login(arguments.data))
    stub = TournamentServiceStub(server.channel)
    request = pb.CreateTournamentRequest(
        tournament=arguments.name,
        game=arguments.game,
        seats=arguments.seats,
        options=read_settings(arguments.set),
        bots=arguments.bots,
        orbits=arguments.orbits,
        units=arguments.units,
        clock=arguments.clock,
        request_id=str(uuid.uuid4()),
    )
    with calls(server):
        made = stub.CreateTournament(request, metadata=server.metadata)
    print(f"{made.tournament}: {made.game}, {made.seats} seats, {len(made.bots)} bots")
    print(f"commitment {made.commitment.hex()}")
    if arguments.bots and not arguments.open:
        return _start(server, made.tournament)
    print(f"open for entries; next: arena tournament enter {made.tournament} BOT …")
    return 0


def run_enter(arguments: argparse.Namespace) -> int:
    """Enters bots."""
    server = Server(find_login(arguments.data))
    with calls(server):
        request = pb.EnterTournamentRequest(tournament=arguments.name, bots=arguments.bots)
        entered = TournamentServiceStub(server.channel).EnterTournament(request, metadata=server.metadata)
    print(f"{entered.tournament}: {len(entered.bots)} bots: {' '.join(entered.bots)}")
    return 0


def run_start(arguments: argparse.Namespace) -> int:
    """Starts an open tournament."""
    return _start(Server(find_login(arguments.data)), arguments.name)


def run_watch(arguments: argparse.Namespace) -> int:
    """Follows a tournament to its end; 1 if it does not come to it by itself."""
    server = Server(find_login(arguments.data))
    shown = sys.stderr.isatty()
    told = ""
    while True:
        state = get(server, arguments.name)
        if state.state == pb.TOURNAMENT_STATE_OPEN:
            print(f"{state.tournament} is open for entries; next: arena tournament start {state.tournament}")
            return 0
        if state.state == pb.TOURNAMENT_STATE_DONE:
            break
        if state.state == pb.TOURNAMENT_STATE_CANCELLED:
            why = f"'arena tournament show {state.tournament}' says why"
            print(f"{CLEAR if shown else ''}{state.tournament} is cancelled: {why}", file=sys.stderr)
            return 1
        if state.undecided and state.blocks_done + state.blocks_void == state.blocks:
            print(f"{CLEAR if shown else ''}{state.undecided}", file=sys.stderr)
            return 1
        if state.lacking and state.lacking != told:
            print(f"{CLEAR if shown else ''}{state.lacking}", file=sys.stderr, flush=True)
            told = state.lacking
        if shown:
            print(f"{CLEAR}{_progress(state)}", end="", file=sys.stderr)
        time.sleep(0.5)
    if shown:
        print(CLEAR, end="", file=sys.stderr)
    print(f"{state.tournament} is done; next: arena ratings {state.game}")
    return 0


def run_show(arguments: argparse.Namespace) -> int:
    """Prints all of one tournament."""
    state = get(Server(find_login(arguments.data)), arguments.name)
    print(f"{state.tournament}: {state.game}, {state.seats} seats, {STATES[state.state]}")
    print(f"bots        {' '.join(state.bots) or '(none yet)'}")
    print(f"schedule    {state.orbits} orbits, {state.units} units at each table")
    print(f"clock       {_clock(state)}")
    if state.blocks:
        print(f"progress    {_progress(state)}")
    if state.lacking:
        print(f"waiting     {state.lacking}")
    if state.undecided:
        print(f"to decide   {state.undecided}")
    for alarm in state.alarms[:ALARMS]:
        print(f"alarm {alarm.alarm:<5} {alarm.sentence}")
    if len(state.alarms) > ALARMS:
        print("alarms      more of them: 'arena alarms' lists them all")
    corrections.print_corrections(state)
    print(f"commitment  {state.commitment.hex()}")
    if state.secret:
        print(f"secret      {state.secret.hex()}")
    return 0


def run_list(arguments: argparse.Namespace) -> int:
    """Prints the tournaments."""
    server = Server(find_login(arguments.data))
    rows: list[list[Value]] = []
    token = ""
    while True:
        request = pb.ListTournamentsRequest(page_size=200, page_token=token)
        with calls(server):
            page = TournamentServiceStub(server.channel).ListTournaments(request, metadata=server.metadata)
        rows += [
            [one.tournament, one.game, one.seats, len(one.bots), STATES[one.state], f"{one.blocks_done}/{one.blocks}"]
            for one in page.tournaments
        ]
        token = page.next_page_token
        if not token:
            break
    print_table(["Tournament", "Game", "Seats", "Bots", "State", "Blocks"], rows, as_json=arguments.json)
    return 0


def get(server: Server, name: str) -> pb.Tournament:
    """One tournament as it stands."""
    with calls(server):
        request = pb.GetTournamentRequest(tournament=name)
        return TournamentServiceStub(server.channel).GetTournament(request, metadata=server.metadata)


def _start(server: Server, name: str) -> int:
    with calls(server):
        request = pb.StartTournamentRequest(tournament=name)
        started = TournamentServiceStub(server.channel).StartTournament(request, metadata=server.metadata)
    print(
        f"{started.tournament} has started: {started.blocks} blocks; next: arena tournament watch {started.tournament}"
    )
    return 0


def _clock(state: pb.Tournament) -> str:
    said = state.limits
    limits = Limits(said.move_ms, said.bank_ms, said.max_faults, tuple(said.phase_ms), said.increment_ms)
    return describe_clock(limits, engine.load_with(state.game, state.seats, dict(state.options)))


def _progress(state: pb.Tournament) -> str:
    void = f", {state.blocks_void} void" if state.blocks_void else ""
    return f"{state.blocks_done} of {state.blocks} blocks done{void}"
