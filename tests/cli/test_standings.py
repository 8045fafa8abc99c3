"""The standings of a tournament as the terminal has them."""

import pytest

from arena.cli import main
from arena.store import Connection
from arena.tournaments import ledger
from tests.tournaments.ground import claimed, make_tournament, reports_of


def test_points_are_points_and_not_the_tenths_that_the_ledger_counts(
    connection: Connection, served: None, capsys: pytest.CaptureFixture[str]
) -> None:
    lease = claimed(connection, make_tournament(connection)[0])
    ledger.finish(connection, lease, reports_of([0]))  # every bot once has 40, 30, 20 and 10 tenths
    assert main(["tournament", "standings", lease.tournament]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["Place", "Bot", "Mean", "points", "±", "Matches"]
    assert [line.split()[2] for line in lines[1:5]] == ["2.50"] * 4
