"""A rating table on its page: what sets its numbers, and the lead over the field."""

import html5lib

from arena.v1 import rating_pb2
from arena.web.api import Visitor
from arena.web.page import templates
from arena.web.pages.ratings import CSV, Pool, pool_of, rows_of


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


def shown(*pools: Pool) -> str:
    known = {"visitor": Visitor(""), "games": ("callbreak",), "path": "/ratings/callbreak"}
    text = templates.get_template("ratings.html").render(
        game="callbreak", pools=pools, sort="place", q="", start=0, **known
    )
    html5lib.HTMLParser(strict=True).parse(text)
    return text


def test_a_table_says_what_its_ratings_are_shifted_by_and_which_bots_stand_still() -> None:
    pool = pool_of(table("rotation"), "", "place")
    assert "Ratings are shifted by \N{MINUS SIGN}12.5: random-1 is at 1\N{NARROW NO-BREAK SPACE}000." in shown(pool)
    unset = rating_pb2.RatingTable(game="callbreak", seats=4, unit_kind="rotation", ratings=table("rotation").ratings)
    assert "shifted" not in shown(pool_of(unset, "", "place"))


def test_a_pool_of_fields_shows_the_lead_over_the_field_in_the_place_of_points() -> None:
    fields, others = (shown(pool_of(table(kind), "", "place")) for kind in ("field", "rotation"))
    assert ">Vs field</a>" in fields
    assert "\N{MINUS SIGN}1.25</td>" in fields
    assert "0.25</td>" in fields
    assert "7.70" not in fields
    assert ">Mean points</a>" in others
    assert "7.70</td>" in others
    assert "0.40</td>" in others


def test_csv_has_both_and_the_shift() -> None:
    (row,) = (dict(zip(CSV, row, strict=True)) for row in rows_of("callbreak", [pool_of(table("field"), "", "points")]))
    assert [row[name] for name in ("points", "vs_field", "vs_field_margin")] == [7.7, -1.25, 0.25]
    assert [row[name] for name in ("shift", "anchors")] == [-12.5, "random-1"]
