"""The worlds of a trick-taking game: what past plays, redeals and announcements tell of the cards that a seat does not
see, and a match around cards that agree with it. Knows no scoring."""

import random
from typing import Final

from engine import worlds_past as past
from engine.bits import count
from engine.callbreak import HONOURS, Callbreak, CallbreakState
from engine.cards import ABOVE, SPADES, SUIT_MASK, cards_of, mask_of
from engine.contract_whist import ContractWhist, ContractWhistState
from engine.dealing import Dealing, Deck, Supply
from engine.minus import FIRST_CALL, FIRST_LAP, PASS, PLAY, Minus, MinusState
from engine.score_sheet import ScoreSheet
from engine.shuffle import SEED_BYTES
from engine.tricks import ALWAYS, MUST_WIN, NEVER, NO_TRUMP, NONE, TrickObservation
from engine.worlds_shares import CONTRADICTION, Shares

TrickGame = Callbreak | Minus | ContractWhist
TrickState = CallbreakState | MinusState | ContractWhistState


class TrickWorlds:
    """All matches that look to a seat as they do in its observation.

    :ivar shares: the ways in which the cards that the seat does not see may lie: first the seats, each with the cards
        that it holds, then those that were dealt to nobody.
    """

    __slots__ = (
        "_best", "_dealer", "_deck", "_first_trumps", "_game", "_made", "_packet", "_played",
        "_redeal", "_size", "_state", "_step", "shares",
    )  # fmt: skip

    def __init__(self, game: TrickGame, observation: TrickObservation) -> None:
        o = observation
        seats = o.seats
        if seats != game.seats or not 0 <= o.seat < seats or len(o.history) != seats * len(o.leaders):
            raise ValueError(CONTRADICTION)
        step = 1 if isinstance(game, ContractWhist) else game.step
        deck = game.deck
        plays = Plays(game, o, step)
        state = _begun(game, o, step)
        size = o.tricks
        needs = [size - len(played) for played in plays.by_seat]
        unseen = deck.mask & ~state.table.gone & ~o.hand
        needs[o.seat] -= count(o.hand)
        needs.append(len(deck.cards) - seats * size)
        barred = [*plays.barred, 0]
        barred[o.seat] = 0
        wanted = _announced(o, plays, barred) if o.voids else []
        if isinstance(game, Callbreak):
            wanted += _fair(game, o, plays)
        if min(needs) < 0:
            raise ValueError(CONTRADICTION)
        self.shares: Final = Shares(unseen, needs, [~mask for mask in barred], wanted)
        self._game: Final = game
        self._deck: Final[Deck] = deck
        self._state: Final[TrickState] = state
        self._dealer: Final = o.dealer
        self._step: Final = step
        self._size: Final = size
        self._redeal: Final = o.redeal
        self._packet: Final = isinstance(state, MinusState) and state.stage == FIRST_LAP
        self._played: Final = [bytes(played) for played in plays.by_seat]
        self._played[o.seat] += bytes(cards_of(o.hand))
        trumps: list[str] = []
        made: list[list[int]] = []
        best: list[list[int]] = []
        if isinstance(game, ContractWhist):
            trumps = past.first_trumps(game, o)
            made = [past.contracts(game, o, seat, over=state.sheet.over) for seat in range(seats)]
        elif isinstance(game, Callbreak) and game.options.tie_break == "best_deal":
            best = past.bests(game, o, over=state.sheet.over)
        self._first_trumps: Final = trumps
        self._made: Final = made
        self._best: Final = best

    def draw(self, rng: random.Random) -> TrickState:
        """One of the matches, every way in which the cards may lie as likely as any other. Later deals follow from the
        ``rng``.

        :raises ValueError: if the observation does not come from a match of this game.
        """
        shares = self.shares.draw(rng)
        seats = self._deck.seats
        if self._packet:
            # MN-06: which five cards of a hand came first is told of no other seat, and the packet is to be as even.
            for share in shares[:seats]:
                rng.shuffle(share)
        dealt = self._size * seats
        pack = bytearray(dealt)
        hands: list[int] = []
        for seat in range(seats):
            cards = self._played[seat] + bytes(shares[seat])
            hands.append(mask_of(cards))
            at = ((seat - self._dealer) * self._step - 1) % seats
            pack[at::seats] = cards
        pack += bytes(shares[seats])
        state = self._state.clone()
        dealing = state.dealing
        dealing.pack = bytes(pack)
        game = self._game
        thrown_in = past.thrown_in(game, self._redeal, rng) if self._redeal and isinstance(game, Callbreak) else []
        dealing.supply = Supply(self._deck, rng.randbytes(SEED_BYTES), (*thrown_in, dealing.pack))
        state.table.dealt = hands
        if isinstance(state, MinusState):
            if self._packet:
                state.packet = [
                    mask_of(pack[((seat - self._dealer) * self._step - 1) % seats : 20 : seats])
                    for seat in range(seats)
                ]
        elif isinstance(state, ContractWhistState):
            state.first_trump = self._first_trumps[int(rng.random() * len(self._first_trumps))]
            state.made = [made[int(rng.random() * len(made))] for made in self._made]
        elif self._best:
            state.best = [best[int(rng.random() * len(best))] for best in self._best]
        return state


