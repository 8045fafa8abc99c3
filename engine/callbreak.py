"""Callbreak: four seats, spades are trumps, call your tricks. Knows nothing of the other games.

Rule ids (CB-…) are those of docs/rules/callbreak.md. Scores are tenths.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.bits import numbered
from engine.cards import PACK, SPADES, SUIT_MASK, write_card
from engine.chance import Chance
from engine.dealing import Dealing, Deck
from engine.game import BROKEN, ActionTexts, GameKind, Phase, by_fields, refusal, restored
from engine.options import flag, one_of, seat_or_random, whole
from engine.saved import Saved, save
from engine.score_sheet import ScoreSheet
from engine.table import ALONE, Table
from engine.trick_view import view
from engine.tricks import DUTIES, TrickObservation, lowest, voids

PLAY: Final = 0
CALL: Final = 1
FIRST_CALL: Final = 51
"""A call of n is action FIRST_CALL + n."""

HONOURS: Final = sum(0b1111 << (13 * suit + 9) for suit in range(4))


@dataclass(frozen=True, slots=True)
class CallbreakOptions:
    """What a table agrees on before the first deal; defaults are the game as it is usually played."""

    direction: str = one_of("CB-V1", "Which way deal, calls and play go.", "clockwise", "anticlockwise")
    must_beat: str = one_of("CB-V2", "When a follower must play a higher card.", "unless_trumped", "always", "never")
    trump_when_void: str = one_of(
        "CB-V4", "What a player without the suit led owes.", "must_win", "always", "no_waste", "never"
    )
    first_lead_spades: str = one_of("CB-V7", "Whether a spade may be led to the first trick.", "allowed", "banned")
    min_call: int = one_of("CB-V8", "The lowest call.", 1, 2)
    redeal_below: int = one_of("CB-17", "Calls that total less are thrown in; 0 for never.", 8, 0)
    redeal_no_spades: bool = flag("CB-V9", "Throw in when a hand has no spade.", default=False)
    redeal_no_honours: bool = flag("CB-V10", "Throw in when a hand has no J, Q, K or A.", default=False)
    announce_voids: bool = flag("CB-V11", "Announce suits that a hand was dealt none of.", default=False)
    scoring: str = one_of("CB-V12", "How a deal scores.", "callbreak", "call_bridge")
    big_call_score: int = one_of("CB-V13", "What a call of 8 or more scores in Call Bridge.", 13, 16)
    big_call_overtricks: str = one_of(
        "CB-B9", "What two or more extra tricks do to a big call in Call Bridge.", "penalised", "ignored"
    )
    deals: int = one_of("CB-V14", "Deals in a match.", 5, 10)
    tie_break: str = one_of("CB-V15", "What breaks a tie for the win.", "extra_deal", "best_deal")
    max_redeals: int = whole("CB-B1", "A deal thrown in this often is played as it is called next.", 10, least=0)
    first_dealer: int | str = seat_or_random("CB-B16", "Who deals first.")

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)


class Callbreak:
    """The rules at one table."""

    id: Final = "callbreak"
    title: Final = "Callbreak"
    phases: Final = (Phase("play", 0, 52), Phase("call", 52, 13))
    num_actions: Final = 65
    score_decimals: Final = 1

    def __init__(self, seats: int, options: CallbreakOptions) -> None:
        self.seats: Final = seats
        self.options: Final = options
        self.step: Final = 1 if options.direction == "clockwise" else 3
        self.deck: Final = Deck(PACK, 4, self.step, options.first_dealer)
        self.must_beat: Final = DUTIES[options.must_beat]
        self.trump_when_void: Final = DUTIES[options.trump_when_void]
        self.lead_spades: Final = options.first_lead_spades == "allowed"
        self.calls: Final = (1 << 13) - (1 << (options.min_call - 1))
        most_deals = options.deals + (options.tie_break == "extra_deal")
        thrown_in = options.max_redeals if options.redeal_below > 4 * options.min_call else 0
        self.bound: Final = most_deals * (4 * thrown_in + 56)
        self._texts: Final = ActionTexts(self.id, [*map(write_card, PACK), *(f"call {n}" for n in range(1, 14))])

    def start(self, seed: bytes) -> "CallbreakState":
        return self._begun(self.deck.from_seed(seed))

    def start_from(self, packs: Sequence[Sequence[int]], *, first_dealer: int | None = None) -> "CallbreakState":
        return self._begun(self.deck.from_packs(packs, first_dealer))

    def draws(self, state: "CallbreakState") -> dict[str, Any]:
        return {"first_dealer": state.dealing.first_dealer}

    def score(self, call: int, won: int) -> int:
        """What a deal scores, in tenths (CB-34, CB-35, CB-V12, CB-V13)."""
        options = self.options
        if options.scoring == "callbreak":
            return 10 * call + (won - call) if won >= call else -10 * call
        big = call >= 8
        if won < call or (won > call + 1 and not (big and options.big_call_overtricks == "ignored")):
            return -10 * call
        return 10 * (options.big_call_score if big else call)

    def write(self, action: int) -> str:
        return self._texts.write(action)

    def read(self, text: str) -> int:
        return self._texts.read(text)

    def write_score(self, score: int) -> str:
        """``4.2``, ``-0.5``: one decimal always (CB-36)."""
        return f"{'-' if score < 0 else ''}{abs(score) // 10}.{abs(score) % 10}"

    def from_bytes(self, data: bytes) -> "CallbreakState":
        """The state that ``to_bytes`` wrote.

        :raises ValueError: if the bytes are no state of this game with these options.
        """
        saved = Saved(data, self.deck, 4)
        if saved.dealing.deal > self.options.deals or saved.dealing.size != 13:
            raise ValueError(BROKEN)
        state = CallbreakState(self, saved.dealing, self.table(), saved.sheet)
        state.best = saved.numbers
        state.lay()
        return saved.resume(state)

    def _begun(self, dealing: Dealing) -> "CallbreakState":
        state = CallbreakState(self, dealing, self.table(), ScoreSheet((0, 0, 0, 0)))
        state.open_deal()
        return state

    def table(self) -> Table:
        """A table on which nothing lies yet."""
        table = Table(4, self.step, self.must_beat, self.trump_when_void)
        table.trump = SPADES
        return table

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Callbreak) and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.id, self.options))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Callbreak, (self.seats, self.options))


class CallbreakState:
    """A match at one moment.

    :ivar best: each seat's best single deal so far.
    :ivar voids: announced voids by seat; empty when nothing is announced.
    """

    __slots__ = ("best", "dealing", "game", "sheet", "table", "voids")

    def __init__(self, game: Callbreak, dealing: Dealing, table: Table, sheet: ScoreSheet) -> None:
        self.game = game
        self.dealing = dealing
        self.table = table
        self.sheet = sheet
        self.best = [0, 0, 0, 0]
        self.voids = b""

    @property
    def deal(self) -> int:
        return self.dealing.deal

    @property
    def redeal(self) -> int:
        return self.dealing.redeal

    def to_act(self) -> tuple[int, ...]:
        return () if self.sheet.over else ALONE[self.table.turn]

    def phase(self) -> int:
        return PLAY if self.table.called == 4 else CALL

    def legal_mask(self, seat: int) -> int:
        table = self.table
        if seat != table.turn or self.sheet.over:
            return 0
        if table.called < 4:
            return self.game.calls
        if not table.played and not self.game.lead_spades:
            # CB-V7: binds the leader of the first trick only.
            return table.dealt[seat] & ~SUIT_MASK[SPADES] or table.dealt[seat]
        return table.legal()

    def legal(self, seat: int) -> list[int]:
        return numbered(self.legal_mask(seat), 0 if self.table.called == 4 else FIRST_CALL + 1)

    def apply(self, seat: int, action: int) -> None:
        option = action if self.table.called == 4 else action - FIRST_CALL - 1
        if option < 0 or not self.legal_mask(seat) >> option & 1:
            raise refusal(self, seat, action)
        self.apply_unchecked(seat, action)

    def apply_unchecked(self, seat: int, action: int) -> None:  # noqa: ARG002 - the seat to act is the only one
        table = self.table
        if table.called == 4:
            table.play(action)
            if table.done == 13:
                self.score_deal()
                self.go_on()
            return
        table.call(action - FIRST_CALL)
        if table.called == 4:
            self.end_calls()

    def observe(self, seat: int) -> TrickObservation:
        extra = self.dealing.deal == self.game.options.deals
        table = self.table
        phase = self.phase()
        hand = table.hand(seat)
        return view(seat, self.dealing, table, self.sheet, phase=phase, hand=hand, extra=extra, voids=self.voids)

    def fallback(self, seat: int) -> int:
        """The lowest legal call or card (CB-B17)."""
        mask = self.legal_mask(seat)
        return lowest(mask) if self.table.called == 4 else FIRST_CALL + (mask & -mask).bit_length()

    def packs(self, since: int = 0) -> list[tuple[int, ...]]:
        return self.dealing.packs(since)

    def scores(self) -> list[int]:
        return list(self.sheet.totals)

    def places(self) -> list[int]:
        """Totals decide; once the match is over, a tie for the win is broken by the extra deal or the best deal, and
        the tied losers follow in the order of the same key (CB-39, CB-41, CB-B3)."""
        options = self.game.options
        tie_break = self.best if options.tie_break == "best_deal" else ()
        return self.sheet.places(tie_break, played_off=self.dealing.deal == options.deals)

    def clone(self) -> "CallbreakState":
        other = CallbreakState(self.game, self.dealing.clone(), self.table.clone(), self.sheet)
        other.best = self.best[:]
        other.voids = self.voids
        return other

    def play_out(self, chance: Chance, match: bool) -> list[int]:
        """What a playout scores by seat: the deal on the table, or with ``match`` the totals of the whole match. Every
        seat chooses evenly among its legal actions from here on; the state itself stays as it is."""
        state = self.clone()
        table = state.table
        while True:
            while table.called < 4:
                table.call(1 + chance.index(state.game.calls))
                if table.called == 4:
                    state.end_calls()
            if not table.played:
                # CB-V7: the first lead has a rule of its own.
                table.play(chance.index(state.legal_mask(table.turn)))
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
        return save(self.dealing, self.sheet, self.best, bytes(calls) + table.played)

    def open_deal(self) -> None:
        """Deals the next deal; who deals follows from its number (CB-09)."""
        dealing = self.dealing
        dealing.open((dealing.first_dealer + (dealing.deal + 1) * self.game.step) % 4, 13)
        self._lay_fair_hands()

    def lay(self) -> None:
        """Puts the pack on the table; nothing is called yet."""
        self.table.lay(self.dealing.pack, 13, self.dealing.dealer)
        self.voids = b""

    def end_calls(self) -> None:
        """All have called: the deal is thrown in (CB-17), or play begins."""
        options = self.game.options
        table = self.table
        if sum(table.calls) < options.redeal_below and self.dealing.redeal < options.max_redeals:
            self.dealing.again()
            self._lay_fair_hands()
        elif options.announce_voids:
            self.voids = bytes(voids(hand) for hand in table.dealt)

    def _lay_fair_hands(self) -> None:
        """Throws in hands that the table does not play (CB-V9, CB-V10) until it plays all four."""
        self.lay()
        options = self.game.options
        while self.dealing.redeal < options.max_redeals and (
            (options.redeal_no_spades and any(not hand & SUIT_MASK[SPADES] for hand in self.table.dealt))
            or (options.redeal_no_honours and any(not hand & HONOURS for hand in self.table.dealt))
        ):
            self.dealing.again()
            self.lay()

    def deal_scores(self) -> list[int]:
        """What the deal scores by seat, once it is played out."""
        table = self.table
        game = self.game
        return [game.score(table.calls[seat], table.won[seat]) for seat in range(4)]

    def score_deal(self) -> None:
        """Enters the finished deal in the score sheet."""
        table = self.table
        deal = self.dealing.deal
        scores = tuple(self.deal_scores())
        extra = deal == self.game.options.deals
        sheet = self.sheet.entered(table.calls, table.won, scores, counts=not extra)
        self.sheet = sheet
        if not extra:
            self.best = list(scores) if deal == 0 else list(map(max, self.best, scores))

    def go_on(self) -> None:
        """Deals again, or ends the match (CB-37, CB-41)."""
        options = self.game.options
        deal = self.dealing.deal
        extra = deal == options.deals
        if deal + 1 < options.deals or (not extra and options.tie_break == "extra_deal" and self.sheet.tied()):
            self.open_deal()
        else:
            self.sheet = self.sheet.ended()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CallbreakState) and self.game == other.game and self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return (restored, (self.game, self.to_bytes()))


CALLBREAK: Final = GameKind(
    id="callbreak",
    title="Callbreak",
    seat_counts=(4,),
    usual_seats=4,
    aliases=("call break", "lakdi", "lakadi", "लकड़ी", "call bridge", "ghochi", "toos"),
    presets={
        "callbreak_nepal": {"direction": "anticlockwise"},
        "call_bridge_bd": {
            "direction": "anticlockwise",
            "must_beat": "never",
            "trump_when_void": "must_win",
            "min_call": 2,
            "redeal_below": 0,
            "scoring": "call_bridge",
            "big_call_score": 13,
        },
        "callbreak_plain": {"must_beat": "never", "trump_when_void": "never"},
    },
    options=CallbreakOptions,
    make=Callbreak,
)
