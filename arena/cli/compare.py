"""`arena compare`: is one bot better than another, by matches here or at a server. Knows no rules and no formula."""

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import engine
from arena.cli.client import Server, find_login
from arena.cli.data import add_clock_option, add_data_option, positive, read_settings
from arena.cli.seats import at_server, check_remote, game_of, is_remote, limits_of, seed_of
from arena.errors import BadRequest
from arena.ratings.comparison import Comparison, Estimate, Meeting
from arena.ratings.sprt import FIRST_LOOK, Answer, Sequential
from arena.referee.clock import UNLIMITED
from arena.tournaments.pairs import MATCHES, pair_match
from arena.tournaments.play_pairs import PairPlayed, PairTable, play_pairs
from bots import house
from engine.record import verify

EXIT = {Answer.BETTER: 0, Answer.NOT_BETTER: 3, Answer.OPEN: 4}

REFRESH_S = 0.2
LINE_EVERY = 32
"""Units between two lines where there is no terminal."""

EPILOG = (
    "Exit code: 0 B is better, 3 it is not (elo0 is likelier than elo1), 4 not known after --most deals or Ctrl-C, 1 a "
    "bot or the server failed, 2 wrong use. --elo0 -25 --elo1 0 asks whether B is at least not worse."
)


def add_commands(commands: Any) -> None:
    """Adds `arena compare`."""
    parser = commands.add_parser(
        "compare",
        help="is bot B better than bot A? plays until it is known",
        description="Plays A and B against each other, with house bots in the other seats, until it is known whether B "
        "is better. Each deal is played twice, A and B changing seats. A BOT is a house bot's name, the folder of a "
        "bot of yours (it runs here, unprotected), or remote:NAME for one that is connected to the server; then each "
        "deal is played once, which takes more of them.",
        epilog=EPILOG,
    )
    parser.add_argument("a", metavar="A", help="the bot that you have")
    parser.add_argument("b", metavar="B", help="the one that may be better")
    parser.add_argument("--game", required=True, metavar="GAME", help="a game's id or one of its presets")
    parser.add_argument("--seats", type=positive, default=0, metavar="N", help="table size, default the game's usual")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the game")
    parser.add_argument("--elo0", type=float, default=0.0, metavar="ELO", help="'not better' means so much (default 0)")
    parser.add_argument("--elo1", type=float, default=25.0, metavar="ELO", help="'better' means so much (default 25)")
    parser.add_argument(
        "--alpha", type=float, default=0.05, metavar="P", help="risk of 'better' where elo0 is true (default 0.05)"
    )
    parser.add_argument(
        "--beta", type=float, default=0.05, metavar="P", help="risk of 'not better' where elo1 is true (default 0.05)"
    )
    parser.add_argument(
        "--most", type=positive, default=2000, metavar="UNITS", help="give up after so many deals (default 2000)"
    )
    parser.add_argument("--seed", metavar="HEX", help="up to 32 bytes, from which all cards and seats are drawn")
    parser.add_argument(
        "--jobs", type=positive, default=len(os.sched_getaffinity(0)), metavar="N", help="processes, default all cores"
    )
    add_clock_option(parser, "remote at a server, none here")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run_compare)
    add_data_option(parser)


def run_compare(arguments: argparse.Namespace) -> int:
    """Plays until it is known, and prints what is known."""
    try:
        test = Sequential(arguments.elo0, arguments.elo1, arguments.alpha, arguments.beta)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    if arguments.most < FIRST_LOOK:
        raise BadRequest(f"--most is {arguments.most}; the test first looks at {FIRST_LOOK} units: give as many")
    seats = arguments.seats or _usual_seats(arguments.game)
    game = game_of(arguments.game, seats, read_settings(arguments.set))
    pair = (arguments.a, arguments.b)
    table = PairTable(
        game,
        (*pair, *house.regulars(seats - len(pair), pair)),
        limits_of(arguments.clock, game) or UNLIMITED,
        seed_of(arguments.seed),
    )
    remote = any(map(is_remote, pair))
    comparison = Comparison(test, 1 if remote else MATCHES)
    faults = [0, 0]
    shown = _Progress(comparison)
    stopped = False
    try:
        with closing(
            _at_server(arguments, table) if remote else play_pairs(table, arguments.most, arguments.jobs)
        ) as all_:
            for played in all_:
                a, b = (played.plan.of(player, played.places) for player in range(len(pair)))
                points = played.plan.of(1, played.scores) - played.plan.of(0, played.scores)
                for player in range(len(pair)):
                    faults[player] += played.plan.of(player, played.faults)
                score = 1.0 if b < a else 0.5 if b == a else 0.0
                comparison.add(played.plan.unit, Meeting(score, points / 10**game.score_decimals))
                shown.tell()
                if comparison.answer is not Answer.OPEN:
                    break
    except KeyboardInterrupt:
        stopped = True
    finally:
        shown.end()
    outcome = _Outcome(table, comparison, (faults[0], faults[1]), stopped)
    print(json.dumps(_plain(outcome), ensure_ascii=False)) if arguments.json else _print(outcome)
    return EXIT[comparison.answer]


