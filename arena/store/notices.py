"""What owners are told of their bots' faults, and the bots that are disabled for them. Knows no match, no rules and no
network.

A line is written for every match with several faults and for every forfeit. A remote bot that forfeits several matches
in a row is disabled until its owner enables it: at every table it would cost the others the waiting.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from arena.store import Connection, audit
from arena.store.bots import Bot, check_owner, find_bot
from arena.store.people import User
from arena.store.sql import statements

SQL = statements(__file__)

TOLD_FAULTS = 2
"""So many faults in one match are worth a line."""

FORFEITS = 3
"""So many forfeits in a row disable a remote bot."""

WINDOW_S = 3600
"""A row ends when so much time goes by without a forfeit."""

KEPT = 200
"""Lines that are kept for every bot."""


@dataclass(frozen=True, slots=True)
class Played:
    """How a bot behaved in one match.

    :ivar match: the match in words.
    :ivar faults: how many; ``kind`` and ``reason`` are those of the last one.
    """

    match: str
    seat: int
    faults: int
    forfeited: bool
    kind: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """One line for the owner. ``what`` is `faults`, `forfeit` or `disabled`; ``count`` is how many faults in the match,
    else how many forfeits in a row."""

    noted_at: datetime
    what: str
    match: str
    seat: int
    kind: str
    reason: str
    count: int


def sentence(bot: str) -> str:
    """What whoever meets a disabled bot is told."""
    return (
        f"the bot '{bot}' is disabled, because it forfeited {FORFEITS} matches in a row: mend it ('arena bot log "
        f"{bot}' says what went wrong), then run 'arena bot enable {bot}'"
    )


def note(connection: Connection, bot: str, played: Sequence[Played]) -> bool:
    """Writes down matches of a bot, in their order; whether it is disabled from now on. A disabled bot gets no
    lines."""
    if not any(one.forfeited or one.faults >= TOLD_FAULTS for one in played):
        connection.execute(SQL["behaved"], {"bot": bot})
        return False
    with connection.transaction():
        connection.execute(SQL["add_conduct"], {"bot": bot})
        row = connection.execute(SQL["lock_conduct"], {"bot": bot, "window_s": WINDOW_S}).fetchone()
        assert row is not None
        forfeits, disabled = row
        if disabled:
            return False
        remote = find_bot(connection, bot).kind == "remote"
        for one in played:
            forfeits = forfeits + 1 if one.forfeited else 0
            if one.forfeited or one.faults >= TOLD_FAULTS:
                _add(connection, bot, one, "forfeit" if one.forfeited else "faults", forfeits or one.faults)
            if remote and forfeits >= FORFEITS and not disabled:
                disabled = True
                _add(connection, bot, one, "disabled", forfeits)
                audit.note(connection, audit.PLATFORM, "bot disabled", bot, reason=f"{FORFEITS} forfeits in a row.")
        kept = {"forfeits": forfeits, "disabled": disabled, "forfeited": any(one.forfeited for one in played)}
        connection.execute(SQL["keep_conduct"], {"bot": bot, **kept})
        connection.execute(SQL["prune"], {"bot": bot, "kept": KEPT})
        return bool(disabled)


def list_notices(connection: Connection, user: User, bot: str) -> list[Notice]:
    """The lines of a bot, oldest first.

    :raises ArenaError: as :func:`check_owner`.
    """
    check_owner(connection, user, bot)
    return [Notice(*row) for row in connection.execute(SQL["notices"], {"bot": bot})]


def disabled(connection: Connection, bots: Collection[str]) -> frozenset[str]:
    """Which of the bots are disabled."""
    return frozenset(row[0] for row in connection.execute(SQL["disabled"], {"bots": list(bots)}))


def enable(connection: Connection, user: User, bot: str) -> Bot:
    """Lets a bot play again; nothing happens if it may.

    :raises ArenaError: as :func:`check_owner`.
    """
    found = check_owner(connection, user, bot)
    with connection.transaction():
        if connection.execute(SQL["enable"], {"bot": bot}).fetchone() is not None:
            audit.note(connection, user.name, "bot enabled", bot)
    return found


def _add(connection: Connection, bot: str, one: Played, what: str, count: int) -> None:
    values = {"match": one.match, "seat": one.seat, "kind": one.kind, "reason": one.reason}
    connection.execute(SQL["add_notice"], {"bot": bot, "what": what, "count": count, **values})
