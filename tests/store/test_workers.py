"""Which workers there are, and what a tournament says when none of them plays its blocks."""

import re

import pytest

from arena.store import Connection, workers
from arena.store.workers import Worker
from arena.tournaments import admission
from tests.tournaments.ground import claimed, make_tournament, make_version, one

WEAK = Worker("weak:1", "userns-bare", "root", False)
STRONG = Worker("strong:1", "root", "root", True)


def lacking(connection: Connection, block: int) -> str:
    return workers.lacking(connection, str(one(connection, "SELECT tournament FROM blocks WHERE id = %s", block)))


@pytest.mark.parametrize(
    ("stranger", "there", "said"),
    [
        (True, [], "2 blocks wait and no worker is there: start one with 'arena worker'"),
        (True, [WEAK], r"2 blocks wait for a worker that runs strangers' bots,.* weak:1 \(userns-bare, needs root\)"),
        (True, [WEAK, STRONG], "$"),
        (False, [WEAK], "$"),
    ],
)
def test_a_tournament_says_why_no_worker_plays_its_blocks(
    connection: Connection, stranger: bool, there: list[Worker], said: str
) -> None:
    first, _ = make_tournament(connection, 2, house=not stranger)
    for worker in there:
        workers.beat(connection, worker)
    assert re.match(said, lacking(connection, first))


def test_a_worker_that_went_or_was_not_heard_of_is_not_there(connection: Connection) -> None:
    (block,) = make_tournament(connection)
    workers.beat(connection, STRONG)
    workers.beat(connection, WEAK)
    assert workers.living(connection) == [STRONG, WEAK]
    workers.leave(connection, STRONG.name)
    connection.execute("UPDATE workers SET heartbeat_at = now() - interval '61 s'")
    assert workers.living(connection) == []
    assert "no worker is there" in lacking(connection, block)
    claimed(connection, block)
    assert lacking(connection, block) == ""


def test_a_version_says_why_no_worker_validates_it(connection: Connection) -> None:
    version = make_version(connection, "new", state="validating", house=False)
    make_version(connection, "ours", state="validating")
    workers.beat(connection, WEAK)
    said = workers.lacking_for_version(connection, "new", 1)
    assert said.startswith("1 version waits for a worker that runs strangers' bots, and the tier of cells is too weak")
    assert workers.lacking_for_version(connection, "ours", 1) == ""
    assert admission.claim(connection, version) is not None
    assert workers.lacking_for_version(connection, "new", 1) == ""
