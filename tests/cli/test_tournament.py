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
