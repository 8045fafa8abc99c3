"""`python -m tests.second_reading.counts` writes tests/engine/counts.json: how many lines of play there are from given
positions, by the second reading. Knows no engine."""

import copy
import json
import pickle
import random
from collections import Counter
from pathlib import Path
from typing import Any

from tests.second_reading.match import Match
from tests.second_reading.reading import drawn, open_match, proper_pack
from tests.second_reading.register import DEFAULTS

FILE = Path(__file__).parent.parent / "engine" / "counts.json"


class Position:
    """A match of a seed. Packs are dealt as they are wanted."""

    def __init__(self, game: str, seats: int, options: dict[str, str], seed: bytes) -> None:
        self.game = game
        self.seed = seed
        self.match: Match = open_match(game, seats, options, *drawn(game, seats, options, seed))
        self._deal()

    def _deal(self) -> None:
        while self.match.wants_pack:
            self.match.give(proper_pack(self.match, self.game, self.seed))

    def take(self, action: str) -> None:
        self.match.take(self.match.to_act()[0], action)
        self._deal()

    def legal(self) -> list[str]:
        acting = self.match.to_act()
        return self.match.legal(acting[0]) if acting else []

    def after(self, action: str) -> "Position":
        """The position after an action; this one stays."""
        child = copy.copy(self)
        child.match = pickle.loads(pickle.dumps(self.match))  # a good deal faster than deepcopy
        child.take(action)
        return child


def lines_of(start: Position, depth: int, most: int = 1_000_000) -> tuple[list[int], Counter[str]]:
    """How many lines of 1, 2, … decisions there are, and where those end that have ``depth`` decisions or end before.

    A line that is over counts at no further depth. An end is deal, redeal, totals and, of a match that is over, places.
    """
    counts: list[int] = []
    ends: Counter[str] = Counter()
    row = [start]
    for _ in range(depth):
        following: list[Position] = []
        for position in row:
            actions = position.legal()
            if not actions:
                ends[end_of(position.match)] += 1
            following.extend(position.after(action) for action in actions)
        if not following:
            return counts, ends
        counts.append(len(following))
        if len(following) > most:
            return counts, ends
        row = following
    for position in row:
        ends[end_of(position.match)] += 1
    return counts, ends


def end_of(match: Match) -> str:
    """Where a line ends, as a text."""
    over = not match.to_act()
    scores = " ".join(map(str, match.scores()))
    if over:
        return f"over: {scores}: {' '.join(map(str, match.places()))}"
    return f"deal {match.deal} redeal {match.redeal}: {scores}"


def histories_of_one(rounds: int) -> int:
    """In how many ways one player of Minus One can go through the first rounds, whatever the others do (MO-T5)."""
    options = DEFAULTS["minus_one"]
    known: dict[tuple[object, ...], int] = {}

    def ways(match: Any) -> int:
        if match.round > rounds:
            return 1
        key = (match.round, tuple(match.decks[0]), match.resting[0], match.pairs.get(0))
        if key not in known:
            total = 0
            for action in match.legal(0):
                child = copy.deepcopy(match)
                child.take(0, action)
                for seat in range(1, child.seats):
                    child.take(seat, child.fallback(seat))
                total += ways(child)
            known[key] = total
        return known[key]

    return ways(open_match("minus_one", 3, options, 0, ""))


def position_for(game: str, seats: int, changes: dict[str, str], number: int, last: int | str) -> dict[str, Any]:
    """A position from a seed and random decisions: ``last`` decisions before the end of a deal or, as text, where the
    deal of that number begins."""
    options = {**DEFAULTS[game], **changes}
    rng = random.Random(f"{game} {seats} {sorted(changes.items())} {number}")
    seed = rng.randbytes(32)
    actions: list[str] = []
    position = Position(game, seats, options, seed)
    deal = 0 if isinstance(last, int) else int(last)
    while position.match.to_act() and position.match.deal <= deal:
        if isinstance(last, str) and position.match.deal == deal:
            break
        legal = position.legal()
        # With low calls the scores tell how many tricks were won.
        actions.append("call 2" if game == "callbreak" and "call 2" in legal else rng.choice(legal))
        position.take(actions[-1])
    if isinstance(last, int):
        del actions[len(actions) - last :]
    return {"game": game, "seats": seats, "options": changes, "seed": seed.hex(), "prefix": actions}


