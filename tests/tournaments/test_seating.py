"""Which referee plays a block with remote bots: the choice by itself, and as the ledger counts."""

import psycopg
import pytest

from arena.store import Connection, referees
from arena.store.referees import Place
from arena.tournaments import ledger, seating
from arena.tournaments.block import Cause, UnitKind
from arena.tournaments.ledger import Lease
from arena.tournaments.seating import Referee
from tests.tournaments.ground import claimed, make_tournament, one

ONE, TWO = Place("10.0.0.1:7000"), Place("10.0.0.2:7000", "two.example:7443")
BOTS = ("ann", "bob")


@pytest.fixture
def leases(connection: Connection) -> list[Lease]:
    """Of four blocks, with two referees to which both bots are connected."""
    blocks = make_tournament(connection, blocks=4, kind=UnitKind.SINGLE)
    heard_of(connection)
    return [claimed(connection, block) for block in blocks]


def heard_of(connection: Connection) -> None:
    for place in (ONE, TWO):
        referees.beat(connection, place, bytes(32), BOTS)


def seated(connection: Connection, lease: Lease) -> str:
    chosen = seating.seat(connection, lease.token, BOTS)
    assert isinstance(chosen, Referee), chosen
    return chosen.address


def at(address: str, *bots: str) -> Referee:
    return Referee(address, "", bots, blocks=0, failed=False, ended_at=None)


def test_each_is_told_where_the_others_are(connection: Connection) -> None:
    assert referees.beat(connection, ONE, bytes(32)) == ()
    assert referees.beat(connection, TWO, bytes(32)) == (ONE,)
    assert referees.beat(connection, ONE, bytes(32)) == (TWO,)
    connection.execute("UPDATE referees SET heartbeat_at = now() - interval '1 min' WHERE address = %s", (ONE.address,))
    assert referees.beat(connection, TWO, bytes(32)) == ()
    referees.leave(connection, TWO.address)
    assert referees.beat(connection, ONE, bytes(32)) == ()


def test_blocks_are_shared_out_by_what_each_referee_plays(connection: Connection, leases: list[Lease]) -> None:
    assert [seated(connection, lease) for lease in leases[:2]] == [ONE.address, TWO.address]
    ledger.abandon(connection, leases[1], "The worker stopped.", Cause.LOST)
    heard_of(connection)
    assert [seated(connection, lease) for lease in leases[2:]] == [TWO.address, ONE.address]
    assert one(connection, "SELECT count(*) FROM attempts WHERE referee = %s", ONE.address) == 2


def test_one_after_the_other_goes_to_the_one_that_rested_longest(connection: Connection, leases: list[Lease]) -> None:
    asked = []
    for lease in leases:
        asked.append(seated(connection, lease))
        ledger.abandon(connection, lease, "The worker stopped.", Cause.LOST)
        heard_of(connection)
    assert asked == [ONE.address, TWO.address] * 2


@pytest.mark.parametrize("cause", [Cause.DIED, Cause.UNSEEN])
def test_a_referee_that_failed_comes_last_until_it_is_heard_of_again(
    connection: Connection, leases: list[Lease], cause: Cause
) -> None:
    assert seated(connection, leases[0]) == ONE.address
    ledger.abandon(connection, leases[0], "The referee failed.", cause)
    assert [seated(connection, lease) for lease in leases[1:3]] == [TWO.address] * 2
    referees.beat(connection, ONE, bytes(32), BOTS)
    assert seated(connection, leases[3]) == ONE.address


def test_it_is_one_at_which_all_of_them_are_connected() -> None:
    everywhere, half = at("a:1", "ann", "bob"), at("b:1", "bob")
    assert seating.choose([half, everywhere], BOTS) == everywhere
    assert seating.choose([half, everywhere], ["bob"]) == everywhere
    # Whoever is nowhere is not looked for; it has its time to come.
    assert seating.choose([half, everywhere], ["bob", "eve"]) == everywhere
    assert seating.choose([half], ["eve"]) == half


def test_bots_at_different_referees_wait_with_a_sentence() -> None:
    chosen = seating.choose([at("a:1", "ann"), at("b:1", "bob")], BOTS)
    assert isinstance(chosen, str)
    assert "ann to a:1, bob to b:1 is connected" in chosen
    assert "start one with 'arena serve'" in str(seating.choose([], BOTS))


def test_a_disabled_bot_is_looked_for_nowhere(connection: Connection, leases: list[Lease]) -> None:
    referees.beat(connection, ONE, bytes(32), ["ann"])
    referees.beat(connection, TWO, bytes(32), ["bob"])
    assert isinstance(seating.seat(connection, leases[0].token, BOTS), str)
    connection.execute("INSERT INTO conduct (bot, forfeits, disabled_at) VALUES ('ann', 3, now())")
    assert seated(connection, leases[0]) == TWO.address


def test_two_workers_that_ask_at_once_see_each_other(
    connection: Connection, database_url: str, leases: list[Lease]
) -> None:
    with psycopg.connect(database_url) as first, first.transaction():
        chosen = seating.seat(first, leases[0].token, BOTS)
        assert isinstance(chosen, Referee)
        connection.execute("SET lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            seating.seat(connection, leases[1].token, BOTS)
    assert seated(connection, leases[1]) != chosen.address
