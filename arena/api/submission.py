"""SubmissionService: takes versions in and says what became of them. Knows no cell and no match."""

import asyncio
import functools
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

from arena.api.access import Context, Database
from arena.api.catalogue import load_game
from arena.api.status import refuses
from arena.api.uploads import Terms, Uploads
from arena.api.webhook import look_up, private_webhooks
from arena.errors import BadRequest, NotFound
from arena.paging import page_of
from arena.scopes import READ, SUBMIT
from arena.store import Connection, bots, notices, runs, webhooks, workers
from arena.store.people import User
from arena.tournaments.door import look
from arena.v1 import submission_pb2 as pb
from arena.v1.submission_pb2_grpc import SubmissionServiceServicer
from sandbox.archive import ArchiveError, Manifest

STATES = {
    "validating": pb.VERSION_STATE_VALIDATING,
    "active": pb.VERSION_STATE_ACTIVE,
    "rejected": pb.VERSION_STATE_REJECTED,
    "replaced": pb.VERSION_STATE_REPLACED,
}
KINDS = {"hosted": pb.BOT_KIND_HOSTED, "remote": pb.BOT_KIND_REMOTE}


class Submission(SubmissionServiceServicer):
    """Bots and versions. ``on_submitted`` is called when a version waits for its validation."""

    def __init__(self, database: Database, on_submitted: Callable[[], None], terms: Terms | None = None) -> None:
        self._database = database
        self._on_submitted = on_submitted
        self._uploads = Uploads(terms)
        self._opener = ThreadPoolExecutor(1, thread_name_prefix="archives")
        self._resolver = ThreadPoolExecutor(1, thread_name_prefix="addresses of owners")

    @refuses
    async def CreateVersion(self, request: AsyncIterator[pb.CreateVersionRequest], context: Context) -> pb.Version:
        user = await self._database.caller(context, SUBMIT)
        async with self._uploads.receive(user.name, request) as (header, received):
            # One archive at a time, apart from everything else: what is small may take a while to expand.
            loop = asyncio.get_running_loop()
            try:
                archive, manifest, content = await loop.run_in_executor(self._opener, _open, received)
            except ArchiveError as error:
                raise BadRequest(str(error)) from error
            if manifest.name != header.bot:
                raise BadRequest(f"the manifest names '{manifest.name}', the upload '{header.bot}'; make them equal")
            version = await self._database.ask(
                bots.submit_version,
                user,
                name=manifest.name,
                content_hash=content,
                archive=archive,
                manifest=asdict(manifest),
                request_id=header.request_id,
            )
        if version.state == "validating":
            self._on_submitted()
        return _version(version, own=True, with_log=True)

    @refuses
    async def GetVersion(self, request: pb.GetVersionRequest, context: Context) -> pb.Version:
        user = await self._database.caller(context, READ, SUBMIT)
        bot = await self._database.ask(bots.find_bot, request.bot)
        version = await self._database.ask(bots.find_version, request.bot, request.number)
        if version is None:
            raise NotFound(f"the bot '{request.bot}' has no version {request.number or 'yet'}")
        own = user.admin or user.name == bot.owner
        message = _version(version, own=own, with_log=own)
        if own and version.state == "validating":
            message.reason = await self._database.ask(workers.lacking_for_version, version.bot, version.number)
        return message

    @refuses
    async def GetBot(self, request: pb.GetBotRequest, context: Context) -> pb.Bot:
        user = await self._database.caller(context, READ, SUBMIT)
        bot = await self._database.ask(bots.find_bot, request.bot)
        return await self._database.ask(_describe, user, bot)

    @refuses
    async def ListBots(self, request: pb.ListBotsRequest, context: Context) -> pb.ListBotsResponse:
        user = await self._database.caller(context, READ)
        size, after = page_of(request.page_size, request.page_token, usual=50, most=200)
        game = load_game(request.game, 0, {}).id if request.game else None
        page = await self._database.ask(_list, user, game, after, size)
        full = len(page) == size
        return pb.ListBotsResponse(bots=page, next_page_token=page[-1].bot if full else "")

    @refuses
    async def RetireBot(self, request: pb.RetireBotRequest, context: Context) -> pb.Bot:
        user = await self._database.caller(context, SUBMIT)
        bot = await self._database.ask(bots.retire_bot, user, request.bot)
        return await self._database.ask(_describe, user, bot)

    @refuses
    async def ListNotices(self, request: pb.ListNoticesRequest, context: Context) -> pb.ListNoticesResponse:
        user = await self._database.caller(context, SUBMIT)
        lines = await self._database.ask(notices.list_notices, user, request.bot)
        disabled = await self._database.ask(notices.disabled, [request.bot])
        response = pb.ListNoticesResponse(disabled=notices.sentence(request.bot) if disabled else "")
        response.notify_url, response.notify_error = await self._database.ask(webhooks.find_webhook, request.bot)
        for line in lines:
            told = response.notices.add(
                what=line.what, match=line.match, seat=line.seat, kind=line.kind, reason=line.reason, count=line.count
            )
            told.time.FromDatetime(line.noted_at)
        return response

    @refuses
    async def EnableBot(self, request: pb.EnableBotRequest, context: Context) -> pb.Bot:
        user = await self._database.caller(context, SUBMIT)
        bot = await self._database.ask(notices.enable, user, request.bot)
        return await self._database.ask(_describe, user, bot)

    @refuses
    async def NotifyBot(self, request: pb.NotifyBotRequest, context: Context) -> pb.Bot:
        user = await self._database.caller(context, SUBMIT)
        await self._database.ask(bots.check_owner, user, request.bot)
        if request.url:
            # In a thread of its own: who answers for the name may take half a minute, and everybody's questions to the
            # database share the others.
            looking = functools.partial(look_up, request.url, private=private_webhooks())
            await asyncio.get_running_loop().run_in_executor(self._resolver, looking)
        bot = await self._database.ask(webhooks.set_webhook, user, request.bot, request.url)
        return await self._database.ask(_describe, user, bot)

    @refuses
    async def ListRuns(self, request: pb.ListRunsRequest, context: Context) -> pb.ListRunsResponse:
        user = await self._database.caller(context, SUBMIT)
        size, _ = page_of(request.page_size, "", usual=20, most=runs.KEPT.runs)
        found = await self._database.ask(runs.list_runs, user, request.bot, size)
        return pb.ListRunsResponse(runs=map(_played, found))

    @refuses
    async def GetRunLog(self, request: pb.GetRunLogRequest, context: Context) -> pb.RunLog:
        user = await self._database.caller(context, SUBMIT)
        log = await self._database.ask(
            runs.find_log,
            user,
            request.bot,
            tournament=request.tournament,
            unit=request.unit,
            rotation=request.rotation,
        )
        return pb.RunLog(
            run=_played(log.played),
            parts=[pb.LogPart(**part) for part in log.parts],
            matches=[pb.MatchSpan(**span) for span in log.matches],
        )


