"""A trick-taking table: hands, the trick, calls and tricks won, and the trick before. Knows no rules and no page."""

from dataclasses import dataclass

from arena.web.cards import SIGNS, Card, card, in_hand, marked
from engine.game import Game, Phase
from engine.tricks import NO_TRUMP, NONE, UNSETTLED, TrickObservation


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at the table. ``hand`` is None where the cards lie face down, and ``left`` says how many, as far as
    the one who looks knows; ``call`` is empty where none was made."""

    number: int
    hand: tuple[Card, ...] | None
    left: int
    played: Card | None
    call: str
    won: int
    total: str
    dealer: bool
    leads: bool
    acts: bool
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trick:
    """A finished trick, by seat, and who led it."""

    leader: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class TrickTable:
    """Everything on the table. ``last_deal`` has what the deal before scored, by seat; empty in the first."""

    template = "tables/trick.html"

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


def draw(
    game: Game,
    view: TrickObservation,
    hands: dict[int, int],
    acting: tuple[int, ...],
    legal: dict[int, tuple[str, ...]],
) -> TrickTable:
    """The table of a public view and the hands that are open. ``legal`` has texts for those who are open and to act."""
    seats = view.seats
    finished = [
        Trick(leader, tuple(card(view.history[at * seats + _turn(game, seat, leader)]) for seat in range(seats)))
        for at, leader in enumerate(view.leaders)
    ]
    return TrickTable(
        deal=view.deal + 1,
        redeal=view.redeal,
        trump=_trump(view.trump),
        phase=game.phases[view.phase].name,
        trick=len(finished) + 1 if len(finished) < view.tricks else view.tricks,
        tricks=view.tricks,
        seats=tuple(
            _seat(game, view, seat, hands.get(seat), legal=legal.get(seat), acts=seat in acting)
            for seat in range(seats)
        ),
        before=finished[-1] if finished else None,
        finished=tuple(finished),
        last_deal=() if view.last is None else tuple(map(game.write_score, view.last.scores)),
    )


def _seat(
    game: Game, view: TrickObservation, seat: int, hand: int | None, *, legal: tuple[str, ...] | None, acts: bool
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


def _trump(trump: int) -> str:
    if trump == UNSETTLED:
        return "not settled"
    return "none" if trump == NO_TRUMP else SIGNS["CDHS"[trump]]
