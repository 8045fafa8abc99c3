"""Bots: the list, and one of them with its versions, its ratings and, for its owner, what went wrong. Knows no cell."""

import asyncio
import re
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import NotAllowed, NotFound
from arena.v1 import rating_pb2, tournament_pb2
from arena.v1 import submission_pb2 as pb
from arena.web.api import Call
from arena.web.habits import Called, Kept, habits
from arena.web.page import page
from arena.web.pages.records import MOST_RECORDS, matches_of, record_of
from arena.web.replay import replay
from arena.web.report import report
from arena.web.session import api_of, visitor_of

PER_PAGE = 100
RUNS = 20
LATEST = 10
"""Tournaments that are listed."""
OLDER = 10
"""Versions that are listed beside the latest one."""

Answer = TypeVar("Answer")

STATES = {
    pb.VERSION_STATE_VALIDATING: "is being validated",
    pb.VERSION_STATE_ACTIVE: "plays",
    pb.VERSION_STATE_REJECTED: "rejected",
    pb.VERSION_STATE_REPLACED: "replaced",
}


async def listing(request: Request) -> Response:
    """The bots by name, a page at a time, those of one game with `?game=`."""
    asked = pb.ListBotsRequest(
        game=request.query_params.get("game", ""),
        page_size=PER_PAGE,
        page_token=request.query_params.get("after", ""),
    )
    api = api_of(request)
    found = await api.ask(api.bots.ListBots, asked, await visitor_of(request))
    return await page(request, "bots.html", bots=found.bots, after=found.next_page_token, chosen=asked.game)


async def show(request: Request) -> Response:
    """One bot. What only its owner may see is left out for everybody else."""
    name = request.path_params["bot"]
    api, visitor = api_of(request), await visitor_of(request)
    bot: pb.Bot = await api.ask(api.bots.GetBot, pb.GetBotRequest(bot=name), visitor)
    hosted = bot.kind == pb.BOT_KIND_HOSTED
    version, notices, runs, played, *answers = await asyncio.gather(
        _for_owner(request, api.bots.GetVersion, pb.GetVersionRequest(bot=name)) if hosted else _nothing(),
        _for_owner(request, api.bots.ListNotices, pb.ListNoticesRequest(bot=name)),
        _for_owner(request, api.bots.ListRuns, pb.ListRunsRequest(bot=name, page_size=RUNS)) if hosted else _nothing(),
        api.ask(
            api.tournaments.ListTournaments, tournament_pb2.ListTournamentsRequest(bot=name, page_size=LATEST), visitor
        ),
        *(api.ask(api.ratings.ListRatings, rating_pb2.ListRatingsRequest(game=game), visitor) for game in bot.games),
    )
    ratings = [
        (table, line) for answer in answers for table in answer.tables for line in table.ratings if line.bot == name
    ]
    older = (
        await asyncio.gather(
            *(
                api.ask(api.bots.GetVersion, pb.GetVersionRequest(bot=name, number=number), visitor)
                for number in range(max(1, version.number - OLDER), version.number)
            )
        )
        if version
        else []
    )
    if notices:
        notices.notices.reverse()  # the newest first
    return await page(
        request,
        "bot.html",
        bot=bot,
        older=older[::-1],
        hosted=hosted,
        version=version,
        states=STATES,
        report=report(version) if version and notices else [],  # nobody else is told what its processes did
        tournaments=played.tournaments,
        notices=notices,
        places=[_place(notice.match) for notice in notices.notices] if notices else [],
        runs=runs.runs if runs else [],
        ratings=ratings,
    )


async def style(request: Request) -> Response:
    """How a bot played in a tournament, from the records of its first matches there."""
    name, tournament = request.path_params["bot"], request.path_params["tournament"]
    played, _ = await matches_of(request, name, MOST_RECORDS)
    chosen = played[:MOST_RECORDS]
    texts = await asyncio.gather(*(record_of(request, one.unit, one.rotation) for one in chosen))

    def count() -> tuple[list[Called], list[Kept]]:
        return habits([(replay(text), list(one.bots).index(name)) for one, text in zip(chosen, texts, strict=True)])

    called, kept = await run_in_threadpool(count)
    return await page(
        request, "bot_style.html", bot=name, tournament=tournament, matches=len(chosen), called=called, kept=kept
    )


async def log(request: Request) -> Response:
    """What the process that played a match did and wrote, for the owner."""
    where = request.path_params
    api = api_of(request)
    asked = pb.GetRunLogRequest(
        bot=where["bot"], tournament=where["tournament"], unit=where["unit"], rotation=where["rotation"]
    )
    found = await api.ask(api.bots.GetRunLog, asked, await visitor_of(request))
    return await page(request, "bot_log.html", found=found, **where)


async def _for_owner(request: Request, call: Call[Answer], asked: object) -> Answer | None:
    """The answer if the visitor may have it."""
    try:
        return await api_of(request).ask(call, asked, await visitor_of(request))
    except (NotAllowed, NotFound):
        return None


def _place(match: str) -> str:
    """The address of the faults in a match, below that of the bot's faults; empty for a match of no tournament."""
    found = re.fullmatch(r"([a-z0-9.-]+), unit (\d+), rotation (\d+)", match)
    return f"{found[1]}?unit={found[2]}&rotation={found[3]}" if found else ""


async def _nothing() -> None:
    """For what a remote bot does not have."""


ROUTES = [
    Route("/bots", listing),
    Route("/bots/{bot}", show),
    Route("/bots/{bot}/style/{tournament}", style),
    Route("/bots/{bot}/log/{tournament}/{unit:number}/{rotation:number}", log),
]
