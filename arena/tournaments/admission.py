"""Admission: a new version plays one unrated match of each of its games before it may enter tournaments. Knows no
broker, no process and no rating.

The version sits at a table of house bots; where there are too few of them it also sits against itself. It is admitted
if none of its seats was forfeited. Whatever goes wrong on our side is not held against it.
"""

import secrets
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

import engine
from arena.referee.presets import HOSTED
from arena.store import Connection
from arena.store.sql import statements
from arena.tournaments import units
from arena.tournaments.block import Block, BlockLimits, BotLog, Cause, MatchReport, Player, ReportedFault, UnitKind
from arena.tournaments.brief import Frozen
from arena.tournaments.ledger import COUNTED_DEATHS, GRACE_MS
from arena.tournaments.runs import Run

SQL = statements(__file__)

LIMITS = BlockLimits(HOSTED.move_ms, HOSTED.bank_ms, HOSTED.max_faults, startup_ms=10_000)
"""The clock of hosted bots, unless an organiser chooses another one."""

SILENCE_MS = max(LIMITS.startup_ms, LIMITS.move_ms + LIMITS.bank_ms) + GRACE_MS

LOG_SIGNS = 1 << 20
"""Most characters of a version's log: its bot may sit in several seats of every game, and a call carries all of it."""

STUCK_PAUSE_S = 600
"""How often a version is tried whose block process died three times."""

_BLOCK_IDS = 1 << 40
"""Blocks of admissions have ids from here on, so that their match ids are nobody else's."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to play the validation matches of a version."""

    version: int
    token: uuid.UUID
    bot: str
    stranger: bool = True
    """Whether the bot is neither the house's nor an admin's."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the version is admitted; if not, ``reason`` is a sentence for its owner. ``log`` is what it wrote, and
    ``runs`` what its processes did."""

    admitted: bool
    reason: str
    log: str
    runs: tuple[Run, ...] = ()


def claim(connection: Connection, version: int, *, strangers: bool = True) -> Claim | None:
    """A claim if the version waits for validation, nobody is at it and, unless ``strangers``, it is no stranger's."""
    token = uuid.uuid4()
    values = {"version": version, "lease": token, "duration_ms": SILENCE_MS, "strangers": strangers}
    row = connection.execute(SQL["claim_version"], values).fetchone()
    return Claim(version, token, row[0], row[1]) if row else None


def progress(connection: Connection, claimed: Claim) -> bool:
    """Whether the version is still ours; if it is, for another while."""
    values = {"version": claimed.version, "lease": claimed.token, "duration_ms": SILENCE_MS}
    return connection.execute(SQL["extend_version"], values).fetchone() is not None


def games_of(connection: Connection, claimed: Claim) -> list[str]:
    """Ids of the games that the version says it plays."""
    row = _candidate(connection, claimed)
    return list(row.games)


def write_brief(connection: Connection, claimed: Claim, game: str) -> Block:
    """A block of one match with cards of its own.

    :raises ValueError: if there is no such game.
    """
    kind = engine.load(game)
    candidate = _candidate(connection, claimed)
    cursor = connection.cursor(row_factory=class_row(Frozen))
    house = cursor.execute(SQL["house_players"], {"bot": claimed.bot, "game": kind.id}).fetchall()
    players = [bot.player(bot.bot) for bot in house]
    return trial(
        kind,
        candidate.player(candidate.bot),
        players,
        block=_BLOCK_IDS + claimed.version,
        attempt=str(claimed.token),
    )


def trial(game: engine.Game, candidate: Player, house: Sequence[Player], *, block: int, attempt: str) -> Block:
    """A block of one match with cards of its own, the same for whoever tries a bot: it sits with the house bots that
    come first by name, and where there are too few of them it sits down again."""
    players = [candidate, *sorted(house, key=lambda player: player.bot)[: game.seats - 1]]
    for number in range(2, game.seats - len(players) + 2):
        again = replace(candidate, entry=f"{candidate.bot} ({number})", ticket=secrets.token_urlsafe(32))
        players.append(again)
    secret = secrets.token_bytes(32)
    return Block(
        id=block,
        attempt=attempt,
        tournament="",
        game=game.id,
        engine=engine.VERSION,
        seats=game.seats,
        options=engine.write_options(game.options),
        limits=LIMITS,
        kind=UnitKind.SINGLE,
        rotations=1,
        players=tuple(players),
        units=(units.plan(secret, 0, game.seats, UnitKind.SINGLE),),
        commitment=units.commitment(secret),
    )


