"""A record deal by deal, or deck by deck where nothing is dealt: where each begins, what was held, called, won and
scored. Knows no page.

One function for each shape of view; what a shape means is told by its observations alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.game import OutOfPacks, State
from engine.pairs import DECK_ROUNDS, PairsObservation
from engine.record import Decision, Verified
from engine.tricks import NONE, UNSETTLED, TrickObservation


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal of a match, or one deck.

    :ivar word: ``deal`` or ``deck``.
    :ivar number: from 1; a deal that is thrown in keeps its number, and ``redeal`` says how often it was before.
    :ivar first: the step at which it lies on the table.
    :ivar last: the step after its last decision.
    :ivar hands: by seat, the cards dealt as a set, as far as they were looked at; empty where nothing is dealt.
    :ivar calls: by seat; None where none was made.
    :ivar won: by seat, tricks or rounds.
    :ivar trump: as in the observation.
    :ivar scores: by seat, in the game's score unit; empty for a deal that was thrown in.
    :ivar totals: the scores of the match after it.
    """

    word: str
    number: int
    redeal: int
    first: int
    last: int
    hands: tuple[int, ...]
    calls: tuple[int | None, ...]
    won: tuple[int, ...]
    trump: int
    scores: tuple[int, ...]
    totals: tuple[int, ...]


def deals_of(record: Verified) -> tuple[Deal, ...]:
    """The deals in order, those that were thrown in too; there is at least one."""
    shape = _decks if isinstance(record.start.observe(0), PairsObservation) else _dealt
    return tuple(shape(record))


def take(state: State, decision: Decision) -> tuple[int, ...]:
    """Who has to act after the decision: nobody where the next deal is due and is not told yet."""
    try:
        state.apply_unchecked(decision.seat, decision.action)
    except OutOfPacks:
        return ()
    return state.to_act()


def _dealt(record: Verified) -> Iterator[Deal]:
    state = record.start.clone()
    seats = range(record.game.seats)
    first, on_table, hands = 0, (state.deal, state.redeal), [0 for _ in seats]
    in_play = False
    for step, decision in enumerate(record.decisions, start=1):
        if not in_play:
            # A hand may be dealt in two packets, and lies whole before its owner when the first card is played.
            hands = [held | _view(state, seat).hand for seat, held in zip(seats, hands, strict=True)]
            in_play = record.game.phases[state.phase()].size == 52
        before = _view(state, 0)
        over = not take(state, decision)
        if (state.deal, state.redeal) == on_table and not over:
            continue
        after = _view(state, 0).last if over or state.deal != on_table[0] else None
        yield Deal(
            word="deal",
            number=on_table[0] + 1,
            redeal=on_table[1],
            first=first,
            last=step,
            hands=tuple(hands),
            calls=tuple(None if call == NONE else call for call in (after.calls if after else before.calls)),
            won=tuple(after.won if after else before.won),
            trump=before.trump,
            scores=after.scores if after else (),
            totals=tuple(state.scores()),
        )
        first, on_table, hands, in_play = step, (state.deal, state.redeal), [0 for _ in seats], False


def _decks(record: Verified) -> Iterator[Deal]:
    state = record.start.clone()
    length = 2 * DECK_ROUNDS * record.game.seats
    totals, tokens = tuple(state.scores()), bytes(record.game.seats)
    for first in range(0, len(record.decisions), length):
        for decision in record.decisions[first : first + length]:
            state.apply_unchecked(decision.seat, decision.action)
        view = state.observe(0)
        assert isinstance(view, PairsObservation)
        now = tuple(state.scores())
        yield Deal(
            word="deck",
            number=first // length + 1,
            redeal=0,
            first=first,
            last=first + length,
            hands=(),
            calls=(None,) * record.game.seats,
            won=tuple(after - before for after, before in zip(view.tokens, tokens, strict=True)),
            trump=UNSETTLED,
            scores=tuple(after - before for after, before in zip(now, totals, strict=True)),
            totals=now,
        )
        totals, tokens = now, view.tokens


def _view(state: State, seat: int) -> TrickObservation:
    view = state.observe(seat)
    assert isinstance(view, TrickObservation)
    return view
