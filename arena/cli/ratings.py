"""`arena ratings`: prints rating tables and checks that they follow from the results. Knows no formula."""

import argparse
from typing import Any

from arena.cli.client import Server, calls, find_login
from arena.cli.data import add_data_option, positive
from arena.cli.rating_details import print_head_to_head, print_history, print_likelihoods, print_soft_play, title
from arena.cli.table import Value, print_table
from arena.cli.wait import waiting
from arena.errors import BadRequest
from arena.v1 import catalogue_pb2, rating_pb2
from arena.v1.catalogue_pb2_grpc import CatalogueServiceStub
from arena.v1.rating_pb2_grpc import RatingServiceStub

HEADS = ["Place", "Bot", "Rating", "±", "Ranks", "Elo", "Units", "Mean points", "± pts", "Faults"]
KEYS = [
    *("Place", "Bot", "Owner", "Rating", "Rating margin", "First rank", "Last rank", "Provisional"),
    *("Elo", "Units", "Mean points", "Points margin", "Vs field", "Vs field margin", "Faults"),
]
"""With --json the shift and its anchors follow, which are one for a table."""


def add_commands(commands: Any) -> None:
    """Adds `arena ratings`."""
    parser = commands.add_parser("ratings", help="the rating tables")
    parser.add_argument(
        "game",
        nargs="?",
        default="",
        metavar="GAME",
        help="only this one; or the word 'rebuild': compute all again from the results",
    )
    parser.add_argument("--seats", type=positive, default=0, metavar="N", help="only tables of N seats")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--history", metavar="BOT", help="how the ratings of this bot came about, period by period")
    shown.add_argument("--superiority", action="store_true", help="how likely each bot is stronger than the next one")
    shown.add_argument("--against", metavar="BOT", help="how likely each bot is stronger than this one")
    shown.add_argument("--head-to-head", metavar="BOT", help="what this bot did beside each other at the same tables")
    shown.add_argument("--soft-play", action="store_true", help="who may let whom win; for admins")
    parser.add_argument("--owners", action="store_true", help="with --soft-play: take all bots of an owner together")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--verify", action="store_true", help="with rebuild: compare with what is stored")
    parser.set_defaults(run=run_ratings)
    add_data_option(parser)


def run_ratings(arguments: argparse.Namespace) -> int:
    """Prints the tables of one game or of all."""
    if arguments.game == "rebuild":
        return _rebuild(arguments)
    server = Server(find_login(arguments.data))
    more = arguments.history, arguments.against, arguments.superiority, arguments.head_to_head, arguments.soft_play
    if any(more) and not arguments.game:
        raise BadRequest("name the game, too: 'arena ratings GAME' with --history BOT, --against BOT and so on")
    if arguments.owners and not arguments.soft_play:
        raise BadRequest("--owners is of --soft-play: give both")
    with calls(server):
        games = [arguments.game] if arguments.game else list_games(server)
        tables = [table for game in games for table in list_tables(server, game, arguments.seats)]
    if not tables and not arguments.json:
        print("nothing is rated yet; a tournament is rated as it is played: arena tournament create --help")
    if arguments.history:
        return print_history(server, tables, arguments.history, as_json=arguments.json)
    if arguments.head_to_head:
        return print_head_to_head(server, tables, arguments.head_to_head, as_json=arguments.json)
    if arguments.soft_play:
        return print_soft_play(server, tables, owners=arguments.owners, as_json=arguments.json)
    if arguments.against or arguments.superiority:
        return print_likelihoods(server, tables, arguments.against or "", as_json=arguments.json)
    if arguments.json:
        rows = [
            [table.game, table.seats, table.unit_kind, *row, table.shift_micro_elo / 1e6, " ".join(table.anchors)]
            for table in tables
            for row in _values(table)
        ]
        print_table(["Game", "Seats", "Unit kind", *KEYS, "Shift", "Anchors"], rows, as_json=True)
        return 0
    for table in tables:
        print_rating_table(table)
    return 0


