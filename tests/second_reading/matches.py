"""Has matches played with sampled options, by the command line or straight on the engine. Judges nothing."""

import hashlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import engine
from arena.cli import main
from engine.record import FORFEITED, Recorder
from tests.second_reading.register import ALIASES, DEFAULTS, PRESETS, REGISTER, SEATS, ListOf, SeatOrRandom, Whole

# Values worth a match of their own where a range is long, and matches that are over soon.
_SOME: dict[str, list[str]] = {
    "max_redeals": ["0", "1", "3", "10"],
    "takeover_min": [str(number) for number in range(5, 14)],
    "deals": ["1", "2", "5"],
    "target": ["1", "4", "21"],
    "max_deals": ["1", "3", "6"],
    "trump_sequence": ["S,H,D,C,NT", "NT", "H,NT", "C,D,C,H", "D,D,NT,S"],
}

WRONG = """
from arena.bot import Turn, run

def choose(turn: Turn) -> int:
    if turn.rng.random() < 0.02:
        return (turn.legal[0] + turn.rng.randrange(1, 99)) % 200
    return turn.rng.choice(turn.legal)

if __name__ == "__main__":
    run(choose, name="wrong", games=["callbreak", "contract_whist", "minus", "minus_one"])
"""


def values_of(game: str, option: str, seats: int) -> list[str]:
    """Every value of an option, or some of a long range."""
    values = REGISTER[game][option]
    if isinstance(values, tuple):
        return list(values)
    if isinstance(values, SeatOrRandom):
        return ["random", *map(str, range(seats))]
    return _SOME[option]


def cases() -> list[tuple[str, int, str, str]]:
    """Every value of every option at some table of its game."""
    found = []
    for game, register in REGISTER.items():
        for at, option in enumerate(register):
            for turn in range(len(values_of(game, option, SEATS[game][0]))):
                seats = SEATS[game][(at + turn) % len(SEATS[game])]
                found.append((game, seats, option, values_of(game, option, seats)[turn]))
    return found


def sampled(rng: random.Random, game: str, seats: int, **fixed: str) -> dict[str, str]:
    """Valid options, each its default or any value; ``fixed`` ones stay."""
    options = {}
    for option, values in REGISTER[game].items():
        if option in fixed:
            options[option] = fixed[option]
        elif isinstance(values, ListOf) and rng.random() < 0.5:
            options[option] = ",".join(rng.choices(values.values, k=rng.randint(1, 6)))
        elif isinstance(values, Whole) and rng.random() < 0.2 and values.most < 100:
            options[option] = str(rng.randint(values.least, values.most))
        else:
            options[option] = rng.choice(values_of(game, option, seats))
    if game == "contract_whist":
        sequence = options["trump_sequence"].split(",")
        if options["first_trump"] not in ["random", *sequence] and set(sequence) != {"NT"}:
            if "first_trump" in fixed:
                options["trump_sequence"] += f",{options['first_trump']}"
            else:
                options["first_trump"] = "random"
    return options


def names_of(game: str) -> list[tuple[str, dict[str, str]]]:
    """Everything a game is called, with the options that the name sets."""
    plain: list[tuple[str, dict[str, str]]] = [(name, {}) for name in (game, *ALIASES[game], game.upper())]
    return plain + [(name, options) for name, (owner, options) in PRESETS.items() if owner == game]


def by_command(folder: Path, name: str, bots: list[str], settings: dict[str, str], seed: bytes) -> str:
    """The record that `arena play` writes."""
    file = folder / "record.jsonl"
    sets = [word for option, value in settings.items() for word in ("--set", f"{option}={value}")]
    code = main(["play", name, *bots, *sets, "--seed", seed.hex(), "--record", str(file)])
    assert code == 0, f"arena play {name} ended with {code}"
    return file.read_text(encoding="utf-8")


def wrong_bot(folder: Path) -> str:
    """The folder of a bot that now and then answers what is not legal."""
    bot = folder / "wrong"
    bot.mkdir()
    games = ", ".join(f'"{game}"' for game in SEATS)
    (bot / "bot.toml").write_text(f'name = "wrong"\nentry = "main.py"\ngames = [{games}]\n', encoding="utf-8")
    (bot / "main.py").write_text(WRONG, encoding="utf-8")
    return str(bot)


HANDS = {3: 17, 4: 13, 5: 10, 6: 8, 7: 99}

