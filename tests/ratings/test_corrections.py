"""What was corrected does not count, in whatever order results and corrections come, and results stay as they are."""

import random
from typing import Any

import psycopg
import pytest

from arena.ratings import periods, standings
from arena.ratings.official import differences, fit_due
from arena.ratings.periods import apply_due, rebuild
from arena.ratings.tables import table
from arena.store import Connection, export
from tests.ratings import played
from tests.ratings.played import GAME, Planned

BOTS = ["ada", "bob", "cem", "dan", "eve", "fay"]


@pytest.fixture
def bots(connection: Connection) -> list[str]:
    played.add_bots(connection, BOTS)
    return BOTS


def correct(connection: Connection, cup: Planned, **what: Any) -> None:
    """Writes one correction, as whoever corrects does; again changes nothing."""
    kind = "unit" if "unit" in what else next(iter(what))
    values = {"unit": None, "bot": None, "orbit": None, **what}
    connection.execute(
        "INSERT INTO corrections (tournament, what, unit, bot, orbit, reason, who)"
        " VALUES (%(cup)s, %(kind)s, %(unit)s, %(bot)s, %(orbit)s, 'It was not right.', 'ada') ON CONFLICT DO NOTHING",
        {"cup": cup.name, "kind": kind, **values},
    )


def history(connection: Connection, tournament: str) -> list[Any]:
    """What the run that is shown says of a tournament: periods, events and the fit, but for ids."""
    events = connection.execute(
        "SELECT p.orbit, r.blocks, r.units, r.input_sha256, r.unit_hashes, e.version, e.delta_micro, e.micro_elo,"
        " e.units, e.matches, e.points, e.faults"
        " FROM rating_periods p JOIN rated_periods r USING (pool, position) JOIN current_runs c ON c.run = r.run"
        " LEFT JOIN rating_events e ON e.run = r.run AND e.position = r.position"
        " WHERE p.tournament = %s ORDER BY r.position, e.version",
        [tournament],
    ).fetchall()
    fits = connection.execute(
        "SELECT f.version, f.micro_elo, f.micro_margin, f.first_rank, f.last_rank, f.deals, f.milli_points_margin"
        " FROM rating_periods p JOIN fits f USING (position) JOIN rating_runs r ON r.id = f.run AND r.pool = p.pool"
        " JOIN current_runs c ON c.run = r.id WHERE p.tournament = %s"
        " AND p.position = (SELECT max(position) FROM rating_periods WHERE pool = p.pool) ORDER BY f.version",
        [tournament],
    ).fetchall()
    return [*events, *fits]


def results(connection: Connection, tournament: str) -> list[Any]:
    return connection.execute(
        "SELECT unit, rotation, seats, scores, places, faults, digest FROM results WHERE tournament = %s"
        " ORDER BY unit, rotation",
        [tournament],
    ).fetchall()


