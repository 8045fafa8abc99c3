"""Standings of tournaments that many look at while they are played. Knows no formula.

The server that adds them up also keeps the bots' clocks. So one is added up at a time, again only when something was
played or corrected since, and then so seldom that it takes a small part of the time, however many ask.
"""

import asyncio
import time
from dataclasses import dataclass
from math import isnan

import engine
from arena.api.access import Database
from arena.ratings.standings import extent, standings_of
from arena.store import Connection
from arena.store.tournaments import Tournament
from arena.v1 import tournament_pb2 as pb

KEPT = 64
"""Tournaments whose standings are kept."""

QUICK_S = 0.1
SELDOM = 10
"""What takes longer than that is kept for so many times as long, though more was played since."""


@dataclass(frozen=True, slots=True)
class _Added:
    extent: tuple[int, int]
    standings: pb.Standings
    until: float


class Standings:
    """Adds up what is asked for and keeps it for a while."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: dict[str, _Added] = {}
        self._adding = asyncio.Lock()

    async def of(self, tournament: Tournament) -> pb.Standings:
        """The standings of a tournament that the caller may see.

        :raises Exhausted: if it has too many matches.
        """
        async with self._adding:
            now = await self._database.ask(extent, tournament.name)
            kept = self._kept.pop(tournament.name, None)
            if kept is None or (kept.extent != now and time.monotonic() >= kept.until):
                standings, took_s = await self._database.ask(_add_up, tournament)
                pause_s = SELDOM * took_s if took_s > QUICK_S else 0.0
                kept = _Added(now, standings, time.monotonic() + pause_s)
            self._kept[tournament.name] = kept
            if len(self._kept) > KEPT:
                del self._kept[next(iter(self._kept))]
            return kept.standings


def _add_up(connection: Connection, tournament: Tournament) -> tuple[pb.Standings, float]:
    """The standings, and for how long they kept a processor busy."""
    begun_s = time.thread_time()
    lines, shares, luck = standings_of(connection, tournament.name)
    standings = pb.Standings(
        score_decimals=engine.load(tournament.game, tournament.seats).score_decimals,
        standings=[
            pb.Standing(
                bot=line.bot,
                matches=line.matches,
                mean_milli_points=round(1000 * line.points.mean),
                milli_points_margin=_whole(1000 * line.points.margin),
            )
            for line in lines
        ],
        shares=[
            pb.Share(
                bot=share.bot,
                other=share.other,
                matches=share.matches,
                micro_share=round(1e6 * share.share.mean),
                micro_margin=_whole(1e6 * share.share.margin),
            )
            for share in shares
        ],
        seat_milli_points=[round(1000 * mean) for mean in luck.seats] if luck else [],
        card_share=luck.cards if luck else None,
    )
    return standings, time.thread_time() - begun_s


def _whole(margin: float) -> int | None:
    return None if isnan(margin) else round(margin)
