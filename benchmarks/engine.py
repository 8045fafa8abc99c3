"""The engine beside OpenSpiel: ``python -m benchmarks.engine``, about a minute. Knows no bot and no server.

Both play at random on one core, in turns within one process, and every figure is of processor time. OpenSpiel plays
``oh_hell`` with four seats and twelve tricks: 52 decisions a deal, where a deal of ours has 52 to 64.
"""

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import pyspiel

import engine
from engine.game import Game, Observation, State

PEER = "oh_hell(players=4,num_tricks_fixed=12)"
PEER_DECISIONS = 52
PLAYOUTS = 500


@dataclass(frozen=True, slots=True)
class Peer:
    """What OpenSpiel did in one round: decisions a second in its C++ rollouts and in a Python loop, and new deals."""

    playouts_per_s: float
    steps_per_s: float
    new_games_per_s: float


@dataclass(slots=True)
class Row:
    """One game. Ratios are ours over OpenSpiel's, medians of the rounds; rates are decisions a second, the best of
    the rounds.

    ``playout`` and ``step`` (a Python loop) play one deal that is dealt already, or the match where there are no deals,
    as OpenSpiel's do; ``match_playout`` and ``match_step`` play whole matches and deal every deal of them. ``new_game``
    is a match from its seed, with its first deal. ``sample`` is the mean of observations from all over random matches,
    each prepared anew; the other costs are of one state in the middle of a deal.
    """

    game: str
    compiled: bool
    playout_ratio: float = 0
    match_playout_ratio: float = 0
    step_ratio: float = 0
    match_step_ratio: float = 0
    new_game_ratio: float = 0
    playouts_per_s: float = 0
    match_playouts_per_s: float = 0
    steps_per_s: float = 0
    match_steps_per_s: float = 0
    new_games_per_s: float = 0
    clone_us: float = 0
    observe_us: float = 0
    sample_us: float = 0
    state_bytes: int = 0
    rounds: list[dict[str, float]] = field(default_factory=list, repr=False)


