"""The ledger: who plays which block, and what came out, exactly once. Knows no broker, no process and no rules.

A block is claimed under a lease, and only its newest lease can end it. A lease lives as long as the longest silence
that the clock of the match allows and 15 s more, and every progress of the match extends it. What is delivered twice is
answered like the first time; what comes under a lease that is not the block's any more is refused and noted. A
tournament closes when nothing of it is left to be played or to be decided by a person.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from psycopg.rows import dict_row, scalar_row

from arena.errors import NotFound, WrongState
from arena.store import Connection
from arena.store.sql import statements
from arena.tournaments.block import BotLog, Cause, Failed, MatchReport, UnitKind
from arena.tournaments.results import check_field, check_whole, digest_of, write_logs, write_notices, write_results

SQL = statements(__file__)

GRACE_MS = 15_000
"""How much longer a lease lives than the longest silence that the clock of a match allows."""

COUNTED_DEATHS = 3
"""A block on which so many block processes died is given up."""

ALARMING_ATTEMPTS = 10
"""A lost worker, or a host on which no bot can be started, is nobody's fault at the table, and the block is tried again
without end; but somebody should look at one with so many attempts in vain."""


@dataclass(frozen=True, slots=True)
class NewBlock:
    """A block to be played: one table of an orbit times some units, or one field. ``entries`` are names of bots."""

    orbit: int
    table_index: int
    entries: tuple[str, ...]
    kind: UnitKind
    first_unit: int
    units: int


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to play a block. ``duration_ms`` is how long it lives without progress; ``strangers`` says whether a
    hosted bot in it is neither the house's nor an admin's."""

    token: uuid.UUID
    block: int
    tournament: str
    duration_ms: int
    strangers: bool = True


class Ending(StrEnum):
    """What became of results that were handed in."""

    RECORDED = "recorded"
    """They are written and count."""
    REPEATED = "repeated"
    """They were written before, the same ones."""
    SUPERSEDED = "superseded"
    """The lease was not the block's any more: refused, and noted with the attempt."""
    CONFLICT = "conflict"
    """Other results were written under the same lease: refused, with an alarm."""


def enqueue(connection: Connection, tournament: str, blocks: Sequence[NewBlock]) -> list[int]:
    """Ids of the new blocks, which wait from now on. Call it in the transaction that starts the tournament."""
    with connection.transaction():
        return [_add(connection, tournament, block, deaths=0, replaces=None) for block in blocks]


def claim(connection: Connection, block: int, worker: str, engine: str, *, strangers: bool = True) -> Lease | None:
    """A new lease if the block waits or its lease ran out; None if somebody else plays it or it has ended.

    :param strangers: whether the worker runs bots of strangers.
    :raises NotFound: if there is no such block.
    :raises WrongState: if the tournament is played with another version of the engine than the worker has, or the
        worker does not run bots of strangers and the block has some.
    """
    with connection.transaction():
        row = _locked(connection, block)
        if row.engine != engine:
            raise WrongState(
                f"block {block} of tournament '{row.tournament}' is played with engine {row.engine} and this worker "
                f"has engine {engine}: run a worker of that version"
            )
        if row.strangers and not strangers:
            raise WrongState(
                f"block {block} of tournament '{row.tournament}' has bots of strangers and this worker's cells are too "
                f"weak for them: run 'arena doctor' here, or a worker on another host"
            )
        if row.state == "leased" and row.expired:
            assert row.lease is not None
            _end_attempt(connection, row.lease, "expired", "The lease ran out.")
            _look_at_attempts(connection, row, "The lease ran out.")
            if not row.kind.replayable:
                _give_up(connection, row, row.deaths)
                _draw_again(connection, row, row.deaths)
                return None
        elif row.state != "queued":
            return None
        lease = Lease(uuid.uuid4(), block, row.tournament, row.longest_silence_ms + GRACE_MS, row.strangers)
        _run(connection, "lease_block", block=block, lease=lease.token, duration_ms=lease.duration_ms)
        _run(connection, "add_attempt", block=block, lease=lease.token, worker=worker)
        return lease


def progress(connection: Connection, lease: Lease, matches: int, decisions: int) -> bool:
    """Whether the lease is still the block's. It is extended if the attempt got further than it ever told before."""
    with connection.transaction():
        values = {
            "lease": lease.token,
            "duration_ms": lease.duration_ms,
            "matches": matches,
            "decisions": decisions,
        }
        if connection.execute(SQL["extend_lease"], values).fetchone() is None:
            return holds(connection, lease)
        connection.execute(SQL["note_progress"], values)
        return True


def holds(connection: Connection, lease: Lease) -> bool:
    """Whether the lease is still the block's."""
    return _scalar(connection, "holds", lease=lease.token) is not None


