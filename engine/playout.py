"""Random play to the end of a match, the same on every machine. Knows no game."""

from engine.game import State

_M1 = 2147483563
_M2 = 2147483399


def playout(state: State, seed: int) -> State:
    """The match played to its end by seats that choose uniformly among their legal actions; ``state`` stays as it is.

    The numbers come from L'Ecuyer's pair of multiplicative generators, which stay below 2^63; ``seed`` is 0 or greater.
    """
    end = state.clone()
    phases = end.game.phases
    x = seed % (_M1 - 1) + 1
    y = seed // (_M1 - 1) % (_M2 - 1) + 1
    while True:
        waiting = end.to_act()
        if not waiting:
            return end
        first = phases[end.phase()].first
        for seat in waiting:
            mask = end.legal_mask(seat)
            x = 40014 * x % _M1
            y = 40692 * y % _M2
            for _ in range((x + y) % mask.bit_count()):
                mask &= mask - 1
            end.apply_unchecked(seat, first + (mask & -mask).bit_length() - 1)
