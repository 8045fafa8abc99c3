"""`arena tournament`: an organiser's life. Knows no SQL and no schedule."""

import argparse
import sys
import time
import uuid
from collections.abc import Sequence
from typing import Any

import engine
from arena.cli import corrections, ladder, schedule
from arena.cli.client import Server, calls, find_login
from arena.cli.data import add_clock_option, add_data_option, moment, positive, read_settings, span
from arena.cli.ladder import STATES, print_ladder
from arena.cli.standings import print_plan, print_standings
from arena.cli.table import Value, print_table
from arena.errors import BadRequest
from arena.referee.clock import Limits
from arena.referee.presets import describe_clock
from arena.v1 import tournament_pb2 as pb
from arena.v1.tournament_pb2_grpc import TournamentServiceStub

ALARMS = 5
"""Open alarms that are printed of a tournament."""

CLEAR = "\r\033[K"
"""Empties the line of a terminal."""

AT_ONCE = 1000
"""Bots of one request."""

FORMATS = {
    "round-robin": pb.TOURNAMENT_FORMAT_ROUND_ROBIN,
    "gauntlet": pb.TOURNAMENT_FORMAT_GAUNTLET,
    "swiss": pb.TOURNAMENT_FORMAT_SWISS,
    "challenge": pb.TOURNAMENT_FORMAT_CHALLENGE,
    "ladder": pb.TOURNAMENT_FORMAT_LADDER,
}

UNITS = {
    "rotation": "rotation: a table plays a deal once in every rotation of its seats",
    "single": "single: independent deals, for a remote bot remembers those that it has seen",
    "field": "field: a deal is played at many tables at the same time",
}


