"""RatingService: the rating tables, and how their numbers came about. Knows no formula."""

from dataclasses import asdict
from math import isnan

import engine
from arena.api.access import Context, Database
from arena.api.catalogue import load_game
from arena.api.status import refuses
from arena.api.tables import Tables
from arena.errors import NotAllowed
from arena.paging import page_of
from arena.ratings.head_to_head import HeadToHead, head_to_head
from arena.ratings.history import history
from arena.ratings.likelihoods import likelihoods, matrix
from arena.ratings.suspects import suspects
from arena.scopes import READ
from arena.v1 import rating_pb2 as pb
from arena.v1.rating_pb2_grpc import RatingServiceServicer


class Ratings(RatingServiceServicer):
    """Reads what the periods have written."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tables = Tables(database)

    @refuses
    async def ListRatings(self, request: pb.ListRatingsRequest, context: Context) -> pb.ListRatingsResponse:
        await self._database.caller(context, READ)
        game = load_game(request.game, request.seats, {})
        return await self._tables.of(game.id, request.seats)

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
    async def GetLikelihoodMatrix(
        self, request: pb.GetLikelihoodMatrixRequest, context: Context
    ) -> pb.LikelihoodMatrix:
        await self._database.caller(context, READ)
        size, _ = page_of(request.size, "", usual=60, most=100)
        found = await self._database.ask(matrix, request.pool, start=request.start, limit=size)
        stronger = [likely for row in found.stronger for likely in row]
        return pb.LikelihoodMatrix(bots=found.bots, stronger=stronger, total=found.total)

    @refuses
    async def GetHeadToHead(self, request: pb.GetHeadToHeadRequest, context: Context) -> pb.HeadToHead:
        await self._database.caller(context, READ)
        return _head_to_head(await self._database.ask(head_to_head, request.pool, request.bot))

    @refuses
    async def ListRatingHistory(
        self, request: pb.ListRatingHistoryRequest, context: Context
    ) -> pb.ListRatingHistoryResponse:
        await self._database.caller(context, READ)
        size, token = page_of(request.page_size, request.page_token, usual=100, most=1000)
        found, more = await self._database.ask(
            history, request.pool, request.bot, latest=request.latest, token=token, limit=size
        )
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


def _head_to_head(found: HeadToHead) -> pb.HeadToHead:
    return pb.HeadToHead(
        matches=found.matches,
        rated_matches=found.rated,
        score_decimals=engine.load(found.game, found.seats).score_decimals,
        opponents=[
            pb.Opponent(
                bot=one.bot,
                matches=one.matches,
                deals=one.deals,
                above=one.above,
                level=one.level,
                below=one.below,
                micro_share=round(1e6 * one.share.mean),
                micro_margin=_whole(1e6 * one.share.margin),
                milli_points=round(1000 * one.points.mean),
                milli_points_margin=_whole(1000 * one.points.margin),
            )
            for one in found.opponents
        ],
    )


def _whole(margin: float) -> int | None:
    return None if isnan(margin) else round(margin)
