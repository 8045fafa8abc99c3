"""TournamentService: makes, fills, starts, corrects and shows tournaments. Knows no schedule and no worker."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import engine
from arena.api.access import Context, Database
from arena.api.catalogue import load_game
from arena.api.clock import clock_of, offered
from arena.api.kept import Kept
from arena.api.ladder import standing_of, state_of
from arena.api.oversight import alarm_message
from arena.api.schedule import page_of_blocks, plan_message, work_out_balance
from arena.api.standings import add_up, add_up_one
from arena.api.status import refuses
from arena.errors import BadRequest, NotAllowed
from arena.paging import numbers_of, page_of
from arena.ratings.standings import extent
from arena.referee.clock import Limits
from arena.referee.presets import is_for_ratings
from arena.scopes import ORGANISE, READ
from arena.store import Connection, alarms, blocks, bots, tournaments, workers
from arena.store.people import User
from arena.store.tournaments import NewTournament, Tournament
from arena.tournaments import corrections
from arena.tournaments.formats import Format
from arena.tournaments.ladders import close_ladder, newest_period
from arena.tournaments.plan import Outline, outline, plan
from arena.tournaments.start import start_tournament
from arena.v1 import play_pb2
from arena.v1 import tournament_pb2 as pb
from arena.v1.tournament_pb2_grpc import TournamentServiceServicer

STARTUP_MS = 10_000
MOST_ORBITS = 1000
MOST_UNITS = 100
"""A table's units are one task; what takes longer is spread over more orbits."""
MOST_BATCH = 10_000
PERIOD_S = 600
"""Each period of a ladder is fitted anew, so they do not follow each other faster than need be."""
MOST_PERIOD_S = 31 * 24 * 3600
MOST_ALARMS = 100
"""Open alarms that are sent with a tournament."""
MOST_BOTS = 1000
"""Bots of one request, each of which is asked for. More enter with further requests."""

FORMATS = {
    Format.ROUND_ROBIN: pb.TOURNAMENT_FORMAT_ROUND_ROBIN,
    Format.GAUNTLET: pb.TOURNAMENT_FORMAT_GAUNTLET,
    Format.SWISS: pb.TOURNAMENT_FORMAT_SWISS,
    Format.CHALLENGE: pb.TOURNAMENT_FORMAT_CHALLENGE,
    Format.LADDER: pb.TOURNAMENT_FORMAT_LADDER,
}

LISTED = {
    "open": pb.TOURNAMENT_STATE_OPEN,
    "running": pb.TOURNAMENT_STATE_RUNNING,
    "done": pb.TOURNAMENT_STATE_DONE,
    "cancelled": pb.TOURNAMENT_STATE_CANCELLED,
}


