"""The blocks of a tournament, what they amount to, and the list of tournaments by where they stand."""

from typing import Any

import pytest

from arena.api.schedule import page_of_blocks
from arena.errors import Exhausted, WrongState
from arena.store import Connection, blocks, people
from arena.store.tournaments import NewTournament, create_tournament, find_tournament, list_tournaments
from arena.tournaments import ledger
from arena.tournaments import plan as plans
from arena.tournaments.balance import Span
from arena.tournaments.block import UnitKind
from arena.tournaments.plan import balance_drawn
from arena.v1 import tournament_pb2 as pb
from tests.tournaments.ground import BOTS, FIELD, claimed, field_of, make_tournament, one, reports_of


def name_of(connection: Connection, block: int) -> str:
    return str(one(connection, "SELECT tournament FROM blocks WHERE id = %s", block))


def test_blocks_are_listed_page_by_page_as_they_stand(connection: Connection) -> None:
    make_tournament(connection)  # somebody else's
    ids = make_tournament(connection, blocks=5)
    cup = name_of(connection, ids[0])
    ledger.finish(connection, claimed(connection, ids[0]), reports_of([0]))
    claimed(connection, ids[1])
    for block in ids[2:4]:
        with connection.transaction():
            ledger.void(connection, block, "So.")
    with connection.transaction():
        new = ledger.retry(connection, ids[3])

    def page(after: int, limit: int, **asked: Any) -> pb.ListBlocksResponse:
        return page_of_blocks(connection, pb.ListBlocksRequest(tournament=cup, **asked), after, limit)

    first = page(-1, 4)
    last = page(int(first.next_page_token), 4)
    assert [(one.block, one.state) for one in (*first.blocks, *last.blocks)] == [
        (ids[0], pb.BLOCK_STATE_DONE),
        (ids[1], pb.BLOCK_STATE_PLAYING),
        (ids[2], pb.BLOCK_STATE_VOID),
        (ids[3], pb.BLOCK_STATE_REPLACED),
        (ids[4], pb.BLOCK_STATE_WAITING),
        (new, pb.BLOCK_STATE_WAITING),
    ]
    assert last.next_page_token == ""
    assert list(first.blocks[0].bots) == list(BOTS)
    assert [one.HasField("end_time") for one in first.blocks] == [True, False, True, True]
    assert last.blocks[1].replaces == ids[3]
    assert [one.block for one in page(-1, 9, states=[pb.BLOCK_STATE_VOID, pb.BLOCK_STATE_DONE]).blocks] == [
        ids[0],
        ids[2],
    ]
    assert len(page(-1, 9, bot="ann").blocks) == 6
    assert not page(-1, 9, bot="eve").blocks


def test_a_schedule_is_counted_as_it_was_drawn_without_what_was_given_up(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = make_tournament(connection, blocks=3, units=2)
    cup = name_of(connection, ids[0])
    with connection.transaction():
        ledger.void(connection, ids[0], "So.")
    found = balance_drawn(connection, find_tournament(connection, cup))
    assert (found.tables, found.units, found.matches) == (2, 4, 16)
    assert found.per_bot == Span(16, 16)
    assert found.meetings == Span(2, 2)
    assert found.same_owner == 0  # the house's stand for themselves
    before = blocks.drawn(connection, cup)
    with connection.transaction():
        ledger.retry(connection, ids[0])
    assert blocks.drawn(connection, cup) != before
    assert balance_drawn(connection, find_tournament(connection, cup)).per_bot == Span(24, 24)
    monkeypatch.setattr(plans, "MOST_PLACES", 2)
    with pytest.raises(Exhausted, match="too many to count"):
        balance_drawn(connection, find_tournament(connection, cup))


def test_fields_are_counted_by_their_tables(connection: Connection) -> None:
    (block,) = make_tournament(connection, kind=UnitKind.FIELD)
    ledger.finish(connection, claimed(connection, block), field_of(0))
    found = balance_drawn(connection, find_tournament(connection, name_of(connection, block)))
    assert (found.bots, found.tables, found.matches) == (len(FIELD), 4, 4)
    assert found.per_bot == Span(1, 1)


def test_tournaments_are_listed_by_game_owner_bot_and_where_they_stand(connection: Connection) -> None:
    running = name_of(connection, make_tournament(connection)[0])
    done = name_of(connection, make_tournament(connection)[0])
    connection.execute("UPDATE tournaments SET closed_at = now() WHERE name = %s", [done])
    connection.execute("INSERT INTO users (name) VALUES ('other')")
    wanted = NewTournament("minus", 4, {}, 1, 1, 250, 0, 3, 1000)
    create_tournament(connection, people.User("other", False), "opened", wanted, "")
    create_tournament(connection, people.User("other", False), "called-off", wanted, "")
    connection.execute("UPDATE tournaments SET cancelled_at = now(), closed_at = now() WHERE name = 'called-off'")

    def listed(**asked: Any) -> set[str]:
        found = list_tournaments(connection, people.User("owner", False), before=None, limit=9, **asked)
        return {one.name for one in found}

    assert listed() == {running, done, "opened", "called-off"}
    assert listed(game="minus") == {"opened", "called-off"}
    assert listed(owner="owner") == {running, done}
    assert listed(bot="nobody") == set()
    (bot, *_) = find_tournament(connection, running).bots
    assert listed(bot=bot) == {running, done}
    assert listed(states=["running"]) == {running}
    assert listed(states=["done"]) == {done}
    assert listed(states=["cancelled"]) == {"called-off"}
    assert listed(states=["done", "cancelled"]) == {done, "called-off"}
    assert listed(states=["open"], game="callbreak") == set()
    with pytest.raises(WrongState, match="nothing of 'opened' is drawn yet"):
        balance_drawn(connection, find_tournament(connection, "opened"))
