"""Records: they verify, they tell, and nothing in them can be altered."""

import contextlib
import functools
import hashlib
import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.game import Game, State
from engine.record import FORFEITED, Recorder, RecordError, digest, read_beginning, verify, with_forfeits
from tests.engine.walks import TABLES, games

SECRET = "commitment"


def _record(game: Game, seed: int, *, committed: bool = False, faults: bool = True, **extras: Any) -> tuple[str, State]:
    """The record of a random match in which some seats fail and some are forfeited."""
    rng = random.Random(seed)
    match_seed = rng.randbytes(32)
    state = game.start(match_seed)
    given: dict[str, Any] = {"seed": match_seed}
    if committed:
        given = {"commitment": hashlib.sha256(match_seed).hexdigest()}
    recorder = Recorder(game, players=[f"bot {seat}" for seat in range(game.seats)], **given, **extras)
    recorder.observe_state(state)
    forfeited: set[int] = set()
    while state.to_act():
        for seat in state.to_act():
            legal = state.legal(seat)
            action = rng.choice(legal)
            fault = None
            if seat in forfeited:
                action, fault = state.fallback(seat), {"kind": FORFEITED}
            elif faults and rng.random() < 0.02:
                action = state.fallback(seat)
                fault = {"kind": rng.choice(["LATE", "ILLEGAL", "GONE", "GARBLED"]), "reason": "It took »too long«."}
                if rng.random() < 0.3:
                    forfeited.add(seat)
            recorder.decision(seat, action, len(legal), rng.randrange(300), fault)
            state.apply(seat, action)
            recorder.observe_state(state)
    text = recorder.finish(state, sorted(forfeited))
    assert recorder.digest == digest(text), "the digest kept while writing is that of the record"
    return text, state


@functools.cache
def _example(name: str, seats: int = 4, committed: bool = False) -> str:
    return _record(engine.load(name, seats), 7, committed=committed, tournament="cup", unit=3, rotation=1)[0]


@given(games(), st.integers(0, 10**6), st.booleans())
@settings(max_examples=60, deadline=None)
def test_what_was_recorded_verifies(game: Game, seed: int, committed: bool) -> None:
    text, state = _record(game, seed, committed=committed)
    for form in (text, text.encode()):
        verified = verify(form)
        assert verified.game == game
        assert list(verified.scores) == state.scores()
        assert list(verified.places) == with_forfeits(state.places(), verified.forfeited)
        assert verified.end.packs() == state.packs()
    if not committed:
        assert verified.end == state
    replay = verified.start.clone()
    for decision in verified.decisions:
        replay.apply(decision.seat, decision.action)
    assert replay == verified.end
    assert digest(text) == digest(text.encode())


