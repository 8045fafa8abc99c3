"""Shows and keeps by a style and a level (MO-21, MO-22). Knows no bits of ways.

What a keep promises is a whole number here, the same multiple of the expected worth for every card: so equal promises
are equal, and ties fall as the style says.
"""

import math
from collections.abc import Callable, Sequence

from arena.bot import Turn
from engine.pairs import DECK_ROUNDS, PAIRS, PairsObservation

from .chances import Pair, even_count, foreseen_count, foreseen_way, leanings, ways_of
from .settings import STYLES, Settings, Style

#: The pairs that can be shown from a set of playable cards, and the pair that is a set.
PAIRS_OF = tuple(
    tuple((low, high) for low, high in PAIRS if cards >> low - 1 & cards >> high - 1 & 1) for cards in range(256)
)
TABLES = 200
"""How many tables are imagined before a show."""
IMAGINED = 4
"""A hard player imagines that the others show two of so many of their lowest playable cards, a medium one any two."""
SAVED = (1, 2)
SAVED_WORTH = 4
SAVING_ROUNDS = 3
"""In the first rounds of a deck what a hard player would rather save is worth so many times less to it."""


def chooser(settings: Settings) -> Callable[[Turn], int]:
    """The ``choose`` function of the player with these settings."""
    style = STYLES[settings.style]
    level = settings.level

    def choose(turn: Turn) -> int:
        seen = turn.observation
        assert isinstance(seen, PairsObservation)
        if len(turn.legal) == 1:
            return turn.legal[0]
        if turn.phase.name == "show":
            pair = easy_show(turn, seen) if level == "easy" else thought_show(turn, seen, style, hard=level == "hard")
            return turn.phase.first + PAIRS.index(pair)
        card = (
            easy_keep(turn, seen, style) if level == "easy" else thought_keep(turn, seen, style, hard=level == "hard")
        )
        return turn.phase.first + card - 1

    return choose


def easy_show(turn: Turn, seen: PairsObservation) -> Pair:
    """Two of the three lowest playable cards, each two with the same chance."""
    return turn.rng.choice(PAIRS_OF[_lowest(seen.playable[seen.seat], 3)])


def easy_keep(turn: Turn, seen: PairsObservation, style: Style) -> int:
    """Mostly the lower card."""
    low, high = _pair(seen.shown[seen.seat])
    return low if turn.rng.random() < style.keeps_lower else high


def thought_show(turn: Turn, seen: PairsObservation, style: Style, *, hard: bool) -> Pair:
    """A pair that is drawn by what its better keep promises in the mean over imagined tables: whoever always took the
    best would show what all who think alike show, and be cancelled by them."""
    saving = hard and _saving(seen)
    pairs = [PAIRS[action - turn.phase.first] for action in turn.legal]
    if saving:
        pairs = [pair for pair in pairs if pair != SAVED] or pairs
    worth = _worth(style, saving=saving)
    theirs = [cards for seat, cards in enumerate(seen.playable) if seat != seen.seat]
    others = [PAIRS_OF[_lowest(cards, IMAGINED) if hard else cards] for cards in theirs]
    tables = zip(*(turn.rng.choices(options, k=TABLES) for options in others), strict=True)
    promised = _foreseen_promises if hard else _even_promises
    totals = [0] * len(pairs)
    for table in tables:
        totals = [total + promise for total, promise in zip(totals, promised(pairs, table, worth), strict=True)]
    if not any(totals):
        return pairs[0]
    return turn.rng.choices(pairs, [total**4 if hard else math.isqrt(total) for total in totals])[0]


def thought_keep(turn: Turn, seen: PairsObservation, style: Style, *, hard: bool) -> int:
    """The card of the own pair that promises more against the pairs on the table; a hard player draws the card, and
    seldom the other one, so that those who think alike do not always keep alike."""
    own = low, high = _pair(seen.shown[seen.seat])
    others = [_pair(shown) for seat, shown in enumerate(seen.shown) if seat != seen.seat]
    wins = ways_of(others).wins
    worth = _worth(style, saving=hard and _saving(seen))
    if hard:
        way = foreseen_way(own, others)
        lower, higher = (worth[card] * foreseen_count(wins[card], len(others), way) for card in own)
        if lower or higher:
            return turn.rng.choices(own, [lower**8, higher**8])[0]
    else:
        lower, higher = (worth[card] * even_count(wins[card]) for card in own)
    return high if higher > lower or (higher == lower and style.higher) else low


def _even_promises(pairs: Sequence[Pair], table: Sequence[Pair], worth: Sequence[int]) -> list[int]:
    """What the better card of each pair promises if the others keep either card."""
    prizes = [value * even_count(ways) for value, ways in zip(worth, ways_of(table).wins, strict=True)]
    return [max(prizes[low], prizes[high]) for low, high in pairs]


def _foreseen_promises(pairs: Sequence[Pair], table: Sequence[Pair], worth: Sequence[int]) -> list[int]:
    """What the better card of each pair promises if the others mostly keep as steady players do who see the pair."""
    ways = ways_of(table)
    leans = [(1 << other, leaning) for other, leaning in enumerate(leanings(table, ways))]
    prizes: dict[int, list[int]] = {}
    promises = []
    for low, high in pairs:
        way = 0
        for bit, leaning in leans:
            if leaning[low] + leaning[high] > 0:
                way |= bit
        if way not in prizes:
            prizes[way] = [-1] * 9
        prize = prizes[way]
        for card in (low, high):
            if prize[card] < 0:
                prize[card] = worth[card] * foreseen_count(ways.wins[card], ways.others, way) if ways.wins[card] else 0
        promises.append(max(prize[low], prize[high]))
    return promises


def _worth(style: Style, *, saving: bool) -> list[int]:
    """SAVED_WORTH times what a win with each card is worth to the style, or once if it is to be saved; place 0 is
    unused."""
    return [(card + 1) ** style.power * (1 if saving and card in SAVED else SAVED_WORTH) for card in range(9)]


def _lowest(cards: int, count: int) -> int:
    """At most so many cards of a set, the lowest."""
    return sum(sorted(1 << bit for bit in range(8) if cards >> bit & 1)[:count])


def _saving(seen: PairsObservation) -> bool:
    return seen.round % DECK_ROUNDS < SAVING_ROUNDS


def _pair(shown: int) -> Pair:
    """The pair that is a set of two cards."""
    return PAIRS_OF[shown][0]
