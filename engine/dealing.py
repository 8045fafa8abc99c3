"""Where the packs of a match come from, and how states of the trick games become bytes. Knows no rules of play."""

import struct
from collections.abc import Sequence

from engine.cards import write_card
from engine.game import BROKEN, OutOfPacks
from engine.shuffle import check_seed, drawn, shuffled
from engine.tricks import FinishedDeal


class Supply:
    """The packs of a match: those that are given, in order, and then those that the seed makes, if there is one.

    :ivar deck: the unshuffled pack, ascending.
    :ivar seed: 32 bytes, or none.
    :ivar given: whole packs in dealing order.
    """

    __slots__ = ("deck", "given", "seats", "seed", "step")

    def __init__(
        self, deck: tuple[int, ...], seats: int, step: int, seed: bytes, given: Sequence[Sequence[int]]
    ) -> None:
        self.deck = deck
        self.seats = seats
        self.step = step
        self.seed = check_seed(seed) if seed else b""
        packs: list[bytes] = []
        for number, pack in enumerate(given):
            if sorted(pack) != list(deck):
                raise ValueError(
                    f"Pack {number} is not whole: it needs each of the {len(deck)} cards "
                    f"{write_card(deck[0])}..{write_card(deck[-1])} of this table exactly once."
                )
            packs.append(bytes(pack))
        self.given = tuple(packs)

    def pack(self, index: int, deal: int, redeal: int, dealer: int, size: int) -> bytes:
        """A pack in dealing order from the dealer. ``index`` counts all packs of the match, thrown-in ones too;
        ``size`` is how many cards each seat gets.

        :raises OutOfPacks: if it is neither given nor made by a seed.
        """
        if index < len(self.given):
            return self.given[index]
        if not self.seed:
            raise OutOfPacks(f"Deal {deal} (thrown in {redeal} times) needs pack {index}, and none is given.")
        return dealing_order(shuffled(self.seed, deal, redeal, self.deck), size, dealer, self.seats, self.step)


def dealing_order(cards: Sequence[int], size: int, dealer: int, seats: int, step: int) -> bytes:
    """Absolute cards as the dealer deals them. In ``cards`` seat s has s, s+seats, s+2*seats, …, whoever deals; in what
    comes back the dealer's next seat has 0, seats, …. Cards that nobody gets follow unchanged."""
    order = [(dealer + (at + 1) * step) % seats for at in range(seats)]
    pack = [cards[row + seat] for row in range(0, size * seats, seats) for seat in order]
    pack.extend(cards[size * seats :])
    return bytes(pack)


def drawn_dealer(fixed: int | str, seed: bytes, seats: int) -> int:
    """The first dealer: the one that the option names, otherwise drawn from the seed (CB-B16)."""
    return drawn(seed, "first_dealer", seats) if isinstance(fixed, str) else fixed


def given_dealer(fixed: int | str, given: int | None, seats: int) -> int:
    """The first dealer of a match whose packs are given; seat 0 if neither the option nor the caller names one.

    :raises ValueError: if there is no such seat, or the option names another one.
    """
    if given is None:
        return 0 if isinstance(fixed, str) else fixed
    if not 0 <= given < seats:
        raise ValueError(f"Seat {given} cannot deal first; seats are 0..{seats - 1}.")
    if not isinstance(fixed, str) and fixed != given:
        raise ValueError(f"Seat {given} cannot deal first; the option first_dealer names seat {fixed}.")
    return given


