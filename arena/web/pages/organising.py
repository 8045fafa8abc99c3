"""What an organiser does to a tournament, each act behind a page that says what becomes of it. Knows no ledger: who may
do what is decided by the API."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arena.errors import BadRequest, Exhausted, NotAllowed, NotFound, WrongState
from arena.scopes import ORGANISE
from arena.v1 import oversight_pb2
from arena.v1 import tournament_pb2 as pb
from arena.web.api import Api, Call, Visitor
from arena.web.fields import Mistake, count_in, counts_in
from arena.web.page import page
from arena.web.session import api_of, visitor_of

MOST_NAMED = 1000
"""Bots of a tournament that are offered by name."""

Sent = Mapping[str, str]

OPEN = pb.TOURNAMENT_STATE_OPEN
RUNNING = pb.TOURNAMENT_STATE_RUNNING


@dataclass(frozen=True, slots=True)
class Act:
    """An act: its name, what becomes of it, what it asks for, and how it is asked of the API. ``offered`` tells of a
    tournament whether it can be done to it just now; ``theirs`` acts are also those of a bot's owner."""

    title: str
    text: str
    fields: tuple[str, ...]
    offered: Callable[[pb.Tournament], bool]
    asked: Callable[[Api, str, Sent], tuple[Call[object], object]]
    theirs: bool = False


ACTS = {
    "start": Act(
        "Close the entries and start",
        "The versions freeze, the tables are drawn, and nobody enters any more.",
        (),
        lambda one: one.state == OPEN and not one.every_s and len(one.bots) > 0,
        lambda api, name, _: (api.tournaments.StartTournament, pb.StartTournamentRequest(tournament=name)),
    ),
    "enter": Act(
        "Enter bots",
        "Owners enter their own bots, and whoever decides about the tournament anybody's.",
        ("bots", "known"),
        lambda one: one.state == OPEN,
        lambda api, name, sent: (
            api.tournaments.EnterTournament,
            pb.EnterTournamentRequest(tournament=name, bots=sent.get("bots", "").split(), known="known" in sent),
        ),
        theirs=True,
    ),
    "leave": Act(
        "Take bots out",
        "They may be entered again while it is open. Of a ladder they play in no period to come.",
        ("bots",),
        lambda one: one.state == OPEN and len(one.bots) > 0,
        lambda api, name, sent: (
            api.tournaments.LeaveTournament,
            pb.LeaveTournamentRequest(tournament=name, bots=sent.get("bots", "").split()),
        ),
        theirs=True,
    ),
    "close": Act(
        "Close the ladder",
        "The period that is played is played to its end, and none follows.",
        (),
        lambda one: one.state == OPEN and bool(one.every_s),
        lambda api, name, _: (api.tournaments.CloseTournament, pb.CloseTournamentRequest(tournament=name)),
    ),
    "retry": Act(
        "Play given up blocks anew",
        "New units with new cards are played in their place, and rated when they are played. Mend the cause first. "
        "Without numbers: all that wait for a decision.",
        ("blocks",),
        lambda one: one.state == RUNNING and one.blocks_void > 0,
        lambda api, name, sent: (
            api.tournaments.RetryBlocks,
            pb.RetryBlocksRequest(tournament=name, blocks=counts_in(sent, "blocks")),
        ),
    ),
    "void": Act(
        "Do without blocks or units",
        "A block that is not yet played is given up; of one that was played no unit counts. A unit that was played "
        "counts no more, in none of its rotations. Without numbers: all blocks that wait for a decision. This cannot "
        "be taken back.",
        ("blocks", "units", "reason"),
        lambda one: one.blocks > 0 and not one.every_s,
        lambda api, name, sent: (
            api.tournaments.VoidBlocks,
            pb.VoidBlocksRequest(
                tournament=name,
                blocks=counts_in(sent, "blocks"),
                units=counts_in(sent, "units"),
                reason=sent.get("reason", ""),
            ),
        ),
    ),
    "disqualify": Act(
        "Disqualify a bot",
        "No unit counts at whose table it sat, its blocks that are not yet played are given up, and it enters this "
        "tournament no more. Of a field only its table does not count. This cannot be taken back.",
        ("bot", "reason"),
        lambda _: True,
        lambda api, name, sent: (
            api.tournaments.DisqualifyBot,
            pb.DisqualifyBotRequest(tournament=name, bot=sent.get("bot", "").strip(), reason=sent.get("reason", "")),
        ),
    ),
    "cancel": Act(
        "Cancel the tournament",
        "What is not yet played is given up, and no unit counts of an orbit that is not complete; complete orbits stay "
        "rated. The secret is told. This cannot be taken back.",
        ("reason",),
        lambda one: one.state in (OPEN, RUNNING) and not one.every_s,
        lambda api, name, sent: (
            api.tournaments.CancelTournament,
            pb.CancelTournamentRequest(tournament=name, reason=sent.get("reason", "")),
        ),
    ),
    "settle": Act(
        "Settle an alarm",
        "It is listed no more. Nothing else changes: a block that was given up waits for a decision as before.",
        ("alarm", "reason"),
        lambda one: len(one.alarms) > 0,
        lambda api, _, sent: (
            api.oversight.SettleAlarm,
            oversight_pb2.SettleAlarmRequest(alarm=count_in(sent, "alarm"), reason=sent.get("reason", "")),
        ),
    ),
}
"""By their names in addresses, in the order in which they are offered."""


