"""Mean points and head-to-head shares of one tournament."""

from itertools import permutations
from math import isnan, sqrt

import pytest
from scipy.special import stdtrit

from arena.errors import Exhausted
from arena.ratings import standings as module
from arena.ratings.standings import Scored, shares_of, standings, standings_of
from arena.store import Connection
from tests.ratings import played

MATCHES = [
    Scored(0, ["ann", "bob", "cyd"], [9, 5, 1], [1, 2, 3]),
    Scored(0, ["bob", "cyd", "ann"], [9, 9, 3], [1, 1, 3]),
    Scored(1, ["ann", "bob", "cyd"], [6, 2, 4], [1, 3, 2]),
    Scored(1, ["ann", "bob", "cyd"], [8, 2, 4], [1, 3, 2]),
]


def test_points_and_shares_are_means_over_matches_and_their_intervals_over_deals() -> None:
    lines, shares = standings(MATCHES)
    assert [(line.bot, line.matches, line.points.mean) for line in lines] == [
        ("ann", 4, 6.5),
        ("bob", 4, 4.5),
        ("cyd", 4, 4.5),
    ]
    assert [line.seats for line in lines] == [(3, 0, 1), (1, 3, 0), (0, 1, 3)]
    # Two deals whose sums of what is beyond the mean are -1 and 1.
    assert lines[0].points.margin == pytest.approx(stdtrit(1, 0.975) * sqrt(2 / 1 * (1 + 1)) / 4)
    found = {(share.bot, share.other): share.share.mean for share in shares}
    assert found["ann", "bob"] == 0.75
    assert found["bob", "cyd"] == (1 + 0.5) / 4
    assert all(found[one, other] + found[other, one] == 1 for one, other in found)


def test_one_deal_says_nothing_of_how_sure_it_is() -> None:
    lines, shares = standings(MATCHES[:2])
    assert all(isnan(line.points.margin) for line in lines)
    assert all(isnan(share.share.margin) for share in shares)


def test_of_many_bots_the_first_have_shares() -> None:
    """Those of 400 bots would be more than a caller takes in one answer."""
    bots = [f"bot-{number:03}" for number in range(module.MOST_BESIDE + 1)]
    matches = [Scored(unit, bots[unit : unit + 3], [9, 5, 1], [1, 2, 3]) for unit in range(len(bots) - 2)]
    lines, shares = standings(matches)
    assert len(lines) == len(bots)
    met = {(share.bot, share.other) for share in shares}
    assert {bot for pair in met for bot in pair} == {line.bot for line in lines[:-1]}
    assert met == {pair for match in matches for pair in permutations(match.bots, 2) if lines[-1].bot not in pair}


def test_the_shares_of_one_bot_are_those_of_all(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = ["ann", "bob", "cyd", "dan", "eve"]
    played.add_bots(connection, bots)
    planned = played.start(connection, "cup", bots, orbits=1, units=2)
    for block in planned.blocks:
        played.play(connection, block)
    everybody = [share for share in standings_of(connection, "cup")[1] if share.bot == "cyd"]
    assert shares_of(connection, "cup", "cyd") == sorted(everybody, key=lambda share: share.other)
    assert len(everybody) == 4
    monkeypatch.setattr(module, "MOST_BESIDE", 0)
    assert standings_of(connection, "cup")[1] == []
    assert len(shares_of(connection, "cup", "cyd")) == 4
    assert shares_of(connection, "cup", "nobody") == []


def test_what_a_correction_takes_out_is_not_counted(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    played.add_bots(connection, ["ann", "bob", "cyd", "dan"])
    planned = played.start(connection, "cup", ["ann", "bob", "cyd", "dan"], orbits=1, units=2)
    assert standings_of(connection, "cup") == ([], [], None)
    for block in planned.blocks:
        played.play(connection, block)
    before = {line.bot: line.matches for line in standings_of(connection, "cup")[0]}
    assert set(before.values()) == {3 * 2 * 3}
    connection.execute(
        "INSERT INTO corrections (tournament, what, unit, orbit, reason, who)"
        " VALUES ('cup', 'unit', 0, 0, 'No.', 'ann')"
    )
    after = {line.bot: line.matches for line in standings_of(connection, "cup")[0]}
    assert sum(before.values()) - sum(after.values()) == 3 * 3
    monkeypatch.setattr(module, "MOST_MATCHES", 5)
    with pytest.raises(Exhausted, match="more than 5 matches"):
        standings_of(connection, "cup")
