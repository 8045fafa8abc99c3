"""A table at which pairs are shown and one card of each is kept. Knows no rules of points and no page.

Decks are public, so no seat knows more than the others but its own choice until all have chosen.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.game import Game
from engine.pairs import DECK_ROUNDS, PairsObservation


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at the table. ``left`` tells the cards that are left, as :func:`cards_left` has them; ``kept``, its mark
    and the ``pair`` that it is from are of the round before, until new pairs lie on the table."""

    number: int
    left: str
    shown: tuple[int, ...]
    kept: int
    mark: str
    pair: tuple[int, ...]
    points: int
    tokens: int
    won_last: bool
    acts: bool


@dataclass(frozen=True, slots=True)
class Round:
    """A finished round of the deck: what everybody showed and kept, and for each keep ``cancelled``, ``won`` or
    nothing."""

    number: int
    shown: tuple[tuple[int, ...], ...]
    kept: tuple[int, ...]
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairsTable:
    """Everything on the table. ``ended`` is the last round of the deck before, until this one has a finished round."""

    template = "tables/pairs.html"
    small = "tables/pairs_small.html"

    round: int
    phase: str
    seats: tuple[Seat, ...]
    finished: tuple[Round, ...]
    ended: Round | None


def draw(game: Game, view: PairsObservation, acting: tuple[int, ...], ended: Round | None = None) -> PairsTable:
    """The table of a view, and who is to act. What they may do lies open: the cards that are left, or the own pair.
    ``ended`` is the last round of the deck before."""
    finished = tuple(_round(view, at) for at in range(len(view.keeps) // view.seats))
    before = finished[-1] if finished else None
    # Nothing is dealt after it: the match is over, or what came then is not asked for.
    over = len(finished) == DECK_ROUNDS
    return PairsTable(
        round=view.round + (not over),
        phase="over" if over else game.phases[view.phase].name,
        seats=tuple(
            Seat(
                number=seat,
                left=cards_left(_cards(view.playable[seat]), view.resting[seat]),
                shown=_cards(view.shown[seat]) if view.shown else (),
                kept=before.kept[seat] if before and not view.shown else 0,
                mark=before.marks[seat] if before and not view.shown else "",
                pair=before.shown[seat] if before and not view.shown else (),
                points=view.points[seat],
                tokens=view.tokens[seat],
                won_last=0 < view.last_won[seat] == view.round,
                acts=seat in acting,
            )
            for seat in range(view.seats)
        ),
        finished=finished,
        ended=None if finished else ended,
    )


def closed(game: Game, view: PairsObservation, keeps: Sequence[int]) -> PairsTable:
    """The table when the last round of a deck is over. ``view`` is from before the keeps, and ``keeps`` are all of its
    cards by seat."""
    view = view._replace(
        round=view.round + 1,
        shows=view.shows + view.shown,
        keeps=view.keeps + bytes(keeps),
        shown=b"",
        playable=bytes(view.seats),
        resting=bytes(view.seats),
    )
    return draw(game, view, ())


def round_of(number: int, shows: Sequence[Sequence[int]], keeps: Sequence[int]) -> Round:
    """A finished round from what everybody showed and kept, by seat; its number is from 1."""
    return Round(number, tuple(tuple(pair) for pair in shows), tuple(keeps), marks(keeps))


def marks(kept: Sequence[int]) -> tuple[str, ...]:
    """For each keep of a round ``cancelled``, ``won`` or nothing (MO-06, MO-07)."""
    often = Counter(kept)
    best = min((one for one in kept if often[one] == 1), default=0)
    return tuple("cancelled" if often[one] > 1 else "won" if one == best else "" for one in kept)


def cards_left(playable: Sequence[int], resting: int) -> str:
    """The cards that are left in their order, the one that rests in brackets (MO-18): ``1 2 4 5 6 (7) 8``."""
    texts = {number: str(number) for number in playable} | ({resting: f"({resting})"} if resting else {})
    return " ".join(texts[number] for number in sorted(texts))


def _round(view: PairsObservation, at: int) -> Round:
    start = at * view.seats
    kept = view.keeps[start : start + view.seats]
    shown = [_cards(pair) for pair in view.shows[start : start + view.seats]]
    return round_of(view.round - len(view.keeps) // view.seats + at + 1, shown, kept)


def _cards(mask: int) -> tuple[int, ...]:
    return tuple(number for number in range(1, 9) if mask >> (number - 1) & 1)
