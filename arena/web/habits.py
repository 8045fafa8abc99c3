"""How a bot plays, from records: what it calls and what it makes of it, or which cards it keeps. Knows no page.

One function for each shape of view; what a shape means is told by its observations and by the game's phases alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.web.replay import Replay
from arena.web.tables.pairs import marks
from engine.tricks import TrickObservation


@dataclass(frozen=True, slots=True)
class Called:
    """A call: in how many deals it was made, the tricks won then on average, and how often at least as many as called
    and exactly as many, from 0 to 1."""

    call: int
    deals: int
    won: float
    reached: float
    met: float


@dataclass(frozen=True, slots=True)
class Kept:
    """A card: how often it was kept, and how often that won the round or was cancelled by somebody else's."""

    card: int
    times: int
    won: int
    cancelled: int


Games = Sequence[tuple[Replay, int]]
"""Records, and the seat in each that is looked at."""


def habits(games: Games) -> tuple[list[Called], list[Kept]]:
    """What the bot called, by call, and what it kept, by card; one of them is empty."""
    called: defaultdict[int, list[int]] = defaultdict(list)
    kept: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for replay, seat in games:
        if isinstance(replay.record.start.observe(seat), TrickObservation):
            for deal in replay.deals:
                call = deal.calls[seat]
                if deal.scores and call is not None:
                    called[call].append(deal.won[seat])
        else:
            for cards in _keeps(replay):
                kept[cards[seat]][marks(cards)[seat]] += 1
    return [_called(call, won) for call, won in sorted(called.items())], [
        Kept(card, fates.total(), fates["won"], fates["cancelled"]) for card, fates in sorted(kept.items())
    ]


def _called(call: int, won: list[int]) -> Called:
    deals = len(won)
    return Called(
        call, deals, sum(won) / deals, sum(one >= call for one in won) / deals, sum(one == call for one in won) / deals
    )


def _keeps(replay: Replay) -> Iterator[list[int]]:
    """The cards that were kept, by seat, round after round."""
    game = replay.record.game
    keep = game.phases[-1]
    cards = [0] * game.seats
    for decision in replay.record.decisions:
        if decision.action >= keep.first:
            cards[decision.seat] = decision.action - keep.first + 1
            if decision.seat == game.seats - 1:  # those of a moment are recorded in seat order
                yield cards
                cards = [0] * game.seats
