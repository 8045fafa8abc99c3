"""Page sizes and page tokens. Knows no list."""

import re

from arena.errors import BadRequest


def page_of(size: int, token: str, *, usual: int, most: int) -> tuple[int, str]:
    """How many lines to give, and the text behind which to go on.

    :raises BadRequest: if the size is negative.
    """
    if size < 0:
        raise BadRequest(f"page_size is {size}; use 0 for the usual {usual}, or at most {most}")
    return min(size or usual, most), token


def numbers_of(token: str, count: int) -> tuple[int, ...] | None:
    """The numbers of a token that is made of so many, with points between them; None for the first page.

    :raises BadRequest: if it is not made so.
    """
    if not token:
        return None
    parts = token.split(".")
    # Eighteen digits always fit into a bigint.
    if len(parts) != count or not all(re.fullmatch("[0-9]{1,18}", part) for part in parts):
        raise BadRequest("the page token is not one that this list gave; leave it empty for the first page")
    return tuple(map(int, parts))
