"""Tables, matches and walks that the engine's tests share."""

import dataclasses
import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

import engine
from engine.cards import read_cards
from engine.game import Game, State

TABLES = [(kind.id, seats) for kind in engine.GAMES.values() for seats in kind.seat_counts]
TRICK_TABLES = [(name, seats) for name, seats in TABLES if name != "minus_one"]

SEED = bytes(range(32))

# Long matches prove nothing that short ones do not.
_SHORT: dict[str, list[object]] = {"deals": [1, 2], "max_deals": [1, 2, 3], "target": [1, 5], "max_redeals": [0, 1, 3]}


def options_of(name: str, seats: int) -> st.SearchStrategy[dict[str, Any]]:
    """Any options that the game takes at this table, short matches where the length is free."""
    fields: dict[str, st.SearchStrategy[Any]] = {}
    for field in dataclasses.fields(engine.GAMES[name].options):
        kind = field.metadata["kind"]
        values: st.SearchStrategy[Any]
        if kind == "whole":
            values = st.sampled_from(_SHORT.get(field.name, list(range(field.metadata["least"], 14))))
        elif kind == "seat":
            values = st.sampled_from(["random", *range(seats)])
        elif kind == "list":
            values = st.lists(st.sampled_from(field.metadata["values"]), min_size=1, max_size=6).map(tuple)
        else:
            values = st.sampled_from(field.metadata["values"])
        fields[field.name] = st.just(field.default) | values
    return st.fixed_dictionaries(fields).filter(_fits)


def _fits(options: dict[str, Any]) -> bool:
    """CW-B1: the first trump must be in the sequence, unless that has no suit at all."""
    first = options.get("first_trump", "random")
    sequence = options.get("trump_sequence", ())
    return first == "random" or first in sequence or set(sequence) == {"NT"}


@st.composite
def games(draw: st.DrawFn, tables: Sequence[tuple[str, int]] = tuple(TABLES)) -> Game:
    """Any game at any table with any options."""
    name, seats = draw(st.sampled_from(list(tables)))
    return engine.load(name, seats, **draw(options_of(name, seats)))


def walk(state: State, rng: random.Random, steps: int | None = None) -> list[tuple[int, int]]:
    """Random decisions on the state, to the end or for some steps; returns them."""
    taken: list[tuple[int, int]] = []
    while state.to_act() and (steps is None or len(taken) < steps):
        seat = rng.choice(state.to_act())
        action = rng.choice(state.legal(seat))
        taken.append((seat, action))
        state.apply(seat, action)
    return taken


def some_state(game: Game, seed: int) -> State:
    """A state somewhere in a random match."""
    rng = random.Random(seed)
    state = game.start(rng.randbytes(32))
    walk(state, rng, rng.choice([0, 1, 2, 3, 7, 20, 56, 60, 120, game.bound]))
    return state


def pack_of(hands: Sequence[str], dealer: int, step: int = 1, rest: Sequence[int] = ()) -> list[int]:
    """The pack that deals these hands, written by seat in the order in which their cards come."""
    cards = [read_cards(hand) for hand in hands]
    seats = len(hands)
    order = [(dealer + (at + 1) * step) % seats for at in range(seats)]
    return [cards[seat][row] for row in range(len(cards[0])) for seat in order] + list(rest)


def shared_out(cards: frozenset[int], needs: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """All ways to give each holder as many cards as it needs."""
    if not needs:
        yield []
        return
    for share in itertools.combinations(sorted(cards), needs[0]):
        for others in shared_out(cards.difference(share), needs[1:]):
            yield [share, *others]


def take(state: State, *texts: str) -> None:
    """The seats to act take these actions, one after the other."""
    for text in texts:
        state.apply(state.to_act()[0], state.game.read(text))


def legal_texts(state: State) -> set[str]:
    """What the seat to act may do, as texts."""
    return {state.game.write(action) for action in state.legal(state.to_act()[0])}