def main() -> int:
    """Prints the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object with an object for each game")
    parser.add_argument("--rounds", type=int, default=5, help="measure everything so often, in turns")
    parser.add_argument("--seconds", type=float, default=0.2, help="measure each thing for at least so long")
    asked = parser.parse_args()
    games = [engine.load(name) for name in engine.GAMES]
    rows = {game.id: Row(game.id, engine.COMPILED) for game in games}
    peers = []
    for number in range(asked.rounds):
        peers.append(_peer(asked.seconds))
        for game in games:
            rows[game.id].rounds.append(_round(game, peers[-1], number, asked.seconds))
    for row in rows.values():
        for name in row.rounds[0]:
            values = [found[name] for found in row.rounds]
            worst_is_high = name.endswith(("_us", "_bytes"))
            best = max(values) if name == "state_bytes" else min(values) if worst_is_high else max(values)
            setattr(row, name, statistics.median(values) if name.endswith("_ratio") else best)
    best_peer = {name: max(getattr(peer, name) for peer in peers) for name in Peer.__slots__}
    if asked.json:
        told = {row.game: {k: v for k, v in asdict(row).items() if k != "rounds"} for row in rows.values()}
        print(json.dumps({"open_spiel": best_peer, **told}))
    else:
        show(list(rows.values()), best_peer)
    return 0


def show(rows: list[Row], peer: dict[str, float]) -> None:
    """Prints the tables as Markdown."""
    print(
        f"The engine is {'compiled' if engine.COMPILED else 'interpreted'}. OpenSpiel's oh_hell, a second of one core: "
        f"{peer['playouts_per_s']:,.0f} decisions in C++ rollouts, {peer['steps_per_s']:,.0f} in a Python loop, "
        f"{peer['new_games_per_s']:,.0f} new deals.\n"
    )
    columns = ("playouts", "match playouts", "steps", "match steps", "new games")
    print(f"| game | {' | '.join(columns)} | clone µs | observe µs | sample µs | bytes |")
    print(f"| --- |{' ---: |' * (len(columns) + 4)}")
    for row in rows:
        rates = [
            f"{rate:,.0f} ({ratio:.2f})"
            for rate, ratio in (
                (row.playouts_per_s, row.playout_ratio),
                (row.match_playouts_per_s, row.match_playout_ratio),
                (row.steps_per_s, row.step_ratio),
                (row.match_steps_per_s, row.match_step_ratio),
                (row.new_games_per_s, row.new_game_ratio),
            )
        ]
        costs = f"{row.clone_us:.2f} | {row.observe_us:.2f} | {row.sample_us:.1f} | {row.state_bytes}"
        print(f"| {row.game} | {' | '.join(rates)} | {costs} |")


def _peer(seconds: float) -> Peer:
    game = pyspiel.load_game(PEER)
    dealt = _peer_deal(game)

    def rollouts() -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(PLAYOUTS, random.randrange(1 << 30))
        pyspiel.MCTSBot(game, evaluator, 1.0, 1, 10, False, 1, False).step(dealt)
        return PLAYOUTS * PEER_DECISIONS

    def steps() -> int:
        state = dealt.clone()
        choice = random.choice
        while not state.is_terminal():
            state.apply_action(choice(state.legal_actions()))
        return PEER_DECISIONS

    def new() -> int:
        _peer_deal(game)
        return 1

    return Peer(_rate(rollouts, seconds), _rate(steps, seconds), _rate(new, seconds))


def _peer_deal(game: Any) -> Any:
    """A new state of OpenSpiel with the cards dealt, as its documentation does it but with the faster choice."""
    state = game.new_initial_state()
    while state.is_chance_node():
        actions, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(random.choices(actions, chances)[0])
    return state


def _round(game: Game, peer: Peer, number: int, seconds: float) -> dict[str, float]:
    """All figures of one game, once."""
    start = game.start(random.randbytes(32))
    lengths = _lengths(start, match=False)
    deal = statistics.mean(lengths)
    match = statistics.mean(_lengths(start, match=True))
    # So many decisions are in any deal, and the last of them does not deal the next one.
    shortest = min(lengths) - 1
    seeds = iter(range(number << 20, 1 << 40))
    middle = start.clone()
    for _ in range(30):
        _step(middle, random.choice)
    seat = middle.to_act()[0]
    views = _views(game)
    rng = random.Random(number)

    def deals() -> float:
        engine.playouts([start], PLAYOUTS, next(seeds))
        return PLAYOUTS * deal

    def matches() -> float:
        engine.playouts([start], 20, next(seeds), match=True)
        return 20 * match

    def steps() -> int:
        state = start.clone()
        choice = random.choice
        decisions = 0
        while decisions < shortest:
            for seat in state.to_act():
                state.apply(seat, choice(state.legal(seat)))
                decisions += 1
        return decisions

    def match_steps() -> int:
        state = start.clone()
        choice = random.choice
        decisions = 0
        while waiting := state.to_act():
            for seat in waiting:
                state.apply(seat, choice(state.legal(seat)))
                decisions += 1
        return decisions

    def new() -> int:
        game.start(random.randbytes(32))
        return 1

    rates = {
        "playout": _rate(deals, seconds),
        "match_playout": _rate(matches, seconds),
        "step": _rate(steps, seconds),
        "match_step": _rate(match_steps, seconds),
        "new_game": _rate(new, seconds),
    }
    beside = {"step": peer.steps_per_s, "match_step": peer.steps_per_s, "new_game": peer.new_games_per_s}
    return {
        **{f"{name}_ratio": rate / beside.get(name, peer.playouts_per_s) for name, rate in rates.items()},
        **{f"{name}s_per_s": rate for name, rate in rates.items()},
        "clone_us": _cost(middle.clone, seconds),
        "observe_us": _cost(lambda: middle.observe(seat), seconds),
        "sample_us": _cost(lambda: [engine.sample(game, view, rng) for view in views], seconds) / len(views),
        "state_bytes": _largest(game),
    }


def _step(state: State, choice: Callable[[list[int]], int]) -> None:
    for seat in state.to_act():
        state.apply(seat, choice(state.legal(seat)))


def _views(game: Game) -> list[Observation]:
    """What seats see at random decisions of some random matches."""
    views: list[Observation] = []
    while len(views) < 200:
        state = game.start(random.randbytes(32))
        while waiting := state.to_act():
            if not random.randrange(10):
                views.append(state.observe(random.choice(waiting)))
            _step(state, random.choice)
    return views


def _lengths(start: State, *, match: bool) -> list[int]:
    """How many decisions random deals or matches have."""
    counts = []
    for _ in range(200):
        state = start.clone()
        count = 0
        while (waiting := state.to_act()) and (match or state.deal == start.deal):
            count += len(waiting)
            _step(state, random.choice)
        counts.append(count)
    return counts


def _largest(game: Game) -> int:
    """The most bytes that a state of a random match takes."""
    state = game.start(random.randbytes(32))
    most = 0
    while state.to_act():
        most = max(most, len(state.to_bytes()))
        _step(state, random.choice)
    return max(most, len(state.to_bytes()))


def _rate(work: Callable[[], float], seconds: float) -> float:
    """What the work counts, a second of processor time."""
    done = 0.0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        done += work()
    return done / spent


def _cost(work: Callable[[], object], seconds: float) -> float:
    """Microseconds of one call."""

    def many() -> int:
        for _ in range(20):
            work()
        return 20

    return 1e6 / _rate(many, seconds)


if __name__ == "__main__":
    sys.exit(main())
