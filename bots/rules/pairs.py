"""Shows and keeps in the game of pairs, by thinking about which cards the others can still keep. Knows no tricks.

A kept card wins if nobody else keeps it and no lower card is kept exactly once. So a card that only we showed can not
be cancelled: the lowest such card is the safe keep, a higher one is the bolder, and how much more a high win is worth
is the player's style. Players who think alike cancel each other out; therefore nothing is chosen outright, but each
option with a chance that grows with what it promises.
"""

from collections.abc import Sequence
from itertools import accumulate, combinations
from math import exp

from arena.bot import Turn
from engine.pairs import PairsObservation

from .settings import Pairs

#: All pairs as sets, in the order of the action numbers; bit c-1 is card c.
PAIRS = tuple(1 << low - 1 | 1 << high - 1 for low, high in combinations(range(1, 9), 2))
#: The pairs that can be shown from a set of playable cards.
PAIRS_OF = tuple(tuple(pair for pair in PAIRS if pair & ~playable == 0) for playable in range(256))
#: The cards of a set, lowest first.
CARDS_OF = tuple(tuple(card for card in range(1, 9) if mask >> card - 1 & 1) for mask in range(256))
#: Each pair with a one in the hexadecimal digit of each of its cards: their sum counts who shows what.
DIGITS = {pair: sum(1 << 4 * card for card in CARDS_OF[pair]) for pair in PAIRS}
#: How many tables are imagined at the first and at the second look before a show.
FIRST_LOOK = 8
SECOND_LOOK = 16
#: How often all seats' keeps are thought through.
THOUGHTS = 3

Keep = tuple[int, int, float]
"""A seat's two cards, lower first, and the chance that it keeps the lower."""


def show(turn: Turn, observation: PairsObservation, settings: Pairs) -> int:
    """A pair whose better card promises much against what the others can show.

    First the others are imagined to show any pairs. What that teaches about the cards tells how sensible players would
    show, and the second look imagines the others as partly sensible.
    """
    if len(turn.legal) == 1:
        return turn.legal[0]
    worth = _worth(settings.power)
    others = [PAIRS_OF[mask] for seat, mask in enumerate(observation.playable) if seat != observation.seat]
    draw = turn.rng.random
    prizes = [_prizes([_any(pairs, draw()) for pairs in others], worth) for _ in range(FIRST_LOOK)]
    means = [sum(column) for column in zip(*prizes, strict=True)]
    ladders = [_ladder(pairs, means) for pairs in others]
    prizes = []
    for _ in range(SECOND_LOOK):
        shown = [
            _on(pairs, ladder, draw()) if draw() < settings.respect else _any(pairs, draw())
            for pairs, ladder in zip(others, ladders, strict=True)
        ]
        prizes.append(_prizes(shown, worth))
    promises = []
    for action in turn.legal:
        low, high = CARDS_OF[PAIRS[action - turn.phase.first]]
        promises.append(sum([max(prize[low], prize[high]) for prize in prizes]) / SECOND_LOOK)
    return turn.rng.choices(turn.legal, _weights(promises, settings.show_sharpness))[0]


def keep(turn: Turn, observation: PairsObservation, settings: Pairs) -> int:
    """A card of the own pair, by the chances that it wins against every way in which the others can keep theirs."""
    pair = CARDS_OF[observation.shown[observation.seat]]
    keeps = predicted(observation.shown)
    ways = ways_to_keep([choice for seat, choice in enumerate(keeps) if seat != observation.seat])
    worth = _worth(settings.power)
    promises = [win_chance(ways, card) * worth[card] for card in pair]
    card = turn.rng.choices(pair, _weights(promises, settings.keep_sharpness))[0]
    return turn.phase.first + card - 1


