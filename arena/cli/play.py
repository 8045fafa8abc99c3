"""`arena play`: matches without any service, and matches with bots that are connected to a server. Knows no rules."""

import argparse
import hashlib
import secrets
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import engine
from arena.bot import Choose, Turn, load
from arena.bot.turn import number_of
from arena.cli.client import Server, calls, find_login
from arena.cli.data import add_clock_option, add_data_option, read_settings
from arena.cli.table import Value, print_table
from arena.cli.wait import waiting
from arena.errors import ArenaError, BadRequest
from arena.referee.clock import UNLIMITED, Limits
from arena.referee.local import play_local
from arena.referee.presets import read_clock, write_clock
from arena.tournaments.unsubmitted import of_folder, of_house
from arena.tournaments.versions import members
from arena.v1.match_pb2 import PlayMatchRequest
from arena.v1.match_pb2_grpc import MatchServiceStub
from bots import house
from engine.record import verify

REMOTE = "remote:"
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
    game = _load(arguments.game, len(names), read_settings(arguments.set))
    if arguments.matches < 1:
        raise BadRequest(f"--matches is {arguments.matches}; give 1 or more")
    first = _seed(arguments.seed)
    remote = any(name.startswith(REMOTE) for name in names)
    clock = _clock(arguments.clock, game)
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
    chooses = [_choose(game, name) for name in names]
    limits = clock or UNLIMITED
    header: dict[str, Any] = {"clock": write_clock(clock, game)} if clock is not None else {}
    if recorded:
        header |= members(of_house(name) if name in house.names() else of_folder(Path(name)) for name in names)
    return lambda seed: play_local(game, seed, chooses, names=names, limits=limits, header=header).record


def _clock(text: str, game: engine.Game) -> Limits | None:
    try:
        return read_clock(text, game) if text else None
    except ValueError as error:
        raise BadRequest(f"--clock: {error}") from error


def _on_server(arguments: argparse.Namespace, game: engine.Game, names: list[str]) -> Callable[[bytes], str]:
    """Plays at the server that the remote bots are connected to."""
    for name in names:
        if not name.startswith(REMOTE) and name not in house.names():
            raise BadRequest(
                f"'{name}' cannot sit at a table of the server; run it as a remote bot and name it {REMOTE}{name}"
            )
    server = Server(find_login(arguments.data))

    def play(seed: bytes) -> str:
        request = PlayMatchRequest(
            game=game.id,
            options=engine.write_options(game.options),
            bots=names,
            seed=seed if arguments.seed else b"",
            clock=arguments.clock,
        )
        with calls(server), waiting(f"{server.address} plays the match"):
            return MatchServiceStub(server.channel).PlayMatch(request, metadata=server.metadata).text

    return play


def _choose(game: engine.Game, name: str) -> Choose:
    if name in house.names():
        try:
            return house.choose(name, game.id)
        except ValueError as error:
            raise BadRequest(str(error)) from error
    if Path(name).is_dir():
        try:
            bot = load(name)
        except (Exception, SystemExit) as error:
            if _is_its_own(error, name):
                raise _failed(name, "while it was loaded", error) from error
            if isinstance(error, ValueError):
                raise BadRequest(str(error)) from error
            raise
        if game.id not in bot.games:
            raise BadRequest(f"{name} does not play {game.id}; its bot.toml lists {', '.join(bot.games) or 'no games'}")
        return _watched(name, bot.choose)
    raise BadRequest(
        f"there is no bot '{name}'; use a house bot ({', '.join(sorted(house.names()))}), a folder, or {REMOTE}NAME"
    )


def _watched(name: str, choose: Choose) -> Choose:
    """The same function; what goes wrong in it is told as the bot's own failure."""

    def ask(turn: Turn) -> int:
        try:
            return number_of(turn, choose(turn))
        except (Exception, SystemExit) as error:
            raise _failed(name, f"at turn {turn.number}", error) from error

    return ask


def _failed(name: str, when: str, error: BaseException) -> ArenaError:
    """The sentence for a bot that raised something, after the traceback for its author, without our own frames."""
    lines = traceback.format_exception(error.with_traceback(_frames_of(error, name)))
    print("".join(lines).rstrip(), file=sys.stderr)
    return ArenaError(f"the bot '{name}' failed {when}, see above; on a server it would have ended there")


def _frames_of(error: BaseException, name: str) -> TracebackType | None:
    """The traceback from the first frame of the bot's own files on; None if it was not in them."""
    frames = error.__traceback__
    while frames is not None and not _in_folder(frames.tb_frame.f_code.co_filename, name):
        frames = frames.tb_next
    return frames


def _is_its_own(error: BaseException, name: str) -> bool:
    """Whether the bot's own files raised it, or cannot be parsed."""
    unparsed = isinstance(error, SyntaxError) and _in_folder(error.filename or "", name)
    return unparsed or _frames_of(error, name) is not None


def _in_folder(file: str, name: str) -> bool:
    return Path(file).is_relative_to(Path(name).resolve())


def _load(name: str, seats: int, options: dict[str, str]) -> engine.Game:
    try:
        return engine.load_with(name, seats, options)
    except ValueError as error:
        raise BadRequest(str(error)) from error


def _seed(text: str | None) -> bytes:
    if text is None:
        return secrets.token_bytes(32)
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        raise BadRequest(f"--seed '{text}' is not hexadecimal; give pairs of 0-9 and a-f") from None
    if len(seed) > 32:
        raise BadRequest(f"--seed has {len(seed)} bytes; give at most 32")
    return seed.ljust(32, b"\0")


def _nth_seed(first: bytes, number: int) -> bytes:
    return first if number == 1 else hashlib.sha256(first + number.to_bytes(4, "big")).digest()


def _write(file: Path, number: int, text: str) -> None:
    path = file.with_name(f"{file.stem}-{number}{file.suffix}") if number else file
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"cannot write {path}: {error.strerror}; give another path with --record") from error
    print(f"record in {path}", file=sys.stderr)
