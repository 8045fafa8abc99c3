"""Where owners want to be told of notices, and what is still to be told. Knows no HTTP.

A webhook that is taken is nobody else's for a minute, so that several servers tell an owner once, and no more often.
"""

from dataclasses import dataclass

from arena.store import Connection
from arena.store.bots import Bot, check_owner
from arena.store.notices import Notice
from arena.store.people import User
from arena.store.sql import statements

SQL = statements(__file__)

PAUSE_S = 60.0
"""Between two messages about one bot; after a failure twice as long each time."""

TRIES = 4
"""Then what was to be told is given up; the lines stay in the bot's log."""


@dataclass(frozen=True, slots=True)
class Message:
    """What one owner is to be told now: the newest line, and how many lines there are since the last message.

    :ivar last: id of that line. ``attempt`` counts from 1.
    """

    bot: str
    url: str
    attempt: int
    last: int
    notice: Notice
    lines: int


def set_webhook(connection: Connection, user: User, bot: str, url: str) -> Bot:
    """Tells the owner at this address from the next notice on; nowhere if it is empty.

    :raises ArenaError: as :func:`check_owner`.
    """
    found = check_owner(connection, user, bot)
    connection.execute(SQL["set_webhook" if url else "end_webhook"], {"bot": bot, "url": url})
    return found


def find_webhook(connection: Connection, bot: str) -> tuple[str, str]:
    """The address and what went wrong there last; empty where there is none."""
    row = connection.execute(SQL["webhook"], {"bot": bot}).fetchone()
    return row if row is not None else ("", "")


def take(connection: Connection) -> Message | None:
    """A message that is due; None if there is none."""
    row = connection.execute(SQL["take"], {"pause_s": PAUSE_S}).fetchone()
    if row is None:
        return None
    bot, url, attempt, told = row
    newest = connection.execute(SQL["newest"], {"bot": bot, "told": told}).fetchone()
    if newest is None:
        return None
    last, *notice, lines = newest
    return Message(bot, url, attempt, last, Notice(*notice), lines)


def settle(connection: Connection, message: Message, error: str) -> None:
    """Notes that the message was told, or failed with that sentence."""
    values = {"bot": message.bot, "url": message.url, "id": message.last, "error": error}
    if not error or message.attempt >= TRIES:
        connection.execute(SQL["told"], values)
    else:
        connection.execute(SQL["failed"], {**values, "pause_s": PAUSE_S * 2**message.attempt})
