"""`arena play`: matches without any service, and matches with bots that are connected to a server. Knows no rules."""

import argparse
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import engine
from arena.cli.client import Server, find_login
from arena.cli.data import add_clock_option, add_data_option, read_settings
from arena.cli.seats import at_server, check_remote, game_of, is_remote, limits_of, seed_of
from arena.cli.table import Value, print_table
from arena.cli.wait import waiting
from arena.errors import BadRequest
from arena.referee.clock import UNLIMITED, Limits
from arena.referee.local import play_local
from arena.referee.presets import write_clock
from arena.tournaments.local_bots import local_choose
from arena.tournaments.unsubmitted import of_folder, of_house
from arena.tournaments.versions import members
from bots import house
from engine.record import verify

SEVERAL = ["Seat", "Bot", "Mean score", "Mean place", "Faults"]


def add_commands(commands: Any) -> None:
    """Adds `arena play`."""
    parser = commands.add_parser(
        "play",
        help="play matches on this machine",
        description="A BOT is a house bot's name, the folder of a bot of yours (it runs here, unprotected), or "
        "remote:NAME for one that is connected to the server.",
    )
    parser.add_argument("game", metavar="GAME", help="a game's id or one of its presets; 'arena rules' lists them")
    parser.add_argument("bots", nargs="+", metavar="BOT", help="one for each seat, seat 0 first")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the game")
    parser.add_argument("--seed", metavar="HEX", help="up to 32 bytes; shorter ones are filled up with zeros")
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="write the record; with --matches, FILE-1, FILE-2 …"
    )
    parser.add_argument("--matches", type=int, default=1, metavar="N", help="play N matches and print means")
    add_clock_option(parser, "remote at a server, none here")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run_play)
    add_data_option(parser)


def run_play(arguments: argparse.Namespace) -> int:
    """Plays N matches and prints what each seat got."""
    names: list[str] = arguments.bots
    game = game_of(arguments.game, len(names), read_settings(arguments.set))
    if arguments.matches < 1:
        raise BadRequest(f"--matches is {arguments.matches}; give 1 or more")
    first = seed_of(arguments.seed)
    remote = any(map(is_remote, names))
    clock = limits_of(arguments.clock, game)
    recorded = arguments.record is not None
    play = _on_server(arguments, game, names) if remote else _here(game, names, clock, recorded=recorded)
    totals, places, faults = [0] * game.seats, [0] * game.seats, [0] * game.seats
    shown = arguments.matches > 1 and not remote and sys.stderr.isatty()
    for number in range(1, arguments.matches + 1):
        if shown:
            print(f"\rmatch {number} of {arguments.matches} …", end="", file=sys.stderr)
        text = play(_nth_seed(first, number))
        played = verify(text)
        for seat in range(game.seats):
            totals[seat] += played.scores[seat]
            places[seat] += played.places[seat]
            faults[seat] += sum(one.seat == seat and one.fault != "" for one in played.decisions)
        if arguments.record is not None:
            _write(arguments.record, number if arguments.matches > 1 else 0, text)
    if shown:
        print("\r\033[K", end="", file=sys.stderr)
    unit = 10**game.score_decimals
    matches = arguments.matches
    heads = ["Seat", "Bot", "Score", "Place", "Faults"] if matches == 1 else SEVERAL
    rows: list[list[Value]] = [
        [seat, name, totals[seat] / (matches * unit), places[seat] / matches, faults[seat]]
        for seat, name in enumerate(names)
    ]
    decimals = {"Score": game.score_decimals, "Place": 0, "Mean score": 2, "Mean place": 2}
    print_table(heads, rows, decimals=decimals, as_json=arguments.json)
    return 0


def _here(game: engine.Game, names: list[str], clock: Limits | None, *, recorded: bool) -> Callable[[bytes], str]:
    """Plays in this process."""
    chooses = [local_choose(game, name) for name in names]
    limits = clock or UNLIMITED
    header: dict[str, Any] = {"clock": write_clock(clock, game)} if clock is not None else {}
    if recorded:
        header |= members(of_house(name) if name in house.names() else of_folder(Path(name)) for name in names)
    return lambda seed: play_local(game, seed, chooses, names=names, limits=limits, header=header).record


def _on_server(arguments: argparse.Namespace, game: engine.Game, names: list[str]) -> Callable[[bytes], str]:
    """Plays at the server that the remote bots are connected to."""
    check_remote(names)
    server = Server(find_login(arguments.data))
    play_there = at_server(server, game, arguments.clock)

    def play(seed: bytes) -> str:
        with waiting(f"{server.address} plays the match"):
            return play_there(names, seed if arguments.seed else b"")

    return play


def _nth_seed(first: bytes, number: int) -> bytes:
    return first if number == 1 else hashlib.sha256(first + number.to_bytes(4, "big")).digest()


def _write(file: Path, number: int, text: str) -> None:
    path = file.with_name(f"{file.stem}-{number}{file.suffix}") if number else file
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"cannot write {path}: {error.strerror}; give another path with --record") from error
    print(f"record in {path}", file=sys.stderr)
