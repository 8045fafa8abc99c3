"""The Celery tasks: hints to look at a row of the database. Knows no rules, no SQL and no gRPC.

`celery -A arena.tournaments.tasks worker` finds the addresses in ARENA_BROKER_URL and ARENA_DATABASE_URL;
`worker_command` has the whole command line. The parent process of the pool does nothing else, so its children may be
forked.
"""

import logging
import os
import sys

from celery import signals
from celery.utils.log import get_task_logger

from arena import logs
from arena.errors import ArenaError
from arena.tournaments import worker
from arena.tournaments.broker import PLAY_BLOCK, VALIDATE_VERSION, application, queues

log = get_task_logger(__name__)


def _log_as_ours(**_: object) -> None:
    """Keeps Celery from formats of its own."""
    logs.configure(logging.WARNING)


signals.celeryd_init.connect(_log_as_ours)  # before its first warning
signals.setup_logging.connect(_log_as_ours)

app = application(os.environ.get("ARENA_BROKER_URL", ""))


def play_block(block: int) -> None:
    """Plays the block if it waits to be played."""
    try:
        worker.play_block(worker.settings_from_environment(), block)
    except ArenaError as error:
        log.warning("block %d is not played here: %s", block, error, extra={"block": block})


def validate_version(version: int) -> None:
    """Validates the version if it waits for that."""
    try:
        worker.validate_version(worker.settings_from_environment(), version)
    except ArenaError as error:
        log.warning("version %d is not validated here: %s", version, error, extra={"version": version})


app.task(name=PLAY_BLOCK)(play_block)
app.task(name=VALIDATE_VERSION)(validate_version)


def worker_command(name: str, concurrency: int, *, strangers: bool = True) -> list[str]:
    """The command line of a worker that plays so many blocks at once, those with strangers' bots or only the others."""
    served = ",".join(queues(strangers=strangers))
    return [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "arena.tournaments.tasks", "worker"),
        *("--pool=prefork", f"--concurrency={concurrency}", f"--queues={served}", f"--hostname={name}@%h"),
        *("--without-gossip", "--without-mingle", "--loglevel=WARNING"),
    ]
