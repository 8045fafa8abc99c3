"""The Celery application and its settings: how hints travel to workers. Knows no task's work and no database.

A message says no more than "look at block 7": the database decides what is played, so that the broker may lose, repeat
or forget messages. The settings are those under which nothing was lost and nothing ended twice when workers, their
children and the broker were killed in every order.
"""

from celery import Celery

LONGEST_TASK_S = 3600
"""A block that takes longer is ended and counted as one whose process died."""

BLOCKS = "blocks"
VERSIONS = "versions"
"""Queues. Versions have their own, so that no author waits behind a tournament; a worker serves both in turn."""

PLAY_BLOCK = "arena.play_block"
VALIDATE_VERSION = "arena.validate_version"


def queue_of(kind: str, *, strangers: bool) -> str:
    """The queue of what has bots of strangers, or of what has none. A worker whose cells are too weak for strangers
    serves the latter alone, and leaves the others to others."""
    return f"{kind}-of-strangers" if strangers else kind


def queues(*, strangers: bool) -> list[str]:
    """The queues of a worker that runs strangers' bots, or of one that does not."""
    kinds = (False, True) if strangers else (False,)
    return [queue_of(queue, strangers=kind) for queue in (BLOCKS, VERSIONS) for kind in kinds]


def application(broker_url: str) -> Celery:
    """A Celery application for that broker, not made the current one of the process."""
    app = Celery("arena", broker=broker_url, set_as_current=False)
    app.conf.update(
        # A message is done when its task is, and comes back if the child that ran it was killed.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        broker_transport_options={
            # Longer than the longest task, else a task that runs is sent out again.
            "visibility_timeout": LONGEST_TASK_S * 2 + 60,
            # Without these two, what a dead worker held comes back only minutes after that.
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
        },
        task_time_limit=LONGEST_TASK_S + 60,
        task_soft_time_limit=LONGEST_TASK_S,
        # The truth is in the database; a result store that is away would only make failures of tasks that are done.
        task_ignore_result=True,
        # True has lost tasks in every trial.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        task_publish_retry_policy={"max_retries": 2, "interval_start": 0.1, "interval_step": 0.2, "interval_max": 0.5},
        worker_soft_shutdown_timeout=20,
        worker_enable_soft_shutdown_on_idle=True,
        worker_hijack_root_logger=False,
        task_default_queue=BLOCKS,
    )
    return app
