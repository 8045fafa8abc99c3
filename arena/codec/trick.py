"""The view of a trick-taking game: TrickObservation and TrickView. Knows no other shape."""

from arena.v1.view_pb2 import TrickView
from engine.tricks import FinishedDeal, TrickObservation


def write_trick(observation: TrickObservation, view: TrickView) -> None:
    """Fills an empty view. Field by field, and what is mostly 0 or empty only when it is not: that is the fastest way,
    and this runs for every turn of every match."""
    view.deal = observation.deal
    if observation.redeal:
        view.redeal = observation.redeal
    if observation.extra:
        view.extra = observation.extra
    view.dealer = observation.dealer
    view.leader = observation.leader
    view.trump = observation.trump
    view.tricks = observation.tricks
    view.hand = observation.hand
    if observation.trick:
        view.trick = observation.trick
    view.calls = observation.calls
    view.won = observation.won
    view.history = observation.history
    view.leaders = observation.leaders
    if observation.laps:
        view.laps = observation.laps
    view.caller = observation.caller
    if observation.voids:
        view.voids = observation.voids
    view.totals.extend(observation.totals)
    last = observation.last
    if last is not None:
        finished = view.last
        finished.calls = last.calls
        finished.won = last.won
        finished.scores.extend(last.scores)


def read_trick(view: TrickView, seat: int, seats: int, phase: int) -> TrickObservation:
    """The observation of the view."""
    last = None
    if view.HasField("last"):
        last = FinishedDeal(calls=view.last.calls, won=view.last.won, scores=tuple(view.last.scores))
    return TrickObservation(
        seat=seat,
        seats=seats,
        phase=phase,
        deal=view.deal,
        redeal=view.redeal,
        extra=view.extra,
        dealer=view.dealer,
        leader=view.leader,
        trump=view.trump,
        tricks=view.tricks,
        hand=view.hand,
        trick=view.trick,
        calls=view.calls,
        won=view.won,
        history=view.history,
        leaders=view.leaders,
        laps=view.laps,
        caller=view.caller,
        voids=view.voids,
        totals=tuple(view.totals),
        last=last,
    )
