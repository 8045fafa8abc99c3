"""One deal at every table that played it: who made what of the same hand, and where two who held it parted ways. Knows
no page.

Decisions of two who held the same cards are compared one after the other. The first one that differs is a difference
between the two if both had seen the same before; else others at their tables have a part in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.web.cards import Card, card, in_hand
from arena.web.deals import Deal
from arena.web.replay import Replay
from arena.web.tables import Choice, Drawn, Ended, Look, draw, draw_closed, options_of
from arena.web.tables.pairs import Round
from arena.web.tables.trick import Trick
from engine.game import Game
from engine.pairs import PairsObservation
from engine.tricks import TrickObservation


@dataclass(frozen=True, slots=True)
class Table:
    """A table that played the deals of a unit: a rotation, or a table of a field. ``bots`` are by seat."""

    number: int
    bots: tuple[str, ...]
    replay: Replay

    def deal(self, number: int) -> Deal | None:
        """The deal of that number as it was played out, else as it was thrown in last; None if there was none."""
        return next((one for one in reversed(self.replay.deals) if one.number == number), None)


@dataclass(frozen=True, slots=True)
class Parting:
    """Where somebody decided differently for the first time than another one with the same cards.

    :ivar step: the step of the own decision.
    :ivar where: such as ``trick 3``.
    :ivar mine: what was done.
    :ivar theirs: what the other one did.
    :ivar alike: whether both had seen the same until then.
    """

    step: int
    where: str
    mine: Choice
    theirs: Choice
    alike: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """What somebody made of a hand. ``cards`` are those played, trick by trick, and ``rounds`` the rounds of a deck;
    ``parting`` compares with the row's ``model``, and is None where nothing differs."""

    bot: str
    table: int
    call: int | None
    won: int
    score: int | None
    cards: tuple[Card, ...]
    rounds: tuple[Round, ...]
    parting: Parting | None
    model: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A seat at every table. ``hand`` is what it was dealt, None if that differs; a cell is None where a table had no
    such deal."""

    seat: int
    hand: tuple[Card, ...] | None
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """A hand of a bot beside the others who held it, scores in the game's score unit: what it scored, what the others
    did on average, and the best of them."""

    deal: int
    table: int
    seat: int
    score: int
    others: float
    best: str
    best_score: int


def rows(game: Game, tables: Sequence[Table], number: int, bot: str = "") -> list[Row]:
    """The deal of that number seat by seat; every cell is compared with that of the bot, or with the first one."""
    dealt = [table.deal(number) for table in tables]
    told = [_told(table.replay, deal) if deal else [] for table, deal in zip(tables, dealt, strict=True)]
    ends = [_finished(table, deal) if deal else () for table, deal in zip(tables, dealt, strict=True)]
    found = []
    for seat in range(game.seats):
        sitting = [at for at, deal in enumerate(dealt) if deal]
        model = next((at for at in sitting if tables[at].bots[seat] == bot), sitting[0] if sitting else -1)
        hands = {deal.hands[seat] for deal in dealt if deal and deal.hands}
        cells: list[Cell | None] = []
        for at, (table, deal) in enumerate(zip(tables, dealt, strict=True)):
            if deal is None:
                cells.append(None)
                continue
            cells.append(
                Cell(
                    bot=table.bots[seat],
                    table=table.number,
                    call=deal.calls[seat],
                    won=deal.won[seat],
                    score=deal.scores[seat] if deal.scores else None,
                    cards=tuple(one.cards[seat] for one in ends[at] if isinstance(one, Trick)),
                    rounds=tuple(one for one in ends[at] if isinstance(one, Round)),
                    parting=_parting(game, told[at][seat], told[model][seat]) if at != model else None,
                    model=at == model,
                )
            )
        hand = tuple(map(card, in_hand(hands.pop()))) if len(hands) == 1 else None if hands else ()
        found.append(Row(seat, hand, tuple(cells)))
    return found


def losses(tables: Sequence[Table], bot: str, most: int) -> list[Loss]:
    """The hands of the bot with which others scored more than it did on average, the greatest difference first."""
    found = []
    for table in tables:
        for seat in (at for at, one in enumerate(table.bots) if one == bot):
            for mine in (deal for deal in table.replay.deals if deal.scores):
                held = [(other.bots[seat], other.deal(mine.number)) for other in tables if other is not table]
                scored = [
                    (deal.scores[seat], name)
                    for name, deal in held
                    if deal and deal.scores and deal.hands[seat : seat + 1] == mine.hands[seat : seat + 1]
                ]
                if not scored:
                    continue
                best_score, best = max(scored)
                others = sum(score for score, _ in scored) / len(scored)
                if others > mine.scores[seat]:
                    found.append(Loss(mine.number, table.number, seat, mine.scores[seat], others, best, best_score))
    return sorted(found, key=lambda one: one.score - one.others)[:most]


def board(table: Table, number: int, step: int) -> tuple[Drawn, int] | None:
    """A table after so many decisions of the deal, or when it was over, all hands open; and that step of its match.
    None if it had no such deal."""
    deal = table.deal(number)
    if deal is None:
        return None
    at = min(deal.first + step, deal.last)
    if at < deal.last or not deal.scores:
        moment, state = table.replay.at(min(at, deal.last - 1))
        return draw(state, Look(None, moment.legal)), at
    return _closed(table, deal), at


def length(tables: Sequence[Table], number: int) -> int:
    """How many decisions the deal had at the table where it had most."""
    return max((deal.last - deal.first for deal in (one.deal(number) for one in tables) if deal), default=0)


@dataclass(frozen=True, slots=True)
class _Told:
    """A decision of a seat, and what it had seen of the deal before."""

    step: int
    seen: TrickObservation | PairsObservation
    action: int
    where: str


def _told(replay: Replay, deal: Deal) -> list[list[_Told]]:
    """The decisions of a deal by seat."""
    game = replay.record.game
    _, state = replay.at(deal.first)
    found: list[list[_Told]] = [[] for _ in range(game.seats)]
    for step, one in enumerate(replay.record.decisions[deal.first : deal.last], start=deal.first + 1):
        view = state.observe(one.seat)
        # What was scored before is no part of the deal.
        if isinstance(view, TrickObservation):
            phase = game.phases[view.phase]
            where = f"trick {len(view.leaders) + 1}" if phase.size == 52 else phase.name
            view = view._replace(totals=(), last=None)
        else:
            assert isinstance(view, PairsObservation)
            where = f"round {view.round + 1}, {game.phases[view.phase].name}"
            view = view._replace(points=(), tokens=b"", last_won=b"")
        found[one.seat].append(_Told(step, view, one.action, where))
        state.apply_unchecked(one.seat, one.action)
    return found


def _closed(table: Table, deal: Deal) -> Drawn:
    """The table when the deal was over."""
    _, state = table.replay.at(deal.last - 1)
    moves = [(one.seat, one.action) for one in table.replay.record.decisions[deal.first : deal.last]]
    return draw_closed(state, moves)


def _finished(table: Table, deal: Deal) -> Sequence[Ended]:
    """The tricks or the rounds of a deal; none of one that was thrown in."""
    return _closed(table, deal).finished if deal.scores else ()


def _parting(game: Game, mine: Sequence[_Told], theirs: Sequence[_Told]) -> Parting | None:
    others = {one.where: one for one in theirs}
    alike = True
    for own in mine:
        other = others.get(own.where)
        if other is None:
            continue
        alike = alike and own.seen == other.seen
        if own.action != other.action:
            (did,), (instead,) = options_of(game, (own.action,)), options_of(game, (other.action,))
            return Parting(own.step, own.where, did, instead, alike)
    return None
