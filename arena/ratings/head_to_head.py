"""How a bot of a pool did against each other one at the same tables. Knows no rating.

What is asked is bounded, for it is asked while somebody waits: the newest periods are looked through until there are
enough meetings.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from psycopg.rows import class_row

from arena.errors import NotFound
from arena.ratings.points import Mean, mean_of_deals
from arena.store import Connection
from arena.store.sql import statements

SQL = statements(__file__)

MOST_MEETINGS = 15_000
"""Matches times opponents that are added up: 5,000 matches at tables of four, some 50 ms of a processor."""

MOST_BLOCKS = 50_000
"""Blocks among which those of the bot are looked for, some 15 ms."""


@dataclass(frozen=True, slots=True)
class Opponent:
    """How the bot did beside another one.

    :ivar above, level, below: in how many matches it was placed so.
    :ivar share: the mean of 1, 1/2 and 0 for these.
    :ivar points: by how many it was ahead, a match.
    """

    bot: str
    deals: int
    above: int
    level: int
    below: int
    share: Mean
    points: Mean

    @property
    def matches(self) -> int:
        """At how many tables the two sat together."""
        return self.above + self.level + self.below


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Everybody whom the bot met in its newest ``matches``, by name; ``rated`` is how many of its matches there are."""

    game: str
    seats: int
    matches: int
    rated: int
    opponents: tuple[Opponent, ...]


def head_to_head(connection: Connection, pool: int, bot: str) -> HeadToHead:
    """How the bot did against the others of the pool, in all its versions.

    :raises NotFound: if it is not rated in the pool.
    """
    where = {"pool": pool, "bot": bot, "most_meetings": MOST_MEETINGS, "most_blocks": MOST_BLOCKS}
    row = connection.execute(SQL["rated"], where).fetchone()
    if row is None:
        raise NotFound(f"'{bot}' has no rating in the table {pool}; 'arena ratings GAME' lists those that have")
    game, seats, rated = row
    rows = connection.cursor(row_factory=class_row(_Met)).execute(SQL["meetings"], where).fetchall()
    opponents = tuple(_opponent(one) for one in rows)
    return HeadToHead(game, seats, rows[0].played if rows else 0, rated, opponents)


@dataclass(frozen=True, slots=True)
class _Met:
    """Of every deal: matches, in how many of them the bot was above and level, and how many points it was ahead."""

    other: str
    played: int
    matches: Sequence[int]
    above: Sequence[int]
    level: Sequence[int]
    ahead: Sequence[int]


def _opponent(met: _Met) -> Opponent:
    matches, above, level = (np.array(one) for one in (met.matches, met.above, met.level))
    below = int(matches.sum() - above.sum() - level.sum())
    share = mean_of_deals(above + level / 2, matches)
    points = mean_of_deals(np.array(met.ahead), matches)
    return Opponent(met.other, len(matches), int(above.sum()), int(level.sum()), below, share, points)
