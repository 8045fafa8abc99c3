"""The standings and the schedule of a tournament as the terminal has them."""

import json

import pytest

from arena.cli import main
from arena.store import Connection
from arena.tournaments import ledger
from tests.tournaments.ground import BOTS, claimed, make_tournament, reports_of


def test_points_are_points_and_not_the_tenths_that_the_ledger_counts(
    connection: Connection, served: None, capsys: pytest.CaptureFixture[str]
) -> None:
    lease = claimed(connection, make_tournament(connection)[0])
    ledger.finish(connection, lease, reports_of([0]))  # every bot once has 40, 30, 20 and 10 tenths
    assert main(["tournament", "standings", lease.tournament]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["Place", "Bot", "Mean", "points", "±", "Matches"]
    assert [line.split()[2] for line in lines[1:5]] == ["2.50"] * 4


def test_a_schedule_is_every_table_and_what_they_amount_to(
    connection: Connection, served: None, capsys: pytest.CaptureFixture[str]
) -> None:
    lease = claimed(connection, make_tournament(connection, blocks=2)[0])
    ledger.finish(connection, lease, reports_of([0]))
    assert main(["tournament", "schedule", lease.tournament]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["tables", "2"] in lines
    assert ["matches", "of", "a", "bot", "8"] in lines
    assert lines[-2][1:] == ["done", "0", "0", "0", "1", *BOTS]
    assert main(["tournament", "schedule", lease.tournament, "--bot", "ann", "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)
    assert [(table["state"], table["first_unit"]) for table in tables] == [("done", 0), ("waiting", 1)]
