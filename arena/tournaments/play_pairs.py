"""Plays the units of two bots in processes of this machine, none of which sees a deal twice. Knows no statistics.

A process plays one of the two matches of some units and ends; another one, as fresh, plays the other matches. The bots
run in it unprotected: they are their author's own.
"""

import multiprocessing
import os
import signal
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess

from arena.errors import ArenaError, BadRequest
from arena.referee.clock import Limits
from arena.referee.local import play_local
from arena.tournaments.local_bots import BotFailed, local_choose
from arena.tournaments.pairs import MATCHES, PairMatch, pair_match
from engine.game import Game

UNITS_PER_PROCESS = 16


@dataclass(frozen=True, slots=True)
class PairTable:
    """What all units have in common. ``names`` are of the players: A, B, and the others; ``seed`` is 32 bytes."""

    game: Game
    names: tuple[str, ...]
    limits: Limits
    seed: bytes


@dataclass(frozen=True, slots=True)
class PairPlayed:
    """A match that is over. Scores and places are by seat, and so are the counts of faults."""

    plan: PairMatch
    scores: tuple[int, ...]
    places: tuple[int, ...]
    faults: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Broken:
    """Why a process could not go on: wrong use, or a bot that failed, with its traceback."""

    sentence: str
    wrong_use: bool
    trace: str


def play_pairs(table: PairTable, units: int, jobs: int) -> Generator[PairPlayed]:
    """The matches of the units from 0, as they end; ``jobs`` processes play at a time. They are gone when the iterator
    is closed.

    :raises ArenaError: if a bot cannot be loaded, fails or ends its process.
    """
    context = multiprocessing.get_context("forkserver")
    # A process forks from one that has the engine and no bot, which is as fresh and twenty times as quick as a new one.
    context.set_forkserver_preload([__name__])
    tasks = (
        [pair_match(table.seed, unit, match, len(table.names)) for unit in range(units)[first:][:UNITS_PER_PROCESS]]
        for first in range(0, units, UNITS_PER_PROCESS)
        for match in range(MATCHES)
    )
    running: dict[Connection, ForkServerProcess] = {}
    try:
        while True:
            while len(running) < jobs and (task := next(tasks, None)) is not None:
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_play, args=(table, task, theirs), daemon=True)
                process.start()
                theirs.close()
                running[ours] = process
            if not running:
                return
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                told = _told(ready, running[ready])
                if told is None:
                    running.pop(ready).join()
                    ready.close()
                else:
                    yield told
    finally:
        for connection, process in running.items():
            process.kill()
            process.join()
            connection.close()


def _told(connection: Connection, process: ForkServerProcess) -> PairPlayed | None:
    """What a process says next; None when it has done its task."""
    try:
        told = connection.recv()
    except EOFError:
        process.join()
        code = process.exitcode or 0
        how = f"with signal {-code}" if code < 0 else f"with code {code}"
        raise ArenaError(f"a bot ended the process that it plays in, {how}; on a server it would be gone") from None
    if isinstance(told, _Broken):
        raise BadRequest(told.sentence) if told.wrong_use else BotFailed(told.sentence, told.trace)
    assert told is None or isinstance(told, PairPlayed)
    return told


def _play(table: PairTable, matches: Sequence[PairMatch], teller: Connection) -> None:
    """Plays one match of each unit. Runs in a process of its own."""
    # Whoever stops the comparison ends us. And what a bot prints must not get into what the command prints.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)
    try:
        chooses = [local_choose(table.game, name) for name in table.names]
        for plan in matches:
            verdict = play_local(
                table.game,
                plan.seed,
                [chooses[player] for player in plan.players],
                names=[table.names[player] for player in plan.players],
                bot_seeds=plan.bot_seeds,
                limits=table.limits,
                match_id=1 + plan.unit * MATCHES + plan.match,
            )
            faults = tuple(sum(fault.seat == seat for fault in verdict.faults) for seat in range(table.game.seats))
            teller.send(PairPlayed(plan, verdict.scores, verdict.places, faults))
    except BotFailed as error:
        teller.send(_Broken(str(error), wrong_use=False, trace=error.trace))
    except BadRequest as error:
        teller.send(_Broken(str(error), wrong_use=True, trace=""))
    else:
        teller.send(None)
