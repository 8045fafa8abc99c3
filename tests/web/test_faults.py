"""What a bot did wrong in a match, from the record of it."""

import engine
from arena.web.pages.faults import Fault, faults_of
from arena.web.replay import replay
from engine.record import FORFEITED, Recorder
from tests.engine.walks import SEED


def test_faults_are_those_of_the_bot_with_the_step_that_shows_them_and_a_forfeit_is_told_once() -> None:
    game = engine.load("minus", 4)
    recorder = Recorder(game, players=["ann", "bob", "cyd", "dan"], seed=SEED)
    state, expected, turns = game.start(SEED), [], {1: 0, 2: 0}
    recorder.observe_state(state)
    step = 0
    while state.to_act():
        seat, step = state.to_act()[0], step + 1
        fault = None
        if seat in turns:
            turns[seat] += 1
            kind = {2: "LATE", 3: "ILLEGAL"}.get(turns[seat], "" if turns[seat] < 4 or seat == 2 else FORFEITED)
            fault = {"kind": kind} | ({} if kind == FORFEITED else {"reason": "No."}) if kind else None
            if kind and seat == 1 and turns[seat] <= 4:
                expected.append(Fault(7, 3, step, 1, kind, "" if kind == FORFEITED else "No."))
        legal = len(state.legal(seat))
        action = state.fallback(seat)
        recorder.decision(seat, action, legal, 1, fault)
        state.apply(seat, action)
        recorder.observe_state(state)
    found = replay(recorder.finish(state, [1]))
    assert [one.kind for one in expected] == ["LATE", "ILLEGAL", FORFEITED]
    assert list(faults_of(found, "bob", 7, 3)) == expected
    assert [one.kind for one in faults_of(found, "cyd", 7, 3)] == ["LATE", "ILLEGAL"]
    assert not list(faults_of(found, "ann", 7, 3))
