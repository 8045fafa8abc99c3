"""MatchService: matches, finished or being played, their records, and unrated matches between connected bots. Knows no
schedule."""

import asyncio
import itertools
import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack

import engine
from arena.api.access import Context, Database
from arena.api.catalogue import load_game
from arena.api.clock import clock_of, offered
from arena.api.drain import MATCH, Drain
from arena.api.quota import Quota
from arena.api.status import refuses
from arena.errors import BadRequest, NotAllowed, Unavailable, WrongState
from arena.paging import numbers_of, page_of
from arena.referee.hub import Hub
from arena.referee.inhouse import InHouse
from arena.referee.match import Verdict
from arena.referee.plan import Abandoned, MatchPlan, PlayerId
from arena.referee.presets import write_clock
from arena.referee.stream import Farewell
from arena.scopes import ORGANISE, PLAY, READ
from arena.store import Connection, bots, notices, open_matches, pruning, tournaments
from arena.store.people import User
from arena.tournaments.unsubmitted import of_house
from arena.tournaments.versions import Version, members
from arena.v1 import match_pb2 as pb
from arena.v1.match_pb2_grpc import MatchServiceServicer
from bots import house

log = logging.getLogger("arena.serve")

REMOTE = "remote:"
"""What the name of a connected bot begins with where house bots may be named, too."""

UNRATED_IDS = 1 << 52
"""Match ids of unrated matches start here; those of tournaments stay below."""

ROOM_IDS = UNRATED_IDS + (1 << 51)
"""Those of matches in rooms start here."""


def match_ids(first: int) -> Iterator[int]:
    """Ids for a referee's matches, from ``first`` on. Those of a restarted referee do not meet those that a bot still
    remembers."""
    return itertools.count(first + (int(time.time()) << 12) % (1 << 50))


