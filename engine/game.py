"""What a game is: the page to read first. Knows no game, no clock and no network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Protocol

from engine.chance import Chance

BROKEN: Final = "These bytes are no state of this game with these seats and options."

Seat = int
Action = int


class IllegalAction(ValueError):
    """An action that the seat may not take now; the state is as it was.

    :ivar seat: who tried.
    :ivar action: the number that was tried.
    :ivar legal: the numbers that were legal, sorted; empty when the seat was not to act.
    """

    def __init__(self, seat: Seat, action: Action, legal: Sequence[Action], sentence: str) -> None:
        super().__init__(sentence)
        self.seat = seat
        self.action = action
        self.legal = tuple(legal)


@dataclass(frozen=True, slots=True)
class Phase:
    """A kind of decision: a contiguous range of the action space.

    Bit i of a legal mask, and option i of a turn, mean action ``first + i``. ``size`` is at most 52.
    ``human_limit_s`` is the time that the rules give a person, None where they give none.
    """

    name: str
    first: Action
    size: int
    human_limit_s: int | None = None


class Observation(Protocol):
    """All that one seat knows: of the current deal (in a game without deals, of the current deck), totals, counters and
    the last finished deal. Two states that differ only in what the seat cannot know give equal observations."""

    @property
    def seat(self) -> Seat: ...
    @property
    def seats(self) -> int: ...


class State(Protocol):
    """A match at one moment. Small and mutable; equal states are interchangeable."""

    @property
    def game(self) -> Game: ...

    @property
    def deal(self) -> int:
        """Number of the current deal, from 0; a thrown-in deal keeps its number. Always 0 in a game without deals."""
        ...

    @property
    def redeal(self) -> int:
        """How often the current deal has been thrown in. While neither this nor :attr:`deal` changes, the cards on
        the table are those of the last pack of :meth:`packs`."""
        ...

    def to_act(self) -> tuple[Seat, ...]:
        """Seats that owe a decision, ascending: one is a turn, several choose at the same time, none means over."""
        ...

    def phase(self) -> int:
        """Index into ``game.phases``. Undefined once the match is over."""
        ...

    def legal_mask(self, seat: Seat) -> int:
        """Legal actions of the seat: bit i is action ``phase.first + i``. 0 when the seat is not to act."""
        ...

    def legal(self, seat: Seat) -> list[Action]:
        """The same as sorted action numbers."""
        ...

    def apply(self, seat: Seat, action: Action) -> None:
        """Takes the action. Choices made at the same time take effect when the last one is in.

        :raises IllegalAction: if the action is not legal for the seat now; nothing has changed then.
        :raises OutOfPacks: if a new deal is due and no pack is given for it; the deal that is over stays on the table,
            scored, and the state can only be looked at.
        """
        ...

    def apply_unchecked(self, seat: Seat, action: Action) -> None:
        """Takes an action that is known to be legal; for search, where it came from :meth:`legal_mask`."""
        ...

    def observe(self, seat: Seat) -> Observation: ...

    def fallback(self, seat: Seat) -> Action:
        """What the house does for a seat that gives no valid answer."""
        ...

    def packs(self, since: int = 0) -> list[tuple[int, ...]]:
        """Every pack dealt for the current deal number, thrown-in ones first, each whole and in dealing order from
        the dealer; the first ``since`` of them are left out. Empty in a game without deals."""
        ...

    def scores(self) -> list[int]:
        """Totals by seat, whole numbers in the game's score unit."""
        ...

    def places(self) -> list[int]:
        """Places by seat as they stand: 1 + the number of seats strictly better."""
        ...

    def clone(self) -> State: ...

    def play_out(self, chance: Chance, match: bool) -> list[int]:
        """What a playout scores by seat: the deal on the table, or with ``match`` (and in a game without deals) the
        totals of the whole match. Every seat chooses evenly among its legal actions from here on; the state itself
        stays as it is. It must not be over."""
        ...

    def to_bytes(self) -> bytes:
        """The state as bytes, fewer than 300 for a match that was started from a seed."""
        ...


