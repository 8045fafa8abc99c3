"""Official ratings are shown so that a house bot keeps its number; without one they are shown as they were fitted."""

import pytest

from arena.ratings.anchors import Shift, shift
from arena.ratings.history import history
from arena.ratings.official import fit_due
from arena.ratings.periods import apply_due
from arena.ratings.tables import RatingTable, table
from arena.store import Connection
from bots.house import ANCHORS, ENTRIES
from tests.ratings import played

BOTS = ["ada", "bob", "cem", "dan", "eve", *ANCHORS]
(ANCHOR,) = ANCHORS


def rated(connection: Connection, name: str, bots: list[str], orbits: int = 4) -> RatingTable:
    for block in played.start(connection, name, bots, orbits=orbits).blocks:
        played.play(connection, block)
    apply_due(connection)
    fit_due(connection)
    (found,) = table(connection, played.GAME)
    return found


def numbers(found: RatingTable) -> dict[str, int]:
    return {line.bot: line.fitted.micro_elo for line in found.ratings if line.fitted is not None}


@pytest.fixture
def house(connection: Connection) -> None:
    """The anchor belongs to the house."""
    played.add_bots(connection, BOTS)
    connection.execute("INSERT INTO users (name) VALUES ('house')")
    connection.execute("UPDATE bots SET owner = 'house' WHERE name = %s", [ANCHOR])


def test_the_anchor_stands_at_its_number_and_differences_are_those_of_the_fit(
    connection: Connection, house: None
) -> None:
    found = rated(connection, "cup", BOTS)
    assert found.shift.anchors == (ANCHOR,)
    assert numbers(found)[ANCHOR] == 1_000_000 * ANCHORS[ANCHOR]
    fitted: dict[str, int] = dict(
        connection.execute("SELECT v.bot, f.micro_elo FROM fits f JOIN versions v ON v.id = f.version").fetchall()
    )
    assert numbers(found) == {bot: micro_elo + found.shift.micro_elo for bot, micro_elo in fitted.items()}
    assert found.shift.micro_elo != 0


def test_a_bot_of_somebody_else_with_the_anchors_name_shifts_nothing(connection: Connection) -> None:
    played.add_bots(connection, BOTS)
    found = rated(connection, "cup", BOTS)
    assert found.shift == Shift()
    assert sum(numbers(found).values()) == pytest.approx(1_500_000_000 * len(BOTS), abs=len(BOTS))


def test_a_provisional_anchor_shifts_nothing_yet(connection: Connection, house: None) -> None:
    """It would move all others with its luck."""
    assert rated(connection, "cup", BOTS, orbits=2).shift == Shift()
    assert rated(connection, "next", BOTS).shift.anchors == (ANCHOR,)


def test_a_history_is_shifted_as_its_tables_were(connection: Connection, house: None) -> None:
    first, last = rated(connection, "cup", BOTS, orbits=2), rated(connection, "next", BOTS)
    steps = [step for step in history(connection, last.pool, "ada")[0] if step.fitted_micro_elo is not None]
    assert [step.fitted_micro_elo for step in steps] == [numbers(first)["ada"], numbers(last)["ada"]]
    assert [step.shift_micro_elo for step in steps] == [0, last.shift.micro_elo]


def test_several_anchors_are_at_their_numbers_on_average() -> None:
    assert shift({"a": 1_700_000_000, "c": 0}, {"a": 1500, "b": 900}) == Shift(-200_000_000, ("a",))
    both = shift({"a": 1_700_000_000, "b": 1_000_000_000}, {"a": 1500, "b": 900})
    assert both == Shift(-150_000_000, ("a", "b"))
    assert shift({}) == Shift()


def test_anchors_are_bots_of_the_roster() -> None:
    assert set(ANCHORS) <= {entry.name for entry in ENTRIES}
