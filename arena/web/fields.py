"""What was typed into a form, read. Knows no page."""

from collections.abc import Mapping

from arena.errors import BadRequest

MOST_DIGITS = 9


class Mistake(BadRequest):
    """What stands in a field cannot be meant. ``at`` is its name."""

    def __init__(self, at: str, sentence: str) -> None:
        super().__init__(sentence)
        self.at = at


def count_in(sent: Mapping[str, str], name: str) -> int:
    """The whole number of a field; 0 if it is empty.

    :raises Mistake: if it is none.
    """
    text = sent.get(name, "").strip()
    return _whole(name, text) if text else 0


def counts_in(sent: Mapping[str, str], name: str) -> list[int]:
    """The whole numbers of a field, with blanks or commas between.

    :raises Mistake: if one is none.
    """
    return [_whole(name, text) for text in sent.get(name, "").replace(",", " ").split()]


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise Mistake(name, f"'{text[:20]}' is no whole number")
    return int(text)
