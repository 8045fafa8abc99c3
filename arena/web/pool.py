"""The rating table that an address names by its number. Knows no page."""

from starlette.requests import Request

from arena.errors import NotFound
from arena.v1 import rating_pb2
from arena.web.session import api_of, visitor_of


async def table_of(request: Request) -> rating_pb2.RatingTable:
    """The table of `{game}` with the number `{pool}`.

    :raises NotFound: if there is none.
    """
    where = request.path_params
    api = api_of(request)
    asked = rating_pb2.ListRatingsRequest(game=where["game"])
    found: rating_pb2.ListRatingsResponse = await api.ask(api.ratings.ListRatings, asked, await visitor_of(request))
    for table in found.tables:
        if table.pool == where["pool"]:
            return table
    raise NotFound(f"there is no table {where['pool']} of {where['game']}; /ratings/{where['game']} has them all")