@given(games(), st.integers(0, 10**6), st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_beginning_tells_of_no_deal_that_is_not_over(game: Game, seed: int, committed: bool) -> None:
    rng = random.Random(seed)
    match_seed = rng.randbytes(32)
    state = game.start(match_seed)
    secret: dict[str, Any] = {"commitment": match_seed.hex()} if committed else {"seed": match_seed}
    recorder = Recorder(game, players=["bot"] * game.seats, **secret)
    recorder.observe_state(state)
    told, beginning, scores = 0, "", [0] * game.seats
    timid = rng.random() < 0.5  # so that deals are thrown in for low calls
    # How many packs, those thrown in too, and how many decisions there are of the deals that are over.
    packs = decisions = over = 0
    while state.to_act():
        seat = state.to_act()[0]
        legal = state.legal(seat)
        action = legal[0] if timid else rng.choice(legal)
        recorder.decision(seat, action, len(legal), 7)
        decisions += 1
        deal, redeal = state.deal, state.redeal
        state.apply(seat, action)
        if state.deal != deal:
            packs, over, scores = packs + redeal + 1, decisions, state.scores()
        recorder.observe_state(state)
        if (recorder.closed, recorder.beginning()) == (told, beginning):
            continue
        assert state.deal > deal, "news without a deal that ended"
        told, beginning = recorder.closed, recorder.beginning()
        lines = beginning.splitlines()
        assert [sum(f'"{kind}":' in line for line in lines[1:]) for kind in ("pack", "action")] == [packs, over]
        found = read_beginning(beginning)
        assert len(found.decisions) == over
        assert found.end.scores() == scores
    text = recorder.finish(state)
    assert text.startswith(beginning)
    assert recorder.beginning() == text[: text.rindex("\n", 0, -1) + 1]
    found = read_beginning(recorder.beginning())
    assert not found.end.to_act()
    assert (found.end.scores(), found.decisions) == (state.scores(), verify(text).decisions)


@given(st.sampled_from(TABLES), st.booleans(), st.data())
@settings(max_examples=60, deadline=None)
def test_a_beginning_may_end_behind_any_decision_and_is_checked(
    table: tuple[str, int], committed: bool, data: st.DataObject
) -> None:
    text = _example(*table, committed)
    lines = text.splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines, 1) if '"action":' in line]
    end = data.draw(st.sampled_from(ends))
    found = read_beginning("".join(lines[:end]))
    assert found.decisions == verify(text).decisions[: ends.index(end) + 1]
    altered = data.draw(st.sampled_from(ends[: ends.index(end) + 1]))
    line = re.sub('"legal":[0-9]+', '"legal":99', lines[altered - 1])
    with pytest.raises(RecordError, match=f"line {altered}: .* the record says 99"):
        read_beginning("".join([*lines[: altered - 1], line, *lines[altered:end]]))


def test_a_beginning_has_no_result() -> None:
    with pytest.raises(RecordError, match="a beginning has no result"):
        read_beginning(_example("minus"))
    with pytest.raises(RecordError, match="The record is empty"):
        read_beginning("")


def test_a_record_has_its_fixed_fields() -> None:
    lines = [json.loads(line) for line in _example("contract_whist", 3).splitlines()]
    fields = "record game options seats seed first_dealer first_trump players engine tournament unit rotation"
    assert " ".join(lines[0]) == fields
    assert lines[0]["record"] == 1
    assert lines[0]["options"]["trump_sequence"] == "S,H,D,C,NT"
    assert list(lines[1]) == ["pack"]
    assert len(lines[1]["pack"]) == 51
    assert list(lines[2])[:4] == ["seat", "action", "legal", "ms"]
    assert list(lines[-1]) == ["scores", "forfeited", "places", "hash"]
    assert sum("pack" in line for line in lines) == 17


def test_a_record_of_a_game_without_packs_has_decisions_in_seat_order() -> None:
    lines = [json.loads(line) for line in _example("minus_one", 5).splitlines()]
    assert [line["seat"] for line in lines[1:-1]] == list(range(5)) * 36
    assert not any("pack" in line for line in lines)


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_commitment_stands_for_the_seed_while_it_is_secret(name: str, seats: int) -> None:
    text = _example(name, seats, committed=True)
    assert verify(text).header[SECRET]
    assert "seed" not in verify(text).header
    with pytest.raises(ValueError, match="either"):
        Recorder(engine.load(name, seats), players=["a"] * seats)


def test_a_revealed_seed_must_deal_the_packs_of_a_committed_record() -> None:
    seed = random.Random(7).randbytes(32)
    text = _example("minus", committed=True)
    assert verify(text, seed).end.packs() == verify(text).end.packs()
    with pytest.raises(RecordError):
        verify(text, bytes(32))
    with pytest.raises(RecordError, match="another seed"):
        verify(_example("minus"), bytes(32))


