"""Stepping through a record: every step is the match as it was then."""

import random
from functools import reduce
from operator import or_

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from arena.errors import WrongState
from arena.web.pages.records import how_before_ended
from arena.web.replay import replay
from arena.web.tables import Look, draw, draw_closed
from arena.web.tables.trick import Trick
from engine.game import Game, State
from engine.record import Recorder
from tests.engine.walks import SEED, games


def recorded(game: Game, rng: random.Random, commitment: str | None = None) -> tuple[str, list[State]]:
    """A random match as its record, and the states before and after its decisions. Those made at the same time are made
    in seat order."""
    seed = None if commitment else SEED
    recorder = Recorder(game, players=[f"bot {seat}" for seat in range(game.seats)], seed=seed, commitment=commitment)
    state = game.start(SEED)
    states = [state.clone()]
    recorder.observe_state(state)
    while state.to_act():
        seat = state.to_act()[0]
        legal = state.legal(seat)
        action = rng.choice(legal)
        recorder.decision(seat, action, len(legal), 1)
        state.apply(seat, action)
        recorder.observe_state(state)
        states.append(state.clone())
    return recorder.finish(state), states


@given(games(), st.randoms(use_true_random=False))
def test_every_step_is_the_match_as_it_was_then(game: Game, rng: random.Random) -> None:
    text, states = recorded(game, rng)
    found = replay(text)
    assert found.steps == len(states) - 1
    for step in {0, 1, found.steps, *rng.sample(range(len(states)), min(5, len(states)))}:
        moment, state = found.at(step)
        assert moment.step == step
        assert state == states[step]
        assert set(moment.legal) == set(states[step].to_act())
        if step:
            taken = found.record.decisions[step - 1]
            assert list(moment.could) == states[step - 1].legal(taken.seat)
            # A choice is a secret while others still have theirs to make at the same time.
            before, after = set(states[step - 1].to_act()), set(states[step].to_act())
            assert moment.secret == (bool(after) and len(before) > 1 and after < before)
    assert found.at(-1)[0].step == 0
    assert found.at(10**9)[0].step == found.steps


@given(games(), st.randoms(use_true_random=False))
def test_deals_follow_each_other_and_hold_what_was_dealt_played_and_scored(game: Game, rng: random.Random) -> None:
    text, states = recorded(game, rng)
    found = replay(text)
    deals, decisions = found.deals, found.record.decisions
    assert [one.first for one in deals] == [0, *(one.last for one in deals[:-1])]
    assert deals[-1].last == found.steps
    assert deals[-1].totals == tuple(states[-1].scores())
    assert [one.number for one in deals if one.scores] == list(range(1, deals[-1].number + 1))
    for index, one in enumerate(deals):
        assert found.deal_at(one.first) == found.deal_at(one.last - 1) == index
        before = deals[index - 1].totals if index else (0,) * game.seats
        added = tuple(now - then for now, then in zip(one.totals, before, strict=True))
        # What only breaks a tie is no part of the totals.
        assert added == (one.scores or (0,) * game.seats) or (one is deals[-1] and not any(added))
        if not one.hands:
            continue
        assert sum(hand.bit_count() for hand in one.hands) == reduce(or_, one.hands).bit_count()
        played = [[d.action for d in decisions[one.first : one.last] if d.seat == s] for s in range(game.seats)]
        cards = [[action for action in of_seat if action < 52] for of_seat in played]  # in these games cards come first
        if one.scores:
            assert [sum(1 << number for number in of_seat) for of_seat in cards] == list(one.hands)
            assert sum(one.won) == len(cards[0])


@pytest.mark.parametrize("game", [engine.load("callbreak"), engine.load("minus", deals=2), engine.load("minus_one", 5)])
def test_how_the_deal_before_ended_is_its_last_trick_or_round(game: Game) -> None:
    text, states = recorded(game, random.Random(1))
    found = replay(text)
    assert how_before_ended(found, 0) is None
    for index, before in enumerate(found.deals[:-1]):
        drawn = how_before_ended(found, index + 1)
        state = states[before.last - 1].clone()
        moves = [(one.seat, one.action) for one in found.record.decisions[before.first : before.last]]
        table = draw_closed(state, moves)
        assert getattr(table, "finished")[-1] == drawn  # noqa: B009 - every shape has them
        if isinstance(drawn, Trick):
            assert [one.won for one in table.seats] == list(before.won)  # type: ignore[attr-defined]


@given(games(), st.randoms(use_true_random=False))
def test_a_beginning_can_be_stepped_through_to_the_end_of_its_last_deal(game: Game, rng: random.Random) -> None:
    # With the seed in its header the next deal would be known: tournaments have a commitment there.
    text, states = recorded(game, rng, commitment=SEED.hex())
    whole = replay(text)
    began = rng.choice([deal.last for deal in whole.deals if deal.scores and deal.word == "deal"] or [whole.steps])
    lines = text.splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines, start=1) if '"action":' in line]
    found = replay("".join(lines[: ends[began - 1]]), begun=True)
    assert found.steps == began
    for step in {0, 1, began - 1}:
        assert found.at(step)[0] == whole.at(step)[0]
    moment, state = found.at(began)
    assert (moment.last, moment.secret, moment.legal) == (whole.record.decisions[began - 1], False, {})
    assert state.scores() == states[began].scores()
    assert found.deals == tuple(deal for deal in whole.deals if deal.last <= began)
    # The deal that is over still lies on the table.
    if states[began].to_act():
        assert state.deal == states[began - 1].deal
    for seat in (None, 0, game.seats - 1):
        assert draw(state, Look(seat, moment.legal))


def test_a_record_that_does_not_hold_is_not_shown() -> None:
    text, _ = recorded(engine.load("minus_one"), random.Random(1))
    with pytest.raises(WrongState, match="does not hold"):
        replay(text.replace('"ms":1', '"ms":-1', 1))
    with pytest.raises(WrongState, match="does not hold"):
        replay(text.rsplit("\n", 2)[0].replace('"ms":1', '"ms":-1', 1) + "\n", begun=True)
