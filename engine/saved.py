"""States of the trick-taking games as bytes and back. Knows no rules: a deal is saved as the actions taken in it.

The bytes of a state are where its packs come from, the score sheet, some numbers of the game's own, and the actions
since the pack on the table was dealt. Equal states have equal bytes.
"""

import struct
from collections.abc import Sequence
from typing import Final, Protocol, TypeVar

from engine.dealing import Dealing, Deck, Supply
from engine.game import BROKEN, IllegalAction
from engine.score_sheet import ScoreSheet
from engine.shuffle import check_seed
from engine.table import Table
from engine.tricks import FinishedDeal


class DealState(Protocol):
    """A state whose deal can be saved."""

    @property
    def dealing(self) -> Dealing: ...
    @property
    def table(self) -> Table: ...

    sheet: ScoreSheet

    def legal_mask(self, seat: int) -> int: ...
    def apply(self, seat: int, action: int) -> None: ...
    def to_bytes(self) -> bytes: ...


AnyState = TypeVar("AnyState", bound=DealState)


def save(dealing: Dealing, sheet: ScoreSheet, numbers: Sequence[int], actions: bytes) -> bytes:
    """The bytes of a state. ``numbers``, signed ones of 32 bits, are what the game alone keeps between deals."""
    supply = dealing.supply
    last = sheet.last
    parts = [
        _text(supply.seed),
        _numbers(len(supply.given)),
        *supply.given,
        _numbers(dealing.first_dealer, dealing.deal, dealing.redeal, dealing.dealer, dealing.index, dealing.size),
        _numbers(*sheet.totals, sheet.over, last is not None),
    ]
    if last is not None:
        parts += [last.calls, last.won, _numbers(*last.scores)]
    return b"".join((*parts, _numbers(*numbers), _text(actions)))


class Saved:
    """What :func:`save` was given, read from its bytes.

    :raises ValueError: if the bytes cannot be those of a state with this deck and ``count`` numbers of the game's own.
    """

    __slots__ = ("_at", "_data", "actions", "dealing", "numbers", "sheet")

    def __init__(self, data: bytes, deck: Deck, count: int) -> None:
        self._data = data
        self._at = 0
        self.dealing: Final = self._read_dealing(deck)
        self.sheet: Final = self._read_sheet(deck.seats)
        self.numbers: Final = self._read_numbers(count)
        self.actions: Final = self._read_text()

    def resume(self, state: AnyState) -> AnyState:
        """The state after the saved actions; it must lie as it did before the first of them.

        :raises ValueError: if its bytes are not those that were read.
        """
        over = self.sheet.over
        state.sheet = ScoreSheet(self.sheet.totals, self.sheet.last)
        try:
            for action in self.actions[: len(self.actions) - over]:
                state.apply(state.table.turn, action)
        except IllegalAction:
            raise ValueError(BROKEN) from None
        if over:
            # Not by apply: the last card ended the match, and the scores of its deal are in the totals already.
            card = self.actions[-1] if self.actions else 0
            if state.table.called < state.table.seats or not state.legal_mask(state.table.turn) >> card & 1:
                raise ValueError(BROKEN)
            state.table.play(card)
            state.sheet = self.sheet
        if over != (state.table.done == state.dealing.size) or state.to_bytes() != self._data:
            raise ValueError(BROKEN)
        return state

    def _read_dealing(self, deck: Deck) -> Dealing:
        seed = self._read_text()
        (count,) = self._read_numbers(1)
        if not 0 <= count <= len(self._data):
            raise ValueError(BROKEN)
        given = [self._take(len(deck.cards)) for _ in range(count)]
        supply = Supply(deck, check_seed(seed) if seed else b"", deck.whole(given))
        first_dealer, deal, redeal, dealer, index, size = self._read_numbers(6)
        if not (
            0 <= first_dealer < deck.seats
            and 0 <= dealer < deck.seats
            and deal >= 0
            and 0 <= redeal <= index
            and 1 <= size <= len(deck.cards) // deck.seats
        ):
            raise ValueError(BROKEN)
        dealing = Dealing(supply, first_dealer)
        dealing.deal = deal
        dealing.redeal = redeal
        dealing.dealer = dealer
        dealing.index = index
        dealing.size = size
        dealing.pack = supply.pack(index, deal, redeal, dealer, size)
        return dealing

    def _read_sheet(self, seats: int) -> ScoreSheet:
        totals = self._read_numbers(seats)
        over, finished = self._read_numbers(2)
        last = None
        if finished:
            last = FinishedDeal(self._take(seats), self._take(seats), tuple(self._read_numbers(seats)))
        return ScoreSheet(tuple(totals), last, over != 0)

    def _read_numbers(self, count: int) -> list[int]:
        return list(struct.unpack(f">{count}i", self._take(4 * count)))

    def _read_text(self) -> bytes:
        return self._take(int.from_bytes(self._take(2), "big"))

    def _take(self, length: int) -> bytes:
        part = self._data[self._at : self._at + length]
        if len(part) != length:
            raise ValueError(BROKEN)
        self._at += length
        return part


def _numbers(*numbers: int) -> bytes:
    """Signed numbers of 32 bits."""
    return struct.pack(f">{len(numbers)}i", *numbers)


def _text(data: bytes) -> bytes:
    """Bytes whose length is not known to the reader."""
    return struct.pack(">H", len(data)) + data