class Tournaments(TournamentServiceServicer):
    """The organiser's side. ``on_started`` is called after a tournament has started, or blocks of it wait again."""

    def __init__(self, database: Database, on_started: Callable[[], None]) -> None:
        self._database = database
        self._on_started = on_started
        self._standings = Kept(database, extent, add_up)
        self._shares = Kept(database, extent, add_up_one)
        self._balances = Kept(database, blocks.drawn, work_out_balance)

    @refuses
    async def CreateTournament(self, request: pb.CreateTournamentRequest, context: Context) -> pb.Tournament:
        user = await self._database.caller(context, ORGANISE)
        return await self._database.ask(_create, user, request)

    @refuses
    async def EnterTournament(self, request: pb.EnterTournamentRequest, context: Context) -> pb.Tournament:
        user = await self._database.caller(context, ORGANISE)
        names = _named(request.bots)
        await self._database.ask(tournaments.enter_tournament, user, request.tournament, names, known=request.known)
        return await self._database.ask(_describe, user, request.tournament)

    @refuses
    async def LeaveTournament(self, request: pb.LeaveTournamentRequest, context: Context) -> pb.Tournament:
        user = await self._database.caller(context, ORGANISE)
        await self._database.ask(tournaments.leave_tournament, user, request.tournament, _named(request.bots))
        return await self._database.ask(_describe, user, request.tournament)

    @refuses
    async def CloseTournament(self, request: pb.CloseTournamentRequest, context: Context) -> pb.Tournament:
        user = await self._database.caller(context, ORGANISE)
        await self._database.ask(close_ladder, user, request.tournament)
        return await self._database.ask(_describe_whole, user, request.tournament)

    @refuses
    async def StartTournament(self, request: pb.StartTournamentRequest, context: Context) -> pb.Tournament:
        user = await self._database.caller(context, ORGANISE)
        await self._database.ask(start_tournament, user, request.tournament)
        self._on_started()
        return await self._database.ask(_describe, user, request.tournament)

    @refuses
    async def PlanTournament(self, request: pb.PlanTournamentRequest, context: Context) -> pb.TournamentPlan:
        user = await self._database.caller(context, ORGANISE)
        planned = await self._database.ask(_outline, user, request)
        return await self._database.ask(_plan, planned)

    @refuses
    async def GetStandings(self, request: pb.GetStandingsRequest, context: Context) -> pb.Standings:
        user = await self._database.caller(context, READ, ORGANISE)
        found = await self._database.ask(tournaments.see_tournament, user, request.tournament)
        if found.stands:
            # Those of the newest period of which something is played: over all of them the ratings say who leads.
            newest = await self._database.ask(newest_period, found.name, played=True)
            found = found if newest is None else newest
        standings = await self._standings.of(found)
        if request.bot:
            alone = pb.Standings()
            alone.CopyFrom(standings)
            del alone.shares[:]
            if any(line.bot == request.bot for line in standings.standings):
                alone.shares.extend(await self._shares.of(found, request.bot))
            return alone
        return standings

    @refuses
    async def GetTournament(self, request: pb.GetTournamentRequest, context: Context) -> pb.Tournament:
        user = await self._database.caller(context, READ, ORGANISE)
        return await self._database.ask(_describe_whole, user, request.tournament)

    @refuses
    async def ListTournaments(self, request: pb.ListTournamentsRequest, context: Context) -> pb.ListTournamentsResponse:
        user = await self._database.caller(context, READ)
        size, before = page_of(request.page_size, request.page_token, usual=50, most=200)
        page = await self._database.ask(_list, user, request, before or None, size)
        full = len(page) == size
        return pb.ListTournamentsResponse(tournaments=page, next_page_token=page[-1].tournament if full else "")

    @refuses
    async def ListBlocks(self, request: pb.ListBlocksRequest, context: Context) -> pb.ListBlocksResponse:
        user = await self._database.caller(context, READ, ORGANISE)
        await self._database.ask(tournaments.see_tournament, user, request.tournament)
        size, token = page_of(request.page_size, request.page_token, usual=100, most=1000)
        (after,) = numbers_of(token, 1) or (-1,)
        return await self._database.ask(page_of_blocks, request, after, size)

    @refuses
    async def GetBalance(self, request: pb.GetBalanceRequest, context: Context) -> pb.TournamentPlan:
        user = await self._database.caller(context, READ, ORGANISE)
        found = await self._database.ask(tournaments.see_tournament, user, request.tournament)
        return await self._balances.of(found)

    @refuses
    async def VoidBlocks(self, request: pb.VoidBlocksRequest, context: Context) -> pb.Decision:
        user = await self._database.caller(context, ORGANISE)
        which = {"blocks": list(request.blocks), "units": list(request.units)}
        said = await self._database.ask(corrections.void, user, request.tournament, request.reason, **which)
        return await self._decision(user, request.tournament, said)

    @refuses
    async def RetryBlocks(self, request: pb.RetryBlocksRequest, context: Context) -> pb.Decision:
        user = await self._database.caller(context, ORGANISE)
        said = await self._database.ask(corrections.retry, user, request.tournament, list(request.blocks))
        self._on_started()
        return await self._decision(user, request.tournament, said)

    @refuses
    async def DisqualifyBot(self, request: pb.DisqualifyBotRequest, context: Context) -> pb.Decision:
        user = await self._database.caller(context, ORGANISE)
        asked = request.tournament, request.bot, request.reason
        return await self._decision(
            user, request.tournament, await self._database.ask(corrections.disqualify, user, *asked)
        )

    @refuses
    async def CancelTournament(self, request: pb.CancelTournamentRequest, context: Context) -> pb.Decision:
        user = await self._database.caller(context, ORGANISE)
        said = await self._database.ask(corrections.cancel, user, request.tournament, request.reason)
        return await self._decision(user, request.tournament, said)

    async def _decision(self, user: User, name: str, said: list[str]) -> pb.Decision:
        return pb.Decision(said=said, tournament=await self._database.ask(_describe_whole, user, name))


def _create(connection: Connection, user: User, request: pb.CreateTournamentRequest) -> pb.Tournament:
    return _describe(connection, user, _make(connection, user, request).name)


