"""ExportService: closed tournaments in bulk, a page at a time. Knows no file format."""

import asyncio
from collections.abc import AsyncIterator

import engine
from arena.api.access import Context, Database
from arena.api.catalogue import load_game
from arena.api.status import refuses_stream
from arena.scopes import READ
from arena.store import export, tournaments
from arena.store.people import User
from arena.v1 import export_pb2 as pb
from arena.v1.export_pb2_grpc import ExportServiceServicer

Versions = dict[str, tournaments.Entry]


class Exports(ExportServiceServicer):
    """Reads from the store as fast as the caller takes it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @refuses_stream
    async def ExportMatches(
        self, request: pb.ExportMatchesRequest, context: Context
    ) -> AsyncIterator[pb.ExportMatchesResponse]:
        user = await self._database.caller(context, READ)
        async for tournament in self._tournaments(user, request.tournament, request.game):
            entries = await self._database.ask(tournaments.list_entries, tournament.name)
            versions = {entry.bot: entry for entry in entries}
            page = pb.ExportMatchesResponse(tournament=_tournament(tournament))
            after = (-1, -1)
            while found := await self._database.ask(export.matches, tournament.name, after):
                page.matches.extend(_match(played, versions) for played in found)
                yield page
                page = pb.ExportMatchesResponse()
                after = (found[-1].unit, found[-1].rotation)

    @refuses_stream
    async def ExportRecords(
        self, request: pb.ExportRecordsRequest, context: Context
    ) -> AsyncIterator[pb.ExportRecordsResponse]:
        user = await self._database.caller(context, READ)
        async for tournament in self._tournaments(user, request.tournament, request.game):
            after = -1
            while found := await self._database.ask(export.next_records, tournament.name, after):
                after, packed = found
                for unit, rotation, text in await asyncio.to_thread(tournaments.unpacked, packed):
                    yield pb.ExportRecordsResponse(
                        tournament=tournament.name, game=tournament.game, unit=unit, rotation=rotation, text=text
                    )

    async def _tournaments(self, user: User, name: str, game: str) -> AsyncIterator[export.Closed]:
        """The closed tournaments that are asked for and that the user may see, by name."""
        of_game = load_game(game, 0, {}).id if game else None
        if name:
            tournament = await self._database.ask(export.closed, user, name)
            if of_game in (None, tournament.game):
                yield tournament
            return
        found = await self._database.ask(export.next_closed, user, "", of_game)
        while found is not None:
            yield found
            found = await self._database.ask(export.next_closed, user, found.name, of_game)


def _tournament(tournament: export.Closed) -> pb.ExportedTournament:
    message = pb.ExportedTournament(
        tournament=tournament.name,
        game=tournament.game,
        seats=tournament.seats,
        options=tournament.options,
        engine=tournament.engine,
        score_decimals=engine.load(tournament.game, tournament.seats).score_decimals,
    )
    message.close_time.FromDatetime(tournament.closed_at)
    return message


def _match(played: export.Played, versions: Versions) -> pb.ExportedMatch:
    message = pb.ExportedMatch(
        unit=played.unit,
        rotation=played.rotation,
        orbit=played.orbit,
        unit_kind=played.kind,
        bots=played.bots,
        versions=[versions[bot].version for bot in played.bots],
        content_hashes=[versions[bot].content_hash for bot in played.bots],
        scores=played.scores,
        places=played.places,
        faults=played.faults,
        forfeited=played.forfeited,
        decisions=played.decisions,
        digest=played.digest,
        counts=played.counts,
    )
    message.end_time.FromDatetime(played.ended_at)
    return message
