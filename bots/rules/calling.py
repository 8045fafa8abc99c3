"""Calls for tricks and for trump: the call with the best expected points, given the tricks that the hand promises.
Knows no play."""

from itertools import pairwise
from math import exp, sqrt

from arena.bot import Turn
from engine.tricks import NONE, TRUMPS, TrickObservation

from .aims import Aim, aim_of
from .counting import read
from .settings import Calls
from .strength import likely_tricks, outlook

#: Tricks that a card still to come brings to the hand of a trump caller.
UNSEEN_CARD = 0.27


def call_tricks(turn: Turn, observation: TrickObservation, settings: Calls) -> int:
    """The action that calls the number of tricks with the best expected points."""
    table = read(observation, turn.game.options)
    tricks = observation.tricks
    expected = likely_tricks(outlook(table), observation.hand) + settings.hope * tricks / 13
    calls = [call for call in observation.calls if call != NONE]
    others = observation.seats - 1 - len(calls)
    gap = tricks - sum(calls) - expected - others * tricks / observation.seats
    expected += settings.listen * max(-1.0, min(1.0, gap / observation.seats))
    chances = _chances(expected, settings.spread * sqrt(tricks / 13), tricks)
    aim = aim_of(turn.game)
    return max(turn.legal, key=lambda action: _worth(aim, _number(turn.game.write(action)), chances))


def call_trump(turn: Turn, observation: TrickObservation, settings: Calls) -> int:
    """The action that names a trump and a number in a lap, or passes: a call must promise more than the deal would
    without it."""
    aim = aim_of(turn.game)
    missing = observation.tricks - observation.hand.bit_count()
    expected = [settings.hope + UNSEEN_CARD * missing] * 4
    for suit in range(4):
        table = read(observation._replace(trump=suit), turn.game.options)
        expected[suit] += likely_tricks(outlook(table), observation.hand)
    spread = settings.spread * (1 + missing / observation.tricks)
    best, best_worth = turn.legal[0], settings.pass_worth
    chances = [_chances(tricks, spread, observation.tricks) for tricks in expected]
    for action in turn.legal:
        text = turn.game.write(action)
        if text == "pass":
            best = action
            continue
        worth = _worth(aim, _number(text[:-1]), chances[TRUMPS.index(text[-1])])
        if worth > best_worth:
            best, best_worth = action, worth
    return best


def _number(text: str) -> int:
    """The number in ``call 3`` or ``trump 6``."""
    return int(text.split()[1])


def _chances(expected: float, spread: float, tricks: int) -> list[float]:
    """The chance of winning exactly 0, 1, … tricks: a logistic curve about the expected number, cut at half tricks."""
    scale = spread * 0.55
    below = [0.0, *(1 / (1 + exp((expected - number - 0.5) / scale)) for number in range(tricks)), 1.0]
    return [high - low for low, high in pairwise(below)]


def _worth(aim: Aim, call: int, chances: list[float]) -> float:
    return sum(chance * aim.points(call, tricks) for tricks, chance in enumerate(chances))