@given(st.data())
@settings(max_examples=500, deadline=None)
def test_no_altered_byte_survives(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["callbreak", "minus", "minus_one", "contract_whist"]))
    good = _example(name, 4, data.draw(st.booleans())).encode()
    # Half of the flips go where few bytes are: the header and the result.
    ends = st.integers(0, 700) | st.integers(len(good) - 160, len(good) - 1)
    at = data.draw(st.integers(0, len(good) - 1) | ends)
    flip = data.draw(st.integers(1, 255))
    broken = good[:at] + bytes([good[at] ^ flip]) + good[at + 1 :]
    with pytest.raises(RecordError) as caught:
        verify(broken)
    assert 1 <= caught.value.line <= good.count(b"\n") + 2
    assert caught.value.sentence.endswith((".", "}"))
    assert str(caught.value).startswith(f"line {caught.value.line}: ")


@given(st.sampled_from(["callbreak", "minus_one"]), st.data())
@settings(max_examples=200, deadline=None)
def test_a_cut_record_is_refused(name: str, data: st.DataObject) -> None:
    good = _example(name).encode()
    at = data.draw(st.integers(0, len(good) - 1) | st.integers(len(good) - 100, len(good) - 1))
    with pytest.raises(RecordError):
        verify(good[:at])


@given(st.binary(max_size=200) | st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_garbage_is_refused(garbage: bytes | str) -> None:
    for wrong in (garbage, _example("minus_one") + (garbage if isinstance(garbage, str) else "x")):
        if wrong == _example("minus_one"):
            continue
        with pytest.raises(RecordError):
            verify(wrong)
        if not isinstance(wrong, str) or wrong is garbage:
            with contextlib.suppress(RecordError):
                digest(wrong)


@pytest.mark.parametrize(
    "garbage",
    ["[" * 100_000, '{"record":' + "[" * 100_000, "1" * 10_000, '{"record":1' + "0" * 5000 + "}", '"\\ud800"', "NaN"],
)
def test_hostile_json_is_refused(garbage: str) -> None:
    with pytest.raises(RecordError, match="line 1"):
        verify(garbage + "\n")


Change = Callable[[list[dict[str, Any]]], Any]


def _altered(text: str, change: Change) -> str:
    """The record with something changed and its hash made to fit again."""
    lines = [json.loads(line) for line in text.splitlines()]
    change(lines)
    texts = [json.dumps(line, separators=(",", ":"), ensure_ascii=False) for line in lines]
    if "hash" in lines[-1]:
        body = "".join(line + "\n" for line in texts[:-1])
        last = {name: value for name, value in lines[-1].items() if name != "hash"}
        said = body + json.dumps(last, separators=(",", ":"), ensure_ascii=False)
        lines[-1]["hash"] = hashlib.sha256(said.encode()).hexdigest()
        texts[-1] = json.dumps(lines[-1], separators=(",", ":"), ensure_ascii=False)
    return "".join(line + "\n" for line in texts)


def _first_card(lines: list[dict[str, Any]]) -> int:
    """Index of the first card that is played."""
    return next(at for at, line in enumerate(lines) if len(line.get("action", "")) == 2)


def _foreign_card(lines: list[dict[str, Any]]) -> None:
    at = _first_card(lines)
    pack = lines[1]["pack"]
    offset = pack.index(lines[at]["action"])
    lines[at]["action"] = pack[(offset + 1) % 52]


ALTERED: list[tuple[str, Change, str, int | None]] = [
    ("nothing", lambda lines: None, "", None),
    ("seat", lambda lines: lines[2].update(seat=(lines[2]["seat"] + 1) % 4), "decides here", 3),
    ("seat true", lambda lines: lines[2].update(seat=True), "decides here", 3),
    ("action", lambda lines: lines[2].update(action="call 14"), "no action", 3),
    ("another's card", _foreign_card, "is not legal here", None),
    ("legal", lambda lines: lines[2].update(legal=12), "13 actions are legal", 3),
    ("ms", lambda lines: lines[2].update(ms=-1), "whole number of milliseconds", 3),
    ("ms text", lambda lines: lines[2].update(ms="5"), "whole number of milliseconds", 3),
    ("extra field", lambda lines: lines[2].update(note="x"), "a decision must stand", 3),
    ("pack", lambda lines: lines[1]["pack"].reverse(), "as the seed deals it", 2),
    ("seed", lambda lines: lines[0].update(seed="0" * 64), "", None),
    ("seed form", lambda lines: lines[0].update(seed="0" * 63), "64 hex digits", 1),
    ("dealer", lambda lines: lines[0].update(first_dealer=(lines[0]["first_dealer"] + 1) % 4), "The seed draws", 1),
    ("game", lambda lines: lines[0].update(game="whist"), "There is no game", 1),
    ("game form", lambda lines: lines[0].update(game=["callbreak"]), "There is no game", 1),
    ("alias", lambda lines: lines[0].update(game="lakdi"), "There is no game", 1),
    ("option", lambda lines: lines[0]["options"].update(deals="6"), "it takes 5, 10", 1),
    ("option missing", lambda lines: lines[0]["options"].pop("deals"), "every option", 1),
    ("option form", lambda lines: lines[0]["options"].update(deals=5), "every option", 1),
    ("option name", lambda lines: lines[0]["options"].update(seats="4"), "", 1),
    ("options form", lambda lines: lines[0].update(options=[]), "must name options", 1),
    ("seats", lambda lines: lines[0].update(seats=5), "it takes 4", 1),
    ("players", lambda lines: lines[0]["players"].pop(), "4 players", 1),
    ("player", lambda lines: lines[0]["players"].__setitem__(0, 1), "4 players", 1),
    ("engine", lambda lines: lines[0].update(engine="0"), "rules of version", 1),
    ("unknown field", lambda lines: lines[0].update(server="x"), "must be record, game", 1),
    ("unit", lambda lines: lines[0].update(unit="3"), "whole number", 1),
    ("tournament", lambda lines: lines[0].update(tournament=3), "a text", 1),
    ("version", lambda lines: lines[0].update(record=2), "version 1", 1),
    ("scores", lambda lines: lines[-1]["scores"].__setitem__(0, 9999), "The scores are", None),
    ("score form", lambda lines: lines[-1].update(scores="x"), "The scores are", None),
    ("places", lambda lines: lines[-1].update(places=[1, 1, 1, 1]), "The places are", None),
    ("no result", lambda lines: lines.pop(), "cut off", None),
    ("no decision", lambda lines: lines.pop(-2), "a decision must stand", None),
    ("result twice", lambda lines: lines.append(lines[-1]), "behind the result", None),
    ("decision twice", lambda lines: lines.insert(3, lines[2]), "decides here", 4),
    ("pack twice", lambda lines: lines.insert(1, lines[1]), "a decision must stand", 3),
    ("no pack", lambda lines: lines.pop(1), "the pack of a new deal must stand", 2),
    ("forfeit without a fault", lambda lines: lines[-1].update(forfeited=[0, 1, 2, 3]), "made no fault", None),
    ("forfeited form", lambda lines: lines[-1].update(forfeited=[9]), "list of seats", None),
    ("fault", lambda lines: lines[2].update(fault={"kind": "SLOW", "reason": "x"}), "There is no fault", 3),
    ("fault form", lambda lines: lines[2].update(fault="LATE"), "a kind and a reason", 3),
    ("fault kind", lambda lines: lines[2].update(fault={"kind": ["LATE"], "reason": "x"}), "There is no fault", 3),
    (
        "fault with another action",
        lambda lines: lines[2].update(action="call 9", fault={"kind": "LATE", "reason": "x"}),
        "the house plays call 1",
        3,
    ),
]


@pytest.mark.parametrize(("change", "sentence", "line"), [c[1:] for c in ALTERED], ids=[c[0] for c in ALTERED])
def test_an_altered_record_whose_hash_fits_is_refused_by_the_replay(
    change: Change, sentence: str, line: int | None
) -> None:
    text, _ = _record(engine.load("callbreak"), 11, faults=False, tournament="cup", unit=3)
    altered = _altered(text, change)
    if altered == text:
        assert verify(text)
        return
    with pytest.raises(RecordError) as caught:
        verify(altered)
    assert sentence in caught.value.sentence
    assert line in (None, caught.value.line)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: lines[1]["pack"].__setitem__(0, "XX"), 2),
        (lambda lines: lines[1].update(pack=[]), 2),
        (lambda lines: lines[1].update(pack=5), 2),
        (lambda lines: lines[1]["pack"].__setitem__(0, lines[1]["pack"][1]), 2),
        (lambda lines: lines[0].update(first_dealer=9), 1),
        (lambda lines: lines[0].update(commitment="x"), 1),
        (lambda lines: lines.pop(1), None),
    ],
)
def test_packs_of_a_committed_record_must_be_whole(change: Change, line: int | None) -> None:
    with pytest.raises(RecordError) as caught:
        verify(_altered(_example("callbreak", committed=True), change))
    assert line in (None, caught.value.line)


