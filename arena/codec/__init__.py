"""Engine observations and the messages that carry them, both ways. The only place where both are in scope; knows no
stream, no clock and no rules. One module per view shape."""

from arena.codec.pairs import read_pairs, write_pairs
from arena.codec.trick import read_trick, write_trick
from arena.v1.play_pb2 import Turn
from engine.game import Observation
from engine.pairs import PairsObservation
from engine.tricks import TrickObservation


def write_view(observation: Observation, turn: Turn) -> None:
    """Puts the observation into the turn: its seat, its phase and its view.

    :raises TypeError: if there is no view of that shape.
    """
    if isinstance(observation, TrickObservation):
        turn.seat = observation.seat
        turn.phase = observation.phase
        write_trick(observation, turn.trick)
    elif isinstance(observation, PairsObservation):
        turn.seat = observation.seat
        turn.phase = observation.phase
        write_pairs(observation, turn.pairs)
    else:
        raise TypeError(f"There is no view for a {type(observation).__name__}: write a module for it in arena/codec.")


def read_view(turn: Turn, seats: int) -> TrickObservation | PairsObservation:
    """The observation that the turn carries, equal to the one that was written.

    :raises ValueError: if the turn carries no view that is known here: the sender speaks a newer protocol.
    """
    match turn.WhichOneof("view"):
        case "trick":
            return read_trick(turn.trick, turn.seat, seats, turn.phase)
        case "pairs":
            return read_pairs(turn.pairs, turn.seat, seats, turn.phase)
        case _:
            raise ValueError(f"The turn of match {turn.match_id} carries no view that this version of arena can read.")
