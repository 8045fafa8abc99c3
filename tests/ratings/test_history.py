"""How a bot's ratings came about, period by period and run by run."""

import pytest

from arena.errors import BadRequest
from arena.ratings.history import Step, history
from arena.ratings.official import fit_due
from arena.ratings.periods import apply_due, rebuild
from arena.ratings.tables import table
from arena.store import Connection
from tests.ratings import played

BOTS = ["ada", "bob", "cem", "dan", "eve", "fay"]


@pytest.fixture(autouse=True)
def rated(connection: Connection) -> None:
    played.add_bots(connection, BOTS)
    tournament(connection, "cup")


def tournament(connection: Connection, name: str) -> None:
    """Two orbits that are applied one by one, with a fit after each."""
    for orbit in played.start(connection, name, BOTS, orbits=2).orbits:
        for block in orbit:
            played.play(connection, block)
        apply_due(connection)
        fit_due(connection)


def of(connection: Connection, bot: str) -> list[Step]:
    (found,) = table(connection, played.GAME)
    return history(connection, found.pool, bot)[0]


def test_the_last_step_is_what_the_table_shows(connection: Connection) -> None:
    (found,) = table(connection, played.GAME)
    for line in found.ratings:
        first, last = of(connection, line.bot)
        assert [(step.tournament, step.orbit, step.position) for step in (first, last)] == [
            ("cup", 0, 0),
            ("cup", 1, 1),
        ]
        assert line.fitted is not None
        assert (last.micro_elo, last.units) == (line.micro_elo, line.units)
        assert (last.fitted_micro_elo, last.fitted_micro_margin) == (line.fitted.micro_elo, line.fitted.micro_margin)
        assert (last.first_rank, last.last_rank) == (line.fitted.first_rank, line.fitted.last_rank)
        assert first.micro_elo == 1_500_000_000 + first.delta_micro
        assert last.micro_elo == first.micro_elo + last.delta_micro


def test_runs_before_are_kept_and_told_apart(connection: Connection) -> None:
    rebuild(connection, verify=False)
    fit_due(connection)
    steps = of(connection, "ada")
    assert [(step.shown, step.reason, step.position) for step in steps] == [
        (False, "The first one.", 0),
        (False, "The first one.", 1),
        (True, "Rebuilt.", 0),
        (True, "Rebuilt.", 1),
    ]
    # Only what was newest when the run was fitted has a fit.
    assert [step.fitted_micro_elo is None for step in steps] == [False, False, True, False]
    assert [step.micro_elo for step in steps[:2]] == [step.micro_elo for step in steps[2:]]


def test_versions_of_a_bot_have_steps_of_their_own(connection: Connection) -> None:
    played.add_version(connection, "ada")
    tournament(connection, "next")
    assert [(step.version, step.tournament) for step in of(connection, "ada")] == [
        *[(1, "cup")] * 2,
        *[(2, "next")] * 2,
    ]


def test_pages_put_together_are_the_list(connection: Connection) -> None:
    (found,) = table(connection, played.GAME)
    whole = of(connection, "ada")
    first, token = history(connection, found.pool, "ada", limit=1)
    second, end = history(connection, found.pool, "ada", token=token, limit=1)
    assert first + second == whole
    assert end == ""


def test_the_latest_are_those_of_the_run_that_is_shown_backwards(connection: Connection) -> None:
    rebuild(connection, verify=False)
    (found,) = table(connection, played.GAME)
    shown = [step for step in of(connection, "ada") if step.shown]
    first, token = history(connection, found.pool, "ada", latest=True, limit=1)
    second, end = history(connection, found.pool, "ada", latest=True, token=token, limit=1)
    assert first + second == shown[::-1]
    assert end == ""


def test_who_was_not_rated_has_no_steps(connection: Connection) -> None:
    assert of(connection, "nobody") == []


@pytest.mark.parametrize("token", ["x", "1.1", "1.1.1.1", "1.-1.1", "9" * 40])
def test_a_token_that_no_list_gave_is_refused(connection: Connection, token: str) -> None:
    (found,) = table(connection, played.GAME)
    with pytest.raises(BadRequest, match="page token"):
        history(connection, found.pool, "ada", token=token)
