"""Random play to the end, the same on every machine. Knows no game."""

from collections.abc import Sequence

from engine.chance import Chance
from engine.game import State


def playout(state: State, seed: int) -> State:
    """The match played to its end by seats that choose evenly among their legal actions; ``state`` stays as it is.

    ``seed`` is a whole number from 0.
    """
    chance = Chance(seed)
    end = state.clone()
    phases = end.game.phases
    while True:
        waiting = end.to_act()
        if not waiting:
            return end
        first = phases[end.phase()].first
        for seat in waiting:
            end.apply_unchecked(seat, first + chance.index(end.legal_mask(seat)))


def playouts(states: Sequence[State], n: int, seed: int, *, match: bool = False) -> list[list[int]]:
    """What ``n`` playouts of each state score, added up by seat: the deals on the table or, with ``match`` and in a
    game without deals, the totals that the matches end with. The states stay as they are; none of them may be over.

    ``seed`` is a whole number from 0. This is much faster than :func:`playout`, and meant for search.

    :raises ValueError: if a match is over, or needs packs that it was not given.
    """
    chance = Chance(seed)
    sums: list[list[int]] = []
    for state in states:
        if not state.to_act():
            raise ValueError("A match that is over cannot be played out.")
        added = [0] * state.game.seats
        for _ in range(n):
            scores = state.play_out(chance, match)
            for seat in range(len(added)):
                added[seat] += scores[seat]
        sums.append(added)
    return sums