def test_what_the_replay_cannot_know_is_held_by_the_hash() -> None:
    text = _example("callbreak")
    for old, new in (('"bot 0"', '"bot 9"'), ('"unit":3', '"unit":4'), ('"tournament":"cup"', '"tournament":"cap"')):
        assert old in text
        with pytest.raises(RecordError, match="altered"):
            verify(text.replace(old, new, 1))


@pytest.mark.parametrize("broken", ["\r\n", "\n\n", " \n"])
def test_other_line_breaks_and_blank_lines_are_refused(broken: str) -> None:
    text = _example("callbreak")
    for altered in (text.replace("\n", broken, 1), text + broken, broken + text, text[:-1]):
        with pytest.raises(RecordError):
            verify(altered)


def test_choices_made_at_the_same_time_stand_in_seat_order() -> None:
    def swap(lines: list[dict[str, Any]]) -> None:
        lines[1], lines[2] = lines[2], lines[1]

    with pytest.raises(RecordError, match="line 2: Seat 0 decides here"):
        verify(_altered(_example("minus_one"), swap))


def test_a_record_is_written_in_one_way_only() -> None:
    text = _example("callbreak")
    first, rest = text.split("\n", 1)
    for other in (first.replace('"seats":4', '"seats": 4'), first.replace('"seats":4', '"seats":5,"seats":4')):
        body, last = (other + "\n" + rest).rstrip("\n").rsplit("\n", 1)
        result = {name: value for name, value in json.loads(last).items() if name != "hash"}
        said = body + "\n" + json.dumps(result, separators=(",", ":"))
        result["hash"] = hashlib.sha256(said.encode()).hexdigest()
        with pytest.raises(RecordError, match="line 1: This line is not a JSON object in compact form"):
            verify(body + "\n" + json.dumps(result, separators=(",", ":")) + "\n")


