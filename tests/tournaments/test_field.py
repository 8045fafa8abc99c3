"""Laws of the schedule of fields: who plays together, how often, and who sits out."""

import itertools
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.tournaments.field import LEAST_TABLES, MOST_TABLES, field_schedule, is_possible, least_done
from arena.tournaments.schedule import Entry, Table

law = settings(max_examples=60, deadline=None)
seeds = st.binary(min_size=32, max_size=32)


def bots_of(owners: list[int]) -> list[Entry]:
    """As many bots of each owner."""
    return [Entry(f"{name}-{bot}", str(name), False) for name, bots in enumerate(owners) for bot in range(bots)]


@st.composite
def fields(draw: st.DrawFn) -> tuple[list[Entry], int, int, list[Table]]:
    """Entries, seats, rounds and the schedule, where every owner has one bot."""
    seats = draw(st.integers(3, 7))
    entries = bots_of([1] * draw(st.integers(4 * seats, 40 * seats)))
    rounds = draw(st.integers(1, 6))
    return entries, seats, rounds, field_schedule(entries, seats, 1, rounds, draw(seeds))


@law
@given(fields())
def test_a_round_has_as_few_fields_as_hold_all_its_tables_and_they_are_as_equal_as_can_be(
    field: tuple[list[Entry], int, int, list[Table]],
) -> None:
    entries, seats, rounds, schedule = field
    tables = len(entries) // seats
    sizes = Counter(len(one.entries) / seats for one in schedule)
    assert sum(sizes.values()) == rounds * -(-tables // MOST_TABLES)
    assert sum(size * count for size, count in sizes.items()) == rounds * tables
    assert all(LEAST_TABLES <= size <= MOST_TABLES for size in sizes)
    assert max(sizes) - min(sizes) <= 1


@law
@given(fields())
def test_at_any_time_all_bots_have_played_as_many_deals_but_for_one(
    field: tuple[list[Entry], int, int, list[Table]],
) -> None:
    entries, _, rounds, schedule = field
    deals = Counter({entry.id: 0 for entry in entries})
    for number in range(rounds):
        size = len(schedule) // rounds
        played = list(itertools.chain(*(one.entries for one in schedule[number * size : (number + 1) * size])))
        assert len(set(played)) == len(played), "a bot plays two deals of a round"
        deals.update(played)
        assert max(deals.values()) - min(deals.values()) <= 1


@law
@given(st.lists(st.integers(1, 9), min_size=16, max_size=120), st.integers(1, 12), seeds)
@example([1] * 50 + [2] * 40 + [3] * 40, 6, bytes(32))
def test_no_owner_has_two_bots_in_a_field_and_his_bots_take_turns(owners: list[int], rounds: int, seed: bytes) -> None:
    entries = bots_of(owners)
    schedule = field_schedule(entries, 4, 1, rounds, seed)
    owner = {entry.id: entry.owner for entry in entries}
    for one in schedule:
        assert len({owner[bot] for bot in one.entries}) == len(one.entries)
        assert LEAST_TABLES <= len(one.entries) / 4 <= MOST_TABLES
    by_round = len(schedule) // rounds
    sizes = [[len(one.entries) for one in schedule[at : at + by_round]] for at in range(0, len(schedule), by_round)]
    assert sizes == [sizes[0]] * rounds
    assert sum(sizes[0]) == sum(min(bots, by_round) for bots in owners) // 4 * 4
    assert max(sizes[0]) - min(sizes[0]) in (0, 4)
    deals = Counter({entry.id: 0 for entry in entries})
    deals.update(bot for one in schedule for bot in one.entries)
    for _, bots in itertools.groupby(entries, key=lambda entry: entry.owner):
        counts = [deals[bot.id] for bot in bots]
        assert max(counts) - min(counts) <= 1
    # Only who has more bots than a round has fields may play less than the others.
    free = [deals[entry.id] for entry in entries if owners[int(entry.owner)] <= by_round]
    assert not free or max(free) - min(free) <= 1
    assert max(deals.values()) - min(free, default=0) <= 1 or not free


@law
@given(st.randoms(use_true_random=False), seeds)
def test_the_order_of_entries_does_not_matter_and_the_seed_does(random: object, seed: bytes) -> None:
    entries = bots_of([2] * 30)
    shuffled = sorted(entries, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert field_schedule(shuffled, 4, 2, 3, seed) == field_schedule(entries, 4, 2, 3, seed)
    assert field_schedule(entries, 4, 2, 3, bytes(32)) != field_schedule(entries, 4, 2, 3, b"1" * 32)


def test_an_orbit_is_so_many_rounds_and_its_fields_are_numbered() -> None:
    schedule = field_schedule(bots_of([1] * 68), 4, 2, 3, bytes(32))
    assert [(one.orbit, one.index) for one in schedule] == [(orbit, index) for orbit in range(2) for index in range(6)]


def test_who_shares_a_field_changes_from_round_to_round() -> None:
    schedule = field_schedule(bots_of([1] * 128), 4, 1, 64, bytes(32))
    met = Counter(pair for one in schedule for pair in itertools.combinations(sorted(one.entries), 2))
    # Two fields of 64: any two bots share one in about half of the rounds.
    assert len(met) == 128 * 127 // 2
    assert 12 <= min(met.values()) <= max(met.values()) <= 52


def test_the_platforms_own_bots_stand_for_themselves() -> None:
    entries = [Entry(f"house-{number}", "platform", True) for number in range(16)]
    assert is_possible(entries, 4)
    assert not is_possible([Entry(entry.id, entry.owner, False) for entry in entries], 4)
    assert {len(one.entries) for one in field_schedule(entries, 4, 1, 2, bytes(32))} == {16}


@pytest.mark.parametrize(("bots", "seats", "possible"), [(16, 4, True), (15, 4, False), (28, 7, True), (11, 3, False)])
def test_a_field_needs_owners_for_four_tables(bots: int, seats: int, possible: bool) -> None:
    entries = bots_of([2] * bots)
    assert is_possible(entries, seats) is possible
    if not possible:
        with pytest.raises(ValueError, match=f"needs bots of {4 * seats} owners"):
            field_schedule(entries, seats, 1, 1, bytes(32))


def test_half_of_the_tables_and_two_at_least_must_be_done() -> None:
    assert [least_done(tables) for tables in (2, 3, 4, 5, 8, 9, 16)] == [2, 2, 2, 3, 4, 5, 8]
