"""At which referee a block with remote bots is played: at one to which all of them are connected, and that has least to
do. Knows no process and no stream."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from psycopg.rows import class_row

from arena.store import Connection, notices
from arena.store.referees import SILENCE_S
from arena.store.sql import statements

SQL = statements(__file__)


@dataclass(frozen=True, slots=True)
class Referee:
    """A referee that is there.

    :ivar address: where workers reach it.
    :ivar secret: what they show it, in hex.
    :ivar bots: of the bots that are asked about, those that are connected to it.
    :ivar blocks: how many it plays.
    :ivar failed: whether it failed an attempt since it was last heard of.
    :ivar ended_at: when its last attempt ended; None if none has.
    """

    address: str
    secret: str
    bots: Sequence[str]
    blocks: int
    failed: bool
    ended_at: datetime | None


def choose(referees: Sequence[Referee], bots: Collection[str]) -> Referee | str:
    """The referee that plays with these remote bots, or a sentence why none does. Bots that are connected to none are
    not looked for: as at a single referee, they have their start-up limit and then their clock for coming."""
    if not referees:
        return "No referee is known to which the remote bots are connected: start one with 'arena serve'."
    found = {bot for bot in bots if any(bot in referee.bots for referee in referees)}
    fit = [referee for referee in referees if found.issubset(referee.bots)]
    if not fit:
        where = ", ".join(
            f"{bot} to {' and '.join(referee.address for referee in referees if bot in referee.bots)}"
            for bot in sorted(found)
        )
        return (
            f"No referee has all remote bots of the block: {where} is connected. Let each be connected to all "
            f"referees, as the kit does unless it is told to stay with one, or let all stay with the same."
        )
    return min(fit, key=_load)


def seat(connection: Connection, lease: uuid.UUID, bots: Collection[str]) -> Referee | str:
    """As :func:`choose`, and noted with the attempt, so that the next one who asks counts it. A disabled bot is looked
    for nowhere: its seat is empty."""
    with connection.transaction():
        # Two who ask at once are to see each other's choice.
        connection.execute(SQL["lock_choice"])
        wanted = sorted(set(bots) - set(notices.disabled(connection, list(bots))))
        cursor = connection.cursor(row_factory=class_row(Referee))
        living = cursor.execute(SQL["living"], {"bots": wanted, "within_s": SILENCE_S}).fetchall()
        chosen = choose(living, wanted)
        if isinstance(chosen, Referee):
            connection.execute(SQL["note_referee"], {"lease": lease, "address": chosen.address})
        return chosen


def _load(referee: Referee) -> tuple[bool, int, datetime, str]:
    """The smaller, the sooner it is asked. One that failed may be gone, and is asked if there is no other."""
    never = datetime.min.replace(tzinfo=UTC)
    return referee.failed, referee.blocks, referee.ended_at or never, referee.address
