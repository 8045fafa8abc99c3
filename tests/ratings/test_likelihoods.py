"""Who is likelier the stronger one: kept with the newest fit, read beside the next or beside one bot, page by page."""

import pytest

from arena.errors import BadRequest
from arena.ratings import fit as fits
from arena.ratings.likelihoods import likelihoods, matrix
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
    for block in played.start(connection, name, BOTS, orbits=2).blocks:
        played.play(connection, block)
    apply_due(connection)
    fit_due(connection)


def order(connection: Connection) -> list[str]:
    (found,) = table(connection, played.GAME)
    return [line.bot for line in found.ratings]


def pool(connection: Connection) -> int:
    (found,) = table(connection, played.GAME)
    return found.pool


def test_every_bot_is_set_beside_the_next_of_the_table(connection: Connection) -> None:
    found, token = likelihoods(connection, pool(connection))
    assert [(line.bot, line.other) for line in found] == list(
        zip(order(connection), order(connection)[1:], strict=False)
    )
    assert all(0.5 <= line.stronger <= 1 for line in found)
    assert token == ""


def test_a_matrix_has_what_is_known_of_every_two_from_a_line_of_the_table_on(connection: Connection) -> None:
    some = matrix(connection, pool(connection), start=2, limit=3)
    assert (some.total, list(some.bots)) == (len(BOTS), order(connection)[2:5])
    for column, against in enumerate(some.bots):
        beside = {line.bot: line.stronger for line in likelihoods(connection, pool(connection), against=against)[0]}
        assert all(some.stronger[row][column] == beside.get(bot, 0.5) for row, bot in enumerate(some.bots))
    assert matrix(connection, pool(connection), start=len(BOTS), limit=3).bots == ()
    assert matrix(connection, pool(connection) + 1, start=0, limit=3).total == 0


def test_beside_one_bot_and_turned_round_it_adds_up_to_one(connection: Connection) -> None:
    first, last = order(connection)[0], order(connection)[-1]
    found, _ = likelihoods(connection, pool(connection), against=last)
    assert [line.bot for line in found] == order(connection)[:-1]
    (over,) = [line.stronger for line in found if line.bot == first]
    turned, _ = likelihoods(connection, pool(connection), against=first)
    (under,) = [line.stronger for line in turned if line.bot == last]
    assert over > 0.5
    assert over + under == pytest.approx(1, abs=1e-6)
    assert likelihoods(connection, pool(connection), against="nobody") == ([], "")


def test_pages_put_together_are_the_list(connection: Connection) -> None:
    whole, _ = likelihoods(connection, pool(connection))
    pages, token = likelihoods(connection, pool(connection), limit=2)
    while token:
        more, token = likelihoods(connection, pool(connection), token=token, limit=2)
        pages += more
    assert pages == whole


@pytest.mark.parametrize("token", ["x", "1", "1.1", "1.1.1.1", "1.1.-1", "9" * 40])
def test_a_token_that_no_list_gave_is_refused(connection: Connection, token: str) -> None:
    with pytest.raises(BadRequest, match="page token"):
        likelihoods(connection, pool(connection), token=token)


def test_the_next_fit_replaces_them_and_ends_the_pages_of_the_one_before(connection: Connection) -> None:
    before, token = likelihoods(connection, pool(connection), limit=2)
    tournament(connection, "next")
    assert likelihoods(connection, pool(connection), limit=2)[0] != before
    with pytest.raises(BadRequest, match="fitted again since that page"):
        likelihoods(connection, pool(connection), token=token)
    assert connection.execute("SELECT count(DISTINCT position), count(*) FROM likelihoods").fetchone() == (1, len(BOTS))


def test_a_run_that_is_not_fitted_yet_has_none(connection: Connection) -> None:
    rebuild(connection, verify=False)
    assert likelihoods(connection, pool(connection)) == ([], "")
    fit_due(connection)
    assert len(likelihoods(connection, pool(connection))[0]) == len(BOTS) - 1


def test_a_replaced_version_is_in_no_line(connection: Connection) -> None:
    played.add_version(connection, "ada")
    tournament(connection, "next")
    found, _ = likelihoods(connection, pool(connection), against="bob")
    assert min((line.bot, line.version) for line in found) == ("ada", 2)
    assert len(found) == len(BOTS) - 1


def test_a_pool_too_large_to_compare_all_has_none(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fits, "FULL", len(BOTS) - 1)
    tournament(connection, "next")
    assert likelihoods(connection, pool(connection)) == ([], "")