Habit = Callable[[random.Random, engine.State, int], int]


def _anything(rng: random.Random, state: engine.State, seat: int) -> int:
    return rng.choice(state.legal(seat))


def _house(rng: random.Random, state: engine.State, seat: int) -> int:
    return state.fallback(seat)


def _calls_high(rng: random.Random, state: engine.State, seat: int) -> int:
    legal = state.legal(seat)
    return legal[-1] if _is_call(state) else rng.choice(legal)


def _calls_low(rng: random.Random, state: engine.State, seat: int) -> int:
    legal = state.legal(seat)
    return legal[0] if _is_call(state) else rng.choice(legal)


def _calls_little(rng: random.Random, state: engine.State, seat: int) -> int:
    legal = state.legal(seat)
    return rng.choice(legal[:3]) if _is_call(state) else rng.choice(legal)


def _level_first(rng: random.Random, state: engine.State, seat: int) -> int:
    """Calls what nobody makes until all are tied, then anything."""
    deals = HANDS[state.game.seats] if state.game.id == "contract_whist" else getattr(state.game.options, "deals", 99)
    return (_calls_high if state.deal < deals else _calls_little)(rng, state, seat)


def _is_call(state: engine.State) -> bool:
    return state.game.phases[state.phase()].name in ("call", "first lap", "second lap")


HABITS: list[Habit] = [_anything, _house, _calls_high, _calls_low, _calls_little, _level_first]


def _one_strong_hand(rng: random.Random) -> list[int]:
    """A pack in which one hand has so many high spades that a big call may be made."""
    cards = list(range(52))
    rng.shuffle(cards)
    spades = rng.randint(7, 12)
    strong = list(range(51, 51 - spades, -1))
    strong += [card for card in cards if card not in strong][: 13 - spades]
    others = [card for card in cards if card not in strong]
    place = rng.randrange(4)
    return [(strong if at % 4 == place else others).pop() for at in range(52)]


def by_engine(
    rng: random.Random, game: str, seats: int, options: dict[str, str], habits: list[Habit], *, plain: bool = False
) -> str:
    """The record of a match straight on the engine; unless ``plain``, now and then with faults and forfeits, the seed
    held back, or hands that are made up."""
    rules = engine.load_with(game, seats, options)
    seed = rng.randbytes(32)
    state = rules.start(seed)
    players = [habit.__name__ for habit in habits]
    rigged = not plain and game in ("callbreak", "minus") and rng.random() < 0.2
    if rigged:
        dealer = rng.randrange(4) if options["first_dealer"] == "random" else int(options["first_dealer"])
        state = rules.start_from([_one_strong_hand(rng) for _ in range(150)], first_dealer=dealer)
    if rigged or (not plain and rng.random() < 0.2):
        recorder = Recorder(rules, players=players, commitment=hashlib.sha256(seed).hexdigest())
    else:
        recorder = Recorder(rules, players=players, seed=seed)
    fault_rate = 0 if plain else rng.choice([0, 0, 0, 0.02])
    forfeited: set[int] = set()
    faults = [0] * seats
    recorder.observe_state(state)
    while acting := state.to_act():
        for seat in acting:
            count = len(state.legal(seat))
            fault = None
            if seat in forfeited:
                fault = {"kind": FORFEITED}
            elif rng.random() < fault_rate:
                fault = {"kind": rng.choice(["ILLEGAL", "LATE", "GARBLED", "GONE"]), "reason": "it is a test"}
                faults[seat] += 1
                if faults[seat] == 3:
                    forfeited.add(seat)
            action = habits[seat](rng, state, seat) if fault is None else state.fallback(seat)
            state.apply(seat, action)
            recorder.decision(seat, action, count, rng.choice([0, 12]), fault)
        recorder.observe_state(state)
    return recorder.finish(state, sorted(forfeited))


def engine_matches(rng: random.Random) -> Iterator[str]:
    """Records of matches on the engine without end, tables and options as they come."""
    while True:
        game = rng.choice(list(SEATS))
        seats = rng.choice(SEATS[game])
        options = sampled(rng, game, seats) if rng.random() < 0.9 else dict(DEFAULTS[game])
        habits = [rng.choice(HABITS)] * seats if rng.random() < 0.5 else rng.choices(HABITS, k=seats)
        yield by_engine(rng, game, seats, options, habits)
