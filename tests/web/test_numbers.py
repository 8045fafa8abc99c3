"""What a page shows, as CSV and JSON."""

import json

import pytest
from starlette.requests import Request

from arena.errors import BadRequest
from arena.web.numbers import Value, numbers

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
