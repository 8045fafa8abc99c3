"""What `arena tournament show` says of how a tournament is played, and why it is not."""

import pytest

from arena.cli import main
from arena.store import Connection
from arena.tournaments import ledger
from arena.tournaments.block import Cause, UnitKind
from tests.tournaments.ground import claimed, make_tournament, one


def test_show_says_what_kind_of_units_are_played_and_to_who_decides_why_a_block_waits(
    connection: Connection, served: None, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = make_tournament(connection, kind=UnitKind.SINGLE)
    name = str(one(connection, "SELECT tournament FROM blocks"))

    def shown() -> str:
        assert main(["tournament", "show", name]) == 0
        return capsys.readouterr().out

    connection.execute("UPDATE users SET admin = true WHERE name = 'reader'")
    ledger.abandon(connection, claimed(connection, block), "The first is over.", Cause.UNSEEN)
    ledger.abandon(connection, claimed(connection, block), "No referee has all of them.", Cause.UNSEEN)
    assert "\nunits       single: independent deals," in shown()
    assert f"\nwaiting     block {block} is tried again: No referee has all of them.\n" in shown()
    connection.execute("UPDATE users SET admin = false WHERE name = 'reader'")
    assert "No referee" not in shown()
    connection.execute("UPDATE users SET admin = true WHERE name = 'reader'")
    claimed(connection, block)
    assert "No referee" not in shown()


def test_a_list_of_large_tournaments_fits_into_one_answer(
    connection: Connection, served: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """A caller takes 4 MiB, and what 50,000 entries play is more; one tournament has all of its own."""
    connection.execute("INSERT INTO users (name) VALUES ('owner') ON CONFLICT DO NOTHING")
    for statement in (
        "INSERT INTO bots (name, owner, kind) SELECT 'bot-' || i, 'owner', 'hosted' FROM generate_series(1, 1000) i",
        "INSERT INTO archives SELECT encode(sha256(name::bytea), 'hex'), '' FROM bots",
        (
            "INSERT INTO versions (bot, number, content_hash, manifest)"
            """ SELECT name, 1, encode(sha256(name::bytea), 'hex'), '{"games": []}' FROM bots"""
        ),
        (
            "INSERT INTO tournaments (name, owner, game, seats, options, orbits, units, move_ms, bank_ms, max_faults,"
            " startup_ms, secret, commitment) SELECT 'cup-' || i, 'owner', 'callbreak', 4, '{}', 1, 1, 1, 0, 1, 1,"
            " sha256('x'), sha256(sha256('x')) FROM generate_series(1, 50) i"
        ),
        "INSERT INTO entries SELECT t.name, v.bot, v.id, v.id FROM tournaments t, versions v",
    ):
        connection.execute(statement.encode())
    assert main(["tournament", "list"]) == 0
    assert capsys.readouterr().out.count("  1000  ") == 50
