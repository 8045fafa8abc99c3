"""A trick-taking table: hands, the trick, calls and tricks won, and the trick before. Knows no rules and no page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.web.cards import SIGNS, Card, card, in_hand, marked
from engine.game import Game, Phase
from engine.tricks import NO_TRUMP, NONE, UNSETTLED, TrickObservation, winner

Play = tuple[int, int]
"""A seat and the card that it played."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at the table. ``hand`` is None where the cards lie face down, and ``left`` says how many, as far as
    the one who looks knows; ``lies`` is the card of the trick before, marked, until the next one is led; ``call`` is
    empty where none was made."""

    number: int
    hand: tuple[Card, ...] | None
    left: int
    played: Card | None
    lies: Card | None
    call: str
    won: int
    total: str
    dealer: bool
    leads: bool
    acts: bool
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trick:
    """A finished trick: its cards by seat, that which won it marked ``won``, who led it and who won it, None where that
    is not known."""

    leader: int
    winner: int | None
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class TrickTable:
    """Everything on the table. ``last_deal`` has what the deal before scored, by seat, empty in the first, and
    ``ended`` is its last trick, where it is known."""

    template = "tables/trick.html"
    small = "tables/trick_small.html"

    deal: int
    redeal: int
    trump: str
    phase: str
    trick: int
    tricks: int
    seats: tuple[Seat, ...]
    before: Trick | None
    finished: tuple[Trick, ...]
    last_deal: tuple[str, ...]
    ended: Trick | None


def draw(
    game: Game,
    view: TrickObservation,
    hands: dict[int, int],
    acting: tuple[int, ...],
    legal: dict[int, tuple[str, ...]],
    *,
    ended: Trick | None = None,
) -> TrickTable:
    """The table of a public view and the hands that are open. ``legal`` has texts for those who are open and to act;
    ``ended`` is the last trick of the deal before."""
    seats = view.seats
    finished = [
        trick_of(
            [(seat, view.history[at * seats + _turn(game, seat, leader)]) for seat in _round(game, leader)], view.trump
        )
        for at, leader in enumerate(view.leaders)
    ]
    before = finished[-1] if finished else None
    return TrickTable(
        deal=view.deal + 1,
        redeal=view.redeal,
        trump=trump_sign(view.trump),
        phase=game.phases[view.phase].name,
        trick=len(finished) + 1 if len(finished) < view.tricks else view.tricks,
        tricks=view.tricks,
        seats=tuple(
            _seat(game, view, seat, hands.get(seat), before, legal=legal.get(seat), acts=seat in acting)
            for seat in range(seats)
        ),
        before=before,
        finished=tuple(finished),
        last_deal=() if view.last is None else tuple(map(game.write_score, view.last.scores)),
        ended=None if finished else ended,
    )


def closed(game: Game, view: TrickObservation, plays: Sequence[Play]) -> TrickTable:
    """The table when the last trick of a deal lies on it. ``view`` is from before that trick was full, and ``plays``
    are all of its cards in turn."""
    best = plays[winner([played for _, played in plays], view.trump)][0]
    view = view._replace(
        trick=b"",
        history=view.history + bytes(played for _, played in plays),
        leaders=view.leaders + bytes((plays[0][0],)),
        leader=best,
        won=bytes(won + (seat == best) for seat, won in enumerate(view.won)),
        hand=0,
    )
    return draw(game, view, dict.fromkeys(range(game.seats), 0), (), {})


def trick_of(plays: Sequence[Play], trump: int | None) -> Trick:
    """A full trick from its cards in turn; ``trump`` is None if it is not known."""
    best = None if trump is None else plays[winner([played for _, played in plays], trump)][0]
    cards = {seat: card(played, "won" if seat == best else "") for seat, played in plays}
    return Trick(plays[0][0], best, tuple(cards[seat] for seat in sorted(cards)))


def trump_sign(trump: int) -> str:
    """A trump as the tables say it."""
    if trump == UNSETTLED:
        return "not settled"
    return "none" if trump == NO_TRUMP else SIGNS["CDHS"[trump]]


def _round(game: Game, leader: int) -> list[int]:
    """The seats in the order in which they play to a trick."""
    return sorted(range(game.seats), key=lambda seat: _turn(game, seat, leader))


def _seat(
    game: Game,
    view: TrickObservation,
    seat: int,
    hand: int | None,
    before: Trick | None,
    *,
    legal: tuple[str, ...] | None,
    acts: bool,
) -> Seat:
    turn = _turn(game, seat, view.leader)
    played = card(view.trick[turn]) if turn < len(view.trick) else None
    cards = legal is not None and of_cards(game.phases[view.phase])
    call = view.calls[seat]
    return Seat(
        number=seat,
        hand=None if hand is None else tuple(marked(in_hand(hand), frozenset(legal or ()) if cards else None)),
        left=_dealt(game, view) - len(view.leaders) - (played is not None),
        played=played,
        lies=replace(before.cards[seat], mark=before.cards[seat].mark or "past") if before and not view.trick else None,
        call="" if call == NONE else str(call),
        won=view.won[seat],
        total=game.write_score(view.totals[seat]),
        dealer=seat == view.dealer,
        leads=seat == view.leader,
        acts=acts,
        choices=() if legal is None or cards else legal,
    )


def of_cards(phase: Phase) -> bool:
    """Whether what is chosen in the phase is a card, of all 52."""
    return phase.size == 52


def _turn(game: Game, seat: int, leader: int) -> int:
    """How many seats play before this one in a trick."""
    step = -1 if getattr(game.options, "direction", "clockwise") == "anticlockwise" else 1
    return (seat - leader) * step % game.seats


def _dealt(game: Game, view: TrickObservation) -> int:
    """How many cards everybody has been dealt: as many as whoever looks held and played."""
    return view.hand.bit_count() + len(view.leaders) + (_turn(game, view.seat, view.leader) < len(view.trick))
