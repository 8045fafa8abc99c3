"""Tables of bots played in this process, for the tests of the house bots. Knows no bot."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.bot import Choose, Turn
from engine.game import Game, State
from engine.pairs import PairsObservation
from engine.tricks import TrickObservation


def turn_of(state: State, seat: int, rng: random.Random, notes: dict[str, object] | None = None) -> Turn:
    """The turn of a seat that is to act."""
    observation = state.observe(seat)
    assert isinstance(observation, TrickObservation | PairsObservation)
    return Turn(
        match_id=1,
        game=state.game,
        seat=seat,
        number=0,
        phase=state.game.phases[state.phase()],
        observation=observation,
        legal=tuple(state.legal(seat)),
        budget_ms=250,
        last_answer_us=0,
        rng=rng,
        notes={} if notes is None else notes,
    )


def play(game: Game, seed: bytes, bots: Sequence[Choose], bot_seeds: Sequence[int]) -> State:
    """A finished match; seats draw from generators of their own."""
    state = game.start(seed)
    rngs = [random.Random(bot_seed) for bot_seed in bot_seeds]
    notes: list[dict[str, object]] = [{} for _ in bots]
    while seats := state.to_act():
        for seat in seats:
            state.apply(seat, bots[seat](turn_of(state, seat, rngs[seat], notes[seat])))
    return state


@dataclass(frozen=True, slots=True)
class Standing:
    """What a bot got over the matches it played."""

    name: str
    matches: int
    points: float
    place: float


def tournament(game: Game, bots: dict[str, Choose], tables: Sequence[Sequence[str]], units: int) -> list[Standing]:
    """Means over duplicate units: every table plays ``units`` seeds, each in all rotations of the table's seats."""
    seen: dict[str, list[tuple[int, int]]] = {name: [] for name in bots}
    for number, table in enumerate(table for table in tables for _ in range(units)):
        seed = random.Random(f"{game.id} {number}").randbytes(32)
        for rotation in range(game.seats):
            names = [table[(seat + rotation) % game.seats] for seat in range(game.seats)]
            bot_seeds = [number * 100 + rotation * 10 + seat for seat in range(game.seats)]
            state = play(game, seed, [bots[name] for name in names], bot_seeds)
            for name, points, place in zip(names, state.scores(), state.places(), strict=True):
                seen[name].append((points, place))
    return [
        Standing(name, len(got), sum(p for p, _ in got) / len(got), sum(p for _, p in got) / len(got))
        for name, got in seen.items()
        if got
    ]


def walks(game: Game, seed: int) -> Iterator[tuple[State, int]]:
    """Every decision point of a random match, with each seat that is to act at it, before it has acted."""
    rng = random.Random(seed)
    state = game.start(rng.randbytes(32))
    while seats := state.to_act():
        for seat in seats:
            yield state, seat
            state.apply(seat, rng.choice(state.legal(seat)))
