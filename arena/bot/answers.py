"""From the turns of a frame to the answers that are sent: one by one, or all at once. Knows no stream and no rules."""

import time
from collections.abc import Callable, Iterator, Sequence

from arena.bot.matches import choice
from arena.bot.turn import Choose, ChooseMany, Turn, one_for_each
from arena.v1 import play_pb2

LARGEST_BATCH = 256
"""The most turns that a frame carries; the referee keeps to it whatever a bot asks for."""

HOLD_S = 0.005
"""Answers of one frame are sent together, but none is held back longer than this by the thinking about the others."""

Answers = Callable[[Sequence[Turn]], Iterator[Sequence[play_pb2.Choice]]]
"""How a bot answers the turns of one frame: the choices of each frame that it sends, as soon as it is to be sent."""


def answers_of(choose: Choose | None, choose_many: ChooseMany | None) -> Answers:
    """The one of the two that there is, as answers.

    :raises TypeError: if there are both or none.
    """
    if choose_many is None and choose is not None:
        return one_by_one(choose)
    if choose is None and choose_many is not None:
        return all_at_once(choose_many)
    given = "neither was" if choose is None else "both were"
    raise TypeError(f"Give run either choose, which answers one turn, or choose_many; {given} given.")


def one_by_one(choose: Choose) -> Answers:
    """Asks ``choose`` turn after turn. What it raises goes through; answers not sent by then never are."""

    def answers(turns: Sequence[Turn]) -> Iterator[Sequence[play_pb2.Choice]]:
        ready: list[play_pb2.Choice] = []
        sent_at = time.monotonic()
        for turn in turns:
            ready.append(choice(turn, choose(turn)))
            if time.monotonic() - sent_at > HOLD_S:
                yield ready
                ready = []
                sent_at = time.monotonic()
        if ready:
            yield ready

    return answers


def all_at_once(choose_many: ChooseMany) -> Answers:
    """Asks ``choose_many`` once for all turns of a frame, and answers in one frame. What it raises goes through."""

    def answers(turns: Sequence[Turn]) -> Iterator[Sequence[play_pb2.Choice]]:
        if turns:
            yield list(map(choice, turns, one_for_each(turns, choose_many(turns))))

    return answers
