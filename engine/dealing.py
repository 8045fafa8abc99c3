"""Where the packs of a match come from and who deals them. Knows no rules of play."""

from collections.abc import Sequence

from engine.cards import mask_of, write_card
from engine.game import OutOfPacks
from engine.shuffle import check_seed, drawn, shuffled


class Deck:
    """What a table deals from, and how.

    :ivar cards: the unshuffled pack, ascending.
    :ivar mask: the same as a set.
    :ivar step: what leads from a seat to the next one, modulo the seats: 1, or seats - 1 anticlockwise.
    :ivar first_dealer: the seat that the option of this name fixes, or RANDOM.
    """

    __slots__ = ("cards", "first_dealer", "mask", "seats", "step")

    def __init__(self, cards: tuple[int, ...], seats: int, step: int, first_dealer: int | str) -> None:
        self.cards = cards
        self.mask = mask_of(cards)
        self.seats = seats
        self.step = step
        self.first_dealer = first_dealer

    def whole(self, packs: Sequence[Sequence[int]]) -> tuple[bytes, ...]:
        """The packs as bytes.

        :raises ValueError: if one does not have each card of the deck exactly once.
        """
        cards = self.cards
        checked: list[bytes] = []
        for number, pack in enumerate(packs):
            if sorted(pack) != list(cards):
                raise ValueError(
                    f"Pack {number} is not whole: it needs each of the {len(cards)} cards "
                    f"{write_card(cards[0])}..{write_card(cards[-1])} of this table exactly once."
                )
            checked.append(bytes(pack))
        return tuple(checked)

    def from_seed(self, seed: bytes) -> "Dealing":
        """A match that the seed decides, before its first deal. It draws the first dealer unless the option names one
        (CB-B16).

        :raises ValueError: if the seed is not 32 bytes long.
        """
        check_seed(seed)
        fixed = self.first_dealer
        first_dealer = drawn(seed, "first_dealer", self.seats) if isinstance(fixed, str) else fixed
        return Dealing(Supply(self, seed, ()), first_dealer)

    def from_packs(self, packs: Sequence[Sequence[int]], first_dealer: int | None) -> "Dealing":
        """A match whose packs are given, before its first deal; seat 0 deals first if neither the option nor the caller
        names one.

        :raises ValueError: if a pack is not whole, there is no such seat, or the option names another one.
        """
        fixed = self.first_dealer
        if first_dealer is None:
            first_dealer = 0 if isinstance(fixed, str) else fixed
        if not 0 <= first_dealer < self.seats:
            raise ValueError(f"Seat {first_dealer} cannot deal first; seats are 0..{self.seats - 1}.")
        if not isinstance(fixed, str) and fixed != first_dealer:
            raise ValueError(f"Seat {first_dealer} cannot deal first; the option first_dealer names seat {fixed}.")
        return Dealing(Supply(self, b"", self.whole(packs)), first_dealer)


class Supply:
    """The packs of a match: those that are given, in order, and then those that the seed makes, if there is one.

    :ivar seed: 32 bytes, or none.
    :ivar given: whole packs in dealing order.
    """

    __slots__ = ("deck", "given", "seed")

    def __init__(self, deck: Deck, seed: bytes, given: tuple[bytes, ...]) -> None:
        self.deck = deck
        self.seed = seed
        self.given = given

    def pack(self, index: int, deal: int, redeal: int, dealer: int, size: int) -> bytes:
        """A pack in dealing order from the dealer. ``index`` counts all packs of the match, thrown-in ones too;
        ``size`` is how many cards each seat gets.

        :raises OutOfPacks: if it is neither given nor made by a seed.
        """
        if index < len(self.given):
            return self.given[index]
        if not self.seed:
            raise OutOfPacks(f"Deal {deal} (thrown in {redeal} times) needs pack {index}, and none is given.")
        deck = self.deck
        return dealing_order(shuffled(self.seed, deal, redeal, deck.cards), size, dealer, deck.seats, deck.step)


def dealing_order(cards: Sequence[int], size: int, dealer: int, seats: int, step: int) -> bytes:
    """Absolute cards as the dealer deals them. In ``cards`` seat s has s, s+seats, s+2*seats, …, whoever deals; in what
    comes back the dealer's next seat has 0, seats, …. Cards that nobody gets follow unchanged."""
    dealt = size * seats
    absolute = bytes(cards)
    pack = bytearray(absolute)
    for at in range(seats):
        seat = (dealer + (at + 1) * step) % seats
        pack[at:dealt:seats] = absolute[seat:dealt:seats]
    return bytes(pack)


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

    def packs(self, since: int) -> list[tuple[int, ...]]:
        """The packs of the current deal number from the one of redeal ``since`` on, thrown-in ones first."""
        first = self.index - self.redeal
        return [
            tuple(
                self.pack
                if redeal == self.redeal
                else self.supply.pack(first + redeal, self.deal, redeal, self.dealer, self.size)
            )
            for redeal in range(since, self.redeal + 1)
        ]

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