class Plays:
    """What was played in a deal, and what that tells.

    :ivar by_seat: cards that each seat has played.
    :ivar barred: by seat, cards that it would have had to play, so that it does not hold them.
    """

    __slots__ = ("barred", "by_seat")

    def __init__(self, game: TrickGame, o: TrickObservation, step: int) -> None:
        seats = o.seats
        must_beat = NEVER if isinstance(game, ContractWhist) else game.must_beat
        when_void = NEVER if isinstance(game, ContractWhist) else game.trump_when_void
        trump = o.trump
        played = o.history + o.trick
        barred = [0] * seats
        by_seat: list[list[int]] = [[] for _ in range(seats)]
        led = top = 0
        ruff = -1
        seat = o.leader
        for at, card in enumerate(played):
            suit = card // 13
            if not at % seats:
                trick = at // seats
                seat = o.leaders[trick] if trick < len(o.leaders) else o.leader
                led = suit
                top = card
                ruff = -1
            elif suit == led:
                if card > top:
                    top = card
                elif must_beat != NEVER and (ruff < 0 or must_beat == ALWAYS):
                    barred[seat] |= ABOVE[top]
            else:
                barred[seat] |= SUIT_MASK[led]
                if trump != led and trump < NO_TRUMP:
                    barred[seat] |= _not_ruffed(card, ruff, trump, when_void)
                    if suit == trump and card > ruff:
                        ruff = card
            by_seat[seat].append(card)
            seat = (seat + step) % seats
        if played and isinstance(game, Callbreak) and not game.lead_spades and played[0] // 13 == SPADES:
            # CB-V7: whoever led a spade to the first trick had nothing else.
            barred[o.leaders[0] if o.leaders else o.leader] |= ~SUIT_MASK[SPADES]
        self.by_seat: Final = by_seat
        self.barred: Final = barred


def _not_ruffed(card: int, ruff: int, trump: int, when_void: int) -> int:
    """The cards that a seat without the suit led does not hold, as it played this card when the highest ruff was
    ``ruff`` (-1: none) and the suit led was not trump."""
    trumps = SUIT_MASK[trump]
    if when_void == NEVER:
        return 0
    if card // 13 != trump:
        if ruff < 0 or when_void == ALWAYS:
            return trumps
        return ABOVE[ruff]
    if card > ruff:
        return 0
    # A trump too low: there was no higher one, and no card of another suit where waste is banned.
    return ABOVE[ruff] if when_void in {MUST_WIN, ALWAYS} else ABOVE[ruff] | ~trumps


def _announced(o: TrickObservation, plays: Plays, barred: list[int]) -> list[tuple[int, int]]:
    """What announced voids tell (CB-V11): suits that a seat was dealt none of are barred to it; of the others it has
    one, if it has played none."""
    wanted: list[tuple[int, int]] = []
    for seat in range(o.seats):
        if seat == o.seat:
            continue
        shown = mask_of(plays.by_seat[seat])
        for suit, mask in enumerate(SUIT_MASK):
            if o.voids[seat] >> suit & 1:
                barred[seat] |= mask
            elif not shown & mask:
                wanted.append((seat, mask))
    return wanted


def _fair(game: Callbreak, o: TrickObservation, plays: Plays) -> list[tuple[int, int]]:
    """What it tells that the deal was not thrown in for a hand (CB-V9, CB-V10)."""
    options = game.options
    if o.redeal >= options.max_redeals:
        return []
    missing = [SUIT_MASK[SPADES]] * options.redeal_no_spades + [HONOURS] * options.redeal_no_honours
    return [
        (seat, mask)
        for mask in missing
        for seat in range(o.seats)
        if seat != o.seat and not mask_of(plays.by_seat[seat]) & mask
    ]


def _begun(game: TrickGame, o: TrickObservation, step: int) -> TrickState:
    """A match that is where the observation says, with no cards in the hands."""
    over = len(o.leaders) == o.tricks
    # Who dealt first: a dealer who follows from play (Minus) is not told of, and the table does not remember.
    first_dealer = o.dealer
    fixed = game.options.first_dealer
    if not isinstance(game, Minus):
        first_dealer = (o.dealer - o.deal * step) % o.seats
    elif o.deal and not isinstance(fixed, str):
        first_dealer = fixed
    dealing = Dealing(Supply(game.deck, b"", ()), first_dealer)
    dealing.deal = o.deal
    dealing.redeal = dealing.index = o.redeal
    dealing.dealer = o.dealer
    dealing.size = o.tricks
    dealing.pack = bytes(game.deck.cards)
    sheet = ScoreSheet(o.totals, o.last, over)
    if isinstance(game, Callbreak):
        state: TrickState = CallbreakState(game, dealing, game.table(), sheet)
    elif isinstance(game, Minus):
        state = MinusState(game, dealing, game.table(), sheet)
    else:
        state = ContractWhistState(game, dealing, game.table(), sheet, past.first_trumps(game, o)[0])
    state.lay()
    table = state.table
    if isinstance(state, MinusState):
        _talk(state, o)
    else:
        for at in range(o.seats):
            number = o.calls[(o.dealer + (at + 1) * step) % o.seats]
            if number != NONE:
                table.call(number)
    if isinstance(state, CallbreakState):
        state.voids = o.voids
        if o.last is not None:
            state.best = list(o.last.scores)
    if o.phase == PLAY:
        table.won = list(o.won)
        table.leader = table.turn = o.leader
        table.leaders = o.leaders
        table.done = len(o.leaders)
        table.played = o.history
        table.gone = mask_of(o.history)
        for card in o.trick:
            table.play(card)
    return state


def _talk(state: MinusState, o: TrickObservation) -> None:
    """The laps and calls of a deal of Minus, once more."""
    for option in o.laps:
        state.apply_unchecked(state.table.turn, PASS + option)
    for _ in range(4):
        seat = state.table.turn
        if state.stage < FIRST_LAP and state.stage != PLAY and o.calls[seat] != NONE:
            state.apply_unchecked(seat, FIRST_CALL + o.calls[seat])