def last_tricks(game: str, changes: dict[str, str]) -> dict[str, Any]:
    """A position four tricks before the end of a deal that has some lines, and not too many."""
    for number in range(1000):
        case = position_for(game, 4, changes, number, 16)
        counts, _ = lines_of(opened(case), 16, most=6000)
        if len(counts) == 16 and 400 <= counts[-1] <= 6000:
            return case
    raise AssertionError("no position has a fit number of lines")


def opened(case: dict[str, Any]) -> Position:
    """The position of a case."""
    options = {**DEFAULTS[case["game"]], **case["options"]}
    position = Position(case["game"], case["seats"], options, bytes.fromhex(case["seed"]))
    for action in case["prefix"]:
        position.take(action)
    return position


def measured(case: dict[str, Any], depth: int) -> dict[str, Any]:
    """The case with its counts."""
    counts, ends = lines_of(opened(case), depth)
    return {**case, "depth": depth, "lines": counts, "ends": dict(sorted(ends.items()))}


def all_cases() -> list[dict[str, Any]]:
    """What the file holds."""
    # CB-T6: 35 of 28 561 fourfold calls are thrown in, or none
    cases = [(position_for("callbreak", 4, {"min_call": least}, 0, "0"), 4) for least in ("1", "2")]
    guard = position_for("callbreak", 4, {"max_redeals": "0"}, 0, "0")
    guard["prefix"] = ["call 1"]
    cases.append((guard, 3))
    for must_beat in ("unless_trumped", "always", "never"):
        for trump_when_void in ("must_win", "always", "no_waste", "never"):
            changes = {"must_beat": must_beat, "trump_when_void": trump_when_void}
            cases.append((last_tricks("callbreak", changes), 16))
            cases.append((last_tricks("minus", {**changes, "deals": "1"}), 16))
    turned = {"direction": "anticlockwise", "scoring": "call_bridge", "first_lead_spades": "banned"}
    cases.append((last_tricks("callbreak", turned), 16))
    opening = position_for("callbreak", 4, turned, 2, "0")
    opening["prefix"] = ["call 3", "call 2", "call 4", "call 5"]
    cases.append((opening, 5))
    low_floor = {"takeover_min": "5", "all_pass_trump": "D", "direction": "anticlockwise"}
    for changes, depth in (({}, 4), ({"second_lap": "false"}, 4), (low_floor, 5), ({"takeover_min": "13"}, 5)):
        cases += [(position_for("minus", 4, changes, 0, "0"), depth)]
    lap = position_for("minus", 4, {"takeover_min": "6"}, 1, "0")
    lap["prefix"] = ["pass", "trump 6C", "trump 7H", "pass"]
    cases.append((lap, 3))
    for seats in (3, 4, 5, 6):
        hands = {3: 17, 4: 13, 5: 10, 6: 8}[seats]
        no_hook = {"hook_last_hand": "false", "trump_sequence": "NT,H,S", "tie_break": "made_contracts"}
        for changes in ({}, no_hook):
            cases += [(position_for("contract_whist", seats, changes, seats, str(hands - 1)), 2 * seats)]
    cases.append((position_for("contract_whist", 3, {}, 0, "15"), 15))
    cases.append((position_for("contract_whist", 3, {"trump_sequence": "NT", "tie_break": "extra_hand"}, 1, "14"), 12))
    cases.append((position_for("contract_whist", 6, {}, 2, "0"), 3))
    for seats in (3, 4, 5, 6, 7):
        last = {3: 12, 4: 16, 5: 10, 6: 12, 7: 14}[seats]
        cases.append((position_for("minus_one", seats, {"rounds": "6"}, seats, last), last))
    fresh = position_for("minus_one", 3, {"rest_across_decks": "true"}, 0, "0")
    cases.append((fresh, 2))
    deck = position_for("minus_one", 3, {"rest_across_decks": "true"}, 1, 3 * 2 * 12 - 3)
    cases.append((deck, 4))
    return [measured(case, depth) for case, depth in cases]


def main() -> None:
    """Writes the file."""
    cases = all_cases()
    found = {"histories_of_one": [histories_of_one(rounds) for rounds in range(1, 7)], "cases": cases}
    FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(cases)} cases with {sum(case['lines'][-1] for case in cases)} lines in {FILE}")


if __name__ == "__main__":
    main()
