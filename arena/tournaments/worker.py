"""What a worker does: it plays blocks and validates versions. Knows no broker, no rules and no gRPC.

The database may go away and come back at any time: what is asked of it is asked again until it answers, and everything
that is asked may be asked twice.
"""

import functools
import logging
import os
import shlex
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import psycopg
from celery.exceptions import SoftTimeLimitExceeded

import engine
from arena.errors import NotFound, Unavailable
from arena.stack.paths import default_data_dir
from arena.store import Connection, connect, open_matches
from arena.tournaments import admission, attempt, ledger, seating
from arena.tournaments.attempt import Cut, Outcome, Played
from arena.tournaments.block import Beginning, Block, Cause, Failed, PlayerKind, UnitKind
from arena.tournaments.brief import fetch_bots, write_brief
from arena.tournaments.draws import draw_due
from arena.tournaments.field import least_done
from arena.tournaments.ladders import draw_periods
from arena.tournaments.ledger import Ending, Lease
from arena.tournaments.shelf import Room, Shelf, UnpackError
from arena.tournaments.start import start_overdue
from arena.tournaments.strangers import LEAST_TIER, TIER, USUAL, least_tier
from sandbox.archive import ArchiveError
from sandbox.box import Tier

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")

_RETRY_EVERY_S = 0.5
_BEAT_EVERY_S = 1.0
_LAST_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What a worker works with.

    :ivar bots_dir: where the files of bots are kept, one folder for each content hash. The block process gets it as its
        last argument.
    :ivar room: how much of them may stay there.
    :ivar command: the program that plays a block.
    :ivar patience_s: how long a database that is away is waited for.
    :ivar hand_back: once this file is there, what is being played is handed back.
    :ivar least_tier: the least tier of cells for bots of strangers, and ``strangers`` whether this host reaches it.
    """

    database_url: str
    bots_dir: Path
    command: tuple[str, ...] = (sys.executable, "-m", "arena.tournaments.play_block")
    name: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}")
    patience_s: float = 120.0
    hand_back: Path | None = None
    room: Room = field(default_factory=Room)
    least_tier: Tier = USUAL
    strangers: bool = True


def settings_from_environment() -> Settings:
    """The settings of a worker as `arena worker` starts it. ARENA_BLOCK_COMMAND names another program to play blocks,
    ARENA_HAND_BACK the file at whose sight they are handed back, ARENA_LEAST_TIER the least tier of cells for bots of
    strangers and ARENA_TIER the one that was found.

    :raises Unavailable: if no database is named.
    :raises ValueError: if there is no such tier.
    """
    url = os.environ.get("ARENA_DATABASE_URL")
    if not url:
        raise Unavailable("ARENA_DATABASE_URL is not set: start workers with 'arena worker' or 'arena up'")
    bots_dir = Path(os.environ.get("ARENA_BOTS") or default_data_dir() / "bots")
    hand_back = os.environ.get("ARENA_HAND_BACK")
    least = least_tier(os.environ.get(LEAST_TIER) or USUAL.value)
    found = os.environ.get(TIER)
    settings = Settings(
        url,
        bots_dir,
        hand_back=Path(hand_back) if hand_back else None,
        least_tier=least,
        # Who has not looked is told by the process that plays.
        strangers=not found or least_tier(found).is_at_least(least),
    )
    if command := os.environ.get("ARENA_BLOCK_COMMAND"):
        return replace(settings, command=tuple(shlex.split(command)))
    return settings


def play_block(settings: Settings, block: int) -> Ending | None:
    """What became of the attempt; None if there was nothing to play or it was given up.

    :raises ArenaError: if this worker must not play the block, or the database stays away.
    """
    lease = _ask(
        settings,
        lambda connection: ledger.claim(connection, block, settings.name, engine.VERSION, strangers=settings.strangers),
    )
    if lease is None:
        return None
    ending = None
    try:
        with ExitStack() as held:
            brief = _ask(settings, lambda connection: _prepare(connection, settings, lease, held))
            heart = held.enter_context(
                _Heart(
                    settings,
                    lambda connection, *numbers: ledger.progress(connection, lease, *numbers),
                    lambda connection, shown: _show(connection, lease, shown),
                )
            )
            where = _where(settings, brief, lease)
            outcome = where if isinstance(where, Cut) else _play(settings, brief, lease.duration_ms, heart, where)
        ending = _write(settings, lease, brief, outcome, begun=heart.begun)
    except UnpackError as error:
        _give_up(settings, lease, str(error), Cause.UNSEEN)
    except (NotFound, ArchiveError, ValueError, psycopg.DataError, psycopg.IntegrityError) as error:
        # The block cannot be set up, or its results are not what the schema and the ledger take.
        _give_up(settings, lease, str(error), Cause.DIED)
    except SoftTimeLimitExceeded:
        _give_up(settings, lease, "The block took longer than a task may.", Cause.DIED)
    except BaseException as error:
        # The worker is told to stop, the database stays away, or we have a bug: the block is not to blame for it. If
        # this cannot be written either, the lease runs out.
        _give_up(settings, lease, f"The worker stopped: {type(error).__name__}.", Cause.LOST)
        raise
    _ask(settings, lambda connection: settle_block(connection, block))
    return ending


def validate_version(settings: Settings, version: int) -> None:
    """Plays a match of every game of the version and admits or rejects it, if it waits for that.

    :raises ArenaError: if the database stays away.
    """
    claimed = _ask(settings, lambda connection: admission.claim(connection, version, strangers=settings.strangers))
    if claimed is None:
        return
    try:
        verdict = _validate(settings, claimed)
        if isinstance(verdict, admission.Verdict):
            _ask(settings, lambda connection: admission.settle(connection, claimed, verdict))
        else:
            _ask(settings, lambda connection: admission.abandon(connection, claimed, verdict.reason, verdict.cause))
    except BaseException as error:
        reason = f"The worker stopped: {type(error).__name__}."
        cause = Cause.DIED if isinstance(error, SoftTimeLimitExceeded) else Cause.LOST
        _ask(settings, lambda connection: admission.abandon(connection, claimed, reason, cause), _LAST_PATIENCE_S)
        raise


def settle_block(connection: Connection, block: int) -> None:
    """Applies the ratings that are due if the block was the last one of its orbit."""
    if ledger.orbit_ended(connection, block):
        settle(connection)


def settle(connection: Connection) -> None:
    """Starts tournaments and draws rounds that are due, closes tournaments that have ended, applies the rating periods
    that are due, fits the official table anew, and draws the periods of ladders."""
    # Only once an orbit, and not for every block.
    from arena.ratings.official import fit_due  # noqa: PLC0415
    from arena.ratings.periods import apply_due  # noqa: PLC0415

    start_overdue(connection)
    draw_due(connection)
    ledger.close_ended(connection)
    apply_due(connection)
    fit_due(connection)
    # Last of all: its tables follow the fit.
    draw_periods(connection)


def _prepare(connection: Connection, settings: Settings, lease: Lease, held: ExitStack) -> Block:
    brief = write_brief(connection, lease)
    fetch_bots(connection, brief, Shelf(settings.bots_dir, settings.room), held)
    return brief


def _where(settings: Settings, brief: Block, lease: Lease) -> dict[str, str] | Cut:
    """What the process is told of the cells that it needs and of the referee that plays with the block's remote bots;
    Cut if none does."""
    environment = _cells(settings, strangers=lease.strangers)
    if remote := [player.bot for player in brief.players if player.kind is PlayerKind.REMOTE]:
        chosen = _ask(settings, lambda connection: seating.seat(connection, lease.token, remote))
        if isinstance(chosen, str):
            return Cut(chosen, Cause.UNSEEN)
        environment |= {"ARENA_REFEREE": chosen.address, "ARENA_REFEREE_SECRET": chosen.secret}
    return environment


def _cells(settings: Settings, *, strangers: bool) -> dict[str, str]:
    return {LEAST_TIER: settings.least_tier.value} if strangers else {}


def _play(
    settings: Settings, brief: Block, silence_ms: int, heart: "_Heart", environment: Mapping[str, str]
) -> Outcome:
    return attempt.play(
        (*settings.command, str(settings.bots_dir)),
        brief,
        silence_s=silence_ms / 1000,
        tell=heart.tell,
        stopped=lambda: heart.lost() or _handed_back(settings),
        show=heart.show,
        environment=environment,
    )


def _show(connection: Connection, lease: Lease, shown: Beginning) -> None:
    """Lets everybody see it who may see the tournament. It counts for nothing, so that no failure of it matters."""
    try:
        open_matches.show(connection, block=lease.block, lease=lease.token, **asdict(shown))
    except psycopg.Error as error:
        log.warning("block %d cannot be watched: %s", lease.block, error, extra={"block": lease.block})


def _handed_back(settings: Settings) -> str:
    """Why nothing is to be played on here, as a sentence; empty while it is."""
    if settings.hand_back is not None and settings.hand_back.exists():
        return "The worker was told to stop."
    return ""


def _write(settings: Settings, lease: Lease, brief: Block, outcome: Outcome, *, begun: bool) -> Ending | None:
    cut = None if isinstance(outcome, Played) else Failed(outcome.reason, outcome.cause)
    # A field counts without some of its tables, whose bots have seen the cards and can not play them again.
    if cut is None or (brief.kind is UnitKind.FIELD and len(outcome.reports) >= least_done(brief.rotations)):
        reports, logs = outcome.reports, outcome.logs
        tier = (outcome.tier or None) if isinstance(outcome, Played) else None
        ending = _ask(settings, lambda connection: ledger.finish(connection, lease, reports, logs, tier=tier, cut=cut))
        if ending is not Ending.RECORDED:
            log.warning("results of block %d are not taken: %s", lease.block, ending, extra={"block": lease.block})
        return ending
    reason, cause = cut.reason, cut.cause
    if begun and cause is Cause.UNSEEN:
        cause = Cause.LOST
    log.warning("block %d was given up: %s", lease.block, reason, extra={"block": lease.block, "reason": reason})
    _give_up(settings, lease, reason, cause)
    return None


def _give_up(settings: Settings, lease: Lease, reason: str, cause: Cause) -> None:
    try:
        _ask(settings, lambda connection: ledger.abandon(connection, lease, reason, cause), _LAST_PATIENCE_S)
    except Unavailable:
        said = "block %d could not be given back: its lease has to run out"
        log.warning(said, lease.block, extra={"block": lease.block})


def _validate(settings: Settings, claimed: admission.Claim) -> admission.Verdict | Cut:
    """The verdict over all games, or what kept us from one."""
    verdicts: list[admission.Verdict] = []

    def prepare(connection: Connection, game: str, held: ExitStack) -> Block:
        brief = admission.write_brief(connection, claimed, game)
        fetch_bots(connection, brief, Shelf(settings.bots_dir, settings.room), held)
        return brief

    for game in _ask(settings, lambda connection: admission.games_of(connection, claimed)):
        with ExitStack() as held:
            try:
                brief = _ask(settings, functools.partial(prepare, game=game, held=held))
            except UnpackError as error:
                return Cut(str(error), Cause.UNSEEN)
            except (ValueError, ArchiveError) as error:
                return admission.together([*verdicts, admission.Verdict(False, str(error), "")])
            heart = held.enter_context(
                _Heart(settings, lambda connection, *_: admission.progress(connection, claimed), lambda *_: None)
            )
            cells = _cells(settings, strangers=claimed.stranger)
            outcome = _play(settings, brief, admission.SILENCE_MS, heart, cells)
        if not isinstance(outcome, Played):
            return outcome
        verdicts.append(admission.judge(brief, claimed.bot, outcome.reports, outcome.logs))
        if not verdicts[-1].admitted:
            break
    return admission.together(verdicts)


def _ask(settings: Settings, question: Callable[[Connection], Answer], patience_s: float | None = None) -> Answer:
    """The answer, asked again for as long as the database is away.

    :raises Unavailable: if it stays away.
    """
    deadline = time.monotonic() + (settings.patience_s if patience_s is None else patience_s)
    while True:
        try:
            with connect(settings.database_url) as connection:
                return question(connection)
        except (Unavailable, psycopg.OperationalError) as error:
            if time.monotonic() > deadline:
                raise Unavailable(f"the database stays away: {error}") from error
            log.warning("the database is away and is asked again: %s", error)
            time.sleep(_RETRY_EVERY_S)


class _Heart:
    """Tells the database about progress, and what may be seen, from a thread of its own, so that a slow database never
    holds up the process that plays. A database that is away is not a lost lease."""

    def __init__(
        self,
        settings: Settings,
        beat: Callable[[Connection, int, int], bool],
        show: Callable[[Connection, Beginning], None],
    ) -> None:
        self._settings = settings
        self._beat = beat
        self._show = show
        self._numbers = (0, 0)
        self._shown: Beginning | None = None
        self._news = threading.Event()
        self._ending = threading.Event()
        self._lost = threading.Event()
        self._thread = threading.Thread(target=self._live, name="heart", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ending.set()
        self._news.set()
        self._thread.join()

    def tell(self, matches: int, decisions: int) -> None:
        """Notes how far the attempt is; returns at once."""
        self._numbers = (matches, decisions)
        self._news.set()

    def show(self, beginning: Beginning) -> None:
        """Notes what may be seen, in place of what could be seen before; returns at once."""
        self._shown = beginning
        self._news.set()

    @property
    def begun(self) -> bool:
        """Whether anything was told, so that cards have been dealt."""
        return self._numbers != (0, 0)

    def lost(self) -> str:
        """A sentence once somebody else has taken over; empty before."""
        return "Another attempt had taken over." if self._lost.is_set() else ""

    def _live(self) -> None:
        connection: Connection | None = None
        told: Beginning | None = None
        while self._news.wait() and not self._ending.is_set():
            self._news.clear()
            try:
                if connection is None or connection.closed:
                    connection = connect(self._settings.database_url)
                if not self._beat(connection, *self._numbers):
                    self._lost.set()
                    break
                if (shown := self._shown) is not None and shown is not told:
                    told = shown
                    self._show(connection, shown)
            except (Unavailable, psycopg.OperationalError) as error:
                log.warning("progress could not be told: %s", error)
                self._news.set()
            self._ending.wait(_BEAT_EVERY_S)
        if connection is not None:
            connection.close()
