"""RatingService: the rating tables, and how their numbers came about. Knows no formula."""

from dataclasses import asdict

import engine
from arena.api.access import Context, Database
from arena.api.catalogue import load_game
from arena.api.status import refuses
from arena.errors import NotAllowed
from arena.paging import page_of
from arena.ratings import tables
from arena.ratings.history import history
from arena.ratings.likelihoods import likelihoods
from arena.ratings.suspects import suspects
from arena.scopes import READ
from arena.v1 import rating_pb2 as pb
from arena.v1.rating_pb2_grpc import RatingServiceServicer


class Ratings(RatingServiceServicer):
    """Reads what the periods have written."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @refuses
    async def ListRatings(self, request: pb.ListRatingsRequest, context: Context) -> pb.ListRatingsResponse:
        await self._database.caller(context, READ)
        game = load_game(request.game, request.seats, {})
        found = await self._database.ask(tables.table, game.id, request.seats)
        return pb.ListRatingsResponse(tables=[_message(table) for table in found])

    @refuses
    async def ListLikelihoods(self, request: pb.ListLikelihoodsRequest, context: Context) -> pb.ListLikelihoodsResponse:
        await self._database.caller(context, READ)
        size, token = page_of(request.page_size, request.page_token, usual=1000, most=3000)
        found, more = await self._database.ask(
            likelihoods, request.pool, against=request.against, token=token, limit=size
        )
        return pb.ListLikelihoodsResponse(
            likelihoods=[pb.Likelihood(**asdict(line)) for line in found], next_page_token=more
        )

    @refuses
    async def ListRatingHistory(
        self, request: pb.ListRatingHistoryRequest, context: Context
    ) -> pb.ListRatingHistoryResponse:
        await self._database.caller(context, READ)
        size, token = page_of(request.page_size, request.page_token, usual=100, most=1000)
        found, more = await self._database.ask(history, request.pool, request.bot, token=token, limit=size)
        return pb.ListRatingHistoryResponse(
            steps=[pb.RatingStep(**asdict(step)) for step in found], next_page_token=more
        )

    @refuses
    async def ListSoftPlay(self, request: pb.ListSoftPlayRequest, context: Context) -> pb.ListSoftPlayResponse:
        user = await self._database.caller(context, READ)
        if not user.admin:
            raise NotAllowed("who may let whom win is shown to admins only: it would be taken for proof, and is none")
        size, _ = page_of(request.page_size, "", usual=20, most=1000)
        found = await self._database.ask(suspects, request.pool, owners=request.owners)
        return pb.ListSoftPlayResponse(
            pairs=[pb.SoftPlay(**asdict(one), suspect=one.suspect) for one in found[:size]], tested=len(found)
        )


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
