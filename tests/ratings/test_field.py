"""Ratings of fields: from rows of the ledger to the table, against vectors that others computed, and laws."""

import json
import uuid
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings import elo
from arena.ratings.event import Event, digest, rate
from arena.ratings.field import PlayedField
from arena.ratings.official import VersionFit, differences, fit_due, fitted
from arena.ratings.periods import apply_due, rebuild
from arena.ratings.tables import RatingTable, table
from arena.store import Connection
from tests.ratings import played

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "fit_vectors.json").read_text())["field"]

Deal = Sequence[tuple[Sequence[str], Sequence[int]]]
"""Bots and points of the tables that were done, by seat."""

F3_TABLES = 3
"""How many tables the deals of F3 had; void ones stand in no vector."""


def places_of(points: Sequence[int]) -> tuple[int, ...]:
    return tuple(1 + sum(other > mine for other in points) for mine in points)


def played_field(unit: int, deal: Deal, number: dict[str, int], forfeited: Sequence[Sequence[int]] = ()) -> PlayedField:
    """The deal as it is rated."""
    return PlayedField(
        unit,
        tuple(tuple(number[bot] for bot in bots) for bots, _ in deal),
        tuple(places_of(points) for _, points in deal),
        tuple(tuple(points) for _, points in deal),
        tuple((0,) * len(points) for _, points in deal),
        tuple(map(tuple, forfeited)) or tuple((0,) * len(points) for _, points in deal),
    )


def write_fields(connection: Connection, name: str, deals: Sequence[Deal], tables: int) -> None:
    """A tournament of one orbit of fields of so many tables, of which those of the deals are done."""
    bots = sorted({bot for deal in deals for seated, _ in deal for bot in seated})
    played.start(connection, name, bots, seats=4, orbits=1, units=1, kind="field")
    connection.execute("DELETE FROM blocks WHERE tournament = %s", [name])
    for unit, deal in enumerate(deals):
        seated = [bot for bots_of_table, _ in deal for bot in bots_of_table]
        others = [bot for bot in bots if bot not in seated]
        entries = [*seated, *others][: 4 * tables]
        row = connection.execute(
            "INSERT INTO blocks (tournament, orbit, table_index, entries, kind, first_unit, units, state, lease,"
            " ended_at) VALUES (%s, 0, %s, %s, 'field', %s, 1, 'done', %s, clock_timestamp()) RETURNING id",
            [name, unit, entries, unit, uuid.uuid4()],
        ).fetchone()
        assert row is not None
        for number, (holders, points) in enumerate(deal):
            connection.execute(
                "INSERT INTO results (block, tournament, unit, rotation, seats, scores, places, faults, forfeited,"
                " decisions, digest) VALUES (%s, %s, %s, %s, %s, %s, %s, '{0,0,0,0}', '{}', 52, sha256(''))",
                [
                    *(row[0], name, unit, number, [entries.index(bot) for bot in holders]),
                    *(list(points), list(places_of(points))),
                ],
            )


def only_table(connection: Connection) -> RatingTable:
    (found,) = table(connection, played.GAME)
    return found


@pytest.mark.parametrize(("name", "tables"), [("F1", 2), ("F2", 2), ("F3", F3_TABLES)])
def test_a_field_vector_from_the_ledger_to_the_table(connection: Connection, name: str, tables: int) -> None:
    """Oracle: a second implementation of the fit, and BFGS."""
    vector = VECTORS[name]
    names = {bot: f"bot-{bot.lower()}" for bot in vector["elo"]}
    played.add_bots(connection, sorted(names.values()))
    deals = [[([names[bot] for bot in bots], points) for bots, points in deal] for deal in vector["deals"]]
    write_fields(connection, "cup", deals, tables)
    apply_due(connection)
    fit_due(connection)
    shown = only_table(connection)
    assert (shown.unit_kind, len(shown.ratings)) == ("field", len(names))
    counted = [deal for deal in deals if len(deal) >= 2]
    for bot, name_of_bot in names.items():
        (line,) = (line for line in shown.ratings if line.bot == name_of_bot)
        assert line.units == line.matches == vector["deals_of"][bot]
        fit = line.fitted
        assert fit is not None
        assert fit.provisional
        assert fit.deals == vector["deals_of"][bot]
        assert fit.micro_elo == pytest.approx(vector["elo"][bot] * 1e6, abs=5)
        if vector["se"] is None:
            assert (fit.micro_margin, fit.milli_datum_margin) == (None, None)
        elif bot in vector["margin"]:
            assert fit.micro_margin == pytest.approx(vector["margin"][bot] * 1e6, abs=50)
        ahead = [
            Fraction(points[seat]) - Fraction(sum(other[seat] for _, other in deal) - points[seat], len(deal) - 1)
            for deal in counted
            for holders, points in deal
            for seat, holder in enumerate(holders)
            if holder == name_of_bot
        ]
        assert fit.milli_datum == pytest.approx(float(1000 * sum(ahead) / len(ahead)), abs=0.51)
    assert (differences(connection), rebuild(connection).differs) == ([], False)


