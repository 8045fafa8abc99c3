"""OpenSpiel's information-set Monte Carlo tree search against players who choose at random.

    pip install 'card-arena[envs,bench]'
    python examples/ismcts.py [MATCHES]

The algorithm is OpenSpiel's own and knows nothing of Card Arena. It searches worlds that ``resample_from_infostate``
draws, so it knows no more than its seat does. Returns pay by place, from -1 to 1; a random player's mean is 0.
"""

import random
import statistics
import sys
from typing import Any

import numpy as np

try:
    from open_spiel.python.algorithms import ismcts, mcts
except ImportError:
    sys.exit("This example runs OpenSpiel's search; install it with: pip install 'card-arena[envs,bench]'")

from arena.envs.spiel import SpielGame, SpielState, load_game

GAMES: list[tuple[str, int, dict[str, object], int]] = [
    ("minus_one", 3, {"rounds": 6}, 60),
    ("minus", 4, {"deals": 1}, 25),
]
"""Game, seats, options, simulations a decision."""


def searcher(game: SpielGame, simulations: int, seed: int) -> Any:
    """A bot whose every draw follows from the seed."""
    chance = np.random.RandomState(seed)
    rollouts = mcts.RandomRolloutEvaluator(1, chance)
    bot = ismcts.ISMCTSBot(game, rollouts, 1.4, simulations, random_state=chance)
    # Its own sampler is seeded by the clock.
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, chance.uniform))
    return bot


def play(game: SpielGame, bot: Any, seat: int, rng: random.Random) -> float:
    """What the bot is paid for the game's next match."""
    state: SpielState = game.new_initial_state()
    while not state.is_terminal():
        mine = state.current_player() == seat
        state.apply_action(bot.step(state) if mine else rng.choice(state.legal_actions()))
    return state.player_return(seat)


def main(matches: int) -> None:
    """Prints the mean return of each game and its standard error."""
    for name, seats, options, simulations in GAMES:
        game = load_game(name, seats, seed=1, **options)
        bot = searcher(game, simulations, 1)
        rng = random.Random(1)
        paid = [play(game, bot, number % seats, rng) for number in range(matches)]
        error = statistics.stdev(paid) / len(paid) ** 0.5
        print(f"{name}, {seats} seats: {statistics.mean(paid):+.2f} ± {error:.2f} in {matches} matches")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
