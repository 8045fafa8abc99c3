"""Laws of the tables of a tournament."""

import itertools
import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournaments.cyclic import SplitMix64
from arena.tournaments.schedule import Entry, ScheduleError, Table, schedule

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "ratings" / "vectors.json").read_text())
SEED = bytes(32)


def strangers(count: int) -> list[Entry]:
    return [Entry(f"bot-{number}", f"owner-{number}", house=False) for number in range(count)]


def meetings(tables: list[Table], entries: list[Entry]) -> dict[frozenset[str], int]:
    counts = {frozenset(pair): 0 for pair in itertools.combinations([entry.id for entry in entries], 2)}
    for table in tables:
        for pair in itertools.combinations(table.entries, 2):
            counts[frozenset(pair)] += 1
    return counts


def positions(tables: list[Table]) -> dict[str, Counter[int]]:
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for table in tables:
        for position, entry in enumerate(table.entries):
            counts[entry][position] += 1
    return counts


@pytest.mark.parametrize("case", VECTORS["schedule"], ids=lambda case: "N={N} k={k} t={t}".format(**case))
def test_meetings_are_as_even_as_recorded(case: dict[str, int]) -> None:
    entries = strangers(case["N"])
    tables = schedule(entries, case["k"], case["t"], SEED)
    counts = meetings(tables, entries).values()
    assert (min(counts), max(counts)) == (case["min"], case["max"])
    assert len(tables) == case["N"] * case["t"]


@pytest.mark.parametrize("seats", range(3, 8))
@pytest.mark.parametrize("surplus", [1, 2, 3, 5, 8, 14, 23])
@pytest.mark.parametrize("orbits", [1, 2, 5])
def test_every_bot_sits_equally_often_at_each_position_and_meets_the_others_evenly(
    seats: int, surplus: int, orbits: int
) -> None:
    entries = strangers(seats + surplus)
    tables = schedule(entries, seats, orbits, SEED)
    assert all(len(set(table.entries)) == seats for table in tables)
    counts = meetings(tables, entries).values()
    assert max(counts) - min(counts) <= 2
    at = positions(tables)
    shares = {at[entry.id][position] for entry in entries for position in range(seats)}
    if math.comb(len(entries), seats) > len(entries) * orbits:
        assert shares == {orbits}
        for orbit in range(orbits):
            once = positions([table for table in tables if table.orbit == orbit])
            assert {once[entry.id][position] for entry in entries for position in range(seats)} == {1}
    else:
        assert max(shares) - min(shares) <= 1
        assert max(counts) == min(counts)


@pytest.mark.parametrize(
    ("bots", "seats", "orbits", "passes"), [(4, 4, 1, 4), (5, 4, 1, 1), (6, 4, 5, 2), (6, 3, 10, 3)]
)
def test_all_subsets_are_played_when_they_fit(bots: int, seats: int, orbits: int, passes: int) -> None:
    entries = strangers(bots)
    tables = schedule(entries, seats, orbits, SEED)
    subsets = {frozenset(subset) for subset in itertools.combinations([entry.id for entry in entries], seats)}
    for number in range(passes):
        of_pass = [table for table in tables if table.orbit == number]
        assert [table.index for table in of_pass] == list(range(len(subsets)))
        assert {frozenset(table.entries) for table in of_pass} == subsets
    assert len(tables) == passes * len(subsets)


@st.composite
def crowds(draw: st.DrawFn) -> list[Entry]:
    owners = draw(st.lists(st.integers(1, 6), min_size=1, max_size=9))
    house = draw(st.integers(0, 5))
    entries = [
        Entry(f"bot-{owner}-{number}", f"owner-{owner}", house=False)
        for owner, bots in enumerate(owners)
        for number in range(bots)
    ]
    return entries + [Entry(f"house-{number}", "the platform", house=True) for number in range(house)]


def groups(entries: list[Entry]) -> list[int]:
    owners = Counter(entry.id if entry.house else entry.owner for entry in entries)
    return list(owners.values())


