"""What a bot is asked: one turn of one match. Knows no stream."""

import operator
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.game import Game, Phase
from engine.pairs import PairsObservation
from engine.tricks import TrickObservation


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn to answer with one of ``legal``.

    :ivar match_id: the match; a bot may play many at once.
    :ivar game: the rules of this match, options included.
    :ivar number: number of the turn in the match, growing.
    :ivar observation: everything that the seat may know.
    :ivar legal: legal actions as numbers, ascending; never empty.
    :ivar budget_ms: time for the answer, the spare time of the whole match included.
    :ivar last_answer_us: how long the last answer in this match took, as the referee measured it; 0 before the first.
    :ivar rng: randomness of this match. A bot that draws only from here can be run again exactly.
    :ivar notes: the bot's own notes; one dict per match, kept until the match ends.
    """

    match_id: int
    game: Game
    seat: int
    number: int
    phase: Phase
    observation: TrickObservation | PairsObservation
    legal: tuple[int, ...]
    budget_ms: int
    last_answer_us: int
    rng: random.Random
    notes: dict[str, Any]

    def write(self, action: int) -> str:
        """The action as text, such as ``AS`` or ``call 3``."""
        return self.game.write(action)


Choose = Callable[[Turn], int]
"""A bot that answers turn after turn: one of the legal actions."""

ChooseMany = Callable[[Sequence[Turn]], Sequence[int]]
"""A bot that answers all turns of a frame at once: as many actions as turns, in the same order. An array, such as
NumPy's, is a sequence, too."""


def actions_of(first: int, mask: int) -> tuple[int, ...]:
    """The actions of a legal mask whose bit 0 means action ``first``, ascending."""
    actions = []
    while mask:
        bit = mask & -mask
        actions.append(first + bit.bit_length() - 1)
        mask ^= bit
    return tuple(actions)


def number_of(turn: Turn, action: object) -> int:
    """What a bot returned, as a number; a NumPy integer is one, too.

    :raises TypeError: if it is no whole number.
    """
    try:
        return operator.index(action)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"The bot must return an action number out of turn.legal, and returned {action!r}"
            f" (match {turn.match_id}, turn {turn.number}; legal: {', '.join(map(turn.write, turn.legal))})."
        ) from None


def one_for_each(turns: Sequence[Turn], returned: object) -> list[Any]:
    """What a ``choose_many`` returned, as one answer for each turn; whether an answer is a number is not looked at.

    :raises TypeError: if it is no sequence, such as a set, whose order means nothing.
    :raises ValueError: if there are more or fewer answers than turns.
    """
    answers: list[Any] | None = None
    # An array of another library is no Sequence; one without dimensions cannot be iterated, either.
    if isinstance(returned, Sequence) or (hasattr(returned, "__array__") and getattr(returned, "ndim", 1) != 0):
        answers = list(returned)  # type: ignore[call-overload]
    wanted = f"choose_many must return a list with one action for each of the {len(turns)} turns, in their order"
    if answers is None:
        raise TypeError(f"{wanted}, and returned {returned!r}.")
    if len(answers) != len(turns):
        raise ValueError(f"{wanted}, and returned {len(answers)} actions.")
    return answers


def one_at_a_time(choose_many: ChooseMany) -> Choose:
    """A ``choose`` that asks ``choose_many`` for one turn. It raises what ``one_for_each`` does."""

    def choose(turn: Turn) -> int:
        (action,) = one_for_each((turn,), choose_many((turn,)))
        return number_of(turn, action)

    return choose