def test_the_points_ahead_of_the_field_are_those_of_the_vector() -> None:
    vector = VECTORS["F1"]
    number = {bot: index for index, bot in enumerate(sorted(vector["elo"]))}
    lines = {
        line.version: line for line in fitted([played_field(0, vector["deals"][0], number)], set(number.values())).lines
    }
    # Scores are tenths of a point.
    assert {bot: lines[index].milli_datum for bot, index in number.items()} == {
        bot: round(10_000 * z) for bot, z in vector["z"][0].items()
    }


def test_a_period_of_fields_gives_what_the_formula_gives() -> None:
    number = {bot: index for index, bot in enumerate("ABCDEFGH")}
    events = rate({}, [played_field(0, VECTORS["F1"]["deals"][0], number)])
    for event, won in zip(events, VECTORS["F1"]["weight_won"].values(), strict=True):
        assert event.delta_micro == pytest.approx(1e6 * 1400 / 32 * (won - 0.5), abs=50)
    event = events[0]
    # A has .583333 of the points of the deal and was expected to have half of one; K is 1400/32, the first time.
    assert event == Event(0, 3_645_833, 1_503_645_833, 1, 1, 31, 0)
    later = rate(
        {0: Event(0, 0, elo.START_MICRO, 1000, 1000, 0, 0)}, [played_field(0, VECTORS["F1"]["deals"][0], number)]
    )
    # Never below 2.
    assert later[0].delta_micro == 166_667


def test_elo_of_a_field_is_computed_again_to_the_last_bit(connection: Connection) -> None:
    names = [f"bot-{number:02}" for number in range(18)]
    played.add_bots(connection, names)
    orbit = [
        [
            (names[4 * table + unit % 3 :][:4], [(7 * unit + 3 * table + seat) % 11 for seat in range(4)])
            for table in range(4)
        ]
        for unit in range(6)
    ]
    write_fields(connection, "cup", orbit, 4)
    assert apply_due(connection) == 1
    fit_due(connection)
    assert not rebuild(connection).differs
    connection.execute("SET session_replication_role = replica")
    connection.execute("UPDATE results SET forfeited = '{1}' WHERE unit = 4 AND rotation = 1")
    connection.execute("SET session_replication_role = DEFAULT")
    (sentence,) = rebuild(connection).differences
    assert "unit 4: its results are not those that were rated" in sentence
    assert len(differences(connection)) == 1


def test_a_disqualified_bot_takes_its_tables_out_of_a_field_and_leaves_the_others(connection: Connection) -> None:
    names = [f"bot-{number:02}" for number in range(16)]
    played.add_bots(connection, names)
    deal = [(names[4 * table :][:4], [4 - seat for seat in range(4)]) for table in range(4)]
    write_fields(connection, "cup", [deal, deal], 4)
    connection.execute(
        "INSERT INTO corrections (tournament, what, bot, reason, who)"
        " VALUES ('cup', 'bot', 'bot-05', 'It cheats.', %s)",
        [names[0]],
    )
    apply_due(connection)
    assert sorted(line.bot for line in only_table(connection).ratings) == names[:4] + names[8:]
    assert {line.units for line in only_table(connection).ratings} == {2}


