"""The engine's records are those of matches by the second reading, and the second reading sees what is wrong."""

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import engine
from engine.record import Recorder
from tests.second_reading.cards import whole_pack
from tests.second_reading.matches import (
    HABITS,
    by_command,
    by_engine,
    cases,
    engine_matches,
    names_of,
    sampled,
    values_of,
    wrong_bot,
)
from tests.second_reading.reading import Refused, judge, sealed
from tests.second_reading.register import DEFAULTS, PRESETS, REGISTER, SEATS

# What must have happened in the matches that were judged, or the judgement is worth little.
HAPPENS = {
    "callbreak": [
        "a big call made with 0 extra, call_bridge",
        "a big call made with 1 extra, call_bridge",
        "a big call made with 2 extra, call_bridge",
        "beat it in a trumped trick",
        "best_deal shared",
        "extra deal, 2 tied",
        "extra deal, 4 tied",
        "extra_deal decided",
        "extra_deal shared",
        "first lead: spades barred",
        "redeal in the extra deal",
        "redeal refused by the guard: low calls",
        "redeal refused by the guard: no honours",
        "redeal refused by the guard: no spades",
        "redeal: low calls",
        "redeal: no honours",
        "redeal: no spades",
        "several seats are forfeited",
        "void: a losing trump barred",
        "void: a losing trump forced",
        "void: only trumps left",
    ],
    "minus": [
        "a seat is forfeited",
        "a taker is overcalled",
        "beat it in a trumped trick",
        "nobody calls a trump",
        "only the second lap has a call",
        "several are lowest",
        "the dealer deals again",
        "the first caller calls again",
        "the first lap stands",
        "the standing call raises the floor",
        "the standing caller takes over",
        "the target is given up",
        "the target is reached",
        "the target is reached by several",
        "the win is shared",
        "void: a losing trump barred",
        "void: a losing trump forced",
    ],
    "minus_one": [
        "a lower number is cancelled",
        "a seat is forfeited",
        "all are cancelled",
        "equal scores stay equal",
        "the last win decides",
        "tokens decide",
    ],
    "contract_whist": [
        "a hand without trumps",
        "a seat is forfeited",
        "extra_hand decided",
        "extra_hand shared",
        "made_contracts shared",
        "share shared",
        "the dealer is hooked in the extra hand",
        "the hook is waived",
    ],
}


def test_records_of_the_command_line_agree_with_the_second_reading(tmp_path: Path) -> None:
    rng = random.Random(20)
    wrong = wrong_bot(tmp_path)
    used: set[tuple[str, str, str]] = set()
    seats_out = 0
    for game, seats, option, value in cases():
        options = sampled(rng, game, seats, **{option: value})
        bots = rng.choices(["random", "random", wrong], k=seats)
        reading = judge(by_command(tmp_path, game, bots, options, rng.randbytes(32)))
        assert (reading.game, reading.seats, reading.options) == (game, seats, options)
        used |= {(game, name, chosen) for name, chosen in reading.options.items()}
        seats_out += reading.seen["a seat is forfeited"]
    assert seats_out > 3
    wanted = [
        (game, option, value)
        for game, register in REGISTER.items()
        for option in register
        for value in values_of(game, option, SEATS[game][0])
    ]
    assert set(wanted) <= used


@pytest.mark.parametrize("game", SEATS)
def test_every_name_of_a_game_plays_what_the_register_says(tmp_path: Path, game: str) -> None:
    for number, (name, settings) in enumerate(names_of(game)):
        seats = SEATS[game][number % len(SEATS[game])]
        reading = judge(by_command(tmp_path, name, ["random"] * seats, {}, bytes([number]) * 32))
        assert reading.game == game
        assert reading.options == {**DEFAULTS[game], **settings}


def test_a_setting_wins_over_the_preset(tmp_path: Path) -> None:
    reading = judge(by_command(tmp_path, "call_bridge_bd", ["random"] * 4, {"min_call": "1"}, bytes(32)))
    assert reading.options == {**DEFAULTS["callbreak"], **PRESETS["call_bridge_bd"][1], "min_call": "1"}


