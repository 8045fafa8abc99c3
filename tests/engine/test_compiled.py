"""The compiled engine and the interpreted one play alike: both must give the records whose hashes are kept here."""

import hashlib
import json
import random
from pathlib import Path

import pytest

import engine
from engine.record import Recorder, verify
from tests.engine.walks import TABLES

KEPT = Path(__file__).with_name("records.json")


def record(name: str, seats: int, number: int) -> str:
    """The record of a match that is played at random, some of it by the house."""
    rng = random.Random(f"{name} {seats} {number}")
    seed = rng.randbytes(32)
    game = engine.load(name, seats)
    state = game.start(seed)
    recorder = Recorder(game, players=[f"player {seat}" for seat in range(seats)], seed=seed)
    recorder.observe_state(state)
    while state.to_act():
        for seat in state.to_act():
            legal = state.legal(seat)
            house = rng.random() < 0.1
            action = state.fallback(seat) if house else legal[rng.randrange(len(legal))]
            fault = {"kind": "LATE", "reason": "No answer in time."} if house else None
            recorder.decision(seat, action, len(legal), rng.randrange(100), fault)
            state.apply(seat, action)
        recorder.observe_state(state)
    return recorder.finish(state)


def found(name: str, seats: int) -> dict[str, object]:
    """What is kept for a table: the SHA-256 of some records, and the sums of some playouts."""
    game = engine.load(name, seats)
    start = game.start(bytes(range(32)))
    return {
        "records": [hashlib.sha256(record(name, seats, number).encode()).hexdigest() for number in range(3)],
        "deals": engine.playouts([start], 20, 3),
        "matches": engine.playouts([start], 3, 4, match=True),
        "states": hashlib.sha256(engine.playout(start, 5).to_bytes()).hexdigest(),
    }


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_records_and_playouts_are_those_that_are_kept(name: str, seats: int) -> None:
    assert found(name, seats) == json.loads(KEPT.read_text())[f"{name} {seats}"]


def test_a_kept_record_is_a_true_one() -> None:
    assert verify(record("minus", 4, 0)).header["game"] == "minus"


def test_the_engine_says_which_one_it_is() -> None:
    assert engine.COMPILED is (type(engine.playouts).__name__ == "builtin_function_or_method")