@dataclass(frozen=True, slots=True)
class _Outcome:
    table: PairTable
    comparison: Comparison
    faults: tuple[int, int]
    stopped: bool


class _Progress:
    """What is shown on the standard error meanwhile: one line that changes at a terminal, else a line now and then."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._live = sys.stderr.isatty()
        self._told = 0
        self._at = 0.0

    def tell(self) -> None:
        """One more match is over."""
        units = self._comparison.units
        if self._live:
            if units > self._told and time.monotonic() - self._at >= REFRESH_S:
                self._told, self._at = units, time.monotonic()
                columns = shutil.get_terminal_size().columns
                print(f"\r\033[K{self._line()[: columns - 1]}", end="", file=sys.stderr, flush=True)
        elif units // LINE_EVERY > self._told // LINE_EVERY:
            self._told = units
            print(self._line(), file=sys.stderr, flush=True)

    def end(self) -> None:
        """Nothing more is shown."""
        if self._live and self._told:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _line(self) -> str:
        found = self._comparison.estimate()
        if found is None:
            return ""
        low, high = self._comparison.test.bounds
        return (
            f"{found.units} units  LLR {found.llr:.2f} [{low:.2f} {high:.2f}]  B above {found.above:.0%}"
            f"  Elo {_elo(found)}  points {_points(found)}"
        )


def _at_server(arguments: argparse.Namespace, table: PairTable) -> Generator[PairPlayed]:
    """One match of each unit. A bot that stays connected cannot be made to forget cards, so nobody sees them again."""
    check_remote(table.names)
    play = at_server(Server(find_login(arguments.data)), table.game, arguments.clock)
    for unit in range(arguments.most):
        plan = pair_match(table.seed, unit, 0, len(table.names))
        played = verify(play([table.names[player] for player in plan.players], plan.seed))
        faults = tuple(
            sum(one.seat == seat and one.fault != "" for one in played.decisions) for seat in range(table.game.seats)
        )
        yield PairPlayed(plan, tuple(played.scores), tuple(played.places), faults)


def _usual_seats(name: str) -> int:
    try:
        kind, _ = engine.find(name)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    return kind.usual_seats


def _print(outcome: _Outcome) -> None:
    table, comparison = outcome.table, outcome.comparison
    test, found = comparison.test, comparison.estimate()
    a, b, *others = table.names
    if found is None:
        print(f"it is not known whether {b} is better than {a}: no unit was played whole")
        return
    answers = {
        Answer.BETTER: f"{b} is better than {a}: {test.elo1:g} Elo are likelier than {test.elo0:g}",
        Answer.NOT_BETTER: f"{b} is not better than {a}: {test.elo0:g} Elo are likelier than {test.elo1:g}",
        Answer.OPEN: f"it is not known whether {b} is better than {a}"
        + (", for it was stopped" if outcome.stopped else f" after {found.units} units"),
    }
    low, high = test.bounds
    beside = f", beside {', '.join(others)}" if others else ""
    print(answers[comparison.answer])
    print(f"{table.game.id}, {table.game.seats} seats{beside}")
    lines = [
        ("Units", f"{found.units} deals, {found.matches} matches"),
        ("LLR", f"{found.llr:.2f}; not better at {low:.2f}, better at {high:.2f}"),
        ("B above A", f"{found.above:.1%} of the matches, level {found.level:.1%}, below {found.below:.1%}"),
        ("Elo", f"{found.elo:+.1f}, 95 % interval {found.elo_low:+.1f} to {found.elo_high:+.1f}"),
        ("Points", f"{found.points:+.3f} ± {found.points_margin:.3f} a match"),
        ("Faults", f"A {outcome.faults[0]}, B {outcome.faults[1]}" if any(outcome.faults) else "none"),
        ("Seed", table.seed.rstrip(b"\0").hex() or "00"),
    ]
    for name, text in lines:
        print(f"  {name:10} {text}")
    if found.level == 1.0 and found.points == 0.0:
        print("They came out level in every match, as one bot under two names does.")


def _plain(outcome: _Outcome) -> dict[str, Any]:
    """The outcome for a program; what is infinite or not known yet is null."""
    table, comparison = outcome.table, outcome.comparison
    a, b, *others = table.names
    found = comparison.estimate()
    numbers = asdict(found) if found is not None else {"units": 0, "matches": 0}
    test = asdict(comparison.test)
    return {
        "answer": comparison.answer.value,
        "a": a,
        "b": b,
        "game": table.game.id,
        "seats": table.game.seats,
        "options": engine.write_options(table.game.options),
        "beside": others,
        **test,
        "bounds": comparison.test.bounds,
        **{name: value if isfinite(value) else None for name, value in numbers.items()},
        "faults_a": outcome.faults[0],
        "faults_b": outcome.faults[1],
        "seed": table.seed.hex(),
    }


def _elo(found: Estimate) -> str:
    """With half of its interval."""
    half = (found.elo_high - found.elo_low) / 2
    return f"{found.elo:+.0f} ±{half:.0f}" if isfinite(half) else f"{found.elo:+.0f}"


def _points(found: Estimate) -> str:
    return (
        f"{found.points:+.2f} ±{found.points_margin:.2f}" if isfinite(found.points_margin) else f"{found.points:+.2f}"
    )
