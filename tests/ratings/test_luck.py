"""Luck: what seats and cards have to do with points."""

import random

import pytest

from arena.ratings.luck import luck


def test_points_that_follow_from_the_cards_alone_are_all_luck() -> None:
    units = [(unit, [7 * unit % 5, 3 * unit % 7, unit]) for unit in range(9) for _ in range(3)]
    assert luck(units).cards == pytest.approx(1.0)


def test_points_that_have_nothing_to_do_with_the_cards_are_none() -> None:
    rng = random.Random(5)
    units = [(unit, [rng.gauss(0, 10) for _ in range(4)]) for unit in range(2000) for _ in range(4)]
    assert luck(units).cards == pytest.approx(0.0, abs=0.02)


def test_half_and_half_is_half() -> None:
    rng = random.Random(6)
    units = []
    for unit in range(3000):
        hands = [rng.gauss(0, 10) for _ in range(4)]
        units += [(unit, [hand + rng.gauss(0, 10) for hand in hands]) for _ in range(4)]
    assert luck(units).cards == pytest.approx(0.5, abs=0.03)


def test_seats_are_means_and_a_unit_that_is_not_whole_says_nothing_of_the_cards() -> None:
    found = luck([(0, [1, 5]), (0, [3, 5]), (1, [2, 8]), (1, [2, 6]), (2, [12, 1])])
    assert found.seats == (4.0, 5.0)
    assert found.cards == luck([(0, [1, 5]), (0, [3, 5]), (1, [2, 8]), (1, [2, 6])]).cards
    assert luck([(0, [1, 2]), (1, [3, 4])]).cards is None