class Matches(MatchServiceServicer):
    """Reads matches from the store and plays unrated ones on the hub."""

    def __init__(self, database: Database, hub: Hub, quota: Quota, drain: Drain) -> None:
        self._database = database
        self._drain = drain
        self._quota = quota
        self._hub = hub
        self._ids = match_ids(UNRATED_IDS)

    @refuses
    async def ListMatches(self, request: pb.ListMatchesRequest, context: Context) -> pb.ListMatchesResponse:
        user = await self._database.caller(context, READ)
        size, token = page_of(request.page_size, request.page_token, usual=100, most=1000)
        unit, rotation = numbers_of(token, 2) or (-1, -1)
        if request.latest:
            page = await self._database.ask(_latest, user, request.tournament, size)
        else:
            page = await self._database.ask(_list, user, request.tournament, (unit, rotation), size)
        last = page[-1] if len(page) == size and not request.latest else None
        return pb.ListMatchesResponse(
            matches=[
                pb.Match(
                    tournament=request.tournament,
                    unit=match.unit,
                    rotation=match.rotation,
                    bots=match.bots,
                    scores=match.scores,
                    places=match.places,
                    faults=match.faults,
                )
                for match in page
            ],
            next_page_token=f"{last.unit}.{last.rotation}" if last is not None else "",
        )

    @refuses
    async def GetRecord(self, request: pb.GetRecordRequest, context: Context) -> pb.Record:
        user = await self._database.caller(context, READ)
        text = await self._database.ask(_record, user, request.tournament, request.unit, request.rotation)
        return pb.Record(text=text)

    @refuses
    async def ListOpenMatches(self, request: pb.ListOpenMatchesRequest, context: Context) -> pb.ListOpenMatchesResponse:
        user = await self._database.caller(context, READ)
        size, token = page_of(request.page_size, request.page_token, usual=10, most=100)
        (after,) = numbers_of(token, 1) or (-1,)
        page = await self._database.ask(_list_open, user, request.tournament, after, size)
        return pb.ListOpenMatchesResponse(
            matches=[
                pb.OpenMatch(
                    tournament=request.tournament,
                    unit=match.unit,
                    rotation=match.rotation,
                    bots=match.bots,
                    text=match.record,
                )
                for match in page
            ],
            next_page_token=str(page[-1].unit) if len(page) == size else "",
        )

    @refuses
    async def PruneRecords(self, request: pb.PruneRecordsRequest, context: Context) -> pb.PruneRecordsResponse:
        user = await self._database.caller(context, ORGANISE)
        if not user.admin:
            raise NotAllowed("only admins prune records; ask one of them")
        if request.days > pruning.LONGEST_DAYS:
            raise BadRequest(f"days is {request.days}; use at most {pruning.LONGEST_DAYS}")
        found = await self._database.ask(_prune, user, request.days, dry_run=request.dry_run)
        return pb.PruneRecordsResponse(
            tournaments=[
                pb.PrunedTournament(tournament=one.name, blocks=one.blocks, bytes=one.bytes, runs=one.runs)
                for one in found
            ]
        )

    @refuses
    async def PlayMatch(self, request: pb.PlayMatchRequest, context: Context) -> pb.Record:
        user = await self._database.caller(context, PLAY)
        names = tuple(request.bots)
        # First, for it bounds the names that the database is asked for.
        game = load_game(request.game, len(names), dict(request.options))
        if not names:
            raise BadRequest(f"a match needs {game.seats} bots; name one for each seat")
        for name in names:
            if name.startswith(REMOTE):
                bot = name.removeprefix(REMOTE)
                await self._database.ask(bots.check_owner, user, bot)
                if await self._database.ask(notices.disabled, [bot]):
                    raise WrongState(notices.sentence(bot))
        if request.seed and len(request.seed) != 32:
            raise BadRequest("the seed must be 32 bytes, or empty for a drawn one")
        limits = offered(clock_of(request.clock, game, "remote"))
        match_id = next(self._ids)
        with ExitStack() as table:
            table.enter_context(self._drain.open(MATCH))
            table.enter_context(self._quota.match(user.name))
            players = tuple(self._seated(table, game, match_id, seat, name) for seat, name in enumerate(names))
            if len(set(players)) < len(players):
                raise BadRequest("a remote bot is named twice; a table holds different bots")
            versions = await asyncio.gather(*(self._version(name) for name in names))
            seed = request.seed or secrets.token_bytes(32)
            plan = MatchPlan(
                match_id=match_id,
                game=game,
                options=engine.write_options(game.options),
                seed=seed,
                players=players,
                names=names,
                limits=(limits,) * len(names),
                bot_seeds=tuple(secrets.token_bytes(32) for _ in names),
                header={"seed": seed, "clock": write_clock(limits, game), **members(versions)},
            )
            try:
                verdict = await self._hub.play(plan)
            except Abandoned as error:
                raise Unavailable(f"the match was given up: {error}") from error
            await self._note(plan, verdict)
            return pb.Record(text=verdict.record)

    async def _note(self, plan: MatchPlan, verdict: Verdict) -> None:
        """Tells owners of faults, and shows a bot the door that is disabled for them: one that plays in other matches
        is shown it when they are over, as any disabled bot. A database that is away does not withhold the record."""
        for seat, (player, name) in enumerate(zip(plan.players, plan.names, strict=True)):
            if not name.startswith(REMOTE):
                continue
            faults = [fault for fault in verdict.faults if fault.seat == seat]
            kind, reason = (str(faults[-1].kind), faults[-1].reason) if faults else ("", "")
            forfeited = seat in verdict.forfeited
            played = notices.Played(f"unrated match {plan.match_id}", seat, len(faults), forfeited, kind, reason)
            try:
                disabled = await self._database.ask(notices.note, player, [played])
            except Unavailable as error:
                log.warning("the owner of %s is not told of %s: %s", player, played.match, error)
                continue
            if disabled and not self._hub.plays(player):
                self._hub.dismiss(player, Farewell("BROKEN", f"{notices.sentence(player)}."))

    async def _version(self, name: str) -> Version:
        if not name.startswith(REMOTE):
            return await asyncio.to_thread(of_house, name)
        said = self._hub.hello(name.removeprefix(REMOTE))
        return Version(said.version if said is not None else "")

    def _seated(self, table: ExitStack, game: engine.Game, match_id: int, seat: int, name: str) -> PlayerId:
        """The player of a seat: a connected bot, or a house bot that gets up when the table is closed."""
        if name.startswith(REMOTE):
            bot = name.removeprefix(REMOTE)
            said = self._hub.hello(bot)
            if said is None:
                raise WrongState(f"the bot '{bot}' is not connected; start it, then try again")
            if game.id not in said.games:
                raise BadRequest(f"the bot '{bot}' does not play {game.id}; it plays {', '.join(said.games)}")
            return bot
        try:
            choose = house.choose(name, game.id)
        except ValueError as error:
            raise BadRequest(f"{error} A bot that is connected is named {REMOTE}NAME.") from error
        # No bot's name has an @, so nobody else can be this player.
        player = InHouse(self._hub, f"{name}@{match_id}.{seat}", choose)
        table.callback(player.leave)
        return player.hello.bot


def _prune(connection: Connection, user: User, days: int, *, dry_run: bool) -> list[pruning.Prunable]:
    return pruning.prunable(connection, days) if dry_run else list(pruning.prune(connection, user.name, days))


def _list(connection: Connection, user: User, name: str, after: tuple[int, int], limit: int) -> list[tournaments.Match]:
    tournaments.see_tournament(connection, user, name)
    return tournaments.list_matches(connection, name, after=after, limit=limit)


def _list_open(connection: Connection, user: User, name: str, after: int, limit: int) -> list[open_matches.OpenMatch]:
    tournaments.see_tournament(connection, user, name)
    return open_matches.list_open(connection, name, after=after, limit=limit)


def _latest(connection: Connection, user: User, name: str, limit: int) -> list[tournaments.Match]:
    tournaments.see_tournament(connection, user, name)
    return tournaments.latest_matches(connection, name, limit=limit)


def _record(connection: Connection, user: User, name: str, unit: int, rotation: int) -> str:
    """A record, once no table of the tournament will play its deal again.

    A single unit is spent when it is played, and a rotation unit when its block is done; both are what is stored.
    """
    tournaments.see_tournament(connection, user, name)
    return tournaments.find_record(connection, name, unit, rotation)
