"""What the four readings of the rules have in common: a match that is told packs and actions. Knows no game's rules."""

from collections import Counter
from typing import Protocol


class Match(Protocol):
    """One match. While ``wants_pack`` it must be given a pack; otherwise the seats of ``to_act`` owe an action, and
    when there are none it is over.

    ``seen`` counts what happened, in words.
    """

    seats: int
    step: int
    deal: int
    redeal: int
    dealer: int
    wants_pack: bool
    seen: Counter[str]

    def size(self) -> int: ...
    def give(self, pack: list[str]) -> None: ...
    def to_act(self) -> list[int]: ...
    def legal(self, seat: int) -> list[str]: ...
    def fallback(self, seat: int) -> str: ...
    def take(self, seat: int, action: str) -> None: ...
    def scores(self) -> list[int]: ...
    def places(self) -> list[int]: ...


def places_by(keys: list[tuple[int, ...]]) -> list[int]:
    """1 + how many are strictly better; greater keys are better."""
    return [1 + len([other for other in keys if other > key]) for key in keys]


def leaders(totals: list[int]) -> list[int]:
    """The seats with the highest total."""
    return [seat for seat, total in enumerate(totals) if total == max(totals)]


def order_from(dealer: int, step: int, seats: int) -> list[int]:
    """All seats, the dealer's next first, the dealer last."""
    return [(dealer + step * (n + 1)) % seats for n in range(seats)]