@given(crowds(), st.integers(3, 7), st.integers(1, 3), st.binary(min_size=32, max_size=32))
@settings(max_examples=30, deadline=None)
def test_no_two_bots_of_one_owner_share_a_table(entries: list[Entry], seats: int, orbits: int, seed: bytes) -> None:
    sizes = groups(entries)
    if len(sizes) < seats:
        with pytest.raises(ScheduleError, match=r"enter (more|bots of other owners or house bots)\.$"):
            schedule(entries, seats, orbits, seed)
        return
    tables = schedule(entries, seats, orbits, seed)
    owner_of = {entry.id: entry.id if entry.house else entry.owner for entry in entries}
    for table in tables:
        assert len({owner_of[entry] for entry in table.entries}) == seats
    if max(sizes) * seats <= len(entries):
        at = positions(tables)
        shares = {at[entry.id][position] for entry in entries for position in range(seats)}
        assert max(shares) - min(shares) <= (0 if max(sizes) > 1 else 1)


@given(crowds(), st.integers(3, 7), st.randoms(use_true_random=False))
@settings(max_examples=8, deadline=None)
def test_the_same_entries_and_seed_give_the_same_tables(entries: list[Entry], seats: int, rng: Any) -> None:
    if len(groups(entries)) < seats:
        return
    shuffled = list(entries)
    rng.shuffle(shuffled)
    assert schedule(shuffled, seats, 2, SEED) == schedule(entries, seats, 2, SEED)


def test_another_seed_gives_other_tables() -> None:
    entries = strangers(20)
    assert schedule(entries, 4, 2, SEED) != schedule(entries, 4, 2, bytes([1]) * 32)


def test_an_owner_of_many_bots_lets_them_play_in_turn() -> None:
    entries = strangers(5) + [Entry(f"mine-{number}", "me", house=False) for number in range(4)]
    tables = schedule(entries, 4, 2, SEED)
    plays = Counter(entry for table in tables for entry in table.entries if entry.startswith("mine"))
    assert len(plays) == 4
    assert max(plays.values()) - min(plays.values()) <= 1


@pytest.mark.parametrize(("owners", "bots", "seats"), [(50, 2, 4), (8, 2, 4), (9, 3, 4), (7, 5, 7)])
def test_owners_with_several_bots_still_meet_the_others_about_evenly(owners: int, bots: int, seats: int) -> None:
    entries = [Entry(f"bot-{o}-{n}", f"owner-{o}", house=False) for o in range(owners) for n in range(bots)]
    tables = schedule(entries, seats, 6, SEED)
    counts = meetings(tables, entries)
    owner_of = {entry.id: entry.owner for entry in entries}
    others = [met for pair, met in counts.items() if len({owner_of[entry] for entry in pair}) == 2]
    assert sum(others) == sum(counts.values())
    mean = sum(others) / len(others)
    assert max(others) <= mean + 4


@pytest.mark.parametrize(
    ("entries", "seats", "orbits", "sentence"),
    [
        (strangers(3), 4, 1, "need at least 4 bots, and 3 are entered"),
        (strangers(3) + strangers(1), 3, 1, "stands twice"),
        (strangers(9), 8, 1, "3 to 7 seats"),
        (strangers(9), 4, 0, "at least 1 orbit"),
        ([Entry(str(number), "me", house=False) for number in range(9)], 3, 1, "there are 1"),
    ],
)
def test_what_can_not_be_scheduled_is_refused_in_a_sentence(
    entries: list[Entry], seats: int, orbits: int, sentence: str
) -> None:
    with pytest.raises(ScheduleError, match=sentence):
        schedule(entries, seats, orbits, SEED)


def test_house_bots_may_meet() -> None:
    entries = [Entry(str(number), "the platform", house=True) for number in range(6)]
    assert len(schedule(entries, 4, 1, SEED)) == 6


def test_the_generator_gives_the_published_numbers() -> None:
    generator = SplitMix64(1234567)
    assert [generator.draw() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]
