"""A record as a match that can be stepped through. Knows no page and no game's shape.

Step n is the match after its first n decisions. Those of a moment at which several choose lie one after the other, in
the order of the record, and what is hidden until the last one is in stays hidden.
"""

from dataclasses import dataclass
from functools import lru_cache

from arena.errors import WrongState
from engine.game import State
from engine.record import Decision, RecordError, Verified, verify

KEPT = 32
"""Records that are kept played; a viewer asks for the same one again and again."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A step: what has been decided last, whether that is its seat's secret until others have chosen, too, and who may
    do what now. ``legal`` has texts, by seat that is to act."""

    step: int
    last: Decision | None
    secret: bool
    legal: dict[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Replay:
    """A record that holds."""

    record: Verified

    @property
    def steps(self) -> int:
        """The last step."""
        return len(self.record.decisions)

    def at(self, step: int) -> tuple[Moment, State]:
        """The match after so many decisions; beyond the end, at the end."""
        step = max(0, min(step, self.steps))
        state = self.record.start.clone()
        acting: tuple[int, ...] = ()
        for decision in self.record.decisions[:step]:
            acting = state.to_act()
            state.apply_unchecked(decision.seat, decision.action)
        last = self.record.decisions[step - 1] if step else None
        secret = last is not None and state.to_act() == tuple(seat for seat in acting if seat != last.seat) != ()
        write = self.record.game.write
        legal = {seat: tuple(write(action) for action in state.legal(seat)) for seat in state.to_act()}
        return Moment(step, last, secret, legal), state

    def deals(self) -> list[int]:
        """The steps at which a deal begins, the first one too."""
        state = self.record.start.clone()
        began, seen = [0], (state.deal, state.redeal)
        for step, decision in enumerate(self.record.decisions, start=1):
            state.apply_unchecked(decision.seat, decision.action)
            if state.to_act() and (state.deal, state.redeal) != seen:
                seen = (state.deal, state.redeal)
                began.append(step)
        return began


@lru_cache(KEPT)
def replay(text: str) -> Replay:
    """The record, verified.

    :raises WrongState: if it does not hold.
    """
    try:
        return Replay(verify(text))
    except RecordError as error:
        raise WrongState(f"this record does not hold, and is not shown: {error}") from error
