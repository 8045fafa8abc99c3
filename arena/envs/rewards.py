"""What a learner is paid: three ways, all read off totals and places. Knows no game.

- ``place`` (default): at the end of the match, 1 for the first place down to -1 for the last in equal steps; seats that
  share a place share the mean of their steps. The sum is 0, and all games pay on one scale: places are what is rated.
- ``score``: at the end of the match, the total in points.
- ``deal``: the change of the total in points whenever totals change; over a match the same sum as ``score``.
"""

from collections.abc import Callable, Sequence
from typing import Final

from engine.game import State

Payer = Callable[[State, Sequence[int], bool], list[float]]
"""Takes the state after an action, the totals that were paid for so far, and whether the match is over."""


def place_rewards(places: Sequence[int]) -> list[float]:
    """Rewards by seat for places by seat, shared ones too; from -1 to 1, summing to 0."""
    seats = len(places)
    # Seats on a shared place p have the ranks p .. p + shared - 1 among them.
    ranks = [place + (places.count(place) - 1) / 2 for place in places]
    return [1.0 - 2.0 * (rank - 1.0) / (seats - 1) for rank in ranks]


def payer(name: str) -> Payer:
    """The function that pays.

    :raises ValueError: if there is no such way to pay.
    """
    if name not in _PAYERS:
        raise ValueError(f"Rewards cannot be {name!r}; they are {', '.join(_PAYERS)}.")
    return _PAYERS[name]


def _by_place(state: State, paid: Sequence[int], over: bool) -> list[float]:
    return place_rewards(state.places()) if over else [0.0] * len(paid)


def _by_score(state: State, paid: Sequence[int], over: bool) -> list[float]:
    return _by_deal(state, [0] * len(paid), over) if over else [0.0] * len(paid)


def _by_deal(state: State, paid: Sequence[int], over: bool) -> list[float]:  # noqa: ARG001 - all payers are called alike
    unit = 10**state.game.score_decimals
    return [(total - before) / unit for total, before in zip(state.scores(), paid, strict=True)]


_PAYERS: Final = {"place": _by_place, "score": _by_score, "deal": _by_deal}
