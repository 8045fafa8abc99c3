"""The schedule of a tournament: every table with who sits there and how far it is, and how even it all is. Knows no
draw."""

import asyncio
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import Exhausted, WrongState
from arena.v1 import tournament_pb2 as pb
from arena.web.numbers import numbers
from arena.web.page import page
from arena.web.pages.tournaments import format_of, standings_for, tournament_of
from arena.web.session import api_of, visitor_of

PER_PAGE = 100
AT_ONCE = 1000
"""Blocks of one request, where all are asked for."""
MOST = 200_000
"""A file has no more blocks."""

STATES = {
    "waiting": pb.BLOCK_STATE_WAITING,
    "being played": pb.BLOCK_STATE_PLAYING,
    "done": pb.BLOCK_STATE_DONE,
    "given up": pb.BLOCK_STATE_VOID,
    "replaced": pb.BLOCK_STATE_REPLACED,
}
NAMES = {state: name for name, state in STATES.items()}


async def show(request: Request) -> Response:
    """The blocks, a page at a time, all or those of `?bot=` or in `?state=`; as CSV and JSON all pages at once."""
    asked = request.query_params
    chosen = {name: asked.get(name, "").strip() for name in ("bot", "state")}
    wanted = pb.ListBlocksRequest(
        tournament=request.path_params["tournament"],
        page_size=PER_PAGE,
        page_token=asked.get("after", ""),
        bot=chosen["bot"],
        states=[STATES[chosen["state"]]] if chosen["state"] in STATES else [],
    )
    api, visitor = api_of(request), await visitor_of(request)
    columns = ["block", "orbit", "table", "bots", "first_unit", "units", "state", "replaces"]
    if asked.get("format"):
        rows = [_row(one) for one in await _all(request, wanted)]
        answer = numbers(
            request,
            columns,
            [[*row[:3], " ".join(row[3]), *row[4:]] for row in rows],
            lambda: [dict(zip(columns, row, strict=True)) for row in rows],
        )
        assert answer is not None
        return answer
    found, listed, balance, standings = await asyncio.gather(
        tournament_of(request),
        api.ask(api.tournaments.ListBlocks, wanted, visitor),
        _balance(request),
        standings_for(request),
    )
    following = {**{name: value for name, value in chosen.items() if value}, "after": listed.next_page_token}
    return await page(
        request,
        "schedule.html",
        found=found,
        format=format_of(found),
        blocks=listed.blocks,
        after=urlencode(following) if listed.next_page_token else "",
        narrowed=urlencode({name: value for name, value in chosen.items() if value}),
        chosen=chosen,
        states=tuple(STATES),
        names=NAMES,
        balance=balance,
        standings=standings,
    )


async def _all(request: Request, wanted: pb.ListBlocksRequest) -> list[pb.Block]:
    api, visitor = api_of(request), await visitor_of(request)
    blocks: list[pb.Block] = []
    wanted.page_size, wanted.page_token = AT_ONCE, ""
    while len(blocks) < MOST:
        found = await api.ask(api.tournaments.ListBlocks, wanted, visitor)
        blocks += found.blocks
        wanted.page_token = found.next_page_token
        if not wanted.page_token:
            break
    return blocks


async def _balance(request: Request) -> pb.TournamentPlan | None:
    """None of what is not drawn, and of what is too long to be counted while somebody waits."""
    api = api_of(request)
    asked = pb.GetBalanceRequest(tournament=request.path_params["tournament"])
    try:
        found: pb.TournamentPlan = await api.ask(api.tournaments.GetBalance, asked, await visitor_of(request))
    except (WrongState, Exhausted):
        return None
    return found


def _row(block: pb.Block) -> list[Any]:
    return [
        block.block,
        block.orbit,
        block.table,
        list(block.bots),
        block.first_unit,
        block.units,
        NAMES.get(block.state, ""),
        block.replaces or None,
    ]


ROUTES = [Route("/tournaments/{tournament}/schedule", show)]
