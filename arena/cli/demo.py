"""`arena demo`: the main job on one machine, from nothing to rating tables. Knows no game by name."""

import argparse
import signal
import time
from typing import TYPE_CHECKING, Any

from arena.cli.data import add_data_option
from arena.cli.services import usual_concurrency

if TYPE_CHECKING:
    from rich.progress import Progress

    from arena.cli.client import Server


def add_commands(commands: Any) -> None:
    """Adds `arena demo`."""
    parser = commands.add_parser(
        "demo", help="start everything, submit the house bots, play a tournament in every game"
    )
    parser.add_argument("--quick", action="store_true", help="a small one: fewer units at each table")
    parser.add_argument("--keep", action="store_true", help="leave the services up until Ctrl-C")
    parser.set_defaults(run=run_demo)
    add_data_option(parser)


def run_demo(arguments: argparse.Namespace) -> int:
    """Plays one tournament in every game and prints the rating tables; what an earlier demo began is finished first."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    import engine
    from arena.cli.client import Server, find_login_in
    from arena.cli.housing import submit_house_bots
    from arena.cli.ratings import list_tables, print_rating_table
    from arena.stack import Stack
    from arena.stack.services import Services

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()
    console = Console(stderr=True)
    bars = Progress(
        SpinnerColumn(),
        TextColumn("{task.description:<34}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    )
    stack = Stack(arguments.data)
    with console.status(f"starting PostgreSQL and Valkey in {arguments.data} …"):
        stack.start()
    try:
        services = Services(stack, listen="127.0.0.1:0", concurrency=usual_concurrency(), web="127.0.0.1:0")
        with console.status("starting the referee and a worker …"):
            services.__enter__()
        try:
            admin, house = (Server(find_login_in(file)) for file in services.logins())
            console.print(f"watch it at http://{services.web_address}/")
            with bars:
                bar = bars.add_task("submitting the house bots", total=None)
                submit_house_bots(
                    house, bars.console.print, lambda done, of: bars.update(bar, completed=done, total=of)
                )
                names = [_begin(admin, game, units=2 if arguments.quick else 8) for game in sorted(engine.GAMES)]
                _follow(admin, names, bars)
            for game in sorted(engine.GAMES):
                for table in list_tables(admin, game):
                    print_rating_table(table)
            print(f"\n{time.monotonic() - started:.0f} s in all; everything is stored in {arguments.data}")
            print("next: 'arena up' starts the services again; README.md shows how to submit a bot of your own")
            if arguments.keep:
                print(f"the services stay up at {services.address} until Ctrl-C", flush=True)
                print(f"the pages are at http://{services.web_address}/", flush=True)
                signal.pause()
        finally:
            with console.status("stopping …"):
                services.__exit__(None, None, None)
    finally:
        stack.stop()
    return 0


def _begin(server: "Server", game: str, *, units: int) -> str:
    """The name of a tournament that is running: one that an earlier demo began and did not finish, else a new one."""
    from arena.cli.client import calls
    from arena.v1 import tournament_pb2 as pb
    from arena.v1.tournament_pb2_grpc import TournamentServiceStub
    from bots import house

    stub = TournamentServiceStub(server.channel)
    with calls(server):
        page = stub.ListTournaments(pb.ListTournamentsRequest(page_size=200), metadata=server.metadata)
        for one in page.tournaments:
            if one.game == game and one.state == pb.TOURNAMENT_STATE_RUNNING:
                return str(one.tournament)
        bots = [entry.name for entry in house.ENTRIES if game in entry.games]
        request = pb.CreateTournamentRequest(game=game, bots=bots, units=units)
        name: str = stub.CreateTournament(request, metadata=server.metadata).tournament
        stub.StartTournament(pb.StartTournamentRequest(tournament=name), metadata=server.metadata)
    return name


def _follow(server: "Server", names: list[str], bars: "Progress") -> None:
    """Shows the progress of tournaments until all are done."""
    from arena.cli.tournament import get
    from arena.v1 import tournament_pb2 as pb

    running = {name: bars.add_task(name, total=None) for name in names}
    while running:
        for name, bar in list(running.items()):
            state = get(server, name)
            bars.update(bar, completed=state.blocks_done + state.blocks_void, total=state.blocks)
            if state.state == pb.TOURNAMENT_STATE_DONE:
                del running[name]
        time.sleep(0.3)
