"""What is read and written outside the ledger, against the real database."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.errors import BadRequest, Exhausted
from arena.store import Connection, bots, connect, people, tournaments
from arena.store.people import User
from arena.store.tournaments import NewTournament
from tests.tournaments.ground import one

WANTED = NewTournament("callbreak", 4, {}, 1, 1, 250, 0, 3, 1000)


@pytest.fixture
def user(connection: Connection) -> User:
    people.add_user(connection, "ann")
    return User("ann", admin=False)


@pytest.mark.parametrize(("request_ids", "made"), [(["the same"] * 6, 1), ([""] * 6, 6)])
def test_tournaments_that_are_made_at_once_are_one_per_request(
    connection: Connection, database_url: str, user: User, request_ids: list[str], made: int
) -> None:
    def make(request_id: str) -> str:
        with connect(database_url) as own:
            return tournaments.create_tournament(own, user, "", WANTED, request_id).name

    with ThreadPoolExecutor(6) as pool:
        names = list(pool.map(make, request_ids))
    assert len(set(names)) == made
    assert one(connection, "SELECT count(*) FROM tournaments") == made


@pytest.mark.parametrize(
    ("declared", "games"),
    [("x" * 65, ["callbreak"]), ("a\0b", ["callbreak"]), ("1", ["a\0b"]), ("1", ["x" * 41]), ("1", ["game"] * 65)],
)
def test_what_a_remote_bot_says_of_itself_is_refused_before_it_is_kept(
    connection: Connection, user: User, declared: str, games: list[str]
) -> None:
    with pytest.raises(BadRequest, match="the bot 'far' must"):
        bots.declare_version(connection, user, name="far", declared=declared, games=games, batch=1)
    assert one(connection, "SELECT count(*) FROM bots") == 0


def test_an_owner_has_so_many_bots_and_no_more(connection: Connection, user: User) -> None:
    connection.execute(
        "INSERT INTO bots (name, owner, kind) SELECT 'far' || n, 'ann', 'remote' FROM generate_series(1, %s) AS n",
        [bots.OWNED - 1],
    )
    bots.own_bot(connection, user, "last", "remote")
    with pytest.raises(Exhausted, match="you have 1,000 bots"):
        bots.own_bot(connection, user, "one-more", "hosted")
    assert bots.own_bot(connection, user, "far1", "remote").name == "far1"
    people.add_user(connection, "bob")
    assert bots.own_bot(connection, User("bob", admin=False), "bobs", "remote").owner == "bob"
