"""What a bot did wrong in a tournament: how often, of which kind, and at which step of which match. Knows no rules."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.v1 import match_pb2
from arena.web.numbers import numbers, whole
from arena.web.page import page
from arena.web.pages.records import MOST_RECORDS, matches_of, record_of
from arena.web.replay import Replay, replay
from engine.record import FORFEITED


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a seat, or its forfeit: the step of the match shows what was played instead."""

    unit: int
    rotation: int
    step: int
    seat: int
    kind: str
    reason: str


CSV = ("tournament", "bot", *(field.name for field in fields(Fault)))


async def show(request: Request) -> Response:
    """The faults in the first matches in which there are some, or with `?unit=` and `?rotation=` those of one match."""
    where, query = request.path_params, request.query_params
    bot, tournament = where["bot"], where["tournament"]
    if "unit" in query:
        faulty = [match_pb2.Match(unit=whole(query, "unit"), rotation=whole(query, "rotation"))]
        looked, all_looked = len(faulty), True
    else:
        played, all_looked = await matches_of(request, bot)
        looked = len(played)
        faulty = [one for one in played if one.faults[list(one.bots).index(bot)]]
    chosen = faulty[:MOST_RECORDS]
    texts = await asyncio.gather(*(record_of(request, one.unit, one.rotation) for one in chosen))

    def read() -> list[Fault]:
        return [
            fault
            for one, text in zip(chosen, texts, strict=True)
            for fault in faults_of(replay(text), bot, one.unit, one.rotation)
        ]

    found = await run_in_threadpool(read)
    if given := numbers(request, CSV, ((tournament, bot, *astuple(one)) for one in found)):
        return given
    return await page(
        request,
        "bot_faults.html",
        bot=bot,
        tournament=tournament,
        faults=found,
        kinds=Counter(one.kind for one in found),
        matches=len(faulty),
        read=len(chosen),
        looked=looked,
        all_looked=all_looked,
        chosen=urlencode({name: query[name] for name in ("unit", "rotation") if name in query}),
    )


def faults_of(replayed: Replay, bot: str, unit: int, rotation: int) -> Iterator[Fault]:
    """What the bot did wrong in a match, in order, and its forfeit once."""
    forfeited = False
    players = replayed.record.header["players"]
    for step, decision in enumerate(replayed.record.decisions, start=1):
        if players[decision.seat] != bot or not decision.fault or (forfeited and decision.fault == FORFEITED):
            continue
        forfeited = decision.fault == FORFEITED
        yield Fault(unit, rotation, step, decision.seat, decision.fault, decision.reason)


ROUTES = [Route("/bots/{bot}/faults/{tournament}", show)]