@st.composite
def several_fields(draw: st.DrawFn) -> list[PlayedField]:
    """Deals at two to five tables of three or four, of twenty bots."""
    seats = draw(st.integers(3, 4))
    fields = []
    for unit in range(draw(st.integers(1, 4))):
        tables = draw(st.integers(2, 5))
        bots = draw(st.permutations(range(20)))
        points = [draw(st.lists(st.integers(-3, 3), min_size=seats, max_size=seats)) for _ in range(tables)]
        gone = [draw(st.lists(st.integers(0, 1), min_size=seats, max_size=seats)) for _ in range(tables)]
        deal = [([str(bot) for bot in bots[seats * at : seats * (at + 1)]], had) for at, had in enumerate(points)]
        fields.append(played_field(unit, deal, {str(bot): bot for bot in range(20)}, gone))
    return fields


def turned(field: PlayedField, tables: Sequence[int], seats: Sequence[int]) -> PlayedField:
    """The same with tables in another order and seats called otherwise."""
    columns = (field.versions, field.places, field.scores, field.faults, field.forfeited)
    return PlayedField(
        field.unit, *(tuple(tuple(rows[at][seat] for seat in seats) for at in tables) for rows in columns)
    )


def close(one: Sequence[VersionFit], other: Sequence[VersionFit]) -> bool:
    """Whether two fits are the same but for rounding."""
    return [line.version for line in one] == [line.version for line in other] and all(
        abs(mine.micro_elo - theirs.micro_elo) <= 2 and mine.milli_datum == theirs.milli_datum
        for mine, theirs in zip(one, other, strict=True)
    )


@settings(deadline=None, max_examples=40)
@given(several_fields(), st.data())
def test_the_order_of_tables_and_the_names_of_seats_change_nothing(
    fields: list[PlayedField], data: st.DataObject
) -> None:
    again = [
        turned(
            field,
            data.draw(st.permutations(range(len(field.versions)))),
            data.draw(st.permutations(range(len(field.versions[0])))),
        )
        for field in fields
    ]
    assert rate({}, again) == rate({}, fields)
    assert rate({}, fields[::-1]) == rate({}, fields)
    assert close(fitted(again, set(range(20))).lines, fitted(fields, set(range(20))).lines)


@settings(deadline=None, max_examples=40)
@given(several_fields())
def test_what_one_bot_wins_in_a_period_the_others_lose_where_all_are_new(fields: list[PlayedField]) -> None:
    # K is the same for all on one deal, so the changes of the deal add up to nothing, but for rounding.
    events = rate({}, fields[:1])
    assert abs(sum(event.delta_micro for event in events)) <= len(events)


def test_bots_that_play_alike_are_level_with_the_field() -> None:
    number = {str(bot): bot for bot in range(16)}
    deals = [[([str(4 * at + seat) for seat in range(4)], [31, 20, -50, 4]) for at in range(4)] for _ in range(3)]
    # Over the deals every bot holds another seat, so that nobody gains by the seats either.
    deals += [
        [([str(4 * at + (seat + turn) % 4) for seat in range(4)], [31, 20, -50, 4]) for at in range(4)]
        for turn in (1, 2, 3)
    ]
    lines = fitted([played_field(unit, deal, number) for unit, deal in enumerate(deals)], set(range(16))).lines
    assert {(line.milli_datum, line.milli_datum_margin) for line in lines} == {(0, 0)}


def test_a_forfeited_seat_is_below_all_who_held_it_whatever_the_house_made_of_it() -> None:
    number = {bot: index for index, bot in enumerate("ABCDEFGH")}
    deal = [("ABCD", [90, 1, 2, 3]), ("EFGH", [10, 1, 2, 3])]
    fair = rate({}, [played_field(0, deal, number)])
    forfeited = rate({}, [played_field(0, deal, number, [[1, 0, 0, 0], [0, 0, 0, 0]])])
    # The places at the table are the record's; here only the seat is compared.
    assert fair[0].delta_micro > forfeited[0].delta_micro
    assert forfeited[4].delta_micro > fair[4].delta_micro
    assert digest([played_field(0, deal, number)]) != digest([played_field(0, deal, number, [[1, 0, 0, 0], [0] * 4])])


def test_a_field_of_one_table_or_of_a_bot_twice_is_refused() -> None:
    number = {bot: index for index, bot in enumerate("ABCDEFGH")}
    with pytest.raises(ValueError, match="at least two tables"):
        played_field(3, [("ABCD", [1, 2, 3, 4])], number)
    with pytest.raises(ValueError, match="sits twice"):
        played_field(3, [("ABCD", [1, 2, 3, 4]), ("EFGA", [1, 2, 3, 4])], number)
