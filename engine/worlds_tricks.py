"""The worlds of a trick-taking game: what past plays, redeals and announcements tell of the cards that a seat does not
see, and a match around cards that agree with it. Knows no scoring."""

import random
from collections.abc import Sequence
from math import comb
from typing import Final

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
        "_dealer", "_deck", "_first_trumps", "_game", "_made", "_owed", "_packet", "_played",
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
        first_trumps: list[str] = []
        made: list[list[int]] = []
        owed: list[tuple[int, int, int]] = []
        if isinstance(game, ContractWhist):
            first_trumps = _first_trumps(game, o)
            made = [_contracts(game, o, seat, over=state.sheet.over) for seat in range(seats)]
        elif isinstance(game, Callbreak) and game.options.tie_break == "best_deal":
            owed = [_earlier(o, seat, over=state.sheet.over) for seat in range(seats)]
        self._first_trumps: Final = first_trumps
        self._made: Final = made
        self._owed: Final = owed

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
        dealing.supply = Supply(self._deck, rng.randbytes(SEED_BYTES), (*self._thrown_in(rng), dealing.pack))
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
        elif self._owed:
            state.best = [_best(self._game, *owed, rng) for owed in self._owed]
        return state

    def _thrown_in(self, rng: random.Random) -> list[bytes]:
        """Packs that may have been thrown in before this one was dealt. Nothing is told of them but that they were."""
        packs: list[bytes] = []
        game = self._game
        if not self._redeal or not isinstance(game, Callbreak):
            return packs
        options = game.options
        missing = [SUIT_MASK[SPADES]] * options.redeal_no_spades + [HONOURS] * options.redeal_no_honours
        for _ in range(self._redeal):
            if options.redeal_below > 4 * options.min_call:
                cards = list(self._deck.cards)
                rng.shuffle(cards)
                packs.append(bytes(cards))
            elif missing:
                packs.append(_unfair(missing, rng))
            else:
                raise ValueError(CONTRADICTION)
        return packs


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


def _unfair(missing: Sequence[int], rng: random.Random) -> bytes:
    """Any pack that gives some seat a hand without a card of one of these sets, evenly."""
    # A seat and a set are drawn as often as they occur, and then one of their packs. A pack with several such hands
    # comes up once for each of them, so it is kept that much more rarely.
    chances = [comb(52 - mask.bit_count(), 13) for mask in missing]
    while True:
        (mask,) = rng.choices(missing, chances)
        seat = rng.randrange(4)
        hand = rng.sample([card for card in range(52) if not mask >> card & 1], 13)
        rest = list(set(range(52)).difference(hand))
        rng.shuffle(rest)
        pack = bytearray(52)
        pack[seat::4] = bytes(hand)
        for at in range(3):
            pack[(seat + 1 + at) % 4 :: 4] = bytes(rest[at::3])
        found = sum([not mask_of(pack[at::4]) & other for other in missing for at in range(4)])
        if not rng.randrange(found):
            return bytes(pack)


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
        state = ContractWhistState(game, dealing, game.table(), sheet, _first_trumps(game, o)[0])
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


def _first_trumps(game: ContractWhist, o: TrickObservation) -> list[str]:
    """Trumps of the first hand after which this one has the trump that is seen. There can be several, and the
    observation does not remember which it was."""
    fixed = game.options.first_trump
    able = [fixed] if fixed in game.suits else game.suits
    found = [suit for suit in able if game.trump(suit, o.deal) == o.trump]
    if not found:
        raise ValueError(CONTRADICTION)
    return found


def _contracts(game: ContractWhist, o: TrickObservation, seat: int, *, over: bool) -> list[int]:
    """What the contracts that a seat has made may add up to. Its total says it up to tens; so each number of contracts
    that fits is as good as any other."""
    finished = min(o.deal + over, game.hands)
    total = o.totals[seat]
    made = 0
    if o.last is not None and o.deal + over <= game.hands:
        finished -= 1
        total -= o.last.scores[seat]
        made = o.last.calls[seat] if o.last.scores[seat] else 0
    sums: list[int] = []
    most = 0
    for times in range(finished + 1):
        earlier = total - 10 * times
        if 0 <= earlier <= most:
            sums.append(made + earlier)
        most += game.size(times)
    if not sums:
        raise ValueError(CONTRADICTION)
    return sums


def _earlier(o: TrickObservation, seat: int, *, over: bool) -> tuple[int, int, int]:
    """How many deals were finished before the last one, what a seat scored in them together, and in the last one."""
    last = o.last.scores[seat] if o.last is not None else 0
    return o.deal + over - 1, o.totals[seat] - last, last


def _best(game: TrickGame, deals: int, total: int, last: int, rng: random.Random) -> int:
    """A best single deal of a seat that scored ``total`` in some deals and ``last`` in one more."""
    if deals < 0:
        return 0
    assert isinstance(game, Callbreak)
    scores = sorted({game.score(call, won) for call in range(game.options.min_call, 14) for won in range(14)})
    reached = [{0}]
    for _ in range(deals - 1):
        reached.append({so_far + score for so_far in reached[-1] for score in scores})
    best = last
    for left in range(deals - 1, -1, -1):
        able = [score for score in scores if total - score in reached[left]]
        if not able:
            raise ValueError(CONTRADICTION)
        score = rng.choice(able)
        best = max(best, score)
        total -= score
    return best
