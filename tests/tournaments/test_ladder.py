"""Laws of who plays in a period of a ladder, and at which tables, without a database."""

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournaments.capped import meetings_of
from arena.tournaments.ladder import MEAN, Known, Strength, Waited, choose, seat
from arena.tournaments.schedule import Entry, ScheduleError, Table
from tests.tournaments.test_schedule import SEED, crowds, groups, strangers


class Ladder:
    """Periods one after the other, in which nothing but the waiting counts."""

    def __init__(self, seats: int, batch: int | None) -> None:
        self.played: list[set[str]] = []
        self.tables: list[list[Table]] = []
        self._seats = seats
        self._batch = batch

    def waited(self) -> dict[str, Waited]:
        """What the ledger would say."""
        periods = Counter(entry for playing in self.played for entry in playing)
        last = {entry: number for number, playing in enumerate(self.played, 1) for entry in playing}
        return {entry: Waited(last[entry], periods[entry]) for entry in last}

    def play(self, entries: Sequence[Entry]) -> None:
        """One more period."""
        playing = choose(entries, self._seats, self._batch, self.waited())
        met = meetings_of([table.entries for tables in self.tables for table in tables])
        self.tables.append(seat(playing, self._seats, SEED, Known(meetings=met)))
        self.played.append({entry.id for entry in playing})


@given(crowds(), st.integers(3, 7), st.one_of(st.none(), st.integers(1, 5)), st.integers(0, 99))
@settings(max_examples=60)
def test_everybody_who_plays_sits_once_and_never_with_another_bot_of_the_owner(
    entries: list[Entry], seats: int, batch: int | None, salt: int
) -> None:
    sizes = groups(entries)
    if len(sizes) < seats:
        with pytest.raises(ScheduleError, match="house bots"):
            choose(entries, seats, batch, {})
        return
    playing = choose(entries, seats, batch, {})
    strengths = {entry.id: Strength(1000 + (crc32(entry.id.encode(), salt) % 900), 50 + salt) for entry in entries}
    tables = seat(playing, seats, SEED, Known(strengths))
    most = min(batch or len(entries), len(entries) // seats)
    while sum(min(size, most) for size in sizes) < seats * most:
        most -= 1
    assert [(table.orbit, table.index) for table in tables] == [(0, index) for index in range(most)]
    seated = [entry for table in tables for entry in table.entries]
    assert sorted(seated) == sorted(entry.id for entry in playing)
    assert len(set(seated)) == len(seated) == most * seats
    owner_of = {entry.id: entry.party for entry in entries}
    assert all(len({owner_of[entry] for entry in table.entries}) == seats for table in tables)


@given(st.data(), st.integers(3, 5), st.one_of(st.none(), st.integers(1, 3)))
@settings(max_examples=40)
def test_nobody_plays_twice_while_somebody_waits_whoever_comes_and_goes(
    data: Any, seats: int, batch: int | None
) -> None:
    everybody = strangers(14)
    ladder = Ladder(seats, batch)
    since: Counter[tuple[str, str]] = Counter()
    for _ in range(12):
        there = data.draw(st.lists(st.sampled_from(everybody), unique=True, min_size=seats))
        ladder.play([entry for entry in everybody if entry in there])
        playing = ladder.played[-1]
        waiting = {entry.id for entry in there} - playing
        # Who is not there does not wait.
        for one, other in itertools.product((entry.id for entry in everybody), repeat=2):
            if one not in waiting:
                since[one, other] = 0
            elif other in playing:
                since[one, other] += 1
        assert max(since.values()) <= 1


@pytest.mark.parametrize(("bots", "seats", "batch"), [(9, 4, None), (23, 4, 2), (11, 3, 1), (40, 7, 3)])
def test_who_stays_in_plays_as_often_as_all_others_and_waits_no_longer_than_one_round_of_all(
    bots: int, seats: int, batch: int | None
) -> None:
    entries = strangers(bots)
    ladder = Ladder(seats, batch)
    places = seats * min(batch or bots, bots // seats)
    longest = -(-bots // places)  # periods until all had their turn
    for _ in range(5 * longest):
        ladder.play(entries)
        counts = Counter(entry for playing in ladder.played for entry in playing)
        assert max(counts.values()) - min(counts[entry.id] for entry in entries) <= 1
        for recent in (ladder.played[-longest:],) if len(ladder.played) >= longest else ():
            assert len(set().union(*recent)) == bots


def test_who_comes_late_plays_next_and_takes_nobodys_second_turn() -> None:
    entries = strangers(13)
    ladder = Ladder(4, 1)
    for _ in range(6):
        ladder.play(entries[:12])
    ladder.play(entries)
    assert "bot-12" in ladder.played[-1]
    for _ in range(2):
        ladder.play(entries)
    # In these three periods the twelve others have had their turn but for one, who is next.
    assert len(set().union(*ladder.played[-3:])) == 12
    ladder.play(entries)
    assert len(set().union(*ladder.played[-4:])) == 13


def test_the_bots_of_a_big_owner_take_turns_among_themselves() -> None:
    entries = [*strangers(4), *(Entry(f"many-{number}", "many", house=False) for number in range(5))]
    ladder = Ladder(4, None)
    for _ in range(10):
        ladder.play(entries)
    counts = Counter(entry for playing in ladder.played for entry in playing if entry.startswith("many"))
    assert len(set(counts.values())) == 1 or max(counts.values()) - min(counts.values()) <= 1
    assert len(counts) == 5


def test_the_least_known_leads_and_meets_those_as_strong_as_it_is() -> None:
    entries = strangers(40)
    strengths = {entry.id: Strength(MEAN - 500 + 25 * number, 40) for number, entry in enumerate(entries)}
    strengths["bot-30"] = Strength(MEAN + 250, 400)
    table = seat(entries, 4, SEED, Known(strengths))[0]
    assert table.entries[0] == "bot-30"
    assert {abs(int(entry.removeprefix("bot-")) - 30) for entry in table.entries[1:]} <= {1, 2, 3}


def test_who_is_little_known_is_preferred_and_who_has_met_often_is_not() -> None:
    entries = strangers(12)
    strengths = {entry.id: Strength(MEAN, 50) for entry in entries} | {"bot-1": Strength(MEAN, 300)}
    strengths["bot-0"] = Strength(MEAN, 301)
    assert seat(entries, 3, SEED, Known(strengths))[0].entries[:2] == ("bot-0", "bot-1")
    met = {frozenset(("bot-0", "bot-1")): 9}
    assert seat(entries, 3, SEED, Known(strengths, met))[0].entries[1] != "bot-1"


def test_among_equals_all_meet_before_two_meet_often() -> None:
    entries = strangers(16)
    ladder = Ladder(4, None)
    for _ in range(10):
        ladder.play(entries)
    met = meetings_of([table.entries for tables in ladder.tables for table in tables])
    assert max(met.values()) <= 4  # 2 on average
    assert len(met) >= 0.9 * 16 * 15 / 2


def test_a_period_is_a_function_of_entries_seed_and_what_is_known() -> None:
    entries = strangers(23)
    known = Known({entry.id: Strength(MEAN + 10 * number % 70, 90) for number, entry in enumerate(entries[:15])})
    playing = choose(entries, 4, None, {"bot-3": Waited(2, 2)})
    assert "bot-3" not in {entry.id for entry in playing}
    tables = seat(playing, 4, SEED, known)
    assert seat(playing[::-1], 4, SEED, known) == tables
    assert seat(playing, 4, bytes([1]) * 32, known) != tables