def _make(connection: Connection, user: User, request: pb.CreateTournamentRequest) -> Tournament:
    """Makes it and enters the bots, or does neither."""
    game = load_game(request.game, request.seats, dict(request.options))
    names = _named(request.bots)
    if names == ["all"]:
        names = bots.active_bots(connection, game.id)
    form = _format(request.format)
    against = _named(request.against)
    if against == ["all"]:
        against = [name for name in bots.active_bots(connection, game.id) if name not in names]
    remote = any(bots.find_bot(connection, name).kind == "remote" for name in (*names, *against))
    clock = _clock(request, game, "remote" if remote else "hosted")
    unrated = request.unrated or request.private or form is Format.CHALLENGE
    if not unrated and not user.admin and not is_for_ratings(clock, remote=remote):
        raise NotAllowed(
            f"on so short a clock bots lose by it and not by their play: for ratings use "
            f"{'remote' if remote else 'hosted or blitz'}, or 2 s a move and 3 faults or more; or make it --unrated, "
            f"or ask an admin"
        )
    wanted = NewTournament(
        game=game.id,
        seats=game.seats,
        options=engine.write_options(game.options),
        orbits=_within("orbits", request.orbits or 1, MOST_ORBITS),
        units=_within("units", request.units or 4, MOST_UNITS),
        move_ms=clock.move_ms,
        bank_ms=clock.bank_ms,
        max_faults=clock.max_faults,
        startup_ms=STARTUP_MS,
        increment_ms=clock.increment_ms,
        phase_ms=clock.phase_ms,
        format=form,
        unrated=unrated,
        private=request.private,
        open_until=_open_until(request),
        batch=_within("batch", request.batch, MOST_BATCH) or None,
        every_s=_within("every_s", request.every_s or PERIOD_S, MOST_PERIOD_S) if form is Format.LADDER else None,
    )
    if form is Format.LADDER and (wanted.orbits > 1 or wanted.open_until is not None):
        raise BadRequest("a ladder has periods instead of orbits, and they start by themselves; leave these two out")
    if form is not Format.LADDER and (request.batch or request.every_s):
        raise BadRequest("batch and every_s are a ladder's; choose that format, or leave them out")
    with connection.transaction():
        made = tournaments.create_tournament(connection, user, request.tournament, wanted, request.request_id)
        if made.started_at is None and made.cancelled_at is None:
            if names:
                tournaments.enter_tournament(connection, user, made.name, names)
            if against:
                tournaments.enter_tournament(connection, user, made.name, against, known=True)
        return tournaments.find_tournament(connection, made.name)


def _open_until(request: pb.CreateTournamentRequest) -> datetime | None:
    if not request.HasField("open_until"):
        return None
    try:
        time = request.open_until.ToDatetime(UTC)
    except ValueError as error:
        raise BadRequest(f"open_until is no time: {error}") from error
    if time <= datetime.now(UTC):
        raise BadRequest(f"{time:%Y-%m-%d %H:%M} UTC is over; let the entries close at a time to come")
    return time


def _format(number: pb.TournamentFormat.ValueType) -> Format:
    for form, known in FORMATS.items():
        if number in (known, pb.TOURNAMENT_FORMAT_UNSPECIFIED):
            return form
    raise BadRequest(f"there is no format {number}; formats are {', '.join(FORMATS)}")


def _outline(connection: Connection, user: User, request: pb.PlanTournamentRequest) -> Outline:
    if request.WhichOneof("what") == "tournament":
        return outline(connection, tournaments.see_tournament(connection, user, request.tournament))
    # Made and taken back, so that whatever would be refused is refused here.
    with connection.transaction(force_rollback=True):
        return outline(connection, _make(connection, user, request.create))


def _plan(connection: Connection, planned: Outline) -> pb.TournamentPlan:
    found = plan(connection, planned)
    return plan_message(planned.tournament, found.balance, found.seconds)


def _clock(request: pb.CreateTournamentRequest, game: engine.Game, usual: str) -> Limits:
    clock, asked = clock_of(request.clock, game, usual), request.limits
    phase_ms = tuple(asked.phase_ms)
    if phase_ms and (len(phase_ms) != len(game.phases) or 0 in phase_ms):
        raise BadRequest(f"phase_ms must be {len(game.phases)} times above 0: {game.id} has as many phases")
    return offered(
        Limits(
            asked.move_ms or clock.move_ms,
            asked.bank_ms or clock.bank_ms,
            asked.max_faults or clock.max_faults,
            # A time for every move is one for every phase, too.
            phase_ms or (() if asked.move_ms else clock.phase_ms),
            asked.increment_ms or clock.increment_ms,
        )
    )


def _named(names: Sequence[str]) -> list[str]:
    if len(names) > MOST_BOTS:
        raise BadRequest(f"{len(names)} bots are named; a request enters at most {MOST_BOTS}: send several")
    return list(names)


