"""The view of a game of shown pairs: PairsObservation and PairsView. Knows no other shape."""

from arena.v1.view_pb2 import PairsView
from engine.pairs import PairsObservation


def write_pairs(observation: PairsObservation, view: PairsView) -> None:
    """Fills an empty view."""
    view.round = observation.round
    view.playable = observation.playable
    view.resting = observation.resting
    view.spent = observation.spent
    view.shown = observation.shown
    view.points.extend(observation.points)
    view.tokens = observation.tokens
    view.last_won = observation.last_won
    view.shows = observation.shows
    view.keeps = observation.keeps


def read_pairs(view: PairsView, seat: int, seats: int, phase: int) -> PairsObservation:
    """The observation of the view."""
    return PairsObservation(
        seat=seat,
        seats=seats,
        phase=phase,
        round=view.round,
        playable=view.playable,
        resting=view.resting,
        spent=view.spent,
        shown=view.shown,
        points=tuple(view.points),
        tokens=view.tokens,
        last_won=view.last_won,
        shows=view.shows,
        keeps=view.keeps,
    )
