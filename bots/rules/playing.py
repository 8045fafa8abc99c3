"""Card play: of the legal cards the one after which the deal promises to end best. Knows no calls for trump."""

from arena.bot import Turn
from engine.tricks import TrickObservation

from .aims import aim_of
from .counting import Table, read
from .settings import Plays
from .strength import Outlook, distinct, outlook, rank_tricks, ruff_tricks, win_chance


def play(turn: Turn, observation: TrickObservation, settings: Plays) -> int:
    """The card to play.

    Every card is judged by two numbers: the chance that it wins this trick, and the tricks that the rest of the hand is
    likely to win afterwards. A seat that wants tricks takes the card with the greatest sum, so it wins cheaply, trumps
    low and keeps its winners; a seat that must hit its call exactly takes the card whose sum comes nearest to it, so it
    ducks and throws its high cards away once the call is made.
    """
    if len(turn.legal) == 1:
        return turn.legal[0]
    table = read(observation, turn.game.options)
    view = outlook(table)
    needs = table.needs[table.me]
    prize = settings.spoil if table.holder >= 0 and table.needs[table.holder] > 0 else 0.0
    exact = aim_of(turn.game).spare == 0
    broken = exact and not 0 <= needs <= table.tricks_left
    best, best_value = turn.legal[0], float("-inf")
    for card, win, rest in _judged(view, turn.legal):
        if broken:
            value = win if _wanted(table) else -win - 0.1 * rest
        elif exact:
            value = -abs(needs - win - rest)
        else:
            value = (1 + prize) * win + rest
        # Of equal cards a seat keeps the higher ones, unless it is done winning.
        if value > best_value or (value == best_value and exact and needs <= 0):
            best, best_value = card, value
    return best


def _judged(view: Outlook, legal: tuple[int, ...]) -> list[tuple[int, float, float]]:
    """For each card: itself, its chance to win this trick, the tricks the rest of the hand is likely to win."""
    hand = view.table.hand
    ranks = [rank_tricks(view, hand, suit) for suit in range(4)]
    judged = []
    for card in distinct(view.table, legal):
        left = hand & ~(1 << card)
        suit = card // 13
        ranks_left = [*ranks[:suit], rank_tricks(view, left, suit), *ranks[suit + 1 :]]
        judged.append((card, win_chance(view, card), sum(ranks_left) + ruff_tricks(view, left, ranks_left)))
    return judged


def _wanted(table: Table) -> bool:
    """Whether the others together want more tricks than there are, so that taking one hurts them."""
    wanted = sum(max(0, need) for seat, need in enumerate(table.needs) if seat != table.me)
    return wanted >= table.tricks_left
