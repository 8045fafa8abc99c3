"""Ladders: tournaments that stand, whose periods are tournaments of their own, each with a secret of its own. Knows no
formula of tables and no worker.

The row of a ladder is never started. Who is entered there is in; its secret is that of the next period, so that the
hash of it is told while entries still change. When a period has closed and the next one is due, whoever notices first
draws it in one transaction under the lock of the ladder: the period is made with the ladder's secret, of those who
play, with their versions frozen, and the ladder takes a new secret. So a crash leaves a period drawn or not, and
whoever comes second finds nothing to do. What a period was drawn from stands in the ledger or is written down with it,
so that it can be computed again.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from psycopg.rows import class_row, scalar_row

import engine
from arena.errors import NotAllowed, WrongState
from arena.store import Connection, audit
from arena.store.people import User
from arena.store.sql import statements
from arena.store.tournaments import Tournament, find_tournament, lock_tournament, see_tournament
from arena.tournaments import ledger, units
from arena.tournaments.block import UnitKind
from arena.tournaments.capped import meetings_of
from arena.tournaments.ladder import MEMORY, UNKNOWN, Known, Strength, Waited, choose, seat
from arena.tournaments.ledger import NewBlock
from arena.tournaments.schedule import Entry, ScheduleError, Table

SQL = statements(__file__)

SHOWN = 20
"""Periods of a ladder that are told with it."""


@dataclass(frozen=True, slots=True)
class InLadder:
    """A bot that is in a ladder: in how many periods it plays or has played, the newest of them, 0 if there is none,
    and why it cannot play in the next one, as a sentence; empty if it can."""

    bot: str
    periods: int
    last: int
    barred: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How a ladder goes on: its newest periods, newest first, who is in, in the order in which they come to play, why
    no period can be drawn, empty if one can, and when the next one starts at the earliest; None if none follows or it
    may start at once."""

    periods: list[Tournament]
    bots: list[InLadder]
    paused: str
    next_at: datetime | None


def draw_periods(connection: Connection) -> int:
    """How many periods were drawn: the next one of every ladder for which it is due and that has bots enough."""
    return sum(_draw_next(connection, name) for name in _scalars(connection, "due", ladder=None))


def close_ladder(connection: Connection, user: User, name: str) -> Tournament:
    """The ladder, to which no period is added any more. The one that is played is played to its end. One that is closed
    stays so.

    :raises NotFound: if there is no such tournament that the user may see.
    :raises NotAllowed: if it is somebody else's.
    :raises WrongState: if it is no ladder.
    """
    with connection.transaction():
        see_tournament(connection, user, name)
        ladder = lock_tournament(connection, name)
        if not user.admin and user.name != ladder.owner:
            raise NotAllowed(f"the tournament '{name}' belongs to {ladder.owner}; only they can close it")
        if not ladder.stands:
            raise WrongState(
                f"'{name}' is no ladder and ends by itself; 'arena tournament cancel {name}' ends it before"
            )
        if ladder.closed_at is None:
            connection.execute(SQL["close"], {"ladder": name})
            audit.note(connection, user.name, "close", name, tournament=name)
        return find_tournament(connection, name)


def newest_period(connection: Connection, ladder: str, *, played: bool = False) -> Tournament | None:
    """The newest period of a ladder, or the newest of which a block was played; None if it has none yet."""
    names = _scalars(connection, "newest", ladder=ladder, limit=1, played=played)
    return find_tournament(connection, names[0]) if names else None


def standing(connection: Connection, ladder: Tournament) -> Standing:
    """How a ladder goes on."""
    periods = [
        find_tournament(connection, name)
        for name in _scalars(connection, "newest", ladder=ladder.name, limit=SHOWN, played=False)
    ]
    number = 1 + (periods[0].period or 0) if periods else 1
    waited = _waited(connection, ladder.name, number)
    able = _candidates(connection, ladder.name)
    playing = {candidate.bot for candidate in able}
    bots = [
        InLadder(
            bot, waited.get(bot, Waited()).periods, waited.get(bot, Waited()).last, "" if bot in playing else barred
        )
        for bot, barred in connection.execute(SQL["barred"], {"ladder": ladder.name})
    ]
    bots.sort(key=lambda one: (one.barred != "", one.last, one.periods))  # stable
    paused, next_at = "", None
    if ladder.closed_at is None:
        try:
            choose([one.entry for one in able], ladder.seats, ladder.batch, waited)
        except ScheduleError as error:
            paused = str(error)
        if periods and periods[0].started_at is not None and ladder.every_s is not None:
            next_at = periods[0].started_at + timedelta(seconds=ladder.every_s)
    return Standing(periods, bots, paused, next_at)