def acts_of(found: pb.Tournament, visitor: Visitor) -> dict[str, Act]:
    """What the visitor may do to a tournament as it stands."""
    if ORGANISE not in visitor.scopes:
        return {}
    theirs = not found.private
    return {
        name: act for name, act in ACTS.items() if (found.decides or (act.theirs and theirs)) and act.offered(found)
    }


async def confirm(request: Request) -> Response:
    """Says what becomes of an act, and asks for what it takes; what stands in the address is filled in."""
    return await _form(request, dict(request.query_params))


async def perform(request: Request) -> Response:
    """Does it, and says what was done where that is not seen at once."""
    name, act = request.path_params["tournament"], _act(request)
    sent = {key: str(value) for key, value in (await request.form()).items()}
    api, visitor = api_of(request), await visitor_of(request)
    try:
        call, asked = act.asked(api, name, sent)
        done = await api.ask(call, asked, visitor)
    except (BadRequest, NotFound, WrongState, Exhausted) as error:
        return await _form(request, sent, str(error), error.at if isinstance(error, Mistake) else "")
    if isinstance(done, pb.Decision):
        return await page(request, "decided.html", name=name, act=act, said=done.said)
    return RedirectResponse(f"/tournaments/{name}", 303)


async def _form(request: Request, sent: Sent, wrong: str = "", at: str = "") -> Response:
    name, act = request.path_params["tournament"], _act(request)
    api, visitor = api_of(request), await visitor_of(request)
    found = await api.ask(api.tournaments.GetTournament, pb.GetTournamentRequest(tournament=name), visitor)
    if act not in acts_of(found, visitor).values() and not wrong:
        raise NotAllowed(f"this cannot be done to '{name}' just now, or not by you; its page offers what you may do")
    return await page(
        request,
        "act.html",
        400 if wrong else 200,
        found=found,
        act=act,
        sent=sent,
        wrong=wrong,
        at=at,
        bots=found.bots[:MOST_NAMED],
        gauntlet=found.format == pb.TOURNAMENT_FORMAT_GAUNTLET,
    )


def _act(request: Request) -> Act:
    act = ACTS.get(request.path_params["act"])
    if act is None:
        raise NotFound("there is no such page")
    return act


ROUTES = [
    Route("/tournaments/{tournament}/organise/{act}", confirm),
    Route("/tournaments/{tournament}/organise/{act}", perform, methods=["POST"]),
]
