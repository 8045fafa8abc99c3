"""What a page shows as numbers for programs, CSV or JSON at the page's own address, and the numbers that an address
holds. Knows no page."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arena.errors import BadRequest

Value = str | int | float | bool | None


def numbers(
    request: Request,
    columns: Sequence[str],
    rows: Iterable[Sequence[Value]],
    whole: Callable[[], object] | None = None,
) -> Response | None:
    """The rows under their columns if the address asks for them with `?format=csv` or `json`; None if it asks for the
    page. What is not known, None, is an empty field of CSV and `null` of JSON. JSON is an array of objects, or what
    ``whole`` returns where the rows alone would lose something.

    :raises BadRequest: if the address asks for another format.
    """
    match request.query_params.get("format", ""):
        case "":
            return None
        case "csv":
            out = io.StringIO()
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(rows)
            return Response(out.getvalue(), media_type="text/csv")
        case "json":
            return JSONResponse(whole() if whole else [dict(zip(columns, row, strict=True)) for row in rows])
        case other:
            raise BadRequest(f"there is no format '{other}' of this page; ask for csv or json")


def whole(query: QueryParams, name: str) -> int:
    """The whole number that the address gives the name; 0 where it gives none, or one longer than anybody means."""
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