def finish(
    connection: Connection,
    lease: Lease,
    reports: Sequence[MatchReport],
    logs: Sequence[BotLog] = (),
    *,
    tier: str | None = None,
    cut: Failed | None = None,
) -> Ending:
    """What became of the results of a whole block: results, records, logs, the block's end and the tournament's are
    written together or not at all. After an error the same call may be made again.

    :param tier: of the cells in which it was played.
    :param cut: why tables of a field came to no result, if some did. They are not played again.
    :raises ValueError: if the reports are not those of every match of the block, or of a field not of tables enough.
    """
    digest = digest_of(reports)
    with connection.transaction():
        row = _locked(connection, lease.block)
        if row.lease != lease.token:
            _end_attempt(connection, lease.token, "superseded", "Another attempt had taken over.", digest)
            return Ending.SUPERSEDED
        if row.state == "done":
            written = _scalar(connection, "attempt_digest", lease=lease.token)
            if written == digest:
                return Ending.REPEATED
            _alarm(
                connection,
                "results-differ",
                f"Attempt {lease.token} of block {lease.block} handed in two different results; the first ones count. "
                f"Compare the records of the block.",
                row,
            )
            return Ending.CONFLICT
        if row.kind is UnitKind.FIELD:
            check_field(reports, row.first_unit, row.rotations)
        else:
            check_whole(reports, range(row.first_unit, row.first_unit + row.units), row.rotations)
        write_results(connection, row.id, row.tournament, reports)
        write_logs(connection, row.id, row.entries, logs)
        write_notices(connection, row.tournament, row.entries, reports, logs)
        _end_attempt(connection, lease.token, "done", cut.reason if cut is not None else "", digest)
        _run(connection, "note_tier", lease=lease.token, tier=tier)
        _run(connection, "finish_block", block=row.id)
        if cut is not None and cut.cause is Cause.DIED:
            _alarm(
                connection,
                "tables-void",
                f"Of the field of block {row.id} of tournament '{row.tournament}' {len(reports)} of {row.rotations} "
                f"tables came to a result, and only they count. What ended the others: {cut.reason}",
                row,
            )
        close_if_ended(connection, row.tournament)
        return Ending.RECORDED


def abandon(connection: Connection, lease: Lease, reason: str, cause: Cause) -> None:
    """Gives a lease back. After three attempts that died the block is void and an alarm is raised; its tournament does
    not close before a person has decided about it. A block whose cards remote bots may have seen is void at once, and
    another one, with cards that nobody has seen, takes its place. Does nothing under a lease that is not the block's
    any more."""
    with connection.transaction():
        row = _locked(connection, lease.block)
        if row.lease != lease.token or row.state != "leased":
            return
        _end_attempt(connection, lease.token, "died" if cause is Cause.DIED else "abandoned", reason)
        deaths = row.deaths + (cause is Cause.DIED)
        if deaths >= COUNTED_DEATHS:
            _give_up(connection, row, deaths)
            _alarm(
                connection,
                "block-void",
                f"Block {row.id} of tournament '{row.tournament}' is void: its process died {deaths} times, last with: "
                f"{reason} Mend the cause; then 'arena tournament retry {row.tournament} {row.id}' plays new units, "
                f"or 'arena tournament void {row.tournament} {row.id} --reason …' does without.",
                row,
            )
            return
        if cause is not Cause.DIED:
            _look_at_attempts(connection, row, reason)
        if row.kind.replayable or cause is Cause.UNSEEN:
            _run(connection, "requeue_block", block=row.id, deaths=deaths)
        else:
            _give_up(connection, row, deaths)
            _draw_again(connection, row, deaths)


def void(connection: Connection, block: int, reason: str) -> None:
    """Gives a block up by a person's decision; its units do not count. Closes nothing: see :func:`close_if_ended`.

    :raises NotFound: if there is no such block.
    :raises WrongState: if it is done or void.
    """
    with connection.transaction():
        row = _locked(connection, block)
        if row.state not in ("queued", "leased"):
            raise WrongState(
                f"block {block} is {row.state} and stays so: only a block that is not yet played can be void"
            )
        if row.lease is not None:
            _end_attempt(connection, row.lease, "expired", reason)
        _give_up(connection, row, row.deaths)


def retry(connection: Connection, block: int) -> int:
    """Id of a new block for the table of a void one, with new units.

    :raises NotFound: if there is no such block.
    :raises WrongState: if it is not void, has been replaced, or its tournament is closed and its secret is told.
    """
    with connection.transaction():
        row = _locked(connection, block)
        if row.state != "void":
            raise WrongState(f"block {block} is {row.state}: only a void block is played again")
        check_unreplaced(connection, block)
        if lock(connection, row.tournament):
            raise WrongState(f"tournament '{row.tournament}' is closed and its secret is told: start a new tournament")
        return _draw_again(connection, row, 0)


def check_unreplaced(connection: Connection, block: int) -> None:
    """Returns if no block is in the place of this one.

    :raises WrongState: if one is.
    """
    if newer := _scalar(connection, "replacement", block=block):
        raise WrongState(f"block {newer} is in the place of block {block} already: look at that one")


def lock(connection: Connection, tournament: str) -> bool:
    """Whether the tournament is closed. No block of it is drawn, and it is not closed, until the transaction ends."""
    return bool(_scalar(connection, "lock_tournament", tournament=tournament))


