"""What lies on a table, ready to be drawn: one module for one shape of view. Knows no page and no request.

A view is made from nothing but observations: from a seat's own, what that seat may know; with all hands open, from
everybody's. A game whose view has a shape that is here needs nothing; a new shape adds a module and a template.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.web.cards import Card, card, in_hand, signed
from arena.web.tables import pairs, trick
from engine.game import Game, Phase, State
from engine.pairs import DECK_ROUNDS, PAIRS, PairsObservation
from engine.tricks import UNSETTLED, TrickObservation

Move = tuple[int, int]
"""A seat and its action."""

Ended = trick.Trick | pairs.Round
"""A finished trick, or a finished round of a deck."""


class Drawn(Protocol):
    """A table that a template can draw."""

    @property
    def template(self) -> str: ...
    @property
    def small(self) -> str:
        """The template for where many tables stand side by side."""
        ...

    @property
    def finished(self) -> "Sequence[Ended]":
        """The tricks or rounds of the deal that are over."""
        ...


@dataclass(frozen=True, slots=True)
class Look:
    """From where a table is looked at: a seat's, or None with all hands open; and what those may do who are to act, as
    texts by seat."""

    seat: int | None
    legal: dict[int, tuple[str, ...]]


def draw(state: State, look: Look, ended: Ended | None = None) -> Drawn:
    """The table as it is seen from there. ``ended`` is how the deal before ended.

    :raises TypeError: if there is no table of that shape.
    """
    seats = state.game.seats
    views = [state.observe(seat) for seat in range(seats)]
    open_to = range(seats) if look.seat is None else (look.seat,)
    legal = {seat: texts for seat, texts in look.legal.items() if seat in open_to}
    public = views[look.seat or 0]
    if isinstance(public, TrickObservation):
        hands = {seat: view.hand for seat, view in enumerate(views) if isinstance(view, TrickObservation)}
        hands = {seat: hands[seat] for seat in open_to}
        return trick.draw(state.game, public, hands, tuple(look.legal), legal, ended=_trick(ended))
    if isinstance(public, PairsObservation):
        return pairs.draw(state.game, public, tuple(look.legal), _round(ended))
    raise TypeError(f"There is no table for a {type(public).__name__}: write a module for it in arena/web/tables.")


def draw_closed(state: State, moves: Sequence[Move]) -> Drawn:
    """The table when a deal is over and nothing of the next one lies on it, all hands open. ``moves`` are those of the
    deal, and ``state`` is the match before the last of them."""
    game = state.game
    public = state.observe(0)
    last = moves[-game.seats :]
    if isinstance(public, TrickObservation):
        return trick.closed(game, public, last)
    if isinstance(public, PairsObservation):
        return pairs.closed(game, public, [keep - game.phases[public.phase].first + 1 for _, keep in sorted(last)])
    raise TypeError(f"There is no table for a {type(public).__name__}: write a module for it in arena/web/tables.")


def ended(game: Game, moves: Sequence[Move], trump: int | None, decisions: int) -> Ended | None:
    """How a deal ended of which ``moves`` are the last, after so many decisions of the match. Without the trump of the
    deal nobody is said to have won its last trick. None if it had no whole trick or round, or there are too few
    moves."""
    seats, last = game.seats, game.phases[-1]
    cards = _cards(game)
    if cards is not None:
        plays = [(seat, action - cards.first) for seat, action in moves[-seats:] if 0 <= action - cards.first < 52]
        return trick.trick_of(plays, trump) if len(plays) == len({seat for seat, _ in plays}) == seats else None
    if len(moves) < 2 * seats:
        return None
    shows = [PAIRS[action] for _, action in sorted(moves[-2 * seats : -seats])]
    keeps = [keep - last.first + 1 for _, keep in sorted(moves[-seats:])]
    return pairs.round_of(decisions // (2 * seats), shows, keeps)


def deal_end(game: Game, decisions: int, scored: Sequence[int]) -> int:
    """After how many of a match's decisions its last deal, or deck, was over; 0 if none is. ``scored`` are the numbers
    of decisions after which scores stood."""
    if _cards(game) is not None:
        return scored[-1] if scored else 0
    return decisions - decisions % (2 * DECK_ROUNDS * game.seats)


def scored_name(game: Game, index: int, decisions: int) -> str:
    """What scored: ``deal 3`` or ``round 7``, by its place among those that did and the decisions until then."""
    return f"deal {index + 1}" if _cards(game) is not None else f"round {decisions // (2 * game.seats)}"


def deal_of(view: TrickObservation | PairsObservation) -> int:
    """The number of the deal or deck that a view is of."""
    return view.deal if isinstance(view, TrickObservation) else view.round // DECK_ROUNDS


def trump_of(view: TrickObservation | PairsObservation) -> int:
    """The trump of a view; unsettled where there is none."""
    return view.trump if isinstance(view, TrickObservation) else UNSETTLED


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that may be done now: its action, its text in records, the same in its phase's own words, and the card
    if it is one."""

    action: int
    text: str
    label: str
    card: Card | None


def draw_view(
    game: Game,
    view: TrickObservation | PairsObservation,
    legal: tuple[int, ...],
    said: int | None = None,
    ended: Ended | None = None,
) -> Drawn:
    """The table as a seat sees it, from its observation alone. ``legal`` are the actions that it may take, empty while
    it waits for others; ``said`` is the one that it has taken since; ``ended`` is how the deal before ended."""
    seat = view.seat
    acting = (seat,) if legal else ()
    if isinstance(view, PairsObservation):
        return pairs.draw(game, view, acting, _round(ended))
    of_cards = trick.of_cards(game.phases[view.phase])
    if of_cards and said is not None:
        played = said - game.phases[view.phase].first
        view = view._replace(hand=view.hand & ~(1 << played), trick=view.trick + bytes((played,)))
    cards = {seat: tuple(map(game.write, legal))} if legal and of_cards else {}
    return trick.draw(game, view, {seat: view.hand}, acting, cards, ended=_trick(ended))


def options_of(game: Game, actions: Sequence[int]) -> tuple[Choice, ...]:
    """Actions of one phase as they are shown, cards in the order in which they are held."""
    if not actions:
        return ()
    phase = next(one for one in game.phases if one.first <= actions[0] < one.first + one.size)
    return choices(game, phase, tuple(actions))


def choices(game: Game, phase: Phase, legal: tuple[int, ...]) -> tuple[Choice, ...]:
    """What may be done, cards in the order in which they are held."""
    if not trick.of_cards(phase):
        texts = {action: game.write(action) for action in legal}
        return tuple(
            Choice(action, text, signed(text.removeprefix(f"{phase.name} ")), None) for action, text in texts.items()
        )
    held = in_hand(sum(1 << action - phase.first for action in legal))
    return tuple(Choice(phase.first + n, card(n).text, card(n).face, card(n)) for n in held)


def _cards(game: Game) -> Phase | None:
    """The phase in which cards are played; None where nothing is dealt."""
    return next((phase for phase in game.phases if trick.of_cards(phase)), None)


def _trick(ended: Ended | None) -> trick.Trick | None:
    return ended if isinstance(ended, trick.Trick) else None


def _round(ended: Ended | None) -> pairs.Round | None:
    return ended if isinstance(ended, pairs.Round) else None
