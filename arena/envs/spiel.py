"""OpenSpiel's Python names on the engine's matches, so that its Python algorithms run on them as they are. Needs
nothing of OpenSpiel, and knows no game.

Every node is a decision of one player: chance has spoken when a match begins, because a match is started from a seed,
and players who choose at the same time are asked one after the other, blind to each other's choice. So
``is_chance_node`` and ``is_simultaneous_node`` are always false. Returns pay by place, from -1 to 1, summing to 0.
"""

import hashlib
import random
from collections.abc import Callable
from typing import Any, Final

import engine
from arena.envs.encoding import Encoder
from arena.envs.rewards import place_rewards
from arena.envs.seeds import SeedStream
from engine.game import Game, State

TERMINAL: Final = -4
"""The player who is to act when nobody is."""


def load_game(name: str, seats: int | None = None, *, seed: int | None = None, **options: object) -> "SpielGame":
    """A game by id, alias or preset; ``options`` are the game's and ``seed`` is :class:`SpielGame`'s.

    :raises ValueError: if a name or a value is unknown; the sentence lists the valid ones.
    """
    return SpielGame(engine.load(name, seats, **options), seed=seed)


class SpielGame:
    """A game as OpenSpiel's algorithms see it."""

    def __init__(self, game: Game, *, seed: int | None = None, begin: Callable[[bytes], State] | None = None) -> None:
        """``seed`` numbers the stream of matches that ``new_initial_state`` begins. ``begin`` makes a match of 32
        bytes, ``game.start`` by default; one that returns a match in its middle makes a smaller game of the rest."""
        self.rules: Final = game
        self.encoder: Final = Encoder(game)
        self._begin = game.start if begin is None else begin
        self._seeds = SeedStream(seed)

    def new_initial_state(self, seed: bytes | None = None) -> "SpielState":
        """A match from 32 bytes, or the next one of the stream: what a chance node at the root would have drawn."""
        return SpielState(self, self._begin(self._seeds.draw() if seed is None else seed))

    def num_players(self) -> int:
        return self.rules.seats

    def num_distinct_actions(self) -> int:
        return self.rules.num_actions

    def max_game_length(self) -> int:
        """No match has more decisions; there are no chance nodes to count."""
        return self.rules.bound

    def max_chance_outcomes(self) -> int:
        return 0

    def min_utility(self) -> float:
        return -1.0

    def max_utility(self) -> float:
        return 1.0

    def utility_sum(self) -> float:
        return 0.0

    def observation_tensor_shape(self) -> list[int]:
        return [self.encoder.size]

    def observation_tensor_size(self) -> int:
        return self.encoder.size

    def action_to_string(self, player: int, action: int) -> str:  # noqa: ARG002 - all players write alike
        return self.rules.write(action)

    def get_type(self) -> "SpielType":
        return SpielType(self.rules)

    def __str__(self) -> str:
        options = ",".join(f"{name}={value}" for name, value in engine.write_options(self.rules.options).items())
        return f"{self.rules.id}({self.rules.seats} seats,{options})"


