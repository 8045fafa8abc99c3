"""How often a kept card wins, counted over all ways in which the others keep one of their two. Knows no style.

With n others there are 2ⁿ ways, and a set of ways is a number: its bit w is the way w, in which bit i of w says whether
the other i keeps the higher card. So one operation on numbers treats all ways at once, and every count is exact.
Lists by card have an unused place 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

Pair = tuple[int, int]
"""Two shown cards, the lower first."""

MOST_OTHERS = 6
#: By the number of others all ways, and for each other the ways in which it keeps its lower and its higher card.
ALL_WAYS = tuple((1 << (1 << others)) - 1 for others in range(MOST_OTHERS + 1))
KEEPERS = tuple(
    tuple(
        (
            sum(1 << way for way in range(1 << others) if not way >> other & 1),
            sum(1 << way for way in range(1 << others) if way >> other & 1),
        )
        for other in range(others)
    )
    for others in range(MOST_OTHERS + 1)
)
LIKELY = 3
"""How much more likely a foreseen keep is than the other one: 75 to 25."""
#: By the number of others and the way that is foreseen: sets of ways with their weights, by how many others surprise.
SURPRISES = tuple(
    tuple(
        tuple(
            (
                sum(1 << way for way in range(1 << others) if (way ^ foreseen).bit_count() == surprised),
                LIKELY ** (others - surprised),
            )
            for surprised in range(others + 1)
        )
        for foreseen in range(1 << others)
    )
    for others in range(MOST_OTHERS + 1)
)


@dataclass(frozen=True, slots=True)
class Ways:
    """All ways in which some others can keep, as sets by card.

    :ivar several: the ways in which more than one of the others keep the card.
    :ivar idle: those in which not exactly one does, so that the card beats nothing above it.
    :ivar clear: those in which no lower card is kept by exactly one.
    :ivar wins: those in which the card would win: clear ones in which nobody keeps it (MO-06, MO-07).
    """

    others: int
    kept: list[int]
    several: list[int]
    idle: list[int]
    clear: list[int]
    wins: list[int]


def ways_of(pairs: Sequence[Pair]) -> Ways:
    """The ways of others who show these pairs."""
    others = len(pairs)
    kept = [0] * 9
    several = [0] * 9
    for (low, high), (keeps_low, keeps_high) in zip(pairs, KEEPERS[others], strict=True):
        several[low] |= kept[low] & keeps_low
        kept[low] |= keeps_low
        several[high] |= kept[high] & keeps_high
        kept[high] |= keeps_high
    idle = [~some | more for some, more in zip(kept, several, strict=True)]
    clear = [0]
    left = ALL_WAYS[others]
    for card in range(1, 9):
        clear.append(left)
        left &= idle[card]
    wins = [free & ~some for free, some in zip(clear, kept, strict=True)]
    return Ways(others, kept, several, idle, clear, wins)


def even_count(ways: int) -> int:
    """The weight of a set of ways if everyone keeps either card with the same chance; all ways have 2ⁿ."""
    return ways.bit_count()


def foreseen_count(ways: int, others: int, foreseen: int) -> int:
    """The weight of a set of ways if everyone keeps with 75 % as in the way ``foreseen``; all ways have 4ⁿ."""
    return sum([(ways & some).bit_count() * weight for some, weight in SURPRISES[others][foreseen]])


def keeps_higher(pair: Pair, pairs: Sequence[Pair]) -> bool:
    """Whether a player of style steady and level medium keeps the higher card of its pair against the pairs of all
    others: if that promises more than the lower one."""
    wins = ways_of(pairs).wins
    low, high = pair
    return wins[high].bit_count() * (high + 1) > wins[low].bit_count() * (low + 1)


def foreseen_way(own: Pair, pairs: Sequence[Pair]) -> int:
    """The way in which the others keep if all of them are steady and medium, and see ``own`` beside their pairs."""
    way = 0
    for other, pair in enumerate(pairs):
        if keeps_higher(pair, [own, *pairs[:other], *pairs[other + 1 :]]):
            way |= 1 << other
    return way


def leanings(pairs: Sequence[Pair], ways: Ways) -> list[list[int]]:
    """For each of the others, by the card that we keep, how much more its higher card promises a steady player than its
    lower one. It foresees us to keep either card of our pair, so it keeps the higher if the two leanings add up to more
    than 0: that is ``foreseen_way``, for all our pairs at once.
    """
    kept, idle, clear = ways.kept, ways.idle, ways.clear
    found = []
    for (low, high), (_, keeps_high) in zip(pairs, KEEPERS[ways.others], strict=True):
        # Ways of the rest are ways in which this one keeps its higher card, which tells of no lower card's keepers.
        leaning = [0] * 9
        for theirs, alone, worth in ((low, ~kept[low], -low - 1), (high, ~ways.several[high], high + 1)):
            # Walking down from their card: the ways in which nobody keeps it and no card from here up to it is single.
            free = keeps_high & alone
            for ours in range(theirs - 1, 0, -1):
                # Our card, below theirs, is in its way unless somebody cancels it.
                leaning[ours] += worth * (free & kept[ours] & clear[ours]).bit_count()
                free &= idle[ours]
            promise = worth * free.bit_count()
            for ours in range(theirs + 1, 9):
                leaning[ours] += promise
        found.append(leaning)
    return found
