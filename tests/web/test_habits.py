"""How a bot plays is counted from its records."""

import random

import engine
from arena.web.habits import habits
from arena.web.replay import replay
from tests.web.test_replay import recorded


def test_every_deal_has_one_call_of_each_seat() -> None:
    game = engine.load("callbreak")
    text, states = recorded(game, random.Random(3))
    for seat in range(game.seats):
        called, kept = habits([(replay(text), seat), (replay(text), seat)])
        assert not kept
        assert sum(one.deals for one in called) == 2 * (states[-1].deal + 1)
        for one in called:
            assert (one.won >= one.call) or one.reached < 1
            assert one.met <= one.reached


def test_a_card_that_another_keeps_too_is_cancelled_and_the_lowest_other_wins() -> None:
    game = engine.load("minus_one", 5, rounds=6)
    text, _ = recorded(game, random.Random(4))
    found = replay(text)
    kept = [habits([(found, seat)])[1] for seat in range(game.seats)]
    for of_seat in kept:
        assert sum(one.times for one in of_seat) == 6
        assert {one.card for one in of_seat} <= set(range(1, 9))
    end = found.record.end
    view = end.observe(0)
    tokens = list(view.tokens)  # type: ignore[attr-defined]
    assert [sum(one.won for one in of_seat) for of_seat in kept] == tokens
