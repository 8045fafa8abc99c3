"""Sampled worlds beside OpenSpiel's: ``python -m benchmarks.worlds``, under a minute. Knows no search and no clock.

A world is wrong if a decision of its past was not legal in it. Both engines walk at random to a decision, sample worlds
for a player to act, and replay each from its cards with every decision checked. The replay of ours knows nothing of how
worlds are drawn: it is the match's own decisions on the world's pack. A deal leaks if the cards that were truly left
undealt never come up in the sampled hands of the others.
"""

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyspiel

import engine
from engine.game import Game, Observation, OutOfPacks, State

LEAKY = "oh_hell(players=4,num_tricks_fixed=5)"
"""A game in which cards are left undealt."""

PEERS = ("oh_hell(players=4,num_tricks_fixed=12)", LEAKY, "hearts", "euchre")
OURS: tuple[tuple[str, int, dict[str, object]], ...] = (
    ("callbreak", 4, {}),
    ("callbreak", 4, {"must_beat": "always", "trump_when_void": "no_waste", "announce_voids": True}),
    ("callbreak", 4, {"redeal_no_spades": True, "redeal_no_honours": True, "first_lead_spades": "banned"}),
    ("minus", 4, {"deals": 2}),
    ("minus", 4, {"deals": 2, "must_beat": "always", "trump_when_void": "no_waste", "direction": "anticlockwise"}),
    ("minus_one", 3, {"rounds": 6}),
    ("minus_one", 7, {"rest_across_decks": True}),
    ("contract_whist", 3, {}),
    ("contract_whist", 4, {"trump_sequence": "S,H,D,C,NT"}),
    ("contract_whist", 6, {}),
)
SAMPLES = 4


@dataclass(slots=True)
class Row:
    """What was found in the worlds of one game.

    ``illegal`` counts worlds with an illegal past, ``different`` those that do not look to the player as the match
    does, ``copied`` those of ``secrets`` in which somebody has made a choice that nobody may know. ``careless`` counts
    what would be illegal in so many worlds with the unseen cards ``shuffled``; it shows that the check bites.
    ``undealt`` of the ``hidden`` cards that others held in worlds before the first card was played lie undealt in
    truth; ``even`` would, if all unseen cards were alike.
    """

    game: str
    states: int = 0
    worlds: int = 0
    illegal: int = 0
    different: int = 0
    copied: int = 0
    secrets: int = 0
    careless: int = 0
    shuffled: int = 0
    hidden: int = 0
    undealt: int = 0
    even: float = 0


def main() -> int:
    """Prints the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.worlds", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object with an object for each game")
    parser.add_argument("--states", type=int, default=700, help="states of each game; each gives four worlds")
    parser.add_argument("--seed", type=int, default=1, help="what all but OpenSpiel's own draws follow from")
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    rows = [_peer(name, asked.states, rng) for name in PEERS]
    rows += [_ours(engine.load(name, seats, **options), options, asked.states, rng) for name, seats, options in OURS]
    if asked.json:
        print(json.dumps({row.game: asdict(row) for row in rows}))
    else:
        show(rows)
    return 0


def show(rows: Sequence[Row]) -> None:
    """Prints the table as Markdown."""
    print("| game | worlds | illegal past | if shuffled | looks different | choices copied | undealt held | if even |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        undealt = f"{row.undealt / row.hidden:.1%} | {row.even / row.hidden:.1%}" if row.hidden else "- | -"
        copied = f"{row.copied / row.secrets:.1%}" if row.secrets else "-"
        careless = f"{row.careless / row.shuffled:.1%}" if row.shuffled else "-"
        shares = f"{row.illegal / row.worlds:.1%} | {careless} | {row.different / row.worlds:.1%}"
        print(f"| {row.game} | {row.worlds:,} | {shares} | {copied} | {undealt} |")


def _peer(name: str, states: int, rng: random.Random) -> Row:
    """OpenSpiel's worlds of a game."""
    game = pyspiel.load_game(name)
    row = Row(f"OpenSpiel {name}")
    sampler = pyspiel.UniformProbabilitySampler(rng.randrange(1 << 30), 0.0, 1.0)
    while row.states < states:
        history = _peer_match(game, rng)
        decisions = [at for at, (player, _) in enumerate(history) if player >= 0]
        state = _peer_state(game, history[: rng.choice(decisions)])
        row.states += 1
        player = state.current_player()
        for _ in range(SAMPLES):
            world = state.resample_from_infostate(player, sampler)
            row.worlds += 1
            row.illegal += not _peer_legal(game, world)
            row.different += world.information_state_string(player) != state.information_state_string(player)
        if name == LEAKY:
            dealt = _peer_state(game, history[: decisions[0]])
            world = dealt.resample_from_infostate(dealt.current_player(), sampler)
            row.hidden += 15
            row.undealt += len(_peer_dealt(world) - _peer_dealt(dealt))
            row.even += 15 * 31 / 46  # 52 cards but five own ones and the trump that lies open.
    return row


def _peer_state(game: Any, history: Sequence[tuple[int, int]]) -> Any:
    state = game.new_initial_state()
    for _, action in history:
        state.apply_action(action)
    return state