def predicted(shown: Sequence[int]) -> list[Keep]:
    """How every seat is likely to keep, if all weigh the score and know that the others do."""
    keeps: list[Keep] = [(*CARDS_OF[pair], 0.5) for pair in shown]  # type: ignore[misc]  # a pair has two cards
    for _ in range(THOUGHTS):
        better = []
        for seat, (low, high, before) in enumerate(keeps):
            chances = _about([*keeps[:seat], *keeps[seat + 1 :]])
            now = _share(chances[low] * (low + 1), chances[high] * (high + 1), 3)
            better.append((low, high, (before + now) / 2))
        keeps = better
    return keeps


def ways_to_keep(keeps: Sequence[Keep]) -> dict[tuple[int, int], float]:
    """Every way in which seats can keep, as the set of kept cards and the set of those kept more than once, with its
    chance."""
    ways = {(0, 0): 1.0}
    for low, high, chance_low in keeps:
        longer: dict[tuple[int, int], float] = {}
        for (kept, cancelled), chance in ways.items():
            for bit, choice in ((1 << low - 1, chance_low), (1 << high - 1, 1 - chance_low)):
                way = (kept | bit, cancelled | kept & bit)
                longer[way] = longer.get(way, 0.0) + chance * choice
        ways = longer
    return ways


def win_chance(ways: dict[tuple[int, int], float], card: int) -> float:
    """The chance that a card wins against the ways in which the others keep."""
    bit = 1 << card - 1
    return sum(chance for (kept, cancelled), chance in ways.items() if not (kept & bit or kept & ~cancelled & bit - 1))


def _about(keeps: Sequence[Keep]) -> list[float]:
    """By card (index 0 unused) about the chance to win with it, as if the numbers were independent: quick enough to be
    asked often."""
    nobody = [1.0] * 9
    one = [0.0] * 9
    for low, high, chance_low in keeps:
        one[low] = one[low] * (1 - chance_low) + nobody[low] * chance_low
        nobody[low] *= 1 - chance_low
        one[high] = one[high] * chance_low + nobody[high] * (1 - chance_low)
        nobody[high] *= chance_low
    chances = [0.0]
    clear = 1.0
    for card in range(1, 9):
        chances.append(clear * nobody[card])
        clear *= 1 - one[card]
    return chances


def _prizes(shown: Sequence[int], worth: Sequence[float]) -> list[float]:
    """What each card promises against pairs of which either card is kept evenly."""
    digits = sum(map(DIGITS.__getitem__, shown))
    prizes = [0.0]
    clear = 1.0
    for value in worth[1:]:
        digits >>= 4
        holders = digits & 15
        nobody = 0.5**holders
        prizes.append(clear * nobody * value)
        clear *= 1 - holders * nobody
    return prizes


def _worth(power: float) -> list[float]:
    """What a win with each card is worth to the player, scaled so that a 2 is worth the same to all; index 0 unused."""
    return [3 * ((card + 1) / 3) ** power for card in range(9)]


def _weights(promises: Sequence[float], sharpness: float) -> list[float]:
    """How likely each option is to be chosen, the best one having 1."""
    most = max(promises)
    return [exp(sharpness * (promise - most)) for promise in promises]


def _share(low: float, high: float, sharpness: float) -> float:
    """The chance that a sensible player chooses ``low`` of two promises."""
    low, high = low**sharpness, high**sharpness
    return low / (low + high) if low + high else 0.5


def _any(pairs: Sequence[int], drawn: float) -> int:
    return pairs[int(drawn * len(pairs))]


def _ladder(pairs: Sequence[int], means: Sequence[float]) -> list[float]:
    """Running sums of how likely a sensible player is to show each pair."""
    most = max(means)
    weights = []
    for pair in pairs:
        low, high = CARDS_OF[pair]
        weights.append((max(means[low], means[high]) / most) ** 3)
    return list(accumulate(weights))


def _on(pairs: Sequence[int], ladder: Sequence[float], drawn: float) -> int:
    """The pair at a height of the ladder, ``drawn`` from 0 to 1."""
    height = drawn * ladder[-1]
    for pair, top in zip(pairs, ladder, strict=True):
        if height <= top:
            return pair
    return pairs[-1]
