"""Contract Whist: 3 to 6 seats, one card less each hand, take exactly your contract. Knows nothing of the other games.

Rule ids (CW-…) are those of docs/rules/contract_whist.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.bits import numbered
from engine.cards import PACK, write_card
from engine.chance import Chance
from engine.dealing import Dealing, Deck
from engine.game import BROKEN, ActionTexts, GameKind, Phase, by_fields, refusal, restored
from engine.options import RANDOM, flag, list_of, one_of, seat_or_random
from engine.saved import Saved, save
from engine.score_sheet import ScoreSheet
from engine.shuffle import drawn
from engine.table import ALONE, Table
from engine.trick_view import view
from engine.tricks import NEVER, NONE, TRUMPS, TrickObservation, lowest

PLAY: Final = 0
CALL: Final = 1
FIRST_CALL: Final = 52
"""A contract of n is action FIRST_CALL + n."""

_LEFT_OUT: Final = {3: (0,), 4: (), 5: (0, 39), 6: (0, 13, 26, 39)}
"""Twos that are not used (CW-02)."""


@dataclass(frozen=True, slots=True)
class ContractWhistOptions:
    """What a table agrees on before the first hand."""

    trump_sequence: tuple[str, ...] = list_of(
        "CW-B1", "The trumps of the hands, over and over; NT is no trump.", "S", "H", "D", "C", "NT"
    )
    first_trump: str = one_of("CW-B3", "The trump of the first hand.", RANDOM, "S", "H", "D", "C")
    hook_last_hand: bool = flag("CW-B6", "Whether the hook also holds in the one-card hand.", default=True)
    tie_break: str = one_of("CW-B9", "What breaks a tie for the win.", "share", "extra_hand", "made_contracts")
    first_dealer: int | str = seat_or_random("CW-B3", "Who deals first.")

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)


class ContractWhist:
    """The rules at one table.

    :ivar hands: how many hands a match has without an extra one, which is also the size of the first.
    :ivar suits: distinct suits of the trump sequence, in its order; ``("NT",)`` if it has none.
    """

    id: Final = "contract_whist"
    title: Final = "Contract Whist"
    phases: Final = (Phase("play", 0, 52), Phase("call", 52, 18))
    num_actions: Final = 70
    score_decimals: Final = 0

    def __init__(self, seats: int, options: ContractWhistOptions) -> None:
        self.seats: Final = seats
        self.options: Final = options
        cards = tuple(card for card in PACK if card not in _LEFT_OUT[seats])
        self.deck: Final = Deck(cards, seats, 1, options.first_dealer)
        self.hands: Final = len(cards) // seats
        self.suits: Final = tuple(dict.fromkeys(t for t in options.trump_sequence if t != "NT")) or ("NT",)
        fixed = options.first_trump
        if fixed != RANDOM and fixed not in self.suits and self.suits != ("NT",):
            raise ValueError(
                f"Option first_trump cannot be {fixed!r}; the trump sequence has {', '.join(self.suits)} (CW-B1)."
            )
        self.trumps: Final = tuple(map(TRUMPS.index, options.trump_sequence))
        sizes = sum(range(1, self.hands + 1)) + (self.hands if options.tie_break == "extra_hand" else 0)
        count = self.hands + (options.tie_break == "extra_hand")
        self.bound: Final = seats * (sizes + count)
        self._texts: Final = ActionTexts(self.id, [*map(write_card, PACK), *(f"call {n}" for n in range(18))])

    def start(self, seed: bytes) -> "ContractWhistState":
        dealing = self.deck.from_seed(seed)
        first_trump = self.options.first_trump
        if first_trump not in self.suits:
            first_trump = self.suits[drawn(seed, "first_trump", len(self.suits))]
        return self._begun(dealing, first_trump)

    def start_from(
        self, packs: Sequence[Sequence[int]], *, first_dealer: int | None = None, first_trump: str | None = None
    ) -> "ContractWhistState":
        dealing = self.deck.from_packs(packs, first_dealer)
        fixed = self.options.first_trump
        if first_trump is None:
            first_trump = fixed if fixed in self.suits else self.suits[0]
        if first_trump not in self.suits or (fixed in self.suits and fixed != first_trump):
            valid = fixed if fixed in self.suits else ", ".join(self.suits)
            raise ValueError(f"The first trump cannot be {first_trump!r}; at this table it is {valid}.")
        return self._begun(dealing, first_trump)

    def draws(self, state: "ContractWhistState") -> dict[str, Any]:
        return {"first_dealer": state.dealing.first_dealer, "first_trump": state.first_trump}

    def size(self, deal: int) -> int:
        """Cards in each hand of a deal: one less each time, all of them again in the extra hand (CW-07, CW-B9)."""
        return self.hands - deal if deal < self.hands else self.hands

    def trump(self, first_trump: str, deal: int) -> int:
        """The trump of a deal in the prepared score sheet (CW-05)."""
        start = self.options.trump_sequence.index(first_trump)
        return self.trumps[(start + deal) % len(self.trumps)]

    def score(self, call: int, won: int) -> int:
        """What a hand scores (CW-17 to CW-19)."""
        return call + 10 if won == call else 0

    def write(self, action: int) -> str:
        return self._texts.write(action)

    def read(self, text: str) -> int:
        return self._texts.read(text)

    def write_score(self, score: int) -> str:
        return str(score)

    def from_bytes(self, data: bytes) -> "ContractWhistState":
        """The state that ``to_bytes`` wrote.

        :raises ValueError: if the bytes are no state of this game with these options.
        """
        saved = Saved(data, self.deck, 1 + self.seats)
        dealing = saved.dealing
        suit, *made = saved.numbers
        if dealing.deal > self.hands or dealing.size != self.size(dealing.deal) or not 0 <= suit < len(self.suits):
            raise ValueError(BROKEN)
        state = ContractWhistState(self, dealing, self.table(), saved.sheet, self.suits[suit])
        state.made = made
        state.lay()
        return saved.resume(state)

    def _begun(self, dealing: Dealing, first_trump: str) -> "ContractWhistState":
        state = ContractWhistState(self, dealing, self.table(), ScoreSheet((0,) * self.seats), first_trump)
        state.open_deal()
        return state

    def table(self) -> Table:
        """A table on which nothing lies yet."""
        return Table(self.seats, 1, NEVER, NEVER)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ContractWhist) and self.seats == other.seats and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.id, self.seats, self.options))

    def __reduce__(self) -> tuple[Any, ...]:
        return (ContractWhist, (self.seats, self.options))


class ContractWhistState:
    """A match at one moment.

    :ivar made: by seat, the sum of the contracts that were made.
    :ivar first_trump: the trump of the first hand, as in the options.
    """

    __slots__ = ("dealing", "first_trump", "game", "made", "sheet", "table")

    def __init__(
        self, game: ContractWhist, dealing: Dealing, table: Table, sheet: ScoreSheet, first_trump: str
    ) -> None:
        self.game = game
        self.dealing = dealing
        self.table = table
        self.sheet = sheet
        self.made = [0] * game.seats
        self.first_trump = first_trump

    @property
    def deal(self) -> int:
        return self.dealing.deal

    @property
    def redeal(self) -> int:
        return self.dealing.redeal

    def to_act(self) -> tuple[int, ...]:
        return () if self.sheet.over else ALONE[self.table.turn]

    def phase(self) -> int:
        table = self.table
        return PLAY if table.called == table.seats else CALL

    def legal_mask(self, seat: int) -> int:
        table = self.table
        if seat != table.turn or self.sheet.over:
            return 0
        if table.called == table.seats:
            return table.legal()
        size: int = table.size
        mask = (2 << size) - 1
        if table.called == table.seats - 1:
            # The hook (CW-10); in the extra hand it always holds (CW-B9).
            barred = size - sum(call for call in table.calls if call != NONE)
            last_hand = self.dealing.deal == self.game.hands - 1
            if barred >= 0 and (self.game.options.hook_last_hand or not last_hand):
                mask ^= 1 << barred
        return mask

    def legal(self, seat: int) -> list[int]:
        return numbered(self.legal_mask(seat), 0 if self.phase() == PLAY else FIRST_CALL)

    def apply(self, seat: int, action: int) -> None:
        option = action if self.phase() == PLAY else action - FIRST_CALL
        if option < 0 or not self.legal_mask(seat) >> option & 1:
            raise refusal(self, seat, action)
        self.apply_unchecked(seat, action)

    def apply_unchecked(self, seat: int, action: int) -> None:  # noqa: ARG002 - the seat to act is the only one
        table = self.table
        if table.called == table.seats:
            table.play(action)
            if table.done == table.size:
                self.score_deal()
                self.go_on()
            return
        table.call(action - FIRST_CALL)

    def observe(self, seat: int) -> TrickObservation:
        extra = self.dealing.deal == self.game.hands
        table = self.table
        return view(seat, self.dealing, table, self.sheet, phase=self.phase(), hand=table.hand(seat), extra=extra)

    def fallback(self, seat: int) -> int:
        """The lowest legal contract or card (CW-B12)."""
        mask = self.legal_mask(seat)
        return lowest(mask) if self.phase() == PLAY else FIRST_CALL + (mask & -mask).bit_length() - 1

    def packs(self, since: int = 0) -> list[tuple[int, ...]]:
        return self.dealing.packs(since)

    def scores(self) -> list[int]:
        return list(self.sheet.totals)

    def places(self) -> list[int]:
        """Totals decide; once the match is over, a tie for the win is broken as the options say (CW-21, CW-B9)."""
        game = self.game
        tie_break = self.made if game.options.tie_break == "made_contracts" else ()
        return self.sheet.places(tie_break, played_off=self.dealing.deal == game.hands)

    def clone(self) -> "ContractWhistState":
        other = ContractWhistState(self.game, self.dealing.clone(), self.table.clone(), self.sheet, self.first_trump)
        other.made = self.made[:]
        return other

    def play_out(self, chance: Chance, match: bool) -> list[int]:
        """What a playout scores by seat: the deal on the table, or with ``match`` the totals of the whole match. Every
        seat chooses evenly among its legal actions from here on; the state itself stays as it is."""
        state = self.clone()
        table = state.table
        while True:
            while table.called < table.seats:
                table.call(chance.index(state.legal_mask(table.turn)))
            table.play_out(chance)
            if not match:
                return state.deal_scores()
            state.score_deal()
            state.go_on()
            if state.sheet.over:
                return state.scores()

    def to_bytes(self) -> bytes:
        table = self.table
        calls = [FIRST_CALL + call for call in table.calls_in_turn(self.dealing.dealer)]
        numbers = (self.game.suits.index(self.first_trump), *self.made)
        return save(self.dealing, self.sheet, numbers, bytes(calls) + table.played)

    def open_deal(self) -> None:
        """Deals the next hand; who deals follows from its number (CW-B4)."""
        dealing = self.dealing
        deal = dealing.deal + 1
        dealing.open((dealing.first_dealer + deal) % self.game.seats, self.game.size(deal))
        self.lay()

    def lay(self) -> None:
        """Puts the pack on the table; nothing is declared yet."""
        self.table.trump = self.game.trump(self.first_trump, self.dealing.deal)
        self.table.lay(self.dealing.pack, self.dealing.size, self.dealing.dealer)

    def deal_scores(self) -> list[int]:
        """What the deal scores by seat, once it is played out."""
        table = self.table
        game = self.game
        return [game.score(table.calls[seat], table.won[seat]) for seat in range(game.seats)]

    def score_deal(self) -> None:
        """Enters the finished deal in the score sheet."""
        table = self.table
        game = self.game
        deal = self.dealing.deal
        scores = tuple(self.deal_scores())
        extra = deal == game.hands
        sheet = self.sheet.entered(table.calls, table.won, scores, counts=not extra)
        self.sheet = sheet
        if not extra:
            for seat, call in enumerate(table.calls):
                if table.won[seat] == call:
                    self.made[seat] += call

    def go_on(self) -> None:
        """Deals again, or ends the match (CW-20, CW-B9)."""
        game = self.game
        deal = self.dealing.deal
        extra = deal == game.hands
        if deal + 1 < game.hands or (not extra and game.options.tie_break == "extra_hand" and self.sheet.tied()):
            self.open_deal()
        else:
            self.sheet = self.sheet.ended()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ContractWhistState) and self.game == other.game and self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return (restored, (self.game, self.to_bytes()))


CONTRACT_WHIST: Final = GameKind(
    id="contract_whist",
    title="Contract Whist",
    seat_counts=(3, 4, 5, 6),
    usual_seats=4,
    aliases=(
        "oh hell",
        "oh well",
        "oh pshaw",
        "nomination whist",
        "nominations",
        "nommy",
        "blob",
        "blackout",
        "bust",
        "elevator",
        "jungle bridge",
        "diminishing contract whist",
        "up and down the river",
    ),
    presets={},
    options=ContractWhistOptions,
    make=ContractWhist,
)
