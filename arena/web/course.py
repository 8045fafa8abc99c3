"""How a match in a room has gone so far, from what everybody at the table has seen. Knows no page and no hand."""

from dataclasses import dataclass

from arena.v1.room_pb2 import RoomMove, RoomTable
from arena.web.tables import Choice, Ended, deal_end, ended, options_of, scored_name, trump_of
from engine.game import Game
from engine.pairs import PairsObservation
from engine.tricks import TrickObservation


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the score sheet, each as it is shown: what was scored, by seat, and the totals after it."""

    name: str
    gains: tuple[str, ...]
    totals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What a seat has done."""

    seat: int
    choice: Choice
    fault: str


def sheet(game: Game, table: RoomTable) -> list[Line]:
    """What has been scored, oldest first: deal by deal, or by the rounds that scored."""
    lines, before = [], [0] * game.seats
    for index, one in enumerate(table.sheet):
        gains = [now - then for now, then in zip(one.scores, before, strict=True)]
        name = scored_name(game, index, one.decisions)
        lines.append(Line(name, tuple(map(game.write_score, gains)), tuple(map(game.write_score, one.scores))))
        before = list(one.scores)
    return lines


def since(game: Game, table: RoomTable, seat: int) -> list[Step]:
    """What the others have done after the seat's own last decision, of the same deal."""
    end = deal_end(game, table.decisions, [one.decisions for one in table.sheet])
    moves = _last(table, table.decisions - end)
    own = max((at for at, one in enumerate(moves) if one.seat == seat), default=-1)
    steps = []
    for one in moves[own + 1 :]:
        (choice,) = options_of(game, (game.read(one.action),))
        steps.append(Step(one.seat, choice, one.fault))
    return steps


def own_last(table: RoomTable, seat: int) -> RoomMove | None:
    """The seat's own last decision, or that of the house for it."""
    return next((one for one in reversed(table.moves) if one.seat == seat), None)


def last_deal(game: Game, table: RoomTable, before: TrickObservation | PairsObservation | None) -> Ended | None:
    """How the last deal that is over ended. ``before`` is a view of that deal; without it nobody is said to have won
    its last trick."""
    end = deal_end(game, table.decisions, [one.decisions for one in table.sheet])
    if not end:
        return None
    moves = [(one.seat, game.read(one.action)) for one in _last(table, table.decisions - end, ended=True)]
    return ended(game, moves, trump_of(before) if before is not None else None, end)


def _last(table: RoomTable, count: int, *, ended: bool = False) -> list[RoomMove]:
    """The last so many moves, or those before them."""
    moves = list(table.moves)
    at = max(0, len(moves) - count)
    return moves[:at] if ended else moves[at:]