class Dealing:
    """Which deal is on the table and who dealt it. Mutable.

    :ivar deal: number of the deal, from 0; a thrown-in deal keeps its number.
    :ivar redeal: how often it has been thrown in.
    :ivar index: number of the pack on the table, counting all packs of the match.
    :ivar size: cards dealt to each seat.
    :ivar pack: the pack on the table, in dealing order.
    """

    __slots__ = ("deal", "dealer", "first_dealer", "index", "pack", "redeal", "size", "supply")

    supply: Supply
    first_dealer: int
    deal: int
    redeal: int
    dealer: int
    index: int
    size: int
    pack: bytes

    def __init__(self, supply: Supply, first_dealer: int) -> None:
        self.supply = supply
        self.first_dealer = first_dealer
        self.deal = -1
        self.redeal = 0
        self.dealer = first_dealer
        self.index = -1
        self.size = 0
        self.pack = b""

    def open(self, dealer: int, size: int) -> None:
        """The next deal.

        :raises OutOfPacks: if there is no pack for it.
        """
        self.pack = self.supply.pack(self.index + 1, self.deal + 1, 0, dealer, size)
        self.index += 1
        self.deal += 1
        self.redeal = 0
        self.dealer = dealer
        self.size = size

    def again(self) -> None:
        """The deal was thrown in: the same dealer deals it again.

        :raises OutOfPacks: if there is no pack for it.
        """
        self.pack = self.supply.pack(self.index + 1, self.deal, self.redeal + 1, self.dealer, self.size)
        self.index += 1
        self.redeal += 1

    def packs(self) -> list[tuple[int, ...]]:
        """Every pack of the current deal number, thrown-in ones first."""
        first = self.index - self.redeal
        thrown_in = [
            tuple(self.supply.pack(first + redeal, self.deal, redeal, self.dealer, self.size))
            for redeal in range(self.redeal)
        ]
        return [*thrown_in, tuple(self.pack)]

    def clone(self) -> "Dealing":
        """An independent copy."""
        other = Dealing(self.supply, self.first_dealer)
        other.deal = self.deal
        other.redeal = self.redeal
        other.dealer = self.dealer
        other.index = self.index
        other.size = self.size
        other.pack = self.pack
        return other


class Writer:
    """A state's bytes in the making."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def numbers(self, *numbers: int) -> None:
        """Signed numbers of 32 bits."""
        self._parts.append(struct.pack(f">{len(numbers)}i", *numbers))

    def text(self, data: bytes) -> None:
        """Bytes whose length is not known to the reader."""
        self._parts.append(struct.pack(">H", len(data)) + data)

    def dealing(self, dealing: Dealing) -> None:
        """Where the packs come from and which deal is on the table."""
        supply = dealing.supply
        self.text(supply.seed)
        self.numbers(len(supply.given))
        self._parts.extend(supply.given)
        self.numbers(dealing.first_dealer, dealing.deal, dealing.redeal, dealing.dealer, dealing.index, dealing.size)

    def finished(self, deal: FinishedDeal | None) -> None:
        """A finished deal, or that there is none."""
        if deal is None:
            self.text(b"")
        else:
            self.text(deal.calls + deal.won)
            self.numbers(*deal.scores)

    def done(self) -> bytes:
        """All that was written."""
        return b"".join(self._parts)


class Reader:
    """Reads what a Writer wrote.

    :raises ValueError: from every method, if the bytes are not those of a state.
    """

    __slots__ = ("_at", "_data", "seats")

    def __init__(self, data: bytes, seats: int) -> None:
        self._data = data
        self._at = 0
        self.seats = seats

    def numbers(self, count: int) -> list[int]:
        """Signed numbers of 32 bits."""
        return list(struct.unpack(f">{count}i", self._take(4 * count)))

    def text(self) -> bytes:
        """Bytes of any length."""
        length = int.from_bytes(self._take(2), "big")
        return self._take(length)

    def dealing(self, deck: tuple[int, ...], step: int) -> Dealing:
        """Where the packs come from and which deal is on the table."""
        seed = self.text()
        (count,) = self.numbers(1)
        if not 0 <= count <= len(self._data):
            raise ValueError(BROKEN)
        supply = Supply(deck, self.seats, step, seed, [self._take(len(deck)) for _ in range(count)])
        first_dealer, deal, redeal, dealer, index, size = self.numbers(6)
        if not (
            0 <= first_dealer < self.seats
            and 0 <= dealer < self.seats
            and deal >= 0
            and 0 <= redeal <= index
            and 1 <= size <= len(deck) // self.seats
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

    def finished(self) -> FinishedDeal | None:
        """A finished deal, or None."""
        both = self.text()
        if not both:
            return None
        if len(both) != 2 * self.seats:
            raise ValueError(BROKEN)
        return FinishedDeal(both[: self.seats], both[self.seats :], tuple(self.numbers(self.seats)))

    def end(self) -> None:
        """Nothing is left over."""
        if self._at != len(self._data):
            raise ValueError(BROKEN)

    def _take(self, length: int) -> bytes:
        part = self._data[self._at : self._at + length]
        if len(part) != length:
            raise ValueError(BROKEN)
        self._at += length
        return part