def _within(name: str, value: int, most: int) -> int:
    if value > most:
        raise BadRequest(f"{name} is {value}; it can be at most {most}")
    return value


def _list(
    connection: Connection, user: User, request: pb.ListTournamentsRequest, before: str | None, limit: int
) -> list[pb.Tournament]:
    states = [name for name, state in LISTED.items() if state in request.states]
    found = tournaments.list_tournaments(
        connection,
        user,
        game=request.game,
        owner=request.owner,
        bot=request.bot,
        states=states,
        before=before,
        limit=limit,
    )
    return [_describe(connection, user, tournament.name, entries=False) for tournament in found]


def _describe_whole(connection: Connection, user: User, name: str) -> pb.Tournament:
    """A tournament with its corrections, and for those who decide about it its open alarms.

    :raises NotFound: if there is none of this name that the user may see.
    """
    tournament = tournaments.see_tournament(connection, user, name)
    message = _describe(connection, user, name)
    for found in corrections.corrections(connection, name):
        which = next((one for one in (found.block, found.unit, found.bot, found.orbit) if one is not None), "")
        told = message.corrections.add(what=found.what, which=str(which), reason=found.reason, user=found.who)
        told.create_time.FromDatetime(found.made_at)
    if message.decides:
        raised = alarms.list_alarms(connection, user, tournament=name, settled=False, before=None, limit=MOST_ALARMS)
        message.alarms.extend(map(alarm_message, raised))
        message.hindered = workers.hindered(connection, name)
    if tournament.stands:
        message.standing.CopyFrom(standing_of(connection, tournament))
    return message


def _undecided(tournament: tournaments.Tournament) -> str:
    """What is to be decided, as a sentence; empty if nothing is."""
    given_up = tournament.undecided
    if not given_up:
        return ""
    what = f"block {given_up[0]} was" if len(given_up) == 1 else f"{len(given_up)} blocks were"
    return (
        f"{what} given up after three dead processes, and {tournament.name} stays open until somebody decides: "
        f"'arena tournament retry {tournament.name}' plays new units, 'arena tournament void {tournament.name} "
        f"--reason …' does without"
    )


def _describe(connection: Connection, user: User, name: str, *, entries: bool = True) -> pb.Tournament:
    """A tournament as everybody sees it who may, as the user does: its secret only when it is closed.

    :param entries: whether with the versions that play, which are too many for a list.

    :raises NotFound: if there is none of this name.
    """
    tournament = tournaments.find_tournament(connection, name)
    # What is played of a ladder is its newest period.
    played = (newest_period(connection, name) if tournament.stands else tournament) or tournament
    state = state_of(tournament)
    if tournament.stands and tournament.closed_at is not None and state_of(played) == pb.TOURNAMENT_STATE_RUNNING:
        state = pb.TOURNAMENT_STATE_RUNNING
    message = pb.Tournament(
        tournament=tournament.name,
        owner=tournament.owner,
        decides=user.admin or user.name == tournament.owner,
        game=tournament.game,
        seats=tournament.seats,
        format=FORMATS[Format(tournament.format)],
        unrated=tournament.unrated,
        private=tournament.private,
        unit_kind=tournament.unit_kind,
        options=tournament.options,
        bots=tournament.bots,
        orbits=tournament.orbits,
        units=tournament.units,
        state=state,
        commitment=tournament.commitment,
        secret=tournament.secret if tournament.closed_at is not None else b"",
        blocks=played.blocks,
        blocks_done=played.blocks_done,
        blocks_void=played.blocks_void,
        lacking=workers.lacking(connection, played.name) if state_of(played) == pb.TOURNAMENT_STATE_RUNNING else "",
        undecided=_undecided(played),
        limits=play_pb2.Limits(
            move_ms=tournament.move_ms,
            bank_ms=tournament.bank_ms,
            max_faults=tournament.max_faults,
            increment_ms=tournament.increment_ms,
            phase_ms=tournament.phase_ms,
        ),
        batch=tournament.batch or 0,
        every_s=tournament.every_s or 0,
        ladder=tournament.ladder or "",
        period=tournament.period or 0,
    )
    if entries:
        message.entries.extend(
            pb.TournamentEntry(bot=entry.bot, version=entry.version, content_hash=entry.content_hash, known=entry.known)
            for entry in tournaments.list_entries(connection, name)
        )
    message.create_time.FromDatetime(tournament.created_at)
    if tournament.open_until is not None:
        message.open_until.FromDatetime(tournament.open_until)
    return message
