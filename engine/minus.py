"""Minus: four seats, two laps of trump calls, miss your call and lose it. Knows nothing of the other games.

Rule ids (MN-…) are those of docs/rules/minus.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.bits import numbered
from engine.cards import PACK, SUITS, mask_of, write_card
from engine.chance import Chance
from engine.dealing import Dealing, Deck
from engine.game import BROKEN, ActionTexts, GameKind, Phase, by_fields, refusal, restored
from engine.options import flag, one_of, seat_or_random, whole
from engine.saved import Saved, save
from engine.score_sheet import ScoreSheet
from engine.table import ALONE, BYTE, Table
from engine.trick_view import view
from engine.tricks import DUTIES, NONE, UNSETTLED, TrickObservation, lowest

PLAY: Final = 0
CALL: Final = 1
FIRST_LAP: Final = 2
SECOND_LAP: Final = 3
FIRST_CALL: Final = 50
"""A call of n is action FIRST_CALL + n."""
PASS: Final = 64

_FIRST: Final[tuple[int, ...]] = (0, 52, 64, 64)
"""First action of each phase."""


@dataclass(frozen=True, slots=True)
class MinusOptions:
    """What a table agrees on before the first deal."""

    direction: str = one_of("MN-V7", "Which way deal, laps, calls and play go.", "clockwise", "anticlockwise")
    second_lap: bool = flag("MN-V2", "Whether the trump may be taken over on 13 cards.", default=True)
    takeover_min: int = whole("MN-V1", "The lowest number that takes the trump over.", 10, least=5, most=13)
    all_pass_trump: str = one_of("MN-V3", "The trump when all pass.", "S", "H", "D", "C")
    must_beat: str = one_of("MN-V4", "When a follower must play a higher card.", "unless_trumped", "never", "always")
    trump_when_void: str = one_of(
        "MN-V5", "What a player without the suit led owes.", "must_win", "always", "no_waste", "never"
    )
    match_end: str = one_of("MN-V8", "What ends the match.", "deals", "target")
    deals: int = whole("MN-34", "Deals in a match of deals.", 5, least=1)
    target: int = whole("MN-35", "The total that ends a match to a target.", 21, least=1)
    max_deals: int = whole("MN-B11", "A match to a target ends after this many deals.", 60, least=1)
    first_dealer: int | str = seat_or_random("MN-B14", "Who deals first.")

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)


class Minus:
    """The rules at one table."""

    id: Final = "minus"
    title: Final = "Minus"
    phases: Final = (
        Phase("play", 0, 52),
        Phase("call", 52, 12),
        Phase("first lap", 64, 37),
        Phase("second lap", 64, 37),
    )
    num_actions: Final = 101
    score_decimals: Final = 0

    def __init__(self, seats: int, options: MinusOptions) -> None:
        self.seats: Final = seats
        self.options: Final = options
        self.step: Final = 1 if options.direction == "clockwise" else 3
        self.deck: Final = Deck(PACK, 4, self.step, options.first_dealer)
        self.must_beat: Final = DUTIES[options.must_beat]
        self.trump_when_void: Final = DUTIES[options.trump_when_void]
        self.most_deals: Final = options.deals if options.match_end == "deals" else options.max_deals
        self.bound: Final = self.most_deals * (64 if options.second_lap else 60)
        calls = [f"call {n}" for n in range(2, 14)]
        trumps = [f"trump {n}{suit}" for n in range(5, 14) for suit in SUITS]
        self._texts: Final = ActionTexts(self.id, [*map(write_card, PACK), *calls, "pass", *trumps])

    def start(self, seed: bytes) -> "MinusState":
        return self._begun(self.deck.from_seed(seed))

    def start_from(self, packs: Sequence[Sequence[int]], *, first_dealer: int | None = None) -> "MinusState":
        return self._begun(self.deck.from_packs(packs, first_dealer))

    def draws(self, state: "MinusState") -> dict[str, Any]:
        return {"first_dealer": state.dealing.first_dealer}

    def score(self, call: int, won: int) -> int:
        """What a deal scores (MN-31, MN-32)."""
        return call if won >= call else -call

    def next_dealer(self, dealer: int, totals: Sequence[int]) -> int:
        """The seat with the lowest total; of several, the first after the last dealer, who is last (MN-08, MN-09)."""
        order = [(dealer + at * self.step) % 4 for at in range(1, 5)]
        return min(order, key=lambda seat: totals[seat])

    def write(self, action: int) -> str:
        return self._texts.write(action)

    def read(self, text: str) -> int:
        return self._texts.read(text)

    def write_score(self, score: int) -> str:
        return str(score)

    def from_bytes(self, data: bytes) -> "MinusState":
        """The state that ``to_bytes`` wrote.

        :raises ValueError: if the bytes are no state of this game with these options.
        """
        saved = Saved(data, self.deck, 0)
        if saved.dealing.deal >= self.most_deals or saved.dealing.size != 13:
            raise ValueError(BROKEN)
        state = MinusState(self, saved.dealing, self.table(), saved.sheet)
        state.lay()
        return saved.resume(state)

    def _begun(self, dealing: Dealing) -> "MinusState":
        state = MinusState(self, dealing, self.table(), ScoreSheet((0, 0, 0, 0)))
        state.open_deal(dealing.first_dealer)
        return state

    def table(self) -> Table:
        """A table on which nothing lies yet."""
        return Table(4, self.step, self.must_beat, self.trump_when_void)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Minus) and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.id, self.options))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Minus, (self.seats, self.options))


class MinusState:
    """A match at one moment.

    :ivar stage: the phase, PLAY to SECOND_LAP.
    :ivar packet: by seat, the five cards of the first packet.
    :ivar laps: turns of the laps so far: 0 for a pass, otherwise action - PASS.
    :ivar standing: the highest lap call so far that stands, as action - PASS, 0 for none.
    :ivar caller: who made it; NONE for nobody.
    """

    __slots__ = ("caller", "dealing", "game", "laps", "packet", "sheet", "stage", "standing", "table")

    def __init__(self, game: Minus, dealing: Dealing, table: Table, sheet: ScoreSheet) -> None:
        self.game = game
        self.dealing = dealing
        self.table = table
        self.sheet = sheet
        self.stage = FIRST_LAP
        self.packet = [0, 0, 0, 0]
        self.laps = b""
        self.standing = 0
        self.caller = NONE

    @property
    def deal(self) -> int:
        return self.dealing.deal

    @property
    def redeal(self) -> int:
        return self.dealing.redeal

    def to_act(self) -> tuple[int, ...]:
        return () if self.sheet.over else ALONE[self.table.turn]

    def phase(self) -> int:
        return self.stage

    def legal_mask(self, seat: int) -> int:
        if seat != self.table.turn or self.sheet.over:
            return 0
        if self.stage == PLAY:
            return self.table.legal()
        if self.stage == CALL:
            return (1 << 12) - 1
        least, most = (5, 7) if self.stage == FIRST_LAP else (self.game.options.takeover_min, 13)
        if self.standing:
            # Whatever stands was called in this lap, or is below any call of the second one (MN-11, MN-15, MN-B4).
            least = max(least, _number(self.standing) + 1)
        if least > most:
            return 1
        return 1 | (2 << 4 * (most - 4)) - (2 << 4 * (least - 5))

    def legal(self, seat: int) -> list[int]:
        return numbered(self.legal_mask(seat), _FIRST[self.stage])

    def apply(self, seat: int, action: int) -> None:
        option = action - _FIRST[self.stage]
        if option < 0 or not self.legal_mask(seat) >> option & 1:
            raise refusal(self, seat, action)
        self.apply_unchecked(seat, action)

    def apply_unchecked(self, seat: int, action: int) -> None:
        table = self.table
        if self.stage == PLAY:
            table.play(action)
            if table.done == 13:
                self.score_deal()
                self.go_on()
        elif self.stage == CALL:
            table.call(action - FIRST_CALL)
            self._ask()
        else:
            self.laps = self.laps + BYTE[action - PASS]
            if action != PASS:
                self.standing = action - PASS
                self.caller = table.leader = seat
            table.turn = (seat + table.step) % 4
            if len(self.laps) == 4 and self.game.options.second_lap:
                self.stage = SECOND_LAP
            elif len(self.laps) == 4 + 4 * self.game.options.second_lap:
                self._settle()

    def observe(self, seat: int) -> TrickObservation:
        # MN-06: the second packet is not dealt before the first lap is over.
        hand = self.packet[seat] if self.stage == FIRST_LAP else self.table.hand(seat)
        caller = self.caller if self.stage < FIRST_LAP else NONE
        return view(
            seat, self.dealing, self.table, self.sheet, phase=self.stage, hand=hand, laps=self.laps, caller=caller
        )

    def fallback(self, seat: int) -> int:
        """Pass, the lowest call, the lowest legal card (MN-B15)."""
        mask = self.legal_mask(seat)
        return lowest(mask) if self.stage == PLAY else _FIRST[self.stage] + (mask & -mask).bit_length() - 1

    def packs(self, since: int = 0) -> list[tuple[int, ...]]:
        return self.dealing.packs(since)

    def scores(self) -> list[int]:
        return list(self.sheet.totals)

    def places(self) -> list[int]:
        """Totals decide; ties are shared (MN-36)."""
        return self.sheet.places()

    def clone(self) -> "MinusState":
        other = MinusState(self.game, self.dealing.clone(), self.table.clone(), self.sheet)
        other.stage = self.stage
        other.packet = self.packet
        other.laps = self.laps
        other.standing = self.standing
        other.caller = self.caller
        return other

    def play_out(self, chance: Chance, match: bool) -> list[int]:
        """What a playout scores by seat: the deal on the table, or with ``match`` the totals of the whole match. Every
        seat chooses evenly among its legal actions from here on; the state itself stays as it is."""
        state = self.clone()
        table = state.table
        while True:
            while state.stage != PLAY:
                seat = table.turn
                state.apply_unchecked(seat, _FIRST[state.stage] + chance.index(state.legal_mask(seat)))
            table.play_out(chance)
            if not match:
                return state.deal_scores()
            state.score_deal()
            state.go_on()
            if state.sheet.over:
                return state.scores()

    def to_bytes(self) -> bytes:
        table = self.table
        laps = [PASS + option for option in self.laps]
        calls = [FIRST_CALL + call for call in table.calls_in_turn(self.dealing.dealer, but=self.caller)]
        return save(self.dealing, self.sheet, (), bytes(laps + calls) + table.played)

    def open_deal(self, dealer: int) -> None:
        """Deals the next deal."""
        self.dealing.open(dealer, 13)
        self.lay()

    def lay(self) -> None:
        """Puts the pack on the table; nobody has spoken yet."""
        pack = self.dealing.pack
        self.table.lay(pack, 13, self.dealing.dealer)
        self.table.trump = UNSETTLED
        packet = [0, 0, 0, 0]
        for at in range(4):
            packet[(self.dealing.dealer + (at + 1) * self.game.step) % 4] = mask_of(pack[at:20:4])
        self.packet = packet
        self.stage = FIRST_LAP
        self.laps = b""
        self.standing = 0
        self.caller = NONE

    def _settle(self) -> None:
        """The laps are over: the trump is known, and the calls begin (MN-12, MN-13, MN-16 to MN-20)."""
        table = self.table
        if self.standing:
            table.trump = (self.standing - 1) % 4
            table.calls[self.caller] = _number(self.standing)
            table.called = 1
        else:
            table.trump = SUITS.index(self.game.options.all_pass_trump)
        self.stage = CALL
        self._ask()

    def _ask(self) -> None:
        """Gives the turn to the next seat that owes a call, or to the leader of the first trick."""
        table = self.table
        if table.called == 4:
            table.turn = table.leader
            self.stage = PLAY
        elif table.turn == self.caller:
            table.turn = (table.turn + table.step) % 4

    def deal_scores(self) -> list[int]:
        """What the deal scores by seat, once it is played out."""
        table = self.table
        game = self.game
        return [game.score(table.calls[seat], table.won[seat]) for seat in range(4)]

    def score_deal(self) -> None:
        """Enters the finished deal in the score sheet."""
        table = self.table
        scores = tuple(self.deal_scores())
        self.sheet = self.sheet.entered(table.calls, table.won, scores)

    def go_on(self) -> None:
        """Deals again, or ends the match (MN-34, MN-35, MN-B11)."""
        options = self.game.options
        sheet = self.sheet
        reached = options.match_end == "target" and max(sheet.totals) >= options.target
        if reached or self.dealing.deal + 1 == self.game.most_deals:
            self.sheet = sheet.ended()
        else:
            self.open_deal(self.game.next_dealer(self.dealing.dealer, sheet.totals))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MinusState) and self.game == other.game and self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return (restored, (self.game, self.to_bytes()))


def _number(option: int) -> int:
    """The number of tricks of a trump call."""
    return 5 + (option - 1) // 4


MINUS: Final = GameKind(
    id="minus",
    title="Minus",
    seat_counts=(4,),
    usual_seats=4,
    aliases=(),
    presets={},
    options=MinusOptions,
    make=Minus,
)
