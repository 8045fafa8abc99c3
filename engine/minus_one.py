"""Minus One: 3 to 7 seats show two cards and keep one; the lowest card that nobody else kept wins. Knows no other game.

Rule ids (MO-…) are those of docs/rules/minus_one.md. Cards are 1..8; a set of cards is a byte whose bit c-1 is card c.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.bits import numbered
from engine.chance import Chance
from engine.game import BROKEN, ActionTexts, GameKind, Phase, by_fields, refusal, restored, shared_places
from engine.options import flag, one_of
from engine.pairs import DECK_ROUNDS, PAIR_SETS, PAIRS, SHOWS, PairsObservation
from engine.pairs_playout import Player, play_rounds
from engine.shuffle import check_seed

SHOW: Final = 0
KEEP: Final = 1
FIRST_KEEP: Final = 28
"""Keeping card c is action FIRST_KEEP + c - 1."""
NOT_YET: Final = -1
"""Stands for a choice that is not in."""


@dataclass(frozen=True, slots=True)
class MinusOneOptions:
    """What a table agrees on before the first round."""

    rounds: int = one_of("MO-12", "Rounds in a match, six to a deck.", 18, 6)
    rest_across_decks: bool = flag(
        "MO-B3", "Whether a card still rests in the first round of a new deck.", default=False
    )

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)


class MinusOne:
    """The rules at one table."""

    id: Final = "minus_one"
    title: Final = "Minus One"
    phases: Final = (Phase("show", 0, 28, human_limit_s=30), Phase("keep", 28, 8, human_limit_s=20))
    num_actions: Final = 36
    score_decimals: Final = 0

    def __init__(self, seats: int, options: MinusOneOptions) -> None:
        self.seats: Final = seats
        self.options: Final = options
        self.bound: Final = 2 * seats * options.rounds
        shows = [f"show {low} {high}" for low, high in PAIRS]
        self._texts: Final = ActionTexts(self.id, [*shows, *(f"keep {card}" for card in range(1, 9))])

    def start(self, seed: bytes) -> "MinusOneState":
        check_seed(seed)  # Nothing is drawn in this game, so the seed is not kept.
        return self._begun()

    def start_from(self, packs: Sequence[Sequence[int]]) -> "MinusOneState":
        if packs:
            raise ValueError("Minus One deals no packs; start it from none.")
        return self._begun()

    def draws(self, state: "MinusOneState") -> dict[str, Any]:  # noqa: ARG002 - nothing is drawn
        return {}

    def write(self, action: int) -> str:
        return self._texts.write(action)

    def read(self, text: str) -> int:
        return self._texts.read(text)

    def write_score(self, score: int) -> str:
        return str(score)

    def from_bytes(self, data: bytes) -> "MinusOneState":
        """The state that ``to_bytes`` wrote.

        :raises ValueError: if the bytes are no state of this game with these options.
        """
        seats = self.seats
        fixed = 3 + 5 * seats
        if len(data) < fixed or len(data) != fixed + 2 * seats * data[1] + seats * data[2]:
            raise ValueError(BROKEN)
        deck, finished, showing = data[:3]
        if deck >= self.options.rounds // DECK_ROUNDS or finished > DECK_ROUNDS or showing > 1:
            raise ValueError(BROKEN)
        state = MinusOneState(self, deck * DECK_ROUNDS)
        state.new_deck(*(list(data[3 + at * seats : 3 + (at + 1) * seats]) for at in range(4)))
        pending = data[3 + 4 * seats : fixed]
        if max(state.resting) > 8 or any(pending[seat] > 28 for seat in range(seats)):
            raise ValueError(BROKEN)
        at = fixed
        for _ in range(2 * finished + showing):
            for seat in range(seats):
                state.apply(seat, data[at])
                at += 1
        for seat, choice in enumerate(pending):
            if choice:
                state.apply(seat, self.phases[state.stage].first + choice - 1)
        if state.to_bytes() != data:
            raise ValueError(BROKEN)
        return state

    def _begun(self) -> "MinusOneState":
        state = MinusOneState(self, 0)
        none = [0] * self.seats
        state.new_deck(none[:], none[:], none[:], none[:])
        return state

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MinusOne) and self.seats == other.seats and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.id, self.seats, self.options))

    def __reduce__(self) -> tuple[Any, ...]:
        return (MinusOne, (self.seats, self.options))


class MinusOneState:
    """A match at one moment. Lists are by seat.

    :ivar stage: the phase, SHOW or KEEP.
    :ivar choices: what was chosen at this point, as an action; NOT_YET for a seat that is still to choose. Secret.
    :ivar shown: the pairs on the table, as actions; empty while they are being chosen.
    :ivar spent: sets of cards spent in this deck.
    :ivar resting: the card that rests in this round, 0 for none.
    :ivar actions: all revealed actions of this deck, point after point, by seat within a point.
    :ivar before: points, tokens, last won rounds and resting cards as they were when the deck was new.
    """

    __slots__ = (
        "actions", "before", "choices", "game", "last_won", "over", "points", "resting", "round", "shown", "spent",
        "stage", "tokens",
    )  # fmt: skip

    game: MinusOne
    round: int
    over: bool
    stage: int
    choices: list[int]
    shown: list[int]
    spent: list[int]
    resting: list[int]
    points: list[int]
    tokens: list[int]
    last_won: list[int]
    actions: bytes
    before: bytes

    def __init__(self, game: MinusOne, round: int) -> None:  # noqa: A002 - the game's own word
        self.game = game
        self.round = round
        self.over = False

    @property
    def deal(self) -> int:
        return 0

    @property
    def redeal(self) -> int:
        return 0

    def to_act(self) -> tuple[int, ...]:
        if self.over:
            return ()
        return tuple([seat for seat, choice in enumerate(self.choices) if choice == NOT_YET])

    def phase(self) -> int:
        return self.stage

    def legal_mask(self, seat: int) -> int:
        if self.over or not 0 <= seat < len(self.choices) or self.choices[seat] != NOT_YET:
            return 0
        if self.stage == SHOW:
            return SHOWS[self.playable(seat)]
        return PAIR_SETS[self.shown[seat]]

    def legal(self, seat: int) -> list[int]:
        return numbered(self.legal_mask(seat), FIRST_KEEP if self.stage == KEEP else 0)

    def apply(self, seat: int, action: int) -> None:
        option = action - FIRST_KEEP if self.stage == KEEP else action
        if option < 0 or not self.legal_mask(seat) >> option & 1:
            raise refusal(self, seat, action)
        self.apply_unchecked(seat, action)

    def apply_unchecked(self, seat: int, action: int) -> None:
        choices = self.choices
        choices[seat] = action
        if NOT_YET in choices:
            return
        self.actions += bytes(choices)
        self.choices = [NOT_YET] * len(choices)
        if self.stage == SHOW:
            self.shown = choices
            self.stage = KEEP
        else:
            self._finish_round([action - FIRST_KEEP + 1 for action in choices])

    def playable(self, seat: int) -> int:
        """The set of cards that the seat may show in this round (MO-03, MO-09, MO-10)."""
        return 255 & ~self.spent[seat] & ~(1 << self.resting[seat] >> 1)

    def observe(self, seat: int) -> PairsObservation:
        seats = self.game.seats
        finished = self.actions[: len(self.actions) - len(self.shown)]
        shows: list[int] = []
        keeps: list[int] = []
        for at in range(0, len(finished), 2 * seats):
            shows += [PAIR_SETS[action] for action in finished[at : at + seats]]
            keeps += [action - FIRST_KEEP + 1 for action in finished[at + seats : at + 2 * seats]]
        return PairsObservation(
            seat,
            seats,
            self.stage,
            self.round,
            bytes([self.playable(other) for other in range(seats)]),
            bytes(self.resting),
            bytes(self.spent),
            bytes([PAIR_SETS[action] for action in self.shown]),
            tuple(self.points),
            bytes(self.tokens),
            bytes(self.last_won),
            bytes(shows),
            bytes(keeps),
        )

    def fallback(self, seat: int) -> int:
        """The two lowest playable cards; the lower of the two shown (MO-17)."""
        mask = self.legal_mask(seat)
        return (FIRST_KEEP if self.stage == KEEP else 0) + (mask & -mask).bit_length() - 1

    def packs(self, since: int = 0) -> list[tuple[int, ...]]:  # noqa: ARG002 - nothing is dealt
        return []

    def scores(self) -> list[int]:
        """Points and one more for each token (MO-13)."""
        return [points + tokens for points, tokens in zip(self.points, self.tokens, strict=True)]

    def places(self) -> list[int]:
        """Score, then tokens, then the later last won round (MO-14)."""
        return shared_places(list(zip(self.scores(), self.tokens, self.last_won, strict=True)))

    def clone(self) -> "MinusOneState":
        other = MinusOneState(self.game, self.round)
        other.over = self.over
        other.stage = self.stage
        other.choices = self.choices[:]
        other.shown = self.shown
        other.spent = self.spent[:]
        other.resting = self.resting[:]
        other.points = self.points[:]
        other.tokens = self.tokens[:]
        other.last_won = self.last_won[:]
        other.actions = self.actions
        other.before = self.before
        return other

    def play_out(self, chance: Chance, match: bool) -> list[int]:  # noqa: ARG002 - there are no deals
        """The scores by seat that a playout of the match ends with. Every seat chooses evenly among its legal actions
        from here on; the state itself stays as it is."""
        showing = self.stage == SHOW
        players = []
        for seat, choice in enumerate(self.choices):
            show = choice if showing else self.shown[seat]
            keep = NOT_YET if showing else choice
            players.append(
                Player(
                    self.spent[seat],
                    1 << self.resting[seat] >> 1,
                    0 if show == NOT_YET else PAIR_SETS[show],
                    0 if keep == NOT_YET else 1 << keep - FIRST_KEEP,
                    self.points[seat] + self.tokens[seat],
                )
            )
        options = self.game.options
        play_rounds(players, self.round, options.rounds, options.rest_across_decks, chance)
        return [player.score for player in players]

    def to_bytes(self) -> bytes:
        seats = self.game.seats
        finished, showing = divmod(len(self.actions) // seats, 2)
        first = self.game.phases[self.stage].first
        pending = [0 if choice == NOT_YET else choice - first + 1 for choice in self.choices]
        deck = (self.round - finished) // DECK_ROUNDS
        return bytes((deck, finished, showing)) + self.before + bytes(pending) + self.actions

    def new_deck(self, points: list[int], tokens: list[int], last_won: list[int], resting: list[int]) -> None:
        """All cards are there again, nothing is shown (MO-11)."""
        self.before = bytes(points + tokens + last_won + resting)
        self.points = points
        self.tokens = tokens
        self.last_won = last_won
        self.resting = resting
        self.spent = [0] * len(points)
        self.stage = SHOW
        self.shown = []
        self.choices = [NOT_YET] * len(points)
        self.actions = b""

    def _finish_round(self, keeps: list[int]) -> None:
        self.round += 1
        for card in range(1, 9):
            if keeps.count(card) == 1:
                # The lowest card that nobody else kept (MO-06, MO-07).
                winner = keeps.index(card)
                self.points[winner] += card
                self.tokens[winner] += 1
                self.last_won[winner] = self.round
                break
        for seat, kept in enumerate(keeps):
            low, high = PAIRS[self.shown[seat]]
            self.spent[seat] |= 1 << kept - 1
            self.resting[seat] = low + high - kept
        self.shown = []
        self.stage = SHOW
        if self.round == self.game.options.rounds:
            self.over = True
        elif self.round % DECK_ROUNDS == 0:
            rest = self.resting if self.game.options.rest_across_decks else [0] * len(keeps)
            self.new_deck(self.points, self.tokens, self.last_won, rest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MinusOneState) and self.game == other.game and self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return (restored, (self.game, self.to_bytes()))


MINUS_ONE: Final = GameKind(
    id="minus_one",
    title="Minus One",
    seat_counts=(3, 4, 5, 6, 7),
    usual_seats=4,
    aliases=("remove one",),
    presets={},
    options=MinusOneOptions,
    make=MinusOne,
)
