"""What a bot did beside each other in a pool: as standings say it of one tournament, over all of them, and bounded."""

from math import isnan

import pytest

from arena.errors import NotFound
from arena.ratings import head_to_head as module
from arena.ratings.head_to_head import HeadToHead, head_to_head
from arena.ratings.periods import apply_due
from arena.ratings.standings import standings_of
from arena.ratings.tables import table
from arena.store import Connection
from tests.ratings import played
from tests.ratings.test_field import write_fields

BOTS = ["ada", "bob", "cem", "dan", "eve"]


@pytest.fixture(autouse=True)
def bots(connection: Connection) -> None:
    played.add_bots(connection, BOTS)


def tournament(connection: Connection, name: str, kind: str = "rotation") -> None:
    for orbit in played.start(connection, name, BOTS, orbits=2, units=2, kind=kind).orbits:
        for block in orbit:
            played.play(connection, block)
        apply_due(connection)


def of(connection: Connection, bot: str) -> HeadToHead:
    (found,) = table(connection, played.GAME)
    return head_to_head(connection, found.pool, bot)


def check(connection: Connection, tournament: str) -> None:
    """Every pair has the share of the standings, and whom a bot beats by points loses as many to it."""
    _, shares, _ = standings_of(connection, tournament)
    expected = {(share.bot, share.other): share for share in shares}
    found = {
        (line.bot, one.bot): one
        for pool in table(connection, played.GAME)
        for line in pool.ratings
        for one in head_to_head(connection, pool.pool, line.bot).opponents
    }
    assert found.keys() == expected.keys()
    for pair, one in found.items():
        assert one.matches == expected[pair].matches
        assert one.share.mean == pytest.approx(expected[pair].share.mean)
        assert one.share.margin == pytest.approx(expected[pair].share.margin, nan_ok=True)
        turned = found[pair[1], pair[0]]
        assert (one.above, one.level, one.below) == (turned.below, turned.level, turned.above)
        assert one.points.mean == pytest.approx(-turned.points.mean)
        assert one.points.margin == pytest.approx(turned.points.margin, nan_ok=True)


@pytest.mark.parametrize("kind", ["rotation", "single"])
def test_shares_are_those_of_the_standings(connection: Connection, kind: str) -> None:
    tournament(connection, "cup", kind)
    check(connection, "cup")
    found = of(connection, "ada")
    assert found.matches == found.rated == sum(one.matches for one in found.opponents) / 2


def test_in_a_field_only_those_at_the_table_were_met(connection: Connection) -> None:
    names = [f"bot-{number}" for number in range(8)]
    played.add_bots(connection, names)
    points = [[3, 1, 4, 1], [5, 9, 2, 6]]
    deal = [(tuple(names[:4]), points[0]), (tuple(names[4:]), points[1])]
    turned = [(tuple(names[1:4] + names[:1]), points[0]), (tuple(names[4:]), points[1])]
    write_fields(connection, "cup", [deal, turned], 2)
    apply_due(connection)
    check(connection, "cup")
    assert [one.bot for one in of(connection, "bot-0").opponents] == names[1:4]


def test_what_a_correction_takes_out_is_not_counted(connection: Connection) -> None:
    tournament(connection, "cup")
    before = of(connection, "ada").matches
    for what, unit, orbit, bot in (("unit", 0, 0, None), ("orbit", None, 1, None), ("bot", None, None, "eve")):
        connection.execute(
            "INSERT INTO corrections (tournament, what, unit, orbit, bot, reason, who)"
            " VALUES ('cup', %s, %s, %s, %s, 'No.', 'ada')",
            [what, unit, orbit, bot],
        )
        apply_due(connection)
        check(connection, "cup")
        assert of(connection, "ada").matches <= before
    assert "eve" not in {one.bot for one in of(connection, "ada").opponents}
    assert of(connection, "ada").matches < before


def test_of_too_many_matches_the_newest_are_added_up(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament(connection, "cup")
    tournament(connection, "next")
    whole = of(connection, "ada")
    assert whole.matches == whole.rated
    half = whole.matches // 2
    monkeypatch.setattr(module, "MOST_MEETINGS", 2 * half)  # two others at a table of three
    newest = of(connection, "ada")
    assert (newest.matches, newest.rated) == (half, whole.rated)
    _, shares, _ = standings_of(connection, "next")
    assert {one.bot: one.share.mean for one in newest.opponents} == pytest.approx(
        {share.other: share.share.mean for share in shares if share.bot == "ada"}
    )
    monkeypatch.setattr(module, "MOST_MEETINGS", 1)
    assert of(connection, "ada").matches == 2 * 3  # those of the newest block
    monkeypatch.undo()
    monkeypatch.setattr(module, "MOST_BLOCKS", 1)
    assert of(connection, "ada").matches == half  # those of the newest period


def test_one_deal_says_nothing_of_how_sure_it_is_and_who_is_not_rated_is_not_found(connection: Connection) -> None:
    (block, *_) = played.start(connection, "cup", BOTS[:3], orbits=1, units=1).blocks
    played.play(connection, block)
    apply_due(connection)
    found = of(connection, "ada")
    assert all(isnan(one.share.margin) and isnan(one.points.margin) for one in found.opponents)
    with pytest.raises(NotFound, match="'eve' has no rating"):
        of(connection, "eve")