def list_games(server: Server) -> list[str]:
    """The ids of the games that the server has."""
    request = catalogue_pb2.ListGamesRequest()
    return [
        game.game for game in CatalogueServiceStub(server.channel).ListGames(request, metadata=server.metadata).games
    ]


def list_tables(server: Server, game: str, seats: int = 0) -> list[rating_pb2.RatingTable]:
    """The tables of one game, by table size."""
    request = rating_pb2.ListRatingsRequest(game=game, seats=seats)
    return list(RatingServiceStub(server.channel).ListRatings(request, metadata=server.metadata).tables)


def print_rating_table(table: rating_pb2.RatingTable) -> None:
    """Prints one table: place, bot, official rating with half its 95 % interval, ranks, Elo by periods, units, mean
    points with theirs, faults. A question mark is behind a rating of few units. Of a pool of fields the points are
    those by which a bot was ahead of the others who held its cards."""
    print(f"\n{title(table)}")
    heads = ["Vs field" if head == "Mean points" and table.unit_kind == "field" else head for head in HEADS]
    decimals = {"Rating": 0, "±": 0, "Elo": 0, "Mean points": 2, "Vs field": 2, "± pts": 2}
    print_table(heads, _rows(table), decimals=decimals)
    if table.anchors:
        at = ", ".join(
            f"{line.bot} is at {line.fitted.micro_elo / 1e6:.0f}" for line in table.ratings if line.bot in table.anchors
        )
        print(f"ratings are shifted by {table.shift_micro_elo / 1e6:+.1f}: {at}")


def _rows(table: rating_pb2.RatingTable) -> list[list[Value]]:
    rows = []
    for values in _values(table):
        place, bot, _, rating, margin, first, last, provisional, elo, units, *points, faults = values
        name = f"{bot} ?" if provisional else bot
        ranks = "" if first is None else f"{first}" if first == last else f"{first}-{last}"
        shown = points[2:] if table.unit_kind == "field" else points[:2]
        rows.append([place, name, rating, margin, ranks, elo, units, *shown, faults])
    return rows


def _values(table: rating_pb2.RatingTable) -> list[list[Value]]:
    """The lines as numbers, under KEYS; None for what is not known yet."""
    unit = 1000 * 10**table.score_decimals
    rows: list[list[Value]] = []
    for line in table.ratings:
        fitted = line.fitted if line.HasField("fitted") else None
        official: list[Value] = [None] * 4
        points_margin: Value = None
        ahead: list[Value] = [None] * 2
        if fitted is not None:
            official = [
                fitted.micro_elo / 1e6,
                fitted.micro_margin / 1e6 if fitted.HasField("micro_margin") else None,
                fitted.first_rank if fitted.HasField("first_rank") else None,
                fitted.last_rank if fitted.HasField("last_rank") else None,
            ]
            if fitted.HasField("milli_points_margin"):
                points_margin = fitted.milli_points_margin / unit
            if fitted.HasField("milli_datum"):
                ahead[0] = fitted.milli_datum / unit
            if fitted.HasField("milli_datum_margin"):
                ahead[1] = fitted.milli_datum_margin / unit
        provisional = fitted is None or fitted.provisional
        mean = line.mean_milli_points / unit
        counts = [line.micro_elo / 1e6, line.units, mean, points_margin, *ahead, line.faults]
        rows.append([line.place, line.bot, line.owner, *official, provisional, *counts])
    return rows


def _rebuild(arguments: argparse.Namespace) -> int:
    from arena.ratings.official import differences, fit_due
    from arena.ratings.periods import rebuild
    from arena.stack.database import open_database

    with waiting("computing the ratings again"), open_database(arguments.data) as connection:
        difference = rebuild(connection, verify=arguments.verify)
        if not arguments.verify:
            fit_due(connection)
        fits = differences(connection)
    print(difference.sentence)
    for sentence in fits:
        print(sentence)
    if not fits:
        print("The official fits follow from them, too.")
    return 1 if difference.differs or fits else 0
