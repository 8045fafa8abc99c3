"""Matches that have been played: a list, one to step through, and a deal at all its rotations side by side. Knows no
rules: what lies on a table is drawn by :mod:`arena.web.tables`."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import engine
from arena.errors import NotFound
from arena.referee.times import clock_of_record, seat_times
from arena.v1 import match_pb2, tournament_pb2
from arena.web.duplicate import Table, board, length, losses, rows
from arena.web.page import page
from arena.web.replay import Moment, Replay, replay
from arena.web.session import api_of, visitor_of
from arena.web.tables import Ended, Look, draw, ended, options_of
from engine.record import FORFEITED, Decision

MOST_TABLES = 16
"""A unit is played in at most as many rotations as a table has seats, or at the tables of a field."""

MOST_LOSSES = 10
PER_PAGE = 100
AT_ONCE = 1000
"""Matches of one request, where those of a bot are looked for."""
MOST_LOOKED = 20_000
"""More are not looked through while somebody waits."""
MOST_RECORDS = 40
"""More are not played again while somebody waits."""


async def matches(request: Request) -> Response:
    """The finished matches of a tournament, a page at a time."""
    name = request.path_params["tournament"]
    asked = match_pb2.ListMatchesRequest(
        tournament=name, page_size=PER_PAGE, page_token=request.query_params.get("after", "")
    )
    api = api_of(request)
    found = await api.ask(api.matches.ListMatches, asked, await visitor_of(request))
    after = urlencode({"after": found.next_page_token}) if found.next_page_token else ""
    return await page(request, "matches.html", tournament=name, matches=found.matches, after=after)


async def match(request: Request) -> Response:
    """One step of a match: `?step=` from 0, `?seat=` for what that seat saw; all hands are open without it."""
    where = request.path_params
    text = await record_of(request, where["unit"], where["rotation"])
    step = await run_in_threadpool(shown, text, request.query_params)
    step["links"] = [f"/bots/{bot}" for bot in step["players"]]
    beside = {"deal": step["deal"].number, "step": step["step"] - step["deal"].first}
    if step["seat"] is not None:
        beside["bot"] = step["players"][step["seat"]]
    return await page(request, "match.html", beside=urlencode(beside), **where, **step)


async def record(request: Request) -> Response:
    """The record as a file."""
    where = request.path_params
    text = await record_of(request, where["unit"], where["rotation"])
    name = f"{where['tournament']}-{where['unit']}-{where['rotation']}.jsonl"
    return Response(
        text, media_type="application/jsonl", headers={"content-disposition": f'attachment; filename="{name}"'}
    )


async def deal(request: Request) -> Response:
    """A unit: the same cards in every rotation, or at every table of a field, seat by seat. `?deal=` is the one that
    is shown side by side, from 1, `?step=` a step of it, and `?bot=` whose hands are looked at."""
    name, unit = request.path_params["tournament"], request.path_params["unit"]
    api, visitor = api_of(request), await visitor_of(request)
    asked = match_pb2.ListMatchesRequest(
        tournament=name, page_size=MOST_TABLES, page_token=f"{unit - 1}.{1 << 30}" if unit else ""
    )
    tournament, found = await asyncio.gather(
        api.ask(api.tournaments.GetTournament, tournament_pb2.GetTournamentRequest(tournament=name), visitor),
        api.ask(api.matches.ListMatches, asked, visitor),
    )
    rotations = [one for one in found.matches if one.unit == unit]
    if not rotations:
        raise NotFound(f"unit {unit} of '{name}' has not been played; the list of matches has those that have")
    game = engine.load_with(tournament.game, tournament.seats, dict(tournament.options))
    totals: Counter[str] = Counter()
    for one in rotations:
        totals.update(dict(zip(one.bots, one.scores, strict=True)))
    try:
        texts = await asyncio.gather(*(record_of(request, unit, one.rotation) for one in rotations))
    except NotFound as error:
        texts, pruned = [], str(error)
    else:
        pruned = ""
    return await page(
        request,
        "deal.html",
        tournament=name,
        unit=unit,
        game=game.id,
        rotations=rotations,
        field=tournament.unit_kind == "field",
        write=game.write_score,
        unit_score=10**game.score_decimals,
        totals=totals.most_common(),
        pruned=pruned,
        **(await run_in_threadpool(_beside, game, rotations, texts, request.query_params) if texts else {}),
    )


def _beside(
    game: engine.Game, rotations: Sequence[match_pb2.Match], texts: Sequence[str], asked: Any
) -> dict[str, Any]:
    """What the page of a unit shows of one deal.

    :raises WrongState: if a record does not hold.
    """
    tables = [Table(one.rotation, tuple(one.bots), replay(text)) for one, text in zip(rotations, texts, strict=True)]
    names = sorted({bot for table in tables for bot in table.bots})
    bot = asked.get("bot", "")
    bot = bot if bot in names else ""
    deals = max(table.replay.deals[-1].number for table in tables)
    number = _whole(asked.get("deal"), 1, deals) or 1
    steps = length(tables, number)
    step = _whole(asked.get("step"), 0, steps) or 0
    return {
        "names": names,
        "bot": bot,
        "word": tables[0].replay.deals[0].word,
        "deals": deals,
        "deal": number,
        "steps": steps,
        "step": step,
        "rows": rows(game, tables, number, bot),
        "losses": losses(tables, bot, MOST_LOSSES) if bot else [],
        "boards": [(table, board(table, number, step)) for table in tables],
    }


async def record_of(request: Request, unit: int, rotation: int) -> str:
    """The record of a match of the tournament that the address names.

    :raises NotFound: if it may not be read yet, or is not kept any more.
    """
    api = api_of(request)
    asked = match_pb2.GetRecordRequest(tournament=request.path_params["tournament"], unit=unit, rotation=rotation)
    found = await api.ask(api.matches.GetRecord, asked, await visitor_of(request))
    return str(found.text)


async def matches_of(request: Request, bot: str, enough: int = MOST_LOOKED) -> tuple[list[match_pb2.Match], bool]:
    """The bot's matches in the tournament that the address names, in order, and whether these are all: no more are
    looked for when there are enough.

    :raises NotFound: if it has played none, or none of those that are looked through.
    """
    api, visitor = api_of(request), await visitor_of(request)
    name = request.path_params["tournament"]
    asked = match_pb2.ListMatchesRequest(tournament=name, page_size=AT_ONCE)
    own: list[match_pb2.Match] = []
    for _ in range(MOST_LOOKED // AT_ONCE):
        found = await api.ask(api.matches.ListMatches, asked, visitor)
        own += [one for one in found.matches if bot in one.bots]
        asked.page_token = found.next_page_token
        if not asked.page_token or len(own) >= enough:
            break
    if not own:
        where = f"in the first {MOST_LOOKED:,} matches of '{name}'" if asked.page_token else f"in '{name}' yet"
        raise NotFound(f"'{bot}' has not played {where}")
    return own, not asked.page_token


def shown(text: str, asked: Any, *, begun: bool = False) -> dict[str, Any]:
    """What the page of a step of a record shows. With ``begun`` the record has no end, and where no step is asked for,
    its last deal begins.

    :raises WrongState: if the record does not hold.
    """
    found = replay(text, begun=begun)
    record, game = found.record, found.record.game
    first = found.deals[-1].first if begun else 0
    wanted = _whole(asked.get("step"), 0, found.steps)
    moment, state = found.at(first if wanted is None else wanted)
    step, last = moment.step, moment.last
    seat = _whole(asked.get("seat"), 0, game.seats - 1)
    secret = _hides(moment, seat)
    open_hand = last is not None and not secret and seat in {None, last.seat}
    index = found.deal_at(step)
    faults = _faults(record.decisions)
    header, limits = record.header, clock_of_record(record)
    return {
        "game": game.id,
        "players": header["players"],
        "links": [""] * game.seats,
        "notes": [""] * game.seats,
        "versions": header.get("versions", [""] * game.seats),
        "clock": header.get("clock", ""),
        "step": step,
        "steps": found.steps,
        "seat": seat,
        "last": last,
        "secret": secret,
        "said": options_of(game, (last.action,))[0] if last is not None else None,
        "could": options_of(game, [one for one in moment.could if one != last.action]) if last and open_hand else (),
        "table": draw(state, Look(seat, moment.legal), how_before_ended(found, index)),
        "deals": found.deals,
        "deal": found.deals[index],
        "began": max((one.first for one in found.deals if one.first < step), default=0),
        "next_deal": min((one.first for one in found.deals if one.first > step), default=found.steps),
        "faults": faults,
        "fault_before": max((number for number, _ in faults if number < step), default=None),
        "fault_after": min((number for number, _ in faults if number > step), default=None),
        "faulty": [sum(one.seat == own and one.fault != FORFEITED for _, one in faults) for own in range(game.seats)],
        "over": step == found.steps and not begun,
        "played_out": not record.end.to_act(),
        "scores": [game.write_score(score) for score in record.scores],
        "write_score": game.write_score,
        "places": record.places,
        "forfeited": record.forfeited,
        "times": seat_times(record, step),
        "banked": limits is not None and bool(limits.bank_ms or limits.increment_ms),
    }


def how_before_ended(found: Replay, index: int) -> Ended | None:
    """How the deal before the one of that index ended."""
    if not index:
        return None
    before = found.deals[index - 1]
    moves = [(one.seat, one.action) for one in found.record.decisions[before.first : before.last]]
    return ended(found.record.game, moves, before.trump, before.last) if before.scores else None


def _faults(decisions: Sequence[Decision]) -> list[tuple[int, Decision]]:
    """The faults with their steps, and from where the house plays for a forfeited seat."""
    found: list[tuple[int, Decision]] = []
    out: set[int] = set()
    for step, one in enumerate(decisions, start=1):
        if one.fault and not (one.fault == FORFEITED and one.seat in out):
            found.append((step, one))
        if one.fault == FORFEITED:
            out.add(one.seat)
    return found


def _hides(moment: Moment, seat: int | None) -> bool:
    """Whether the last decision is another seat's secret."""
    return moment.secret and seat is not None and moment.last is not None and moment.last.seat != seat


def _whole(text: str | None, low: int, high: int) -> int | None:
    """The number, brought into its range; None for what is none."""
    if not text or not text.isascii() or not text.isdigit() or len(text) > 9:
        return None
    return max(low, min(int(text), high))


ROUTES = [
    Route("/tournaments/{tournament}/matches", matches),
    Route("/tournaments/{tournament}/matches/{unit:number}", deal),
    Route("/tournaments/{tournament}/matches/{unit:number}/{rotation:number}", match),
    Route("/tournaments/{tournament}/matches/{unit:number}/{rotation:number}/record", record),
]