def judge(block: Block, bot: str, reports: Sequence[MatchReport], logs: Sequence[BotLog]) -> Verdict:
    """The verdict of one validation match."""
    ours = {index for index, player in enumerate(block.players) if player.bot == bot}
    runs = {entry.player: entry.run for entry in logs if entry.player in ours}
    log = "\n".join(
        f"[{block.game}] {entry.run.ending}\n{entry.text}".rstrip() for entry in logs if entry.player in ours
    )
    for report in reports:
        for seat in report.forfeited:
            player = report.seats[seat]
            if player in ours:
                last_line = runs[player].last_line if player in runs else ""
                sentence = told([fault for fault in report.faults if fault.seat == seat], last_line)
                return Verdict(False, f"It forfeited a match of {block.game}: {sentence}", log, tuple(runs.values()))
    return Verdict(True, "", log, tuple(runs.values()))


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict over the matches of all games: the last one's, and what all of them say beside it, of a long log the
    beginning and the end."""
    log = "\n".join(verdict.log for verdict in verdicts)
    if (too_many := len(log) - LOG_SIGNS) > 0:
        half = LOG_SIGNS // 2
        log = f"{log[:half]}\n[... {too_many} characters are left out here ...]\n{log[-half:]}"
    runs = tuple(run for verdict in verdicts for run in verdict.runs)
    return replace(verdicts[-1], log=log, runs=runs)


def told(faults: Sequence[ReportedFault], last_line: str = "") -> str:
    """The first fault in full, with the other turns of the same one; others are only counted. ``last_line`` is that of
    the bot's output."""
    if not faults:
        return "it made no answer."
    first = faults[0]
    turns = [str(fault.turn) for fault in faults if (fault.kind, fault.reason) == (first.kind, first.reason)]
    sentence = f"turn{'s' if len(turns) > 1 else ''} {', '.join(turns)}: {first.kind}, {first.told(last_line)}"
    others = len(faults) - len(turns)
    return f"{sentence} After it came {others} more." if others else sentence


def settle(connection: Connection, claimed: Claim, verdict: Verdict) -> bool:
    """Admits or rejects the version; whether the claim still held."""
    with connection.transaction():
        row = connection.execute(SQL["lock_version"], _held(claimed)).fetchone()
        if row is None:
            return False
        runs = Jsonb([asdict(run) for run in verdict.runs])
        values = {"version": claimed.version, "log": verdict.log, "runs": runs}
        if verdict.admitted:
            connection.execute(SQL["replace_older"], {"bot": row[0], "number": row[1]})
            connection.execute(SQL["admit"], values)
        else:
            connection.execute(SQL["reject"], {**values, "reason": verdict.reason})
        return True


def abandon(connection: Connection, claimed: Claim, reason: str, cause: Cause) -> None:
    """Gives the version back to wait. At the third block process that died an alarm is raised."""
    with connection.transaction():
        row = connection.execute(SQL["lock_version"], _held(claimed)).fetchone()
        if row is None:
            return
        deaths = min(row[2] + (cause is Cause.DIED), COUNTED_DEATHS)
        connection.execute(SQL["give_back"], {"version": claimed.version, "deaths": deaths})
        if row[2] < deaths == COUNTED_DEATHS:
            sentence = (
                f"Version {row[1]} of bot '{claimed.bot}' cannot be validated: the block process died {deaths} times, "
                f"last with: {reason} Mend the cause; it is tried again every {STUCK_PAUSE_S // 60} minutes."
            )
            connection.execute(SQL["add_alarm"], {"kind": "validation-stuck", "sentence": sentence})


def pending(
    connection: Connection, limit: int, resend_after_s: float = 0.0, *, strangers: bool | None = None
) -> list[int]:
    """Ids of versions that wait for their validation, as `ledger.pending` has blocks."""
    values = {"limit": limit, "resend_after_s": resend_after_s, "deaths": COUNTED_DEATHS, "pause_s": STUCK_PAUSE_S}
    return list(
        connection.cursor(row_factory=scalar_row).execute(SQL["pending_versions"], {**values, "strangers": strangers})
    )


def mark_sent(connection: Connection, versions: Sequence[int]) -> None:
    """Notes that the versions were sent to the broker."""
    connection.execute(SQL["mark_versions_sent"], {"versions": list(versions)})


@dataclass(frozen=True, slots=True)
class _Candidate(Frozen):
    games: list[str]


def _candidate(connection: Connection, claimed: Claim) -> _Candidate:
    cursor = connection.cursor(row_factory=class_row(_Candidate))
    row = cursor.execute(SQL["candidate"], {"version": claimed.version}).fetchone()
    assert row is not None
    return row


def _held(claimed: Claim) -> dict[str, object]:
    return {"version": claimed.version, "lease": claimed.token}