class SpielState:
    """A match at one moment as OpenSpiel's algorithms see it.

    :ivar match: the match as the engine has it.
    """

    __slots__ = ("_actions", "_game", "_known", "_past", "match")

    def __init__(self, game: SpielGame, match: State) -> None:
        self.match = match
        self._game = game
        self._actions: tuple[tuple[int, int], ...] = ()
        # What each player saw and did up to the first _known actions; brought up to date only when asked for.
        self._past: tuple[State, tuple[bytes, ...]] | None = None
        self._known = 0

    def get_game(self) -> SpielGame:
        return self._game

    def num_players(self) -> int:
        return self._game.rules.seats

    def num_distinct_actions(self) -> int:
        return self._game.rules.num_actions

    def current_player(self) -> int:
        """The player to act, or TERMINAL."""
        waiting = self.match.to_act()
        return waiting[0] if waiting else TERMINAL

    def is_terminal(self) -> bool:
        return not self.match.to_act()

    def is_chance_node(self) -> bool:
        return False

    def is_simultaneous_node(self) -> bool:
        return False

    def is_player_node(self) -> bool:
        return not self.is_terminal()

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Sorted; empty for a player who is not the current one."""
        current = self.current_player()
        return self.match.legal(current) if current != TERMINAL and player in {None, current} else []

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        mask = [0] * self._game.rules.num_actions
        for action in self.legal_actions(player):
            mask[action] = 1
        return mask

    def apply_action(self, action: int) -> None:
        """:raises engine.IllegalAction: if it is not legal; nothing has changed then."""
        player = self.current_player()
        if self._past is None:
            self._past = (self.match.clone(), (b"",) * self.num_players())
        self.match.apply(player, int(action))
        self._actions += ((player, int(action)),)

    apply_action_with_legality_check = apply_action

    def child(self, action: int) -> "SpielState":
        other = self.clone()
        other.apply_action(action)
        return other

    def clone(self) -> "SpielState":
        other = SpielState(self._game, self.match.clone())
        other._actions = self._actions
        other._past = self._past
        other._known = self._known
        return other

    def resample_from_infostate(self, player: int, rng: Callable[[], float]) -> "SpielState":
        """A match at the same point that looks to the player as this one does, every past decision of it legal.

        All chance comes from ``rng``, which gives numbers from 0 up to 1, such as ``random.Random(7).random``. Players
        before the current one who are choosing at the same time have chosen something else there, evenly among what
        is legal; only the player's own choice is kept. The others remember no finished deal there, because a world
        has none.
        """
        chance = random.Random(int(rng() * 2**53))
        whom = self._whom(player)
        world = engine.sample(self._game.rules, self.match.observe(whom), chance)
        memory = [b""] * self.num_players()
        memory[whom] = self._memory()[whom]
        # Nobody has chosen yet in a world; here those before the current player have.
        chosen = [seat for seat in world.to_act() if seat not in self.match.to_act()]
        kept = self._actions[: len(self._actions) - len(chosen)]
        own = dict(self._actions[len(kept) :])
        pending: list[tuple[int, int]] = []
        for seat in chosen:
            action = own[seat] if seat == whom and seat in own else chance.choice(world.legal(seat))
            if seat != whom:
                memory[seat] = hashlib.sha256(str(action).encode()).digest()[:12]
            pending.append((seat, action))
        for seat, action in pending:
            world.apply_unchecked(seat, action)
        other = SpielState(self._game, world)
        other._actions = (*kept, *pending)
        other._past = (world.clone(), tuple(memory))
        other._known = len(other._actions)
        return other

    def returns(self) -> list[float]:
        """By player: by place once the match is over, 0 before."""
        return place_rewards(self.match.places()) if self.is_terminal() else [0.0] * self.num_players()

    def player_return(self, player: int) -> float:
        return self.returns()[player]

    def rewards(self) -> list[float]:
        return self.returns()

    def player_reward(self, player: int) -> float:
        return self.returns()[player]

    def history(self) -> list[int]:
        """The actions since this game began, in order."""
        return [action for _, action in self._actions]

    def history_str(self) -> str:
        return ", ".join(map(str, self.history()))

    def move_number(self) -> int:
        return len(self._actions)

    def observation_string(self, player: int | None = None) -> str:
        """What the player knows: of the current deal everything, of older ones what the totals say."""
        return repr(self.match.observe(self._whom(player)))

    def information_state_string(self, player: int | None = None) -> str:
        """The same and a fingerprint of all that the player saw and did before: equal exactly when the player cannot
        tell two states apart, however good its memory."""
        whom = self._whom(player)
        return f"{self.observation_string(whom)}#{self._memory()[whom].hex()}"

    def observation_tensor(self, player: int | None = None) -> list[float]:
        row: list[float] = self._game.encoder.row(self.match.observe(self._whom(player))).tolist()
        return row

    def action_to_string(self, *player_and_action: int) -> str:
        """The text of an action; a player before it makes no difference."""
        return self._game.rules.write(player_and_action[-1])

    def string_to_action(self, *player_and_text: Any) -> int:
        return self._game.rules.read(player_and_text[-1])

    def __str__(self) -> str:
        return "\n".join(self.observation_string(player) for player in range(self.num_players()))

    def _whom(self, player: int | None) -> int:
        whom = self.current_player() if player is None else player
        if not 0 <= whom < self.num_players():
            raise ValueError(
                f"There is no player {whom} to look at this state; players are 0..{self.num_players() - 1}."
            )
        return whom

    def _memory(self) -> tuple[bytes, ...]:
        """By player, a digest of all that the player saw and did."""
        if self._past is None:
            return (b"",) * self.num_players()
        match, digests = self._past
        if self._known < len(self._actions):
            match = match.clone()
            memory = list(digests)
            for player, action in self._actions[self._known :]:
                for seat in range(len(memory)):
                    # What a player saw when somebody acted; its own action it knows before anybody else does.
                    seen = repr((match.observe(seat), action if seat == player else None))
                    memory[seat] = hashlib.sha256(memory[seat] + seen.encode()).digest()[:12]
                match.apply_unchecked(player, action)
            self._past = (match, tuple(memory))
            self._known = len(self._actions)
        return self._past[1]


class Word:
    """A member of one of OpenSpiel's enumerations by its name; equal to that member."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return getattr(other, "name", None) == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


class SpielType:
    """What algorithms ask of a game before they agree to run on it."""

    dynamics: Final = Word("SEQUENTIAL")
    chance_mode: Final = Word("DETERMINISTIC")
    information: Final = Word("IMPERFECT_INFORMATION")
    utility: Final = Word("ZERO_SUM")
    reward_model: Final = Word("TERMINAL")
    provides_information_state_string: Final = True
    provides_information_state_tensor: Final = False
    provides_observation_string: Final = True
    provides_observation_tensor: Final = True

    def __init__(self, game: Game) -> None:
        self.short_name: Final = game.id
        self.long_name: Final = game.title
        self.min_num_players: Final = game.seats
        self.max_num_players: Final = game.seats
