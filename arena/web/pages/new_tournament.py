"""Making a tournament: its form, what would be played, and the making. Knows no schedule."""

import contextlib
import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

import engine
from arena.errors import (
    AlreadyExists,
    ArenaError,
    BadRequest,
    Exhausted,
    NotFound,
    NotLoggedIn,
    Unavailable,
    WrongState,
)
from arena.referee.presets import PRESETS, read_clock
from arena.scopes import ORGANISE
from arena.v1 import tournament_pb2 as pb
from arena.web.fields import Mistake, count_in
from arena.web.formats import FORMATS
from arena.web.options import PREFIX, option_fields, option_refused, options_in
from arena.web.page import page
from arena.web.session import api_of, visitor_of
from engine.options import write_value

NOW, LATER, UNTIL = "now", "later", "until"
"""When it starts: at once, by hand, or by itself at a time."""

MOST_SECONDS = (1 << 32) - 1
"""A message has room for no more, and fewer are too many for the API."""

FIELDS = (
    (r"cannot name a tournament|^the name '", "name"),
    (r"^orbits is|periods instead of orbits", "orbits"),
    (r"^units is", "units"),
    (r"^batch", "batch"),
    (r"^every_s", "every"),
    (r"is over; let the entries close|^open_until", "until"),
    (r"so short a clock|^the clock's", "clock"),
    (r"to meet:|no gauntlet", "against"),
    (r"\b(bots?|owners|entry|entered)\b", "bots"),
)
"""Which field a refusal of the API is about: the first whose words it has."""


async def form(request: Request) -> Response:
    """Asks what is to be played: first the game, with `?game=` the rest. What else stands in the address is filled in,
    and `?preset=` the options that it has."""
    sent = dict(request.query_params)
    if not sent.get("game"):
        _organiser((await visitor_of(request)).scopes)
        return await page(request, "choose_game.html", kinds=engine.GAMES)
    kind = engine.GAMES.get(sent["game"])
    for option, value in (kind.presets.get(sent.get("preset", ""), {}) if kind else {}).items():
        sent.setdefault(f"{PREFIX}{option}", write_value(value))
    return await _form(request, sent)


async def create(request: Request) -> Response:
    """Makes a tournament of what was asked, or tells what would be played. What cannot be played as it is meant to
    start at once is not made."""
    sent = {name: str(value) for name, value in (await request.form()).items()}
    api, visitor = api_of(request), await visitor_of(request)
    _organiser(visitor.scopes)
    try:
        wanted = _wanted(sent)
        at_once = sent.get("when") == NOW and wanted.format != pb.TOURNAMENT_FORMAT_LADDER
        if at_once and not wanted.bots:
            raise Mistake("bots", "nobody is to play; name bots, or leave it open for entries")
        dry = pb.PlanTournamentRequest(create=wanted)
        if sent.get("act") == "plan":
            return await _form(request, sent, plan=await api.ask(api.tournaments.PlanTournament, dry, visitor))
        if at_once:
            # Of a form that is sent twice the tournament has started, and a long one is too long to plan.
            with contextlib.suppress(WrongState, Exhausted):
                await api.ask(api.tournaments.PlanTournament, dry, visitor)
        made = await api.ask(api.tournaments.CreateTournament, wanted, visitor)
    except Unavailable:
        raise
    except ArenaError as error:
        return await _form(request, sent, error)
    if at_once and made.state == pb.TOURNAMENT_STATE_OPEN:
        start = pb.StartTournamentRequest(tournament=made.tournament)
        # If it cannot start any more it stays open, and its page says why.
        with contextlib.suppress(BadRequest, WrongState):
            await api.ask(api.tournaments.StartTournament, start, visitor)
    return RedirectResponse(f"/tournaments/{made.tournament}", 303)


async def _form(
    request: Request,
    sent: Mapping[str, str],
    error: ArenaError | None = None,
    plan: pb.TournamentPlan | None = None,
) -> Response:
    _organiser((await visitor_of(request)).scopes)
    kind = engine.GAMES.get(sent.get("game", ""))
    if kind is None:
        raise NotFound(f"there is no game '{sent.get('game', '')[:40]}'; there are {', '.join(engine.GAMES)}")
    return await page(
        request,
        "new_tournament.html",
        400 if error else 200,
        kind=kind,
        # A form that is sent twice makes one tournament.
        sent={"request_id": str(uuid.uuid4()), "when": NOW, "format": FORMATS[0].name} | dict(sent),
        wrong=str(error) if error else "",
        at=_field_of(error) if error else "",
        plan=plan,
        formats=FORMATS,
        counts=[(count, count) for count in kind.seat_counts],
        options=option_fields(kind),
        presets=tuple(PRESETS),
        now=f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        changed="act" in sent,
    )


def _organiser(scopes: tuple[str, ...]) -> None:
    if ORGANISE not in scopes:
        raise NotLoggedIn(f"to make a tournament takes a token for '{ORGANISE}'")


def _wanted(sent: Mapping[str, str]) -> pb.CreateTournamentRequest:
    """
    :raises Mistake: if a field cannot be read.
    """
    form = next((one for one in FORMATS if one.name == sent.get("format")), FORMATS[0])
    ladder, gauntlet = (form.number == one for one in (pb.TOURNAMENT_FORMAT_LADDER, pb.TOURNAMENT_FORMAT_GAUNTLET))
    wanted = pb.CreateTournamentRequest(
        tournament=sent.get("name", "").strip(),
        game=sent.get("game", ""),
        seats=count_in(sent, "seats"),
        options=options_in(sent),
        bots=sent.get("bots", "").split(),
        against=sent.get("against", "").split() if gauntlet else [],
        format=form.number,
        orbits=0 if ladder else count_in(sent, "orbits"),
        units=count_in(sent, "units"),
        clock=sent.get("clock", "").strip(),
        unrated="unrated" in sent,
        private="private" in sent,
        batch=count_in(sent, "batch") if ladder else 0,
        every_s=min(60 * count_in(sent, "every"), MOST_SECONDS) if ladder else 0,
        request_id=sent.get("request_id", ""),
    )
    try:
        game = engine.load_with(wanted.game, wanted.seats or None, dict(wanted.options))
    except ValueError as error:
        raise Mistake(option_refused(str(error)) or "seats", str(error)) from error
    try:
        if wanted.clock:
            read_clock(wanted.clock, game)
    except ValueError as error:
        raise Mistake("clock", str(error)) from error
    if sent.get("when") == UNTIL and not ladder:
        wanted.open_until.FromDatetime(_time(sent.get("until", "")))
    return wanted


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text.strip())
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise Mistake("until", "say until when, as 2026-12-24T18:00") from error


def _field_of(error: ArenaError) -> str:
    """The name of the field that an error is about; empty if it is about none, or nobody knows."""
    if isinstance(error, Mistake):
        return error.at
    if isinstance(error, AlreadyExists):
        return "name"
    return next((field for words, field in FIELDS if re.search(words, str(error))), "")


# Not below /tournaments, where it would be that of a tournament which somebody calls so.
ROUTES = [
    Route("/tournaments", create, methods=["POST"]),
    Route("/new-tournament", form),
]
