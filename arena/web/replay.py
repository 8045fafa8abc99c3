"""A record, or its beginning, as a match that can be stepped through. Knows no page and no game's shape.

Step n is the match after its first n decisions. Those of a moment at which several choose lie one after the other, in
the order of the record, and what is hidden until the last one is in stays hidden.
"""

from dataclasses import dataclass
from functools import lru_cache

from arena.errors import WrongState
from arena.web.deals import Deal, deals_of, take
from engine.game import State
from engine.record import Decision, RecordError, Verified, read_beginning, verify

KEPT = 64
"""Records that are kept played; a viewer asks for the same one again and again, and a field has 16 at a time."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A step: what has been decided last, all that its seat could do, whether it is its secret until others have
    chosen, too, and who may do what now. ``legal`` has texts, by seat that is to act: nobody when the match is over,
    nor at the end of a beginning, where the finished deal still lies on the table."""

    step: int
    last: Decision | None
    could: tuple[int, ...]
    secret: bool
    legal: dict[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Replay:
    """A record that holds, and its deals."""

    record: Verified
    deals: tuple[Deal, ...]

    @property
    def steps(self) -> int:
        """The last step."""
        return len(self.record.decisions)

    def at(self, step: int) -> tuple[Moment, State]:
        """The match after so many decisions; beyond the end, at the end."""
        step = max(0, min(step, self.steps))
        write = self.record.game.write
        state = self.record.start.clone()
        acted: tuple[int, ...] = ()
        could: tuple[int, ...] = ()
        acting = state.to_act()
        for number, decision in enumerate(self.record.decisions[:step], start=1):
            if number == step:
                could = tuple(state.legal(decision.seat))
            acted, acting = acting, take(state, decision)
        last = self.record.decisions[step - 1] if step else None
        secret = last is not None and acting == tuple(seat for seat in acted if seat != last.seat) != ()
        legal = {seat: tuple(map(write, state.legal(seat))) for seat in acting}
        return Moment(step, last, could, secret, legal), state

    def deal_at(self, step: int) -> int:
        """The index of the deal that lies on the table at a step; at the end, that of the last one."""
        return max((at for at, deal in enumerate(self.deals) if deal.first <= step), default=0)


@lru_cache(KEPT)
def replay(text: str, *, begun: bool = False) -> Replay:
    """The record, verified; with ``begun`` that of which only a beginning is told.

    :raises WrongState: if it does not hold.
    """
    try:
        record = read_beginning(text) if begun else verify(text)
    except RecordError as error:
        raise WrongState(f"this record does not hold, and is not shown: {error}") from error
    return Replay(record, deals_of(record))