def _peer_match(game: Any, rng: random.Random) -> list[tuple[int, int]]:
    """A random match: players, below 0 for chance, with their actions."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(actions, chances)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return [(item.player, item.action) for item in state.full_history()]


def _peer_legal(game: Any, world: Any) -> bool:
    """Whether every decision in the world's own history is legal in it."""
    again = game.new_initial_state()
    for item in world.full_history():
        if item.action not in again.legal_actions():
            return False
        again.apply_action(item.action)
    return True


def _peer_dealt(state: Any) -> set[int]:
    """The 20 cards that oh_hell dealt: what chance drew after the dealer and before the trump."""
    drawn = [item.action for item in state.full_history() if item.player < 0]
    return set(drawn[-21:-1])


@dataclass(frozen=True, slots=True)
class Walk:
    """A match of ours somewhere on its way, with the packs and decisions that led there.

    ``older`` are the packs before the last one. The first ``done`` decisions are in effect, and the rest are choices
    that are still secret. Decisions from ``since`` on were taken with the last pack on the table.
    """

    state: State
    older: list[tuple[int, ...]]
    taken: list[tuple[int, int]]
    done: int
    since: int


def _ours(game: Game, options: dict[str, object], states: int, rng: random.Random) -> Row:
    """Our worlds of a game."""
    told = ", ".join(f"{name}={value}" for name, value in options.items())
    row = Row(f"{game.id}, {game.seats} seats{': ' if told else ''}{told}")
    while row.states < states:
        walk = _walk(game, rng)
        row.states += 1
        seat = rng.choice(walk.state.to_act())
        observation = walk.state.observe(seat)
        worlds = engine.worlds(game, observation)
        for _ in range(SAMPLES):
            world: State = worlds.draw(rng)
            row.worlds += 1
            row.different += world.observe(seat) != observation
            row.illegal += not _legal(walk, world.packs(), observation)
            if walk.state.packs():
                row.shuffled += 1
                row.careless += not _legal(walk, [_shuffled(walk, world, seat, rng)], observation)
            if walk.done < len(walk.taken):
                row.secrets += 1
                row.copied += len(world.to_act()) < game.seats
            _count_undealt(row, walk.state, world, seat)
    return row


def _walk(game: Game, rng: random.Random) -> Walk:
    """A random match to a random decision."""
    state = game.start(rng.randbytes(32))
    length = rng.randrange(120)
    finished: list[tuple[int, ...]] = []
    packs = state.packs()
    taken: list[tuple[int, int]] = []
    done = since = 0
    while len(taken) < length:
        deal, dealt = state.deal, len(packs)
        seat = rng.choice(state.to_act())
        action = rng.choice(state.legal(seat))
        before = state.clone()
        last = len(state.to_act()) == 1
        state.apply(seat, action)
        if not state.to_act():
            return Walk(before, [*finished, *packs[:-1]], taken, done, since)
        taken.append((seat, action))
        if last:
            done = len(taken)
        if state.deal != deal:
            finished += packs
        packs = state.packs()
        if state.deal != deal or len(packs) != dealt:
            since = len(taken)
    return Walk(state, [*finished, *packs[:-1]], taken, done, since)


def _legal(walk: Walk, packs: Sequence[Sequence[int]], observation: Observation) -> bool:
    """Whether the decisions of the match are legal with the last of these packs in place of the true one, and lead to
    what was observed."""
    game = walk.state.game
    dealt = [*walk.older, *packs[-1:]]
    try:
        again = game.start_from(dealt, **game.draws(walk.state)) if packs else game.start(bytes(32))
        for actor, action in walk.taken[: walk.done]:
            if action not in again.legal(actor):
                return False
            again.apply(actor, action)
    except OutOfPacks:  # A hand that is thrown in.
        return False
    return again.observe(observation.seat) == observation


def _shuffled(walk: Walk, world: State, seat: int, rng: random.Random) -> list[int]:
    """The world's pack with the cards that the seat has never seen shuffled, as if nothing told where they lie."""
    pack = list(world.packs()[-1])
    own = getattr(world.observe(seat), "hand", 0)
    played = {action for _, action in walk.taken[walk.since :] if action < 52}
    places = [at for at, card in enumerate(pack) if card not in played and not own >> card & 1]
    for at, card in zip(places, rng.sample([pack[at] for at in places], len(places)), strict=True):
        pack[at] = card
    return pack


def _count_undealt(row: Row, state: State, world: State, seat: int) -> None:
    """Counts before the first card of a deal in which cards are left undealt."""
    seen: Any = state.observe(seat)
    tricks = getattr(seen, "tricks", 0)
    seats = state.game.seats
    pack = state.packs()[-1] if tricks else ()
    undealt = set(pack[seats * tricks :])
    if not undealt or state.game.phases[state.phase()].name != "call":
        return
    others = [world.observe(other) for other in range(seats) if other != seat]
    held = [card for other in others for card in undealt if getattr(other, "hand", 0) >> card & 1]
    row.hidden += (seats - 1) * tricks
    row.undealt += len(held)
    row.even += (seats - 1) * tricks * len(undealt) / (len(pack) - tricks)


if __name__ == "__main__":
    sys.exit(main())