class Game(Protocol):
    """The rules of one game at one table size with one set of options."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def seats(self) -> int: ...
    @property
    def options(self) -> Any:
        """A frozen dataclass, one field per option."""
        ...

    @property
    def phases(self) -> tuple[Phase, ...]: ...
    @property
    def num_actions(self) -> int: ...
    @property
    def score_decimals(self) -> int:
        """Decimals that a score is shown with; scores themselves are whole numbers."""
        ...

    @property
    def bound(self) -> int:
        """No match has more decisions than this."""
        ...

    def start(self, seed: bytes) -> State:
        """A match whose cards and draws all follow from 32 bytes.

        :raises ValueError: if the seed is not 32 bytes long.
        """
        ...

    def start_from(self, packs: Sequence[Sequence[int]], *none: Any, **draws: Any) -> State:
        """A match whose deals are given: one pack per deal, thrown-in ones too, in dealing order.

        ``draws`` names what a seed would have drawn: ``first_dealer``, and ``first_trump`` where the game has one.
        Dealing beyond the last pack raises :class:`OutOfPacks`.
        """
        ...

    def draws(self, state: Any) -> dict[str, Any]:
        """What the seed drew besides cards, as record header fields: such as ``{"first_dealer": 2}``."""
        ...

    def from_bytes(self, data: bytes) -> State: ...

    def __hash__(self) -> int:
        """Games with the same rules, seats and options are equal and have the same hash."""
        ...

    def write(self, action: Action) -> str:
        """The text of an action, such as ``AS``, ``call 3``, ``show 2 5``.

        :raises ValueError: if there is no such action.
        """
        ...

    def read(self, text: str) -> Action:
        """The action of a text. ``read(write(a)) == a``.

        :raises ValueError: if the text is no action of this game.
        """
        ...

    def write_score(self, score: int) -> str:
        """A score as it is shown: ``4.2``, ``-13.0``, ``14``."""
        ...


class OutOfPacks(ValueError):
    """A match started from packs needs another deal and none is given."""


@dataclass(frozen=True, slots=True)
class GameKind:
    """A game as it is offered: one per module, listed in ``engine.GAMES``.

    ``options`` is the frozen dataclass of its options. ``make`` takes a seat count and its options. ``presets`` are
    named sets of options.

    Whoever calls ``make`` has checked both, as ``engine.load`` does.
    """

    id: str
    title: str
    seat_counts: tuple[int, ...]
    usual_seats: int
    aliases: tuple[str, ...]
    presets: Mapping[str, Mapping[str, object]]
    options: type[Any]
    make: Callable[[int, Any], Game]


def restored(game: Game, data: bytes) -> State:
    """The state that ``to_bytes`` wrote; unpickling calls it."""
    return game.from_bytes(data)


def by_fields(value: Any) -> tuple[Any, ...]:
    """What a frozen dataclass is pickled as: its class and its fields. Said by hand, because a compiled class has no
    other way to fill in the fields of a frozen value."""
    return type(value), tuple([getattr(value, field.name) for field in fields(value)])


def shared_places(keys: Sequence[tuple[int, ...]]) -> list[int]:
    """Places by seat: 1 + the number of seats with a greater key."""
    return [1 + sum(other > key for other in keys) for key in keys]


class ActionTexts:
    """The texts of an action space, one per action number, in both directions."""

    __slots__ = ("_actions", "_game", "_texts")

    def __init__(self, game: str, texts: Sequence[str]) -> None:
        self._game = game
        self._texts = tuple(texts)
        self._actions = {text: action for action, text in enumerate(texts)}

    def __len__(self) -> int:
        return len(self._texts)

    def write(self, action: Action) -> str:
        """The text of an action.

        :raises ValueError: if there is no such action.
        """
        if 0 <= action < len(self._texts):
            return self._texts[action]
        raise ValueError(f"{self._game} has no action {action}; actions are 0..{len(self._texts) - 1}.")

    def read(self, text: str) -> Action:
        """The action of a text.

        :raises ValueError: if it is no action of the game.
        """
        action = self._actions.get(text)
        if action is None:
            last = self._texts[-1]
            raise ValueError(
                f"{text!r} is no action of {self._game}; an action is written like {self._texts[0]} or {last}."
            )
        return action


def refusal(state: State, seat: Seat, action: Action) -> IllegalAction:
    """The error for an action that is not legal now."""
    game = state.game
    name = game.write(action) if 0 <= action < game.num_actions else f"action {action}"
    waiting = state.to_act()
    if not waiting:
        return IllegalAction(seat, action, (), f"Seat {seat} cannot take {name}: the match is over.")
    if seat not in waiting:
        seats = ", ".join(str(other) for other in waiting)
        return IllegalAction(seat, action, (), f"Seat {seat} cannot take {name}: it is not to act, seat {seats} is.")
    legal = state.legal(seat)
    texts = ", ".join(game.write(other) for other in legal)
    return IllegalAction(seat, action, legal, f"Seat {seat} cannot take {name} now; legal are: {texts}.")
