"""Page sizes and page tokens. Knows no list."""

from arena.errors import BadRequest


def page_of(size: int, token: str, *, usual: int, most: int) -> tuple[int, str]:
    """How many lines to give, and the text behind which to go on.

    :raises BadRequest: if the size is negative.
    """
    if size < 0:
        raise BadRequest(f"page_size is {size}; use 0 for the usual {usual}, or at most {most}")
    return min(size or usual, most), token
