"""How bots did in one tournament, as messages. Knows no formula."""

from math import isnan

import engine
from arena.ratings.standings import Share, shares_of, standings_of
from arena.store import Connection
from arena.store.tournaments import Tournament
from arena.v1 import tournament_pb2 as pb


def add_up(connection: Connection, tournament: Tournament) -> pb.Standings:
    """The standings of what has been played.

    :raises Exhausted: if it has too many matches.
    """
    lines, shares, luck = standings_of(connection, tournament.name)
    return pb.Standings(
        score_decimals=engine.load(tournament.game, tournament.seats).score_decimals,
        standings=[
            pb.Standing(
                bot=line.bot,
                matches=line.matches,
                mean_milli_points=round(1000 * line.points.mean),
                milli_points_margin=_whole(1000 * line.points.margin),
                seat_matches=line.seats,
            )
            for line in lines
        ],
        shares=map(_share, shares),
        seat_milli_points=[round(1000 * mean) for mean in luck.seats] if luck else [],
        card_share=luck.cards if luck else None,
    )


def add_up_one(connection: Connection, tournament: Tournament, bot: str) -> list[pb.Share]:
    """What a bot took of every other one that it met.

    :raises Exhausted: if it played too many matches.
    """
    return [_share(share) for share in shares_of(connection, tournament.name, bot)]


def _share(share: Share) -> pb.Share:
    return pb.Share(
        bot=share.bot,
        other=share.other,
        matches=share.matches,
        micro_share=round(1e6 * share.share.mean),
        micro_margin=_whole(1e6 * share.share.margin),
    )


def _whole(margin: float) -> int | None:
    return None if isnan(margin) else round(margin)