def _open(received: bytearray) -> tuple[bytes, Manifest, str]:
    """The archive, its manifest and its content hash. Empties what was received, so that nobody holds it twice."""
    archive = bytes(received)
    received.clear()
    return archive, *look(archive)


def _list(connection: Connection, user: User, game: str | None, after: str, limit: int) -> list[pb.Bot]:
    found = bots.list_bots(connection, game=game, after=after, limit=limit)
    return [_describe(connection, user, bot) for bot in found]


def _describe(connection: Connection, user: User, bot: bots.Bot) -> pb.Bot:
    latest = bots.find_version(connection, bot.name)
    line = pb.Bot(bot=bot.name, owner=bot.owner, kind=KINDS[bot.kind], retired=bot.retired)
    if latest is not None:
        line.games.extend(latest.games)
        if bot.kind == "hosted":
            # Without the log: those of a page of bots would be more than a message may have.
            line.latest.CopyFrom(_version(latest, own=user.admin or user.name == bot.owner, with_log=False))
    return line


def _played(played: runs.PlayedRun) -> pb.Run:
    message = pb.Run(
        **played.run,
        tournament=played.tournament,
        first_unit=played.first_unit,
        units=played.units,
        rotation=played.rotation,
    )
    message.end_time.FromDatetime(played.ended_at)
    return message


def _version(version: bots.Version, *, own: bool, with_log: bool) -> pb.Version:
    message = pb.Version(
        bot=version.bot,
        number=version.number,
        content_hash=version.content_hash,
        state=STATES[version.state],
        reason=version.reason if own else "",
        log=version.log if with_log else "",
        games=version.games,
        runs=[pb.Run(**run) for run in version.runs] if with_log else (),
    )
    message.create_time.FromDatetime(version.created_at)
    return message