def test_forfeited_seats_share_the_last_place() -> None:
    assert with_forfeits([1, 2, 3, 4], []) == [1, 2, 3, 4]
    assert with_forfeits([1, 2, 3, 4], [0]) == [4, 1, 2, 3]
    assert with_forfeits([1, 2, 2, 4], [0, 3]) == [3, 1, 1, 3]
    assert with_forfeits([1, 2, 3, 4], [0, 1, 2, 3]) == [1, 1, 1, 1]


def test_a_forfeited_seat_stays_forfeited() -> None:
    text = _example("callbreak")
    seed = 0
    while FORFEITED not in text:
        seed += 1
        text = _record(engine.load("callbreak"), seed)[0]
    assert verify(text).forfeited

    def forget(lines: list[dict[str, Any]]) -> None:
        marked = [line for line in lines if line.get("fault") == {"kind": FORFEITED}]
        if {line["seat"] for line in marked} and len(marked) > 1:
            del marked[-1]["fault"]

    with pytest.raises(RecordError, match="was forfeited before"):
        verify(_altered(text, forget))
    with pytest.raises(RecordError, match="missing in the list"):
        verify(_altered(text, lambda lines: lines[-1].update(forfeited=[])))


def test_the_digest_knows_what_was_played_and_nothing_else() -> None:
    game = engine.load("callbreak")
    text, _ = _record(game, 5)

    def times(lines: list[dict[str, Any]]) -> None:
        for line in lines[1:-1]:
            if "ms" in line:
                line["ms"] += 17
            if len(line.get("fault", {})) == 2:
                line["fault"]["reason"] = "It took another time."
        lines[0]["players"] = ["a", "b", "c", "d"]

    assert digest(_altered(text, times)) == digest(text)
    assert digest(_record(game, 6)[0]) != digest(text)
    for change in (
        lambda lines: lines[2].update(action="call 9"),
        lambda lines: lines[2].update(fault={"kind": "GONE", "reason": "x"}),
        lambda lines: lines[-1].update(scores=[0, 0, 0, 0]),
        lambda lines: lines[-1].update(places=[1, 1, 1, 1]),
        lambda lines: lines[-1].update(forfeited=[1, 2, 3]),
    ):
        assert digest(_altered(text, change)) != digest(text)