@pytest.mark.parametrize("seed", range(8))
def test_any_order_of_results_and_corrections_gives_the_same_bits(
    connection: Connection, bots: list[str], seed: int
) -> None:
    choice = random.Random(seed)
    corrections: list[dict[str, Any]] = [
        {"unit": unit, "orbit": unit // 12} for unit in choice.sample(range(24), choice.randint(0, 4))
    ]
    corrections += [{"bot": bot} for bot in choice.sample(BOTS, choice.randint(0, 2))]
    corrections += [{"orbit": 1}] if choice.random() < 0.2 else []

    straight = played.start(connection, "straight", bots, options={"deals": "1"})
    for one in corrections:
        correct(connection, straight, **one)
    for block in straight.blocks:
        played.play(connection, block)
    apply_due(connection)
    fit_due(connection)
    expected = history(connection, "straight")
    assert len(expected) >= 2

    crooked = played.start(connection, "crooked", bots)
    acts: list[Any] = [*crooked.blocks, *corrections, *corrections[:2]]
    for _ in range(4):
        acts += ["apply", "rebuild", "fit"]
    choice.shuffle(acts)
    for act in [*acts, "apply", "fit"]:
        if isinstance(act, int):
            played.play(connection, act)
        elif isinstance(act, dict):
            correct(connection, crooked, **act)
        elif act == "fit":
            fit_due(connection)
        elif act == "apply":
            apply_due(connection)
        else:
            rebuild(connection, verify=False)
    assert history(connection, "crooked") == expected
    assert not rebuild(connection).differs
    assert differences(connection) == []
    assert results(connection, "crooked") == results(connection, "straight")


def test_a_correction_after_the_period_makes_a_new_run_and_keeps_the_old_one(
    connection: Connection, bots: list[str]
) -> None:
    cup = played.start(connection, "cup", bots)
    for block in cup.blocks:
        played.play(connection, block)
    apply_due(connection)
    before, rows = history(connection, "cup"), results(connection, "cup")
    correct(connection, cup, unit=5, orbit=0)
    (sentence, *_) = rebuild(connection).differences
    assert sentence.startswith("Pool 1, period 0: blocks of tournament 'cup' were played or corrected since")
    apply_due(connection)
    assert connection.execute("SELECT reason FROM rating_runs ORDER BY id").fetchall() == [
        ("The first one.",),
        ("Blocks were played, or corrections made, after their period.",),
    ]
    assert connection.execute("SELECT units, corrections FROM rated_periods ORDER BY run, position").fetchall() == [
        (12, 0),
        (12, 0),
        (11, 1),
        (12, 0),
    ]
    assert history(connection, "cup") != before
    assert results(connection, "cup") == rows
    apply_due(connection)
    assert not rebuild(connection).differs
    assert connection.execute("SELECT count(*) FROM rating_runs").fetchone() == (2,)


def test_nothing_counts_at_whose_table_a_disqualified_bot_sat(connection: Connection, bots: list[str]) -> None:
    cup = played.start(connection, "cup", bots)
    for block in cup.blocks:
        played.play(connection, block)
    apply_due(connection)
    fit_due(connection)
    correct(connection, cup, bot="cem")
    apply_due(connection)
    fit_due(connection)
    (shown,) = table(connection, GAME)
    assert {line.bot for line in shown.ratings} == set(BOTS) - {"cem"}
    left = connection.execute("SELECT sum(units) FROM blocks WHERE NOT 'cem' = ANY (entries)").fetchone()
    assert left == (sum(line.units for line in shown.ratings) // 3,)
    assert all(line.fitted is not None and line.fitted.deals == line.units for line in shown.ratings)
    for bot in BOTS:
        correct(connection, cup, bot=bot)
    apply_due(connection)
    assert fit_due(connection) == 0
    assert table(connection, GAME) == []
    assert not rebuild(connection).differs


IMPOSSIBLE = {
    "a correction of nothing": "INSERT INTO corrections (tournament, what, reason, who) "
    "VALUES ('cup', 'unit', 'r', 'ada')",
    "a correction for no reason": "INSERT INTO corrections (tournament, what, bot, reason, who) "
    "VALUES ('cup', 'bot', 'bob', '', 'ada')",
    "a unit of no orbit": "INSERT INTO corrections (tournament, what, unit, reason, who) "
    "VALUES ('cup', 'unit', 3, 'r', 'ada')",
    "the same twice": "INSERT INTO corrections (tournament, what, bot, reason, who) "
    "VALUES ('cup', 'bot', 'cem', 'another', 'bob')",
    "by nobody": "INSERT INTO corrections (tournament, what, bot, reason, who) "
    "VALUES ('cup', 'bot', 'bob', 'r', 'no one')",
}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_the_schema_refuses(connection: Connection, bots: list[str], what: str) -> None:
    correct(connection, played.start(connection, "cup", bots), bot="cem")
    with pytest.raises(psycopg.errors.IntegrityError):
        connection.execute(IMPOSSIBLE[what].encode())


@pytest.mark.parametrize(
    "statement", ["UPDATE corrections SET reason = 'another'", "DELETE FROM corrections", "TRUNCATE corrections"]
)
def test_corrections_are_never_changed(connection: Connection, bots: list[str], statement: str) -> None:
    correct(connection, played.start(connection, "cup", bots), bot="cem")
    with pytest.raises(psycopg.errors.RaiseException, match="written once"):
        connection.execute(statement.encode())


@pytest.mark.parametrize(
    "statement",
    [periods.SQL["matches"], standings.SQL["scored"], export.SQL["exported_matches"]],
    ids=["ratings", "standings", "export"],
)
def test_a_result_is_looked_up_among_corrections_and_not_compared_with_each(
    connection: Connection, statement: bytes
) -> None:
    """A tournament of many results that is cancelled has many corrections, and their product would take hours."""
    asked = {
        "pool": 1,
        "tournament": "cup",
        "bot": None,
        "orbit": 0,
        "unit": 0,
        "rotation": 0,
        "limit": 500,
        "most": 500,
    }
    plan = "\n".join(line for (line,) in connection.execute(b"EXPLAIN VERBOSE " + statement, asked))
    assert plan.count("hashed SubPlan") >= 2, plan
