"""What owners are told of their bots' faults, and when a bot is disabled for them."""

import pytest

from arena.errors import NotAllowed
from arena.store import Connection, notices
from arena.store.notices import FORFEITS, KEPT, Played
from arena.store.people import User
from arena.tournaments import ledger
from arena.tournaments.block import ReportedFault
from tests.tournaments.ground import BOTS, claimed, make_tournament, make_version, one, reports_of

OWNER = User("owner", False)
FINE = Played("a match", 0, 0, False)
BAD = Played("a match", 2, 3, True, "LATE", "No answer within 250 ms.")


@pytest.fixture
def far(connection: Connection) -> str:
    """A remote bot."""
    make_version(connection, "far", house=False)
    connection.execute("UPDATE bots SET kind = 'remote' WHERE name = 'far'")
    return "far"


def lines(connection: Connection, bot: str) -> list[tuple[str, int]]:
    return [(notice.what, notice.count) for notice in notices.list_notices(connection, OWNER, bot)]


def test_a_remote_bot_that_forfeits_in_a_row_is_disabled_until_it_is_enabled(connection: Connection, far: str) -> None:
    assert [notices.note(connection, far, [BAD]) for _ in range(FORFEITS)] == [False] * (FORFEITS - 1) + [True]
    assert notices.disabled(connection, [far, "nobody"]) == {far}
    assert lines(connection, far) == [("forfeit", 1), ("forfeit", 2), ("forfeit", 3), ("disabled", 3)]
    (first, *_) = notices.list_notices(connection, OWNER, far)
    assert (first.match, first.seat, first.kind, first.reason) == ("a match", 2, "LATE", "No answer within 250 ms.")
    # It is told once, and what it is not asked any more is no news.
    assert not notices.note(connection, far, [BAD])
    assert len(lines(connection, far)) == FORFEITS + 1
    notices.enable(connection, OWNER, far)
    assert notices.disabled(connection, [far]) == frozenset()
    assert not notices.note(connection, far, [BAD])


@pytest.mark.parametrize("between", [FINE, Played("a match", 0, 2, False, "ILLEGAL", "No.")])
def test_a_match_without_a_forfeit_ends_the_row(connection: Connection, far: str, between: Played) -> None:
    for _ in range(2):
        assert not notices.note(connection, far, [BAD, BAD])
        assert not notices.note(connection, far, [between])
    assert not notices.disabled(connection, [far])


def test_forfeits_of_long_ago_count_no_more(connection: Connection, far: str) -> None:
    notices.note(connection, far, [BAD, BAD])
    connection.execute("UPDATE conduct SET forfeited_at = now() - interval '2 hours'")
    assert not notices.note(connection, far, [BAD])


def test_a_hosted_bot_is_told_and_never_disabled(connection: Connection) -> None:
    make_version(connection, "near", house=False)
    assert not notices.note(connection, "near", [BAD] * 5)
    assert lines(connection, "near") == [("forfeit", number) for number in range(1, 6)]
    assert not notices.disabled(connection, ["near"])


def test_one_fault_is_no_news_and_old_lines_go(connection: Connection, far: str) -> None:
    notices.note(connection, far, [Played("a match", 0, 1, False, "LATE", "Late.")])
    assert lines(connection, far) == []
    for _ in range(2):
        notices.note(connection, far, [Played("a match", 0, 2, False, "LATE", "Late.")] * KEPT)
    assert lines(connection, far) == [("faults", 2)] * KEPT
    assert one(connection, "SELECT min(id) FROM notices") == KEPT + 1


def test_only_the_owner_reads_and_enables(connection: Connection, far: str) -> None:
    for question in (notices.list_notices, notices.enable):
        with pytest.raises(NotAllowed):
            question(connection, User("stranger", False), far)


def test_the_results_of_a_block_bring_their_lines_once(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    lease = claimed(connection, block)
    faults = tuple(ReportedFault(0, turn, "LATE", f"Late at {turn}.") for turn in (3, 7))
    for _ in range(2):
        ledger.finish(connection, lease, reports_of([0], faults=faults))
    rows = connection.execute("SELECT bot, what, seat, reason, count FROM notices ORDER BY bot").fetchall()
    assert rows == [(bot, "faults", 0, "Late at 7.", 2) for bot in BOTS]
    assert one(connection, "SELECT min(match) FROM notices") == "cup-1, unit 0, rotation 0".replace(
        "cup-1", one(connection, "SELECT name FROM tournaments")
    )
