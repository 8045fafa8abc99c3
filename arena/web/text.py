"""How numbers and times are written on the pages. Knows no page."""

from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp

DASH = "\N{MINUS SIGN}"


def number(value: float | None, decimals: int = 0) -> str:
    """The sign of a number below 0 is the long one; empty for None."""
    if value is None:
        return ""
    text = f"{value:z,.{decimals}f}"  # z: what is rounded to nothing has no sign
    if "," in text:
        text = text.replace(",", "\N{NARROW NO-BREAK SPACE}")
    return DASH + text[1:] if text[0] == "-" else text


def day(moment: Timestamp) -> str:
    """Day and time in UTC."""
    return f"{moment.ToDatetime(UTC):%Y-%m-%d %H:%M} UTC"


def machine(moment: Timestamp) -> str:
    """The same for the ``datetime`` of a ``time``."""
    at: datetime = moment.ToDatetime(UTC)
    return at.isoformat(timespec="seconds")


def game_name(game: str) -> str:
    """A game's id as people write it: ``Contract Whist``."""
    return game.replace("_", " ").title()


def plural(count: int, one: str, many: str = "") -> str:
    """``1 bot``, ``2 bots``."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"
