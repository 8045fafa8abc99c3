"""What lies on a table, ready to be drawn: one module for one shape of view. Knows no page and no request.

A view is made from nothing but observations: from a seat's own, what that seat may know; with all hands open, from
everybody's. A game whose view has a shape that is here needs nothing; a new shape adds a module and a template.
"""

from dataclasses import dataclass
from typing import Protocol

from arena.web.cards import Card, card, in_hand
from arena.web.tables import pairs, trick
from engine.game import Game, Phase, State
from engine.pairs import PairsObservation
from engine.tricks import TrickObservation


class Drawn(Protocol):
    """A table that a template can draw."""

    @property
    def template(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Look:
    """From where a table is looked at: a seat's, or None with all hands open; and what those may do who are to act, as
    texts by seat."""

    seat: int | None
    legal: dict[int, tuple[str, ...]]


def draw(state: State, look: Look) -> Drawn:
    """The table as it is seen from there.

    :raises TypeError: if there is no table of that shape.
    """
    seats = state.game.seats
    views = [state.observe(seat) for seat in range(seats)]
    open_to = range(seats) if look.seat is None else (look.seat,)
    legal = {seat: texts for seat, texts in look.legal.items() if seat in open_to}
    public = views[look.seat or 0]
    if isinstance(public, TrickObservation):
        hands = {seat: view.hand for seat, view in enumerate(views) if isinstance(view, TrickObservation)}
        return trick.draw(state.game, public, {seat: hands[seat] for seat in open_to}, tuple(look.legal), legal)
    if isinstance(public, PairsObservation):
        return pairs.draw(state.game, public, tuple(look.legal))
    raise TypeError(f"There is no table for a {type(public).__name__}: write a module for it in arena/web/tables.")


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that may be done now: its action, its text in records, the same in its phase's own words, and the card
    if it is one."""

    action: int
    text: str
    label: str
    card: Card | None


def draw_view(
    game: Game, view: TrickObservation | PairsObservation, legal: tuple[int, ...], said: int | None = None
) -> Drawn:
    """The table as a seat sees it, from its observation alone. ``legal`` are the actions that it may take, empty while
    it waits for others; ``said`` is the one that it has taken since."""
    seat = view.seat
    acting = (seat,) if legal else ()
    if isinstance(view, PairsObservation):
        return pairs.draw(game, view, acting)
    of_cards = trick.of_cards(game.phases[view.phase])
    if of_cards and said is not None:
        played = said - game.phases[view.phase].first
        view = view._replace(hand=view.hand & ~(1 << played), trick=view.trick + bytes((played,)))
    cards = {seat: tuple(map(game.write, legal))} if legal and of_cards else {}
    return trick.draw(game, view, {seat: view.hand}, acting, cards)


def choices(game: Game, phase: Phase, legal: tuple[int, ...]) -> tuple[Choice, ...]:
    """What may be done, cards in the order in which they are held."""
    if not trick.of_cards(phase):
        texts = {action: game.write(action) for action in legal}
        return tuple(Choice(action, text, text.removeprefix(f"{phase.name} "), None) for action, text in texts.items())
    held = in_hand(sum(1 << action - phase.first for action in legal))
    return tuple(Choice(phase.first + n, card(n).text, card(n).face, card(n)) for n in held)