def test_names_may_hold_any_character() -> None:
    game = engine.load("minus_one", 3)
    recorder = Recorder(game, players=["लकड़ी", 'a"b\\\n\u2028', "\ud800"], seed=bytes(32))
    state = game.start(bytes(32))
    recorder.observe_state(state)
    while state.to_act():
        for seat in state.to_act():
            recorder.decision(seat, state.fallback(seat), len(state.legal(seat)), 0)
            state.apply(seat, state.fallback(seat))
    text = recorder.finish(state)
    assert verify(text.encode()).header["players"] == ["लकड़ी", 'a"b\\\n\u2028', "?"]


VERSIONS: dict[str, Any] = {"versions": ["3", "", "2.1 é", "1"], "contents": ["ab" * 32, "", "", "00" * 32]}


def test_a_record_says_which_versions_played_and_their_names_are_under_its_seal() -> None:
    text = _record(engine.load("callbreak", 4), 1, **VERSIONS)[0]
    header = verify(text).header
    assert {name: header[name] for name in VERSIONS} == VERSIONS
    assert list(header)[-2:] == ["versions", "contents"]
    for old, new in (('"3"', '"4"'), ("ab" * 32, "ac" * 32)):
        with pytest.raises(RecordError, match="altered"):
            verify(text.replace(old, new, 1))
    assert digest(text) == digest(_record(engine.load("callbreak", 4), 1)[0])


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("versions", ["1"] * 3, "versions must be 4 texts, one for each seat"),
        ("versions", "1", "versions must be 4 texts"),
        ("versions", [1, 2, 3, 4], "versions must be 4 texts"),
        ("contents", ["", "", "", None], "contents must be 4 texts"),
        ("contents", ["AB" * 32, "", "", ""], "64 hex digits or nothing"),
        ("contents", ["ab", "", "", ""], "64 hex digits or nothing"),
    ],
)
def test_versions_of_another_form_are_refused(name: str, value: object, sentence: str) -> None:
    text = _record(engine.load("callbreak", 4), 1, **VERSIONS)[0]
    with pytest.raises(RecordError, match=sentence):
        verify(_altered(text, lambda lines: lines[0].update({name: value})))


def test_versions_are_one_for_each_seat() -> None:
    with pytest.raises(ValueError, match="4 texts by seat, not 3"):
        Recorder(engine.load("callbreak"), players=["a"] * 4, seed=bytes(32), versions=["1"] * 3)


def test_extra_header_fields_have_fixed_names() -> None:
    with pytest.raises(ValueError, match="no field 'lease'"):
        Recorder(engine.load("callbreak"), players=["a"] * 4, seed=bytes(32), lease="x")
    with pytest.raises(ValueError, match="4 players"):
        Recorder(engine.load("callbreak"), players=["a"] * 3, seed=bytes(32))
