"""Laws of the tables of every format, without a database."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournaments.balance import Span, balance
from arena.tournaments.formats import Format, Past, draw
from arena.tournaments.schedule import Entry, ScheduleError, Table, schedule
from tests.tournaments.test_schedule import SEED, crowds, groups, strangers


def play(entries: list[Entry], seats: int, rounds: int, strengths: dict[str, int] | None = None) -> list[Table]:
    """The tables of so many Swiss rounds in which the strengths show at once."""
    tables: list[Table] = []
    for _ in range(rounds):
        past = Past(tables, strengths or {} if tables else {})
        tables = [*tables, *draw(Format.SWISS, entries, seats, rounds, SEED, past=past)]
    return tables


@given(crowds(), st.integers(3, 7), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_a_swiss_round_seats_as_many_as_can_sit_without_an_owner_meeting_himself(
    entries: list[Entry], seats: int, rng: Any
) -> None:
    sizes = groups(entries)
    if len(sizes) < seats:
        with pytest.raises(ScheduleError, match="house bots"):
            play(entries, seats, 1)
        return
    tables = play(entries, seats, 3, {entry.id: rng.randrange(9) for entry in entries})
    owner_of = {entry.id: entry.id if entry.house else entry.owner for entry in entries}
    assert all(len({owner_of[entry] for entry in table.entries}) == seats for table in tables)
    most = len(entries) // seats
    while sum(min(size, most) for size in sizes) < seats * most:
        most -= 1
    for orbit in range(3):
        of_round = [table for table in tables if table.orbit == orbit]
        assert [table.index for table in of_round] == list(range(most))
        seated = Counter(entry for table in of_round for entry in table.entries)
        assert max(seated.values()) == 1


@pytest.mark.parametrize(("bots", "seats"), [(9, 4), (11, 4), (10, 3), (13, 7)])
def test_byes_go_round(bots: int, seats: int) -> None:
    entries = strangers(bots)
    for rounds in range(1, 8):
        played = Counter(entry for table in play(entries, seats, rounds) for entry in table.entries)
        counts = [played[entry.id] for entry in entries]
        assert max(counts) - min(counts) <= 1


def test_the_strongest_meet_the_strong_and_not_the_same_ones_again() -> None:
    entries = strangers(32)
    strengths = {entry.id: -number for number, entry in enumerate(entries)}
    tables = play(entries, 4, 4, strengths)
    first = next(table for table in tables if table.orbit == 1)
    number_of = {entry.id: number for number, entry in enumerate(entries)}
    assert number_of[first.entries[0]] == 0
    assert max(number_of[entry] for entry in first.entries) <= 4 * 3
    met = Counter(entry for table in tables if "bot-0" in table.entries for entry in table.entries)
    assert len(met) >= 1 + 3 + 8  # in the first round anybody, then all of the next eight before one comes again


def test_a_swiss_round_is_a_function_of_entries_seed_and_past() -> None:
    entries = strangers(17)
    strengths = {entry.id: len(entry.id) for entry in entries}
    tables = play(entries, 4, 3, strengths)
    assert play(entries[::-1], 4, 3, dict(reversed(strengths.items()))) == tables
    assert draw(Format.SWISS, entries, 4, 3, bytes([1]) * 32) != [table for table in tables if table.orbit == 0]


@pytest.mark.parametrize("seats", [3, 4, 7])
@pytest.mark.parametrize("orbits", [1, 2])
def test_a_newcomer_meets_those_that_are_known_evenly_and_no_other_newcomer(seats: int, orbits: int) -> None:
    known = [Entry(f"known-{number}", f"owner-{number}", house=False, known=True) for number in range(20)]
    new = [Entry(f"new-{number}", f"author-{number}", house=False) for number in range(3)]
    tables = draw(Format.GAUNTLET, [*new, *known], seats, orbits, SEED)
    assert all(sum(entry.startswith("new") for entry in table.entries) == 1 for table in tables)
    for newcomer in new:
        own = [table for table in tables if newcomer.id in table.entries]
        assert len(own) == 20 * orbits
        assert set(Counter(entry for table in own for entry in table.entries if entry != newcomer.id).values()) == {
            (seats - 1) * orbits
        }
        at = Counter(table.entries.index(newcomer.id) for table in own)
        assert max(at.values()) - min(at.values()) <= orbits
    for orbit in range(orbits):
        assert [table.index for table in tables if table.orbit == orbit] == list(range(60))


def test_a_newcomer_does_not_meet_the_known_bots_of_its_owner() -> None:
    known = [Entry(f"known-{number}", f"owner-{number // 2}", house=False, known=True) for number in range(12)]
    tables = draw(Format.GAUNTLET, [Entry("new", "owner-0", house=False), *known], 4, 2, SEED)
    owner_of = {entry.id: entry.owner for entry in known} | {"new": "owner-0"}
    assert all(len({owner_of[entry] for entry in table.entries}) == 4 for table in tables)


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ([Entry(f"known-{number}", f"{number}", house=False, known=True) for number in range(9)], "enter one"),
        (strangers(9), "Of those that bot-0 is to meet: Tables of 3 need at least 3 bots, and 0"),
    ],
)
def test_a_gauntlet_of_one_kind_only_is_refused_in_a_sentence(entries: list[Entry], sentence: str) -> None:
    with pytest.raises(ScheduleError, match=sentence):
        draw(Format.GAUNTLET, entries, 4, 1, SEED)


def test_in_a_challenge_bots_of_one_owner_meet() -> None:
    mine = [Entry(f"mine-{number}", "me", house=False) for number in range(4)]
    assert draw(Format.CHALLENGE, mine, 4, 2, SEED) == [Table(orbit, 0, tuple(e.id for e in mine)) for orbit in (0, 1)]
    five = [*mine, Entry("mine-4", "me", house=False)]
    assert len({table.entries for table in draw(Format.CHALLENGE, five, 4, 1, SEED)}) == 5


def test_the_balance_counts_every_table() -> None:
    entries = [*strangers(11), Entry("mine-0", "me", house=False), Entry("mine-1", "me", house=False)]
    found = balance(entries, schedule(entries, 4, 3, SEED), units=2, rotations=4)
    assert (found.bots, found.orbits, found.tables, found.units, found.matches) == (13, 3, 39, 78, 312)
    assert found.per_bot == Span(12 * 8, 12 * 8)
    assert found.positions == Span(3, 3)
    assert 0 < found.meetings.least <= found.meetings.most <= 5
    assert found.same_owner == 0
    together = [Table(0, 0, ("mine-0", "mine-1", "bot-0")), Table(0, 1, ("bot-0", "bot-1", "bot-2"))]
    found = balance(entries, together, units=1, rotations=1)
    assert (found.per_bot, found.meetings, found.same_owner) == (Span(0, 2), Span(0, 1), 1)
