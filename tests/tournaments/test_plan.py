"""What is planned before anything is made."""

import pytest

from arena.errors import BadRequest, Exhausted, NotAllowed, WrongState
from arena.store import Connection, people, tournaments
from arena.store.tournaments import UNRATED, NewTournament
from arena.tournaments import plan as module
from arena.tournaments.balance import Span
from arena.tournaments.plan import outline, plan
from arena.tournaments.start import start_tournament
from tests.ratings import played
from tests.tournaments.ground import make_version, one

OWNER = people.User("owner", admin=False)
NAMES = [f"bot-{number}" for number in range(9)]


def make(
    connection: Connection, name: str, *, form: str = "round-robin", orbits: int = 2, unrated: bool = False
) -> None:
    for bot in NAMES:
        make_version(connection, bot)
    wanted = NewTournament("callbreak", 4, {}, orbits, 3, 250, 0, 3, 1000, format=form, unrated=unrated)
    tournaments.create_tournament(connection, OWNER, name, wanted, "")


@pytest.mark.parametrize(("form", "tables"), [("round-robin", 18), ("swiss", 4), ("challenge", 18)])
def test_a_plan_is_what_the_start_makes(connection: Connection, form: str, tables: int) -> None:
    make(connection, "cup", form=form, unrated=form == "challenge")
    tournaments.enter_tournament(connection, OWNER, "cup", NAMES)
    planned = plan(connection, outline(connection, tournaments.find_tournament(connection, "cup")))
    assert planned.balance.tables == tables
    assert planned.balance.matches == tables * 3 * 4
    assert planned.balance.same_owner == 0
    assert planned.seconds == 0
    assert one(connection, "SELECT count(*) FROM blocks") == 0
    start_tournament(connection, OWNER, "cup")
    assert one(connection, "SELECT count(*) FROM blocks") == (tables if form != "swiss" else tables // 2)
    with pytest.raises(WrongState, match="is not open"):
        outline(connection, tournaments.find_tournament(connection, "cup"))


def test_a_plan_says_how_long_by_what_matches_took(connection: Connection) -> None:
    make(connection, "before", orbits=1)
    tournaments.enter_tournament(connection, OWNER, "before", NAMES)
    start_tournament(connection, OWNER, "before")
    for (block,) in connection.execute("SELECT id FROM blocks").fetchall():
        played.play(connection, block)
    connection.execute(
        "INSERT INTO attempts (lease, block, worker, leased_at, outcome, digest, ended_at)"
        " SELECT lease, id, 'w', now(), 'done', sha256('x'), now() + interval '24 s' FROM blocks"
    )
    make(connection, "after", orbits=1)
    tournaments.enter_tournament(connection, OWNER, "after", NAMES)
    planned = plan(connection, outline(connection, tournaments.find_tournament(connection, "after")))
    assert planned.seconds == planned.balance.tables * 24


def test_a_gauntlet_is_entered_in_two_parts(connection: Connection) -> None:
    make(connection, "run", form="gauntlet")
    tournaments.enter_tournament(connection, OWNER, "run", NAMES[:2])
    tournaments.enter_tournament(connection, OWNER, "run", NAMES[2:], known=True)
    planned = plan(connection, outline(connection, tournaments.find_tournament(connection, "run"))).balance
    assert planned.tables == 2 * 2 * 7
    assert planned.per_bot == Span(12 * 12, 14 * 12)
    start_tournament(connection, OWNER, "run")
    assert one(connection, "SELECT count(*) FROM blocks") == planned.tables
    make(connection, "plain")
    with pytest.raises(BadRequest, match="is no gauntlet"):
        tournaments.enter_tournament(connection, OWNER, "plain", NAMES, known=True)


def test_who_measures_in_a_gauntlet_says_its_organiser(connection: Connection) -> None:
    """A friend's bot at every newcomer's table could give its games away."""
    make(connection, "run", form="gauntlet")
    people.add_user(connection, "friend")
    connection.execute("UPDATE bots SET owner = 'friend' WHERE name = ANY(%s)", [NAMES[:2]])
    friend = people.User("friend", admin=False)
    with pytest.raises(NotAllowed, match="owner says by which bots those of 'run' are measured"):
        tournaments.enter_tournament(connection, friend, "run", NAMES[:1], known=True)
    assert tournaments.enter_tournament(connection, friend, "run", NAMES[:1]).bots == NAMES[:1]
    tournaments.enter_tournament(connection, OWNER, "run", NAMES[1:2], known=True)
    assert [entry.known for entry in tournaments.list_entries(connection, "run")] == [False, True]


def test_what_cannot_be_scheduled_or_is_too_long_is_refused(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(connection, "few")
    tournaments.enter_tournament(connection, OWNER, "few", NAMES[:3])
    found = outline(connection, tournaments.find_tournament(connection, "few"))
    with pytest.raises(BadRequest, match="enter more"):
        plan(connection, found)
    monkeypatch.setattr(module, "MOST_PLACES", 5)
    with pytest.raises(Exhausted, match="plan fewer orbits"):
        plan(connection, found)


def test_a_user_has_so_many_unrated_tournaments_at_a_time(connection: Connection) -> None:
    for number in range(UNRATED):
        make(connection, f"cup-{number}", form="challenge", unrated=True)
    with pytest.raises(Exhausted, match="the limit is 8"):
        make(connection, "one-more", unrated=True)
    make(connection, "rated")
    connection.execute("UPDATE tournaments SET closed_at = now(), cancelled_at = now() WHERE name = 'cup-0'")
    make(connection, "one-more", unrated=True)


def test_a_challenge_takes_no_remote_bot_of_somebody_else(connection: Connection) -> None:
    make(connection, "duel", form="challenge", unrated=True)
    played.add_bots(connection, ["theirs"])
    connection.execute(
        """UPDATE versions SET state = 'active', manifest = '{"games": ["callbreak"]}' WHERE bot = 'theirs'"""
    )
    with pytest.raises(NotAllowed, match="challenge hosted bots, or your own"):
        tournaments.enter_tournament(connection, OWNER, "duel", ["theirs"])


def test_a_plan_of_fields_counts_their_tables(connection: Connection) -> None:
    make(connection, "fields", orbits=1)
    names = [f"far-{number}" for number in range(17)]
    played.add_bots(connection, names)
    connection.execute(
        "UPDATE versions SET state = 'active', manifest = '{\"games\": [\"callbreak\"]}' WHERE bot LIKE 'far-%'"
    )
    admin = people.User("owner", admin=True)
    tournaments.enter_tournament(connection, admin, "fields", names)
    planned = plan(connection, outline(connection, tournaments.find_tournament(connection, "fields"))).balance
    start_tournament(connection, admin, "fields")
    assert planned.units == one(connection, "SELECT count(*) FROM blocks")
    assert planned.matches == one(connection, "SELECT sum(cardinality(entries)) / 4 FROM blocks")
    assert planned.per_bot.most - planned.per_bot.least <= 1