def test_records_of_rare_matches_agree_with_the_second_reading() -> None:
    seen: Counter[str] = Counter()
    for record, _ in zip(engine_matches(random.Random(5)), range(450), strict=False):
        reading = judge(record)
        seen.update({f"{reading.game}: {what}": count for what, count in reading.seen.items()})
    missing = [f"{game}: {what}" for game, whats in HAPPENS.items() for what in whats if not seen[f"{game}: {what}"]]
    assert not missing


def test_the_best_single_deal_decides_a_tie() -> None:
    options = {**DEFAULTS["callbreak"], "tie_break": "best_deal", "scoring": "call_bridge"}
    habits = [HABITS[4]] * 4
    decided = seed = 0
    while not decided:
        seed += 1
        record = by_engine(random.Random(seed), "callbreak", 4, options, habits, plain=True)
        decided = judge(record).seen["best_deal decided"]


def test_the_larger_sum_of_made_contracts_decides_a_tie() -> None:
    """Seat 0 makes 8 and 2, seat 1 three times 0: 30 points each. All others bid what they cannot make."""
    options = {"tie_break": "made_contracts", "trump_sequence": "S", "first_dealer": "5"}
    high = {0: {0: "AS KS QS JS TS 9S 8S 7S"}, 6: {0: "AS KS"}, 7: {3: "AS"}}
    low = {number: {1: "3C 3D 3H 4C 4D"} for number in (3, 4, 5)}
    rng = random.Random(1)
    game = engine.load_with("contract_whist", 6, options)
    whole = whole_pack("contract_whist", 6)
    packs = []
    for deal in range(8):
        size, dealer = 8 - deal, (5 + deal) % 6
        wanted = {seat: text.split()[:size] for seat, text in {**high, **low}.get(deal, {}).items()}
        rest = [card for card in whole if not any(card in hand for hand in wanted.values())]
        rng.shuffle(rest)
        hands = {seat: wanted.get(seat, []) for seat in range(6)}
        for hand in hands.values():
            while len(hand) < size:
                hand.append(rest.pop())
        order = [hands[(dealer + 1 + at % 6) % 6][at // 6] for at in range(6 * size)]
        packs.append([game.read(card) for card in order + rest])
    state = game.start_from(packs, first_dealer=5, first_trump="S")
    recorder = Recorder(game, players=["x"] * 6, commitment="0" * 64)
    recorder.observe_state(state)
    while acting := state.to_act():
        seat = acting[0]
        legal = state.legal(seat)
        action = state.fallback(seat)
        if game.phases[state.phase()].name == "call":
            makes_none = seat == 1 and state.deal in (3, 4, 5)
            action = legal[0] if makes_none else game.read("call 2") if (seat, state.deal) == (0, 6) else legal[-1]
        elif seat == 0 and state.deal in (0, 6):
            action = legal[-1]
        state.apply(seat, action)
        recorder.decision(seat, action, len(legal), 0)
        recorder.observe_state(state)
    text = recorder.finish(state)
    assert judge(text).seen["made_contracts decided"] == 1
    assert json.loads(text.splitlines()[-1])["scores"][:2] == [30, 30]


def _record(game: str, seats: int, seed: int = 1, **options: str) -> list[str]:
    rng = random.Random(seed)
    text = by_engine(rng, game, seats, {**DEFAULTS[game], **options}, [HABITS[0]] * seats, plain=True)
    return text.splitlines()


def _changed(lines: list[str], at: int, **members: object) -> list[str]:
    entry = {**json.loads(lines[at]), **members}
    return [*lines[:at], json.dumps(entry, separators=(",", ":"), ensure_ascii=False), *lines[at + 1 :]]


def _find(lines: list[str], good: Callable[[dict[str, object]], bool]) -> int:
    return next(at for at, line in enumerate(lines) if good(json.loads(line)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("game", SEATS)
def test_one_thing_altered_is_refused_in_its_line(game: str, seed: int) -> None:
    seats = SEATS[game][seed % len(SEATS[game])]
    lines = _record(game, seats, seed)
    judge(sealed(lines))
    rng = random.Random(seed)
    end = len(lines) - 1
    result = json.loads(lines[end])
    decisions = [at for at, line in enumerate(lines) if '"seat"' in line]
    at = rng.choice(decisions)
    entry = json.loads(lines[at])
    packs = [at for at, line in enumerate(lines) if line.startswith('{"pack"')]
    altered = {
        "an action that is none": (at, _changed(lines, at, action="pass 2")),
        "one legal action more": (at, _changed(lines, at, legal=entry["legal"] + 1)),
        "another seat": (at, _changed(lines, at, seat=(entry["seat"] + 1) % seats)),
        "a score": (end, _changed(lines, end, scores=[result["scores"][0] + 1, *result["scores"][1:]])),
        "a place": (end, _changed(lines, end, places=[5 - result["places"][0], *result["places"][1:]])),
        "a forfeit": (end, _changed(lines, end, forfeited=[0])),
    }
    chosen = {json.loads(lines[other])["action"] for other in decisions}
    others = sorted(chosen - {entry["action"]})
    barred = next((other for other in rng.sample(others, len(others)) if not _legal(lines, at, other)), None)
    if barred is not None:
        altered["an illegal action"] = (at, _changed(lines, at, action=barred))
    if packs:
        place = rng.choice(packs)
        pack = json.loads(lines[place])["pack"]
        i, j = rng.sample(range(len(pack)), 2)
        pack[i], pack[j] = pack[j], pack[i]
        altered["two cards of a pack"] = (place, _changed(lines, place, pack=pack))
    for what, (line, now) in altered.items():
        with pytest.raises(Refused, match=rf"^Line {line + 1}:"):
            pytest.fail(f"{what} was not noticed: {judge(sealed(now))}")
    with pytest.raises(Refused, match=rf"^Line {len(lines)}: the hash"):
        judge("\n".join(_changed(lines, end, hash="0" * 64)) + "\n")


def _legal(lines: list[str], at: int, action: str) -> bool:
    """Whether the second reading takes the action in that line, whatever follows."""
    try:
        judge(sealed(_changed(lines, at, action=action)))
    except Refused as refusal:
        return not str(refusal).startswith(f"Line {at + 1}:")
    return True


def test_a_redeal_that_is_left_out_is_refused() -> None:
    text = by_engine(random.Random(3), "callbreak", 4, DEFAULTS["callbreak"], [HABITS[1]] * 4, plain=True)
    lines = text.splitlines()
    assert judge(text).seen["redeal: low calls"] == 60  # five deals, and one more for the tie
    again = [at for at, line in enumerate(lines) if line.startswith('{"pack"')][1]
    with pytest.raises(Refused, match=rf"^Line {again + 1}: a pack is dealt here"):
        judge(sealed(lines[:again] + lines[again + 1 :]))
    with pytest.raises(Refused, match=r"^Line \d+: the seed shuffles another pack|a pack is dealt here"):
        judge(sealed(lines[: again - 4] + lines[again + 1 :]))


def test_a_made_up_option_and_a_wrong_dealer_are_refused() -> None:
    lines = _record("minus", 4)
    head = json.loads(lines[0])
    with pytest.raises(Refused, match=r"^Line 1: takeover_min cannot be '4'"):
        judge(sealed(_changed(lines, 0, options={**head["options"], "takeover_min": "4"})))
    with pytest.raises(Refused, match=r"^Line 1: the options are"):
        judge(sealed(_changed(lines, 0, options={"deals": "5"})))
    with pytest.raises(Refused, match=r"^Line 1: the seed draws another dealer"):
        judge(sealed(_changed(lines, 0, first_dealer=(head["first_dealer"] + 1) % 4)))


def test_an_action_that_is_not_the_fallback_is_no_fault() -> None:
    lines = _record("minus_one", 3)
    at = _find(lines, lambda entry: str(entry.get("action")).startswith("show") and entry.get("action") != "show 1 2")
    fault = {"kind": "LATE", "reason": "slow"}
    with pytest.raises(Refused, match=rf"^Line {at + 1}: after a fault the house plays show 1 2"):
        judge(sealed(_changed(lines, at, fault=fault)))
