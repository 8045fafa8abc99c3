"""Rating tables as messages, made again only when a period or a fit was added. Knows no formula."""

from dataclasses import dataclass

import engine
from arena.api.access import Database
from arena.ratings import tables
from arena.v1 import rating_pb2 as pb


@dataclass(frozen=True, slots=True)
class _Made:
    state: tables.State
    answer: pb.ListRatingsResponse


class Tables:
    """Keeps the newest tables of every game and table size that was asked for."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._made: dict[tuple[str, int], _Made] = {}

    async def of(self, game: str, seats: int) -> pb.ListRatingsResponse:
        """The tables of a game that there is, by table size; 0 for every size."""
        # Asked first: tables that are newer than the state are made again, older ones are not shown.
        state = await self._database.ask(tables.state, game, seats)
        made = self._made.get((game, seats))
        if made is None or made.state != state:
            found = await self._database.ask(tables.table, game, seats)
            made = _Made(state, pb.ListRatingsResponse(tables=[_message(table) for table in found]))
            self._made[game, seats] = made
        return made.answer


def _message(table: tables.RatingTable) -> pb.RatingTable:
    game = engine.load(table.game, table.seats)
    usual = engine.write_options(game.options)
    return pb.RatingTable(
        game=table.game,
        seats=table.seats,
        options={name: value for name, value in table.options.items() if usual.get(name) != value},
        unit_kind=table.unit_kind,
        score_decimals=game.score_decimals,
        pool=table.pool,
        shift_micro_elo=table.shift.micro_elo,
        anchors=table.shift.anchors,
        ratings=[
            pb.Rating(
                place=line.place,
                bot=line.bot,
                version=line.version,
                micro_elo=line.micro_elo,
                units=line.units,
                mean_milli_points=line.mean_milli_points,
                faults=line.faults,
                matches=line.matches,
                fitted=_fitted(line.fitted) if line.fitted is not None else None,
                owner=line.owner,
                house=line.of_house,
            )
            for line in table.ratings
        ],
    )


def _fitted(fitted: tables.Fitted) -> pb.Fitted:
    return pb.Fitted(
        micro_elo=fitted.micro_elo,
        micro_margin=fitted.micro_margin,
        first_rank=fitted.first_rank,
        last_rank=fitted.last_rank,
        deals=fitted.deals,
        milli_points_margin=fitted.milli_points_margin,
        milli_datum=fitted.milli_datum,
        milli_datum_margin=fitted.milli_datum_margin,
        provisional=fitted.provisional,
    )