def add_commands(commands: Any) -> None:
    """Adds `arena tournament …`."""
    parser = commands.add_parser("tournament", help="make, start and watch tournaments")
    actions = parser.add_subparsers(metavar="ACTION", required=True)

    create = actions.add_parser("create", help="make a tournament; with --bots it starts at once")
    create.add_argument("name", nargs="?", default="", metavar="NAME", help="default GAME-N")
    create.add_argument("--game", required=True, help="a game's id or one of its presets; 'arena rules' lists them")
    create.add_argument(
        "--bots", nargs="+", default=[], metavar="BOT", help="names, or 'all' for every bot of the game"
    )
    create.add_argument(
        "--format",
        choices=[name for name in FORMATS if name != "challenge"],
        default="round-robin",
        help="who meets whom (default round-robin)",
    )
    create.add_argument(
        "--against", nargs="+", default=[], metavar="BOT", help="of a gauntlet: whom --bots meet, or 'all' others"
    )
    create.add_argument(
        "--batch", type=positive, default=0, metavar="TABLES", help="of a ladder: most tables of a period"
    )
    create.add_argument(
        "--every", type=span, default=0, metavar="SPAN", help="of a ladder: from one period to the next (default 10m)"
    )
    create.add_argument("--unrated", action="store_true", help="touch no rating")
    create.add_argument(
        "--private", action="store_true", help="shown to you, to admins and to owners of its bots; unrated"
    )
    create.add_argument("--seats", type=positive, default=0, metavar="N", help="default the usual number of the game")
    create.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the game")
    create.add_argument(
        "--orbits", "--rounds", type=positive, default=1, metavar="N", help="passes of the schedule (default 1)"
    )
    create.add_argument(
        "--units", type=positive, default=4, metavar="N", help="duplicate units at each table of a pass (default 4)"
    )
    add_clock_option(create, "remote if a remote bot plays, else hosted")
    create.add_argument("--open", action="store_true", help="leave it open for entries; start it with 'start'")
    create.add_argument(
        "--open-until",
        type=moment,
        metavar="TIME",
        help="start it by itself then: 2026-12-24T18:00 (UTC), or in 30m, 2h or 3d",
    )
    create.add_argument("--dry-run", action="store_true", help="print what the schedule amounts to, and make nothing")
    create.set_defaults(run=run_create)

    enter = actions.add_parser("enter", help="enter bots into an open tournament")
    enter.add_argument("name", metavar="TOURNAMENT")
    enter.add_argument("bots", nargs="+", metavar="BOT")
    enter.add_argument("--known", action="store_true", help="of a gauntlet: those whom the others meet")
    enter.set_defaults(run=run_enter)

    for word, text, what in (
        ("start", "close the entries and start", run_start),
        ("watch", "show the progress until it is done", run_watch),
        ("show", "print one tournament", run_show),
        ("plan", "print what the schedule of an open one amounts to", run_plan),
        ("standings", "print mean points and head-to-head shares", run_standings),
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
    schedule.add_actions(actions)
    corrections.add_actions(actions)
    ladder.add_actions(actions)


def run_create(arguments: argparse.Namespace) -> int:
    """Creates, and starts when bots are given and it is not to stay open."""
    server = Server(find_login(arguments.data))
    stub = TournamentServiceStub(server.channel)
    request = pb.CreateTournamentRequest(
        tournament=arguments.name,
        game=arguments.game,
        seats=arguments.seats,
        options=read_settings(arguments.set),
        bots=arguments.bots[:AT_ONCE],
        against=arguments.against[:AT_ONCE],
        format=FORMATS[arguments.format],
        unrated=arguments.unrated,
        private=arguments.private,
        orbits=arguments.orbits,
        units=arguments.units,
        clock=arguments.clock,
        request_id=str(uuid.uuid4()),
    )
    request.batch, request.every_s = arguments.batch, arguments.every
    if arguments.open_until is not None:
        request.open_until.FromDatetime(arguments.open_until)
    if arguments.dry_run:
        if max(len(arguments.bots), len(arguments.against)) > AT_ONCE:
            raise BadRequest(f"a dry run takes {AT_ONCE} names at most; make it with --open, then plan it")
        print_plan(server, pb.PlanTournamentRequest(create=request))
        return 0
    with calls(server):
        made = stub.CreateTournament(request, metadata=server.metadata)
        for bots, known in ((arguments.bots, False), (arguments.against, True)):
            made = _enter(server, made.tournament, bots[AT_ONCE:], known=known) or made
    print(f"{made.tournament}: {made.game}, {made.seats} seats, {len(made.bots)} bots")
    print(f"commitment {made.commitment.hex()}")
    if made.format == pb.TOURNAMENT_FORMAT_LADDER:
        print(
            f"its periods start by themselves while bots enough are in; next: arena tournament show {made.tournament}"
        )
        return 0
    if arguments.bots and not arguments.open and arguments.open_until is None:
        return start(server, made.tournament)
    print(f"open for entries; next: arena tournament enter {made.tournament} BOT …")
    return 0


def run_enter(arguments: argparse.Namespace) -> int:
    """Enters bots."""
    server = Server(find_login(arguments.data))
    with calls(server):
        entered = _enter(server, arguments.name, arguments.bots, known=arguments.known)
    assert entered is not None
    print(f"{entered.tournament}: {len(entered.bots)} bots: {' '.join(entered.bots)}")
    return 0


def run_start(arguments: argparse.Namespace) -> int:
    """Starts an open tournament."""
    return start(Server(find_login(arguments.data)), arguments.name)


def run_watch(arguments: argparse.Namespace) -> int:
    """Follows a tournament to its end."""
    server = Server(find_login(arguments.data))
    state = get(server, arguments.name)
    if state.every_s:
        newest = state.standing.periods[0].tournament if state.standing.periods else ""
        following = f"watch {newest}" if newest else f"show {state.tournament}"
        print(f"{state.tournament} is a ladder; watch its periods one by one; next: arena tournament {following}")
        return 0
    if code := follow(server, arguments.name):
        return code
    state = get(server, arguments.name)
    if state.state == pb.TOURNAMENT_STATE_DONE:
        following = f"tournament standings {state.tournament}" if state.unrated else f"ratings {state.game}"
        print(f"{state.tournament} is done; next: arena {following}")
    return 0


def follow(server: Server, name: str) -> int:
    """Shows the progress of a tournament until it is done; 1 if it does not come to its end by itself."""
    shown = sys.stderr.isatty()
    told = {""}
    while True:
        state = get(server, name)
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
        for why in (state.lacking, state.hindered):
            if why not in told:
                print(f"{CLEAR if shown else ''}{why}", file=sys.stderr, flush=True)
                told.add(why)
        if shown:
            print(f"{CLEAR}{_progress(state)}", end="", file=sys.stderr)
        time.sleep(0.5)
    if shown:
        print(CLEAR, end="", file=sys.stderr)
    return 0


def run_show(arguments: argparse.Namespace) -> int:
    """Prints all of one tournament."""
    state = get(Server(find_login(arguments.data)), arguments.name)
    print(f"{state.tournament}: {state.game}, {state.seats} seats, {STATES[state.state]}")
    if state.ladder:
        print(f"period      {state.period} of the ladder {state.ladder}")
    print(f"bots        {' '.join(entry.bot for entry in state.entries if not entry.known) or '(none yet)'}")
    known = [entry.bot for entry in state.entries if entry.known]
    if known:
        print(f"against     {' '.join(known)}")
    if state.every_s:
        print_ladder(state)
    else:
        private = ", private" if state.private else ""
        unrated = ", unrated" if state.unrated else ""
        form = next(name for name, number in FORMATS.items() if number == state.format)
        orbits = "" if state.ladder else f" {state.orbits} orbits,"
        print(f"schedule    {form}{private}{unrated},{orbits} {state.units} units at each table")
    if state.state == pb.TOURNAMENT_STATE_OPEN and state.HasField("open_until"):
        print(f"open until  {state.open_until.ToDatetime():%Y-%m-%d %H:%M} UTC, then it starts")
    if state.unit_kind:
        print(f"units       {UNITS[state.unit_kind]}")
    print(f"clock       {_clock(state)}")
    if state.blocks and not state.every_s:
        print(f"progress    {_progress(state)}")
    if state.lacking:
        print(f"waiting     {state.lacking}")
    if state.hindered:
        print(f"waiting     {state.hindered}")
    if state.undecided:
        print(f"to decide   {state.undecided}")
    for alarm in state.alarms[:ALARMS]:
        print(f"alarm {alarm.alarm:<5} {alarm.sentence}")
    if len(state.alarms) > ALARMS:
        print("alarms      more of them: 'arena alarms' lists them all")
    corrections.print_corrections(state)
    print(f"commitment  {state.commitment.hex()}{' of the next period' if state.every_s else ''}")
    if state.secret:
        print(f"secret      {state.secret.hex()}")
    return 0


def run_plan(arguments: argparse.Namespace) -> int:
    """Prints what the schedule of an open tournament amounts to."""
    print_plan(Server(find_login(arguments.data)), pb.PlanTournamentRequest(tournament=arguments.name))
    return 0


def run_standings(arguments: argparse.Namespace) -> int:
    """Prints how bots did in one tournament."""
    print_standings(Server(find_login(arguments.data)), arguments.name)
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


def _enter(server: Server, name: str, bots: Sequence[str], *, known: bool) -> pb.Tournament | None:
    """The tournament after the last request of as many as it takes; None if there is nobody to enter."""
    entered = None
    for first in range(0, len(bots), AT_ONCE):
        request = pb.EnterTournamentRequest(tournament=name, bots=bots[first : first + AT_ONCE], known=known)
        entered = TournamentServiceStub(server.channel).EnterTournament(request, metadata=server.metadata)
    return entered


def start(server: Server, name: str) -> int:
    """Starts a tournament and says what is next."""
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
