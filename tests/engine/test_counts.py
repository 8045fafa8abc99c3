"""The engine finds as many lines of play as the second reading of the rules counted.

counts.json is written by `python -m tests.second_reading.counts`. The test needs the engine and the file alone, and
so runs on the compiled engine too.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import engine

COUNTS: dict[str, Any] = json.loads((Path(__file__).parent / "counts.json").read_text(encoding="utf-8"))


def _name(case: dict[str, Any]) -> str:
    changes = ",".join(f"{option}={value}" for option, value in case["options"].items())
    return f"{case['game']}-{case['seats']}-{changes or 'defaults'}-{len(case['prefix'])}"


def _opened(case: dict[str, Any]) -> engine.State:
    state = engine.load_with(case["game"], case["seats"], case["options"]).start(bytes.fromhex(case["seed"]))
    for text in case["prefix"]:
        state.apply(state.to_act()[0], state.game.read(text))
    return state


def _lines(start: engine.State, depth: int) -> tuple[list[int], Counter[str]]:
    counts: list[int] = []
    ends: Counter[str] = Counter()
    row = [start]
    for _ in range(depth):
        following: list[engine.State] = []
        for state in row:
            acting = state.to_act()
            if not acting:
                ends[_end(state)] += 1
                continue
            for action in state.legal(acting[0]):
                child = state.clone()
                child.apply(acting[0], action)
                following.append(child)
        if not following:
            return counts, ends
        counts.append(len(following))
        row = following
    for state in row:
        ends[_end(state)] += 1
    return counts, ends


def _end(state: engine.State) -> str:
    scores = " ".join(map(str, state.scores()))
    if state.to_act():
        return f"deal {state.deal} redeal {state.redeal}: {scores}"
    return f"over: {scores}: {' '.join(map(str, state.places()))}"


@pytest.mark.parametrize("case", COUNTS["cases"], ids=_name)
def test_there_are_as_many_lines_as_the_second_reading_counted(case: dict[str, Any]) -> None:
    counts, ends = _lines(_opened(case), case["depth"])
    assert counts == case["lines"]
    assert ends == case["ends"]


def test_35_of_all_calls_of_callbreak_are_thrown_in() -> None:
    """CB-T6, in the file that the engine is held against."""
    ends = [case["ends"] for case in COUNTS["cases"] if case["lines"] == [13, 169, 2197, 28561]]
    assert ends == [{"deal 0 redeal 0: 0 0 0 0": 28526, "deal 0 redeal 1: 0 0 0 0": 35}]


def test_one_player_of_minus_one_has_4838400_ways_through_a_deck() -> None:
    """MO-T5: the others let the house play. What a player may show follows from the cards kept so far
    and the one last shown and not kept; positions that are equal in this are counted once."""
    known: dict[tuple[frozenset[str], str], int] = {}

    def after(state: engine.State, action: int) -> engine.State:
        child = state.clone()
        child.apply(0, action)
        for seat in (1, 2):
            child.apply(seat, child.fallback(seat))
        return child

    def ways(state: engine.State, kept: frozenset[str], rests: str) -> int:
        if not state.to_act():
            return 1
        if (kept, rests) not in known:
            total = 0
            for show in state.legal(0):
                shown = after(state, show)
                low, high = state.game.write(show).split()[1:]
                for keep in shown.legal(0):
                    card = state.game.write(keep).split()[1]
                    total += ways(after(shown, keep), kept | {card}, high if card == low else low)
            known[kept, rests] = total
        return known[kept, rests]

    found = ways(engine.load("minus_one", 3, rounds=6).start(bytes(32)), frozenset(), "")
    assert found == COUNTS["histories_of_one"][-1] == 28 * 15 * 10 * 6 * 3 * 1 * 2**6 == 4_838_400
    assert [sum(len(kept) == spent for kept, _ in known) for spent in range(6)] == [1, 56, 168, 280, 280, 168]
