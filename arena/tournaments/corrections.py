"""What an organiser does to a tournament that goes wrong: void, retry, disqualify, cancel. Knows no rating and no
network.

Nothing that was played is edited. What must not count stands in rows beside the results, each with who said so and why;
the ratings leave it out. Every act stands in the audit, settles the alarms of the blocks that it decides about, and may
be repeated: what is so already stays as it is.

Blocks are locked in ascending order and before their tournament, as whoever plays them does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row, scalar_row

from arena.errors import BadRequest, NotAllowed, NotFound, WrongState
from arena.store import Connection, alarms, audit
from arena.store.bots import find_bot
from arena.store.people import User
from arena.store.sql import statements
from arena.store.tournaments import Tournament, lock_tournament, remove_entry, see_tournament
from arena.tournaments import ledger

SQL = statements(__file__)

LONGEST_REASON = 500
MOST = 1000
"""Blocks and units of one request."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What does not count, for whom and why. ``what`` is block, unit, bot, orbit or tournament, and the field of that
    name says which one; of a unit, ``orbit`` is that in which it was played."""

    what: str
    block: int | None
    unit: int | None
    bot: str | None
    orbit: int | None
    reason: str
    who: str
    made_at: datetime


def void(
    connection: Connection,
    user: User,
    name: str,
    reason: str,
    *,
    blocks: Sequence[int] = (),
    units: Sequence[int] = (),
) -> list[str]:
    """Sentences about what was done: a block that is not yet played is given up, of one that was played no unit counts,
    and one that was given up before stays so. With neither blocks nor units: all that were given up and about which
    nobody has decided.

    :raises NotFound: if there is no such tournament, block or unit.
    :raises NotAllowed: if the tournament is somebody else's.
    :raises WrongState: if a unit is not yet played, another block is in the place of one, or there is nothing to
        decide.
    :raises BadRequest: if the reason or the numbers cannot be.
    """
    _check(reason, blocks, units)
    with connection.transaction():
        _started(connection, user, name)
        act = _Act(connection, name, user.name, reason)
        for block in act.locked(blocks if blocks or units else act.undecided()):
            act.void(block)
        for unit in sorted(set(units)):
            act.void_unit(unit)
        act.end("void")
        ledger.close_if_ended(connection, name)
        return act.said


def retry(connection: Connection, user: User, name: str, blocks: Sequence[int]) -> list[str]:
    """Sentences about the new blocks, with new units, in the place of void ones. Without blocks: of all that were given
    up and about which nobody has decided.

    :raises NotFound: if there is no such tournament or block.
    :raises NotAllowed: if the tournament is somebody else's.
    :raises WrongState: if a block is not void or has been replaced, a bot at its table is disqualified, the tournament
        is closed and its secret is told, or there is nothing to decide.
    """
    _check("-", blocks, ())
    with connection.transaction():
        _started(connection, user, name)
        act = _Act(connection, name, user.name, "")
        for block in act.locked(blocks or act.undecided()):
            act.retry(block)
        act.end("retry")
        return act.said


def disqualify(connection: Connection, user: User, name: str, bot: str, reason: str) -> list[str]:
    """Sentences about what was done: no unit counts in which the bot sat, its blocks that are not yet played are given
    up, and it enters the tournament no more. Of a field only its table does not count, and fields are played as drawn.

    :raises NotFound: if there is no such tournament, or the bot is not in it.
    :raises NotAllowed: if the tournament is somebody else's.
    :raises BadRequest: if the reason cannot be.
    """
    _check(reason, (), ())
    with connection.transaction():
        tournament = _organised(connection, user, name)
        if tournament.started_at is None:
            tournament = lock_tournament(connection, name)
        act = _Act(connection, name, user.name, reason)
        if tournament.started_at is None:
            find_bot(connection, bot)
            remove_entry(connection, name, bot)
        elif bot not in tournament.bots:
            raise NotFound(f"the bot '{bot}' is not in '{name}'; 'arena tournament show {name}' lists its bots")
        before = _scalars(connection, "undecided", tournament=name)
        new = act.correct("bot", bot=bot)
        act.decided += set(before) - set(_scalars(connection, "undecided", tournament=name))
        act.give_up_open(bot)
        what = (
            f"it is in no period to come; of a period that was played say so as of '{name}.N'"
            if tournament.stands
            else "no table at which it sat counts"
        )
        act.say(f"{bot} is disqualified{'' if new else ' already'}: {what}", bot, new=new)
        act.end("disqualify")
        ledger.close_if_ended(connection, name)
        return act.said


def cancel(connection: Connection, user: User, name: str, reason: str) -> list[str]:
    """Sentences about what was done: the tournament is closed for good and its secret is told. What is not yet played
    is given up, and no unit counts of an orbit that was not complete, whatever its results are.

    :raises NotFound: if there is no such tournament.
    :raises NotAllowed: if it is somebody else's.
    :raises WrongState: if it has ended, or is a ladder.
    :raises BadRequest: if the reason cannot be.
    """
    _check(reason, (), ())
    with connection.transaction():
        _organised(connection, user, name)
        act = _Act(connection, name, user.name, reason)
        # Before it is looked at: blocks are locked before their tournament, and one that is open has none.
        orbits = act.give_up_open()
        tournament = lock_tournament(connection, name)
        if tournament.cancelled_at is not None:
            return [f"{name} is cancelled already"]
        if tournament.stands:
            raise WrongState(f"'{name}' is a ladder: close it, and cancel the period that is played as '{name}.N'")
        if tournament.closed_at is not None:
            raise WrongState(f"'{name}' has ended and its secret is told: only what is not yet played can be cancelled")
        for orbit in orbits:
            act.correct("orbit", orbit=orbit)
        act.decided += _scalars(connection, "undecided", tournament=name)
        act.correct("tournament")
        connection.execute(SQL["cancel"], {"tournament": name})
        left = f": {len(orbits)} of its orbits were not complete and do not count" if orbits else ""
        act.say(f"{name} is cancelled{left}", name)
        act.end("cancel")
        return act.said


def corrections(connection: Connection, tournament: str, limit: int = MOST) -> list[Correction]:
    """What was corrected, oldest first."""
    values = {"tournament": tournament, "limit": limit}
    return connection.cursor(row_factory=class_row(Correction)).execute(SQL["corrections"], values).fetchall()


def disqualified(connection: Connection, tournament: str) -> list[str]:
    """The bots of a tournament that are disqualified, by name."""
    return _scalars(connection, "disqualified", tournament=tournament)


@dataclass(frozen=True, slots=True)
class _Block:
    id: int
    orbit: int
    first_unit: int
    units: int
    state: str


class _Act:
    """One act while it is done, in one transaction.

    :ivar said: a sentence for everything that was done, or was so already.
    :ivar decided: blocks whose alarms nobody needs to look at any more.
    """

    def __init__(self, connection: Connection, tournament: str, who: str, reason: str) -> None:
        self.said: list[str] = []
        self.decided: list[int] = []
        self._subjects: list[str] = []
        self._connection = connection
        self._tournament = tournament
        self._who = who
        self._reason = reason

    def say(self, sentence: str, subject: str, *, new: bool = True) -> None:
        """Notes what was done to what; what is not new stands in no audit."""
        self.said.append(sentence)
        if new:
            self._subjects.append(subject)

    def correct(
        self,
        what: str,
        *,
        block: int | None = None,
        unit: int | None = None,
        bot: str | None = None,
        orbit: int | None = None,
    ) -> bool:
        """Whether the correction is a new one."""
        which = {"block": block, "unit": unit, "bot": bot, "orbit": orbit}
        said = {"what": what, "reason": self._reason, "who": self._who}
        return bool(_scalars(self._connection, "correct", tournament=self._tournament, **which, **said))

    def undecided(self) -> list[int]:
        """Blocks that were given up and about which nobody has decided.

        :raises WrongState: if there are none.
        """
        found = _scalars(self._connection, "undecided", tournament=self._tournament)
        if not found:
            raise WrongState(f"no block of '{self._tournament}' waits for a decision: name blocks or units")
        return found

    def locked(self, blocks: Sequence[int]) -> list[_Block]:
        """The blocks, ascending and locked.

        :raises NotFound: if one is not of the tournament.
        """
        found = self._blocks("lock_blocks", blocks=list(blocks))
        if missing := set(blocks) - {block.id for block in found}:
            raise NotFound(f"'{self._tournament}' has no block {min(missing)}; 'arena alarms' names those that failed")
        return found

    def void(self, block: _Block) -> None:
        """Gives a block up, or all units of one that was played."""
        if block.state == "done":
            for unit in range(block.first_unit, block.first_unit + block.units):
                self._void_played(unit, block.orbit)
            return
        if block.state == "void":
            ledger.check_unreplaced(self._connection, block.id)
        else:
            ledger.void(self._connection, block.id, self._reason)
        new = self.correct("block", block=block.id)
        self.decided.append(block.id)
        self.say(f"block {block.id} is given up{'' if new else ' already'}", f"block {block.id}", new=new)

    def void_unit(self, unit: int) -> None:
        """Makes a unit that was played count no more."""
        found = self._blocks("block_of_unit", unit=unit)
        if not found:
            raise NotFound(f"'{self._tournament}' has no unit {unit}")
        if found[0].state != "done":
            raise WrongState(
                f"unit {unit} is not played: it is one of block {found[0].id}, which is {found[0].state}; to give that "
                f"up name the block"
            )
        self._void_played(unit, found[0].orbit)

    def retry(self, block: _Block) -> None:
        """Draws another block in the place of a void one."""
        out = set(disqualified(self._connection, self._tournament))
        if barred := sorted(out & set(_scalars(self._connection, "seated", block=block.id))):
            raise WrongState(f"block {block.id} cannot be played again: {', '.join(barred)} is disqualified")
        new = ledger.retry(self._connection, block.id)
        self.decided.append(block.id)
        self.say(f"block {new} waits in the place of block {block.id}", f"block {block.id} by {new}")

    def give_up_open(self, bot: str | None = None) -> list[int]:
        """Gives up every block that is not yet played, or those with the bot; their orbits. Afterwards none is there,
        and none will be drawn before the transaction ends."""
        orbits = set()
        for last in (False, True):
            if last:
                ledger.lock(self._connection, self._tournament)
            for block in self._blocks("lock_open", bot=bot):
                ledger.void(self._connection, block.id, self._reason)
                self.decided.append(block.id)
                orbits.add(block.orbit)
        return sorted(orbits)

    def end(self, act: str) -> None:
        """Settles the alarms, and writes the audit if anything was done."""
        alarms.settle_blocks(self._connection, self.decided, self._who)
        if self._subjects:
            audit.note(
                self._connection,
                self._who,
                act,
                ", ".join(self._subjects),
                tournament=self._tournament,
                reason=self._reason,
            )

    def _void_played(self, unit: int, orbit: int) -> None:
        new = self.correct("unit", unit=unit, orbit=orbit)
        self.say(f"unit {unit} does not count{'' if new else ' already'}", f"unit {unit}", new=new)

    def _blocks(self, statement: str, **values: Any) -> list[_Block]:
        asked = {"tournament": self._tournament, **values}
        return self._connection.cursor(row_factory=class_row(_Block)).execute(SQL[statement], asked).fetchall()


def _organised(connection: Connection, user: User, name: str) -> Tournament:
    """The tournament, if the user decides what becomes of it."""
    tournament = see_tournament(connection, user, name)
    if not user.admin and user.name != tournament.owner:
        raise NotAllowed(f"the tournament '{name}' belongs to {tournament.owner}; only they and admins decide about it")
    return tournament


def _started(connection: Connection, user: User, name: str) -> None:
    tournament = _organised(connection, user, name)
    if tournament.stands:
        raise WrongState(f"'{name}' is a ladder: name the period, as '{name}.N'")
    if tournament.started_at is None:
        raise WrongState(f"nothing of '{name}' has been played: it has not started")


def _check(reason: str, blocks: Sequence[int], units: Sequence[int]) -> None:
    if not reason.strip() or len(reason) > LONGEST_REASON or not reason.isprintable():
        raise BadRequest(
            f"say why, in at most {LONGEST_REASON} printable characters on one line: everybody may read it"
        )
    if len(blocks) + len(units) > MOST:
        raise BadRequest(f"{len(blocks) + len(units)} blocks and units are named; a request has at most {MOST}")


def _scalars(connection: Connection, statement: str, **values: Any) -> list[Any]:
    """The first column of every row."""
    return connection.cursor(row_factory=scalar_row).execute(SQL[statement], values).fetchall()
