"""The worlds of Minus One: what a seat does not know is what the others are choosing. Knows no other game."""

import random
from typing import Final

from engine.minus_one import FIRST_KEEP, KEEP, MinusOne, MinusOneState
from engine.pairs import DECK_ROUNDS, PAIR_SETS, PairsObservation
from engine.worlds_shares import CONTRADICTION


class PairsWorlds:
    """All matches of Minus One that look to a seat as they do in its observation.

    Cards, decks and scores are public, and nobody has chosen yet in any of them: a choice that is in is not told, not
    even to whom it belongs.
    """

    __slots__ = ("_game", "_observation")

    def __init__(self, game: MinusOne, observation: PairsObservation) -> None:
        o = observation
        finished = len(o.shows) // o.seats
        if (
            o.seats != game.seats
            or not 0 <= o.seat < o.seats
            or len(o.keeps) != len(o.shows)
            or not finished <= o.round <= game.options.rounds
            or (o.round - finished) % DECK_ROUNDS
        ):
            raise ValueError(CONTRADICTION)
        self._game: Final = game
        self._observation: Final = o

    def draw(self, rng: random.Random) -> MinusOneState:
        """One of the matches."""
        o = self._observation
        seats = o.seats
        state = MinusOneState(self._game, o.round)
        shown = [PAIR_SETS.index(pair) for pair in o.shown]
        shows = [PAIR_SETS.index(pair) for pair in o.shows]
        actions: list[int] = []
        for at in range(0, len(shows), seats):
            actions += shows[at : at + seats]
            actions += [FIRST_KEEP + card - 1 for card in o.keeps[at : at + seats]]
        state.over = o.round == self._game.options.rounds
        state.stage = o.phase
        state.choices = [-1] * seats
        state.shown = shown if o.phase == KEEP else []
        state.spent = list(o.spent)
        state.resting = list(o.resting)
        state.points = list(o.points)
        state.tokens = list(o.tokens)
        state.last_won = list(o.last_won)
        state.actions = bytes(actions + state.shown)
        state.before = self._before(shows, rng)
        return state

    def _before(self, shows: list[int], rng: random.Random) -> bytes:
        """Points, tokens, last won rounds and resting cards when the deck was new. Where the observation forgets what
        was known then, anything that leads to what it says."""
        o = self._observation
        seats = o.seats
        points = list(o.points)
        tokens = list(o.tokens)
        finished = len(shows) // seats
        start = o.round - finished
        for at in range(0, len(shows), seats):
            keeps = o.keeps[at : at + seats]
            alone = [card for card in keeps if keeps.count(card) == 1]
            if alone:
                winner = keeps.index(min(alone))
                points[winner] -= min(alone)
                tokens[winner] -= 1
        if min(points) < 0 or min(tokens) < 0 or sum(tokens) > start:
            raise ValueError(CONTRADICTION)
        resting = list(o.resting) if not finished else [0] * seats
        if finished and start and self._game.options.rest_across_decks:
            for seat in range(seats):
                resting[seat] = rng.choice([c for c in range(1, 9) if not PAIR_SETS[shows[seat]] >> c - 1 & 1])
        return bytes(points + tokens + _last_won(tokens, o.last_won, start, rng) + resting)


def _last_won(tokens: list[int], known: bytes, start: int, rng: random.Random) -> list[int]:
    """The rounds up to ``start`` that the seats won last, when they had won as many as ``tokens``; ``known`` says it of
    those who have won none since. Rounds are given out from the last one down, to a seat that may have won it."""
    left = tokens[:]
    last = [won if won <= start else 0 for won in known]
    nobody = start - sum(left)
    for round_ in range(start, 0, -1):
        if round_ in last:
            seat = last.index(round_)
        else:
            able = [seat for seat, count in enumerate(left) if count and (not last[seat] or last[seat] > round_)]
            at = rng.randrange(len(able) + (nobody > 0)) if able or nobody > 0 else -1
            if at < 0:
                raise ValueError(CONTRADICTION)
            if at == len(able):
                nobody -= 1
                continue
            seat = able[at]
            last[seat] = last[seat] or round_
        left[seat] -= 1
    return last
