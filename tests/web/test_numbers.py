"""What a page shows, as CSV and JSON."""

import json

import pytest
from starlette.datastructures import QueryParams
from starlette.requests import Request

from arena.errors import BadRequest
from arena.web.numbers import Value, numbers, whole

COLUMNS = ["bot", "rating"]
ROWS: list[list[Value]] = [["a,b", 1.5], ["c", None]]


def asked(query: str) -> Request:
    return Request({"type": "http", "query_string": query.encode(), "headers": []})


def test_rows_come_as_csv_and_as_json_and_what_is_not_known_is_empty() -> None:
    given = numbers(asked("format=csv"), COLUMNS, ROWS)
    assert given is not None
    assert given.headers["content-type"] == "text/csv; charset=utf-8"
    assert given.body == b'bot,rating\n"a,b",1.5\nc,\n'
    given = numbers(asked("format=json"), COLUMNS, ROWS)
    assert given is not None
    assert json.loads(bytes(given.body)) == [{"bot": "a,b", "rating": 1.5}, {"bot": "c", "rating": None}]
    given = numbers(asked("format=json"), COLUMNS, ROWS, lambda: {"all": len(ROWS)})
    assert given is not None
    assert json.loads(bytes(given.body)) == {"all": 2}


def test_a_page_is_a_page_where_no_format_is_asked_for_and_another_format_is_refused() -> None:
    assert numbers(asked("q=a"), COLUMNS, ROWS) is None
    with pytest.raises(BadRequest, match="no format 'xml'"):
        numbers(asked("format=xml"), COLUMNS, ROWS)


@pytest.mark.parametrize(
    ("query", "expected"),
    [("start=24", 24), ("", 0), ("start=", 0), ("start=x", 0), ("start=-1", 0), ("start=%C2%B2", 0), ("start=1e9", 0)],
)
def test_an_address_gives_a_whole_number_or_0(query: str, expected: int) -> None:
    assert whole(QueryParams(query), "start") == expected
    assert whole(QueryParams(f"start={10**9}"), "start") == 0
