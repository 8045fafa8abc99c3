"""CatalogueService: what the games are. Knows no database and no match."""

from typing import Any

import grpc

import engine
from arena.api.status import refuses
from arena.errors import BadRequest
from arena.v1 import catalogue_pb2 as pb
from arena.v1.catalogue_pb2_grpc import CatalogueServiceServicer

Context = grpc.aio.ServicerContext[Any, Any]


def load_game(name: str, seats: int, options: dict[str, str]) -> engine.Game:
    """The game of a request; 0 seats mean the usual number.

    :raises BadRequest: with the engine's sentence, if the name, the table size or an option is unknown.
    """
    try:
        return engine.load_with(name, seats or None, options)
    except ValueError as error:
        raise BadRequest(str(error)) from error


class Catalogue(CatalogueServiceServicer):
    """Describes the games from the engine alone."""

    @refuses
    async def ListGames(self, request: pb.ListGamesRequest, context: Context) -> pb.ListGamesResponse:
        return pb.ListGamesResponse(games=[_describe(engine.load(game)) for game in sorted(engine.GAMES)])

    @refuses
    async def GetGame(self, request: pb.GetGameRequest, context: Context) -> pb.Game:
        return _describe(load_game(request.game, request.seats, dict(request.options)))


def _describe(game: engine.Game) -> pb.Game:
    return pb.Game(
        game=game.id,
        title=game.title,
        seat_counts=engine.GAMES[game.id].seat_counts,
        seats=game.seats,
        options=engine.write_options(game.options),
        phases=[pb.Phase(phase=phase.name, first=phase.first, size=phase.size) for phase in game.phases],
        actions=[game.write(action) for action in range(game.num_actions)],
        score_decimals=game.score_decimals,
    )
