"""The page of a step: what it says of faults, clocks and what else could have been, and to whom."""

import random
from typing import Any

import html5lib
import pytest

import engine
from arena.web.page import templates
from arena.web.pages.records import shown
from engine.record import Recorder
from tests.engine.walks import SEED

LATE = {"kind": "LATE", "reason": "The answer came 5 ms after the deadline."}


def record() -> str:
    """A match in which every 30th decision is the house's, for seat 2 to its forfeit."""
    game = engine.load("callbreak", redeal_below=0)
    recorder = Recorder(game, players=["A", "B", "C", "D"], seed=SEED, clock="move=100ms,bank=1s,faults=3")
    state, rng = game.start(SEED), random.Random(1)
    recorder.observe_state(state)
    faults = decisions = 0
    while state.to_act():
        (seat,) = state.to_act()
        legal = state.legal(seat)
        decisions += 1
        late = seat == 2 and faults < 3 and decisions > 30 * faults
        given_up = seat == 2 and faults == 3
        action = state.fallback(seat) if late or given_up else rng.choice(legal)
        fault = {"kind": "FORFEITED"} if given_up else LATE if late else None
        faults += late
        recorder.decision(seat, action, len(legal), 0 if given_up else 1200 if late else 150, fault)
        state.apply(seat, action)
        recorder.observe_state(state)
    return recorder.finish(state, [2])


def look(text: str, **asked: str) -> tuple[dict[str, Any], str]:
    """What is shown, and the page's piece, which is valid HTML."""
    found = shown(text, asked)
    html = templates.get_template("viewer.html").render(**found)
    html5lib.HTMLParser(strict=True).parse(f"<!doctype html><title>x</title>{html}")
    return found, html


def test_faults_are_told_with_their_reason_and_lead_from_one_to_the_next() -> None:
    text = record()
    found, html = look(text)
    steps = [step for step, _ in found["faults"]]
    late = [step for step, one in found["faults"] if one.fault == "LATE"]
    assert len(late) == 3
    assert [one.fault for _, one in found["faults"][3:]] == ["FORFEITED"]  # from where the house plays, once
    assert html.count("came 5 ms after the deadline") == 3
    met, at = [], 0
    while (after := look(text, step=str(at))[0]["fault_after"]) is not None:
        met.append(after)
        at = after
    assert met == steps
    found, html = look(text, step=str(late[1]), seat="0")
    assert found["fault_before"] == late[0]
    assert f'<a href="?step={late[0]}&amp;seat=0" data-key="F">' in html
    assert 'aria-current="true">step ' in html
    assert html.count("came 5 ms after the deadline") == 4  # in the list, and at this step


def test_clocks_are_those_of_the_step_and_the_bank_is_what_is_left_then() -> None:
    text = record()
    found, html = look(text, step="4")
    assert [time.answers for time in found["times"]] == [1, 1, 1, 1]
    assert [time.bank_ms for time in found["times"]] == [950, 950, 0, 950]
    assert f"{found['times'][found['last'].seat].bank_ms / 1000:.2f} s of the bank left" in html
    end, html = look(text, step="99999")
    assert end["over"]
    assert end["faulty"] == [0, 0, 3, 0]
    assert "Forfeit" in html
    assert end["times"][0].answers > end["times"][2].answers  # who was forfeited is asked no more


@pytest.mark.parametrize("step", [1, 5, 30])
def test_what_else_could_have_been_is_told_to_who_sees_the_hand_and_to_nobody_else(step: int) -> None:
    text = record()
    found, html = look(text, step=str(step))
    last = found["last"]
    assert len(found["could"]) == last.legal - 1
    assert last.action not in {one.action for one in found["could"]}
    own, _ = look(text, step=str(step), seat=str(last.seat))
    assert own["could"] == found["could"]
    other, html = look(text, step=str(step), seat=str((last.seat + 1) % 4))
    assert not other["could"]
    assert "legal, " not in html
    assert "instead of" not in html
