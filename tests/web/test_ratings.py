"""A rating table on its page: what sets its numbers, and the lead over the field."""

from dataclasses import replace

import html5lib
import pytest
from starlette.datastructures import QueryParams

from arena.v1 import rating_pb2
from arena.web.api import Visitor
from arena.web.lines import HIDDEN, Chosen, Line, chosen_by
from arena.web.page import templates
from arena.web.pages.ratings import CSV, MOST_LINES, Pool, pool_of, rows_of


def table(unit_kind: str) -> rating_pb2.RatingTable:
    fitted = rating_pb2.Fitted(
        micro_elo=1_000_000_000, milli_points_margin=4_000, milli_datum=-12_500, milli_datum_margin=2_500
    )
    return rating_pb2.RatingTable(
        game="callbreak",
        seats=4,
        unit_kind=unit_kind,
        score_decimals=1,
        shift_micro_elo=-12_500_000,
        anchors=["random-1"],
        ratings=[rating_pb2.Rating(place=1, bot="random-1", mean_milli_points=77_000, fitted=fitted)],
    )


def shown(*pools: Pool, query: str = "") -> str:
    known = {"visitor": Visitor(""), "games": ("callbreak",), "path": "/ratings/callbreak"}
    text = templates.get_template("ratings.html").render(
        game="callbreak", pools=pools, shown=pools, chosen=chosen_by(QueryParams(query)), hidden=HIDDEN, **known
    )
    html5lib.HTMLParser(strict=True).parse(text)
    return text


def test_a_table_says_what_its_ratings_are_shifted_by_and_which_bots_stand_still() -> None:
    pool = pool_of(table("rotation"), Chosen())
    assert "Ratings are shifted by \N{MINUS SIGN}12.5: random-1 is at 1\N{NARROW NO-BREAK SPACE}000." in shown(pool)
    unset = rating_pb2.RatingTable(game="callbreak", seats=4, unit_kind="rotation", ratings=table("rotation").ratings)
    assert "shifted" not in shown(pool_of(unset, Chosen()))


def test_a_pool_of_fields_shows_the_lead_over_the_field_in_the_place_of_points() -> None:
    fields, others = (shown(pool_of(table(kind), Chosen())) for kind in ("field", "rotation"))
    assert ">Vs field</a>" in fields
    assert "\N{MINUS SIGN}1.25</td>" in fields
    assert "0.25</td>" in fields
    assert "7.70" not in fields
    assert ">Mean points</a>" in others
    assert "7.70</td>" in others
    assert "0.40</td>" in others


def test_what_is_chosen_stays_in_the_links_to_numbers_and_to_the_next_lines() -> None:
    few = pool_of(table("rotation"), Chosen())
    many = replace(few, lines=few.lines * (MOST_LINES + 1))
    text = shown(many, query="pool=7&q=a")
    assert '<a href="?pool=7&amp;q=a&amp;format=csv">' in text
    assert '<a href="?pool=7&amp;q=a&amp;start=1000">' in text
    text = shown(many, query=f"start={MOST_LINES}")
    assert '<a href="?format=json">' in text
    assert "The next lines" not in text


def test_csv_has_both_and_the_shift() -> None:
    (row,) = (
        dict(zip(CSV, row, strict=True))
        for row in rows_of("callbreak", [pool_of(table("field"), Chosen(sort="points"))])
    )
    assert [row[name] for name in ("points", "vs_field", "vs_field_margin")] == [7.7, -1.25, 0.25]
    assert [row[name] for name in ("shift", "anchors")] == [-12.5, "random-1"]


LINE = Line(1, "ann-1", "ann", False, 1, 1500.0, 20.0, 1, 2, False, 1510.0, 40, 160, 7.5, 0.5, 0, None, None)
LINES = [
    LINE,
    replace(LINE, place=2, bot="steady", owner="house", house=True, margin=10.0, elo=1490.0),
    replace(LINE, place=3, bot="new", owner="bob", rating=None, margin=None, provisional=True, elo=1500.0),
]


def bots(query: str) -> list[str]:
    return [line.bot for line in chosen_by(QueryParams(query)).lines(LINES)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["ann-1", "steady", "new"]),
        ("q=BOB", ["new"]),
        ("q=ann", ["ann-1"]),
        ("hide=provisional", ["ann-1", "steady"]),
        ("hide=provisional&hide=house&hide=sense", ["ann-1"]),
        ("sort=margin", ["steady", "ann-1", "new"]),
        ("sort=margin&order=desc", ["ann-1", "steady", "new"]),
        ("sort=elo", ["ann-1", "new", "steady"]),
        ("sort=elo&order=asc", ["steady", "new", "ann-1"]),
        ("sort=nonsense&order=up", ["ann-1", "steady", "new"]),
    ],
)
def test_an_address_chooses_lines_and_their_order_and_what_is_not_known_comes_last(
    query: str, expected: list[str]
) -> None:
    assert bots(query) == expected


def test_a_head_sorts_by_its_column_and_by_the_same_one_the_other_way_round() -> None:
    chosen = chosen_by(QueryParams("q=a&hide=house&start=1000&pool=7"))
    assert chosen.by("elo") == "?pool=7&q=a&hide=house&sort=elo"
    assert chosen_by(QueryParams(chosen.by("elo")[1:])).by("elo") == "?pool=7&q=a&hide=house&sort=elo&order=asc"
    assert chosen.by("place") == "?pool=7&q=a&hide=house&order=desc"
    assert Chosen(q="a&b").with_(start=5) == "?q=a%26b&start=5"


def test_a_table_names_owners_and_marks_bots_of_the_house() -> None:
    line = rating_pb2.Rating(place=1, bot="steady", owner="house", house=True)
    page = shown(
        pool_of(rating_pb2.RatingTable(game="callbreak", seats=4, unit_kind="single", ratings=[line]), Chosen())
    )
    assert ">house <abbr" in page