def pending(
    connection: Connection, limit: int, resend_after_s: float = 0.0, *, strangers: bool | None = None
) -> list[int]:
    """Ids of blocks to be played: waiting, or with a lease that ran out. Those longest unsent to the broker first, and
    none that was sent less than so many seconds ago; only those with or without bots of strangers, if that is said."""
    values = {"limit": limit, "resend_after_s": resend_after_s, "strangers": strangers}
    return list(connection.cursor(row_factory=scalar_row).execute(SQL["pending"], values))


def mark_sent(connection: Connection, blocks: Sequence[int]) -> None:
    """Notes that the blocks were sent to the broker."""
    _run(connection, "mark_sent", blocks=list(blocks))


def orbit_ended(connection: Connection, block: int) -> bool:
    """Whether every block of the orbit that the block belongs to is done or void."""
    return bool(_scalar(connection, "orbit_ended", block=block))


def free_unit(connection: Connection, tournament: str, multiple: int) -> int:
    """The first unit number, a multiple of that, from which on no block has units. Call it under the tournament's
    lock."""
    number = int(_scalar(connection, "next_unit", tournament=tournament))
    return number + -number % multiple


def close_if_ended(connection: Connection, tournament: str) -> None:
    """Closes the tournament if all its blocks are done, or void and decided about, and its last orbit is drawn."""
    lock(connection, tournament)
    _run(connection, "close_ended", tournament=tournament)


def close_ended(connection: Connection) -> None:
    """Closes every tournament as :func:`close_if_ended`."""
    _run(connection, "close_ended", tournament=None)


@dataclass(frozen=True, slots=True)
class _Row:
    """A locked block with what its tournament says about it."""

    id: int
    tournament: str
    orbit: int
    table_index: int
    entries: list[str]
    kind: UnitKind
    first_unit: int
    units: int
    state: str
    lease: uuid.UUID | None
    expired: bool
    deaths: int
    strangers: bool
    seats: int
    engine: str
    longest_silence_ms: int

    @property
    def rotations(self) -> int:
        return self.kind.rotations(self.seats, len(self.entries))


def _locked(connection: Connection, block: int) -> _Row:
    found = connection.cursor(row_factory=dict_row).execute(SQL["lock_block"], {"block": block}).fetchone()
    if found is None:
        raise NotFound(f"there is no block {block}")
    return _Row(**{**found, "kind": UnitKind(found["kind"])})


def _run(connection: Connection, statement: str, **values: Any) -> None:
    connection.execute(SQL[statement], values)


def _scalar(connection: Connection, statement: str, **values: Any) -> Any:
    """The first column of the first row; None if there is no row."""
    row = connection.execute(SQL[statement], values).fetchone()
    return row[0] if row else None


def _add(connection: Connection, tournament: str, block: NewBlock, *, deaths: int, replaces: int | None) -> int:
    return int(
        _scalar(
            connection,
            "add_block",
            tournament=tournament,
            orbit=block.orbit,
            table_index=block.table_index,
            entries=list(block.entries),
            kind=str(block.kind),
            first_unit=block.first_unit,
            units=block.units,
            deaths=deaths,
            replaces=replaces,
        )
    )


def _draw_again(connection: Connection, row: _Row, deaths: int) -> int:
    """Puts a block with new units in the place of a void one."""
    lock(connection, row.tournament)
    # As many single units as there are seats, from a multiple of the seats on, turn one cyclic order.
    first_unit = free_unit(connection, row.tournament, row.seats if row.kind is UnitKind.SINGLE else 1)
    block = NewBlock(row.orbit, row.table_index, tuple(row.entries), row.kind, first_unit, row.units)
    return _add(connection, row.tournament, block, deaths=deaths, replaces=row.id)


def _give_up(connection: Connection, row: _Row, deaths: int) -> None:
    _run(connection, "void_block", block=row.id, deaths=deaths)


def _look_at_attempts(connection: Connection, row: _Row, reason: str) -> None:
    """Raises an alarm, once, for a block that is tried again and again in vain, be it each time with new cards."""
    attempts = _scalar(connection, "fruitless_attempts", block=row.id)
    if attempts == ALARMING_ATTEMPTS:
        _alarm(
            connection,
            "attempts-in-vain",
            f"Block {row.id} of tournament '{row.tournament}' was tried {attempts} times in vain, last with: {reason} "
            f"It is tried again until it is played: look at the workers' logs and run 'arena doctor' on their hosts.",
            row,
        )


def _end_attempt(
    connection: Connection, lease: uuid.UUID, outcome: str, reason: str, digest: bytes | None = None
) -> None:
    _run(connection, "end_attempt", lease=lease, outcome=outcome, reason=reason, digest=digest)


def _alarm(connection: Connection, kind: str, sentence: str, row: _Row) -> None:
    _run(connection, "add_alarm", kind=kind, sentence=sentence, tournament=row.tournament, block=row.id)