def tables_again(connection: Connection, period: Tournament) -> list[Table]:
    """The tables of a period, computed again from the ledger.

    :raises ScheduleError: if they cannot be, so that something was changed.
    """
    assert period.ladder is not None
    ladder = find_tournament(connection, period.ladder)
    draws = connection.cursor(row_factory=class_row(_Draw))
    one = draws.execute(SQL["draw"], {"period": period.name}).fetchone()
    assert one is not None
    found = connection.cursor(row_factory=class_row(_Candidate))
    candidates = found.execute(SQL["candidates_then"], {"bots": one.candidates}).fetchall()
    frozen = found.execute(SQL["frozen"], {"period": period.name}).fetchall()
    waited = _waited(connection, ladder.name, period.period or 0)
    playing = choose([candidate.entry for candidate in candidates], ladder.seats, ladder.batch, waited)
    if [entry.id for entry in playing] != [entry.bot for entry in frozen]:
        raise ScheduleError(f"In '{period.name}' others played than those whose turn it was.")
    return _tables(connection, period, frozen, one)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A bot that could play, and its version; what of that is not asked for is 0 or empty."""

    bot: str
    owner: str
    house: bool
    version: int
    number: int
    content_hash: str

    @property
    def entry(self) -> Entry:
        """The bot as the schedule knows it."""
        return Entry(self.bot, self.owner, self.house)


@dataclass(frozen=True, slots=True)
class _Draw:
    """What a period is drawn from: who could play, in order of entry, and the fit that its tables follow, if any."""

    candidates: list[str]
    run: int | None
    position: int | None


def _draw_next(connection: Connection, name: str) -> bool:
    with connection.transaction():
        ladder = lock_tournament(connection, name)
        # Asked again: whoever had the lock before has drawn it.
        if not _scalars(connection, "due", ladder=name):
            return False
        newest = newest_period(connection, name)
        number = 1 + (newest.period or 0) if newest is not None else 1
        able = _candidates(connection, name)
        try:
            chosen = choose([one.entry for one in able], ladder.seats, ladder.batch, _waited(connection, name, number))
        except ScheduleError:
            # It pauses until others come.
            return False
        playing = {entry.id for entry in chosen}
        frozen = [one for one in able if one.bot in playing]
        period = str(_scalars(connection, "add_period", ladder=name, number=number, engine=engine.VERSION)[0])
        connection.cursor().executemany(
            SQL["add_entry"],
            [
                {"period": period, "bot": one.bot, "position": position, "version": one.version}
                for position, one in enumerate(frozen)
            ],
        )
        made = find_tournament(connection, period)
        fits = connection.execute(SQL["newest_fit"], {"period": period}).fetchone() or (None, None)
        one = _Draw([candidate.bot for candidate in able], *fits)
        ledger.enqueue(
            connection,
            period,
            [
                NewBlock(0, table.index, table.entries, UnitKind.ROTATION, table.index * made.units, made.units)
                for table in _tables(connection, made, frozen, one)
            ],
        )
        drawn = {"candidates": one.candidates, "run": one.run, "position": one.position}
        connection.execute(SQL["add_draw"], {"period": period, **drawn})
        connection.execute(SQL["renew_secret"], {"ladder": name, "secret": secrets.token_bytes(32)})
        audit.note(connection, audit.PLATFORM, "start", period, tournament=period)
        return True


def _tables(connection: Connection, period: Tournament, frozen: Sequence[_Candidate], one: _Draw) -> list[Table]:
    hashes = [units.entry_hash(entry.bot, entry.number, entry.content_hash) for entry in frozen]
    seed = units.schedule_seed(units.working_seed(period.secret, hashes))
    rated = {"period": period.name, "run": one.run, "position": one.position, "unknown": UNKNOWN}
    strengths = {bot: Strength(elo, margin) for bot, elo, margin in connection.execute(SQL["strengths"], rated)}
    met = {"ladder": period.ladder, "period": period.period, "memory": MEMORY}
    meetings = meetings_of(_scalars(connection, "met", **met))
    return seat([entry.entry for entry in frozen], period.seats, seed, Known(strengths, meetings))


def _candidates(connection: Connection, ladder: str) -> list[_Candidate]:
    cursor = connection.cursor(row_factory=class_row(_Candidate))
    return cursor.execute(SQL["candidates"], {"ladder": ladder}).fetchall()


def _waited(connection: Connection, ladder: str, number: int) -> dict[str, Waited]:
    """When each bot played before a period."""
    rows = connection.execute(SQL["waited"], {"ladder": ladder, "period": number})
    return {bot: Waited(last, periods) for bot, last, periods in rows}


def _scalars(connection: Connection, statement: str, **values: Any) -> Sequence[Any]:
    return connection.cursor(row_factory=scalar_row).execute(SQL[statement], values).fetchall()
