"""The sweeper: sends what is to be played to the broker again and again, from the database alone. Knows no lease.

It runs in every server and worker, and one advisory lock lets one of them work. A queue that holds as many messages as
there are things to do is left alone; what it lacks is sent, those longest unsent first. So the broker may be wiped at
any time, a lost message is sent again when its turn comes, and a long queue does not grow. What is kept for a while
only, it deletes.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence

import psycopg
from celery import Celery
from kombu.exceptions import OperationalError

from arena.errors import Unavailable
from arena.store import Connection, audit, connect, pruning, runs
from arena.tournaments import admission, ledger, worker
from arena.tournaments.broker import BLOCKS, PLAY_BLOCK, VALIDATE_VERSION, VERSIONS, application, queue_of

log = logging.getLogger(__name__)

MOST = 1000
"""The longest queue that the sweeper makes."""

RESEND_AFTER_S = 5.0
"""What was sent a moment ago is on its way."""

_SETTLE_EVERY_S = 10.0
_PRUNE_EVERY_S = 600.0


def run(
    database_url: str,
    broker_url: str,
    ending: threading.Event,
    every_s: float = 2.0,
    beat: Callable[[Connection], None] = lambda _: None,
) -> None:
    """Sweeps until the event is set; servers that go away and come back are waited for. ``beat`` is called every time,
    whoever sweeps."""
    app = application(broker_url)
    while not ending.is_set():
        try:
            with connect(database_url) as connection:
                beat(connection)
                _sweep_while_leader(connection, app, ending, every_s, beat)
        except (Unavailable, psycopg.OperationalError, psycopg.errors.UndefinedTable) as error:
            # Without its tables it is about to be migrated by a server that starts beside us.
            log.warning("the database is away and is asked again: %s", error)
        except Exception:
            # Of all that is done here no part may keep blocks from being played.
            log.exception("the sweep failed, and goes on")
        ending.wait(every_s)
    app.close()


def sweep(connection: Connection, app: Celery, resend_after_s: float = RESEND_AFTER_S) -> int:
    """How many messages were sent to bring the queues up to what there is to do.

    :raises OperationalError: of kombu, if the broker is away.
    """
    sent = 0
    for strangers in (False, True):
        blocks = ledger.pending(connection, MOST, resend_after_s, strangers=strangers)
        versions = admission.pending(connection, MOST, resend_after_s, strangers=strangers)
        queue = queue_of(BLOCKS, strangers=strangers)
        sent += _send(app, queue, PLAY_BLOCK, blocks, lambda rows: ledger.mark_sent(connection, rows))
        queue = queue_of(VERSIONS, strangers=strangers)
        sent += _send(app, queue, VALIDATE_VERSION, versions, lambda rows: admission.mark_sent(connection, rows))
    return sent


def _sweep_while_leader(
    connection: Connection, app: Celery, ending: threading.Event, every_s: float, beat: Callable[[Connection], None]
) -> None:
    """Returns when another process has the lock or the event is set. The lock goes with the connection."""
    row = connection.execute("SELECT pg_try_advisory_lock(hashtext('card-arena sweeper'))").fetchone()
    if row is None or not row[0]:
        return
    settled_at = 0.0
    pruned_at = -_PRUNE_EVERY_S
    while not ending.is_set():
        try:
            sweep(connection, app)
        except OperationalError as error:
            log.warning("the broker is away and is asked again: %s", error)
        if time.monotonic() - settled_at > _SETTLE_EVERY_S:
            try:
                worker.settle(connection)
            except psycopg.OperationalError:
                raise
            except Exception:
                # A bug in the ratings must not keep blocks from being played.
                log.exception("the ratings could not be applied")
            settled_at = time.monotonic()
        if time.monotonic() - pruned_at > _PRUNE_EVERY_S:
            if pruned := runs.prune(connection):
                log.info("%d runs of bots are no longer kept", pruned)
            if (days := pruning.kept_days()) is not None:
                for closed in pruning.prune(connection, audit.PLATFORM, days):
                    log.info("the records of %s are no longer kept", closed.name)
            pruned_at = time.monotonic()
        ending.wait(every_s)
        beat(connection)


def _send(app: Celery, queue: str, task: str, rows: Sequence[int], mark: Callable[[Sequence[int]], None]) -> int:
    lacking = list(rows[: max(0, len(rows) - _queued(app, queue))])
    if lacking:
        for row in lacking:
            app.send_task(task, args=[row], queue=queue)
        mark(lacking)
    return len(lacking)


def _queued(app: Celery, queue: str) -> int:
    """How many messages wait in the queue.

    :raises OperationalError: of kombu, if the broker is away.
    """
    with app.connection_for_write() as connection:
        channel = connection.default_channel
        try:
            return int(channel.queue_declare(queue=queue, passive=True).message_count)
        except connection.channel_errors:
            return 0  # there is no such queue, as after a wipe
        except connection.connection_errors as error:
            # kombu wraps what fails while it connects, and not what fails while it asks.
            raise OperationalError(str(error)) from error
