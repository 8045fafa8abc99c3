"""Which workers there are, and for what a tournament waits that none of them plays. Knows no broker and no process."""

from dataclasses import dataclass

from arena.store import Connection
from arena.store.sql import statements

SQL = statements(__file__)

SILENCE_S = 60.0
"""A worker that was not heard of for so long is taken for gone."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker: the tier of its cells, the least tier for strangers' bots, and whether it runs them."""

    name: str
    tier: str
    least_tier: str
    strangers: bool


def beat(connection: Connection, worker: Worker) -> None:
    """Notes that a worker is there."""
    values = {"tier": worker.tier, "least_tier": worker.least_tier, "strangers": worker.strangers}
    connection.execute(SQL["beat"], {"name": worker.name, **values})


def leave(connection: Connection, name: str) -> None:
    """Notes that a worker goes."""
    connection.execute(SQL["leave"], {"name": name})


def living(connection: Connection) -> list[Worker]:
    """The workers that are there, by name."""
    return [Worker(*row) for row in connection.execute(SQL["living"], {"within_s": SILENCE_S})]


def lacking(connection: Connection, tournament: str) -> str:
    """Why waiting blocks of a tournament are played by no worker that is there, in a sentence; empty if one plays them
    or none waits."""
    row = connection.execute(SQL["waiting"], {"tournament": tournament}).fetchone()
    assert row is not None
    waiting, strange = row
    return _lacking(connection, "block", waiting, strange)


def hindered(connection: Connection, tournament: str) -> str:
    """Why the newest try to play one of the blocks that wait came to nothing, in a sentence: as when no referee has all
    remote bots of it. Empty if none waits after such a try."""
    row = connection.execute(SQL["hindered"], {"tournament": tournament}).fetchone()
    return f"block {row[0]} is tried again: {row[1]}" if row is not None else ""


def lacking_for_version(connection: Connection, bot: str, number: int) -> str:
    """Why a version is validated by no worker that is there, in a sentence; empty if one does or none must."""
    row = connection.execute(SQL["waiting_version"], {"bot": bot, "number": number}).fetchone()
    return _lacking(connection, "version", 1, int(row[0])) if row is not None else ""


def _lacking(connection: Connection, what: str, waiting: int, strange: int) -> str:
    """The sentence for so many that wait, so many of them with bots of strangers."""
    workers = living(connection) if waiting else []
    if not waiting or (workers and (not strange or any(worker.strangers for worker in workers))):
        return ""
    if not workers:
        return f"{_wait(waiting, what)} and no worker is there: start one with 'arena worker'"
    weak = ", ".join(f"{worker.name} ({worker.tier}, needs {worker.least_tier})" for worker in workers)
    return (
        f"{_wait(strange, what)} for a worker that runs strangers' bots, and the tier of cells is too weak for them at "
        f"{weak}: run 'arena doctor' there, or a worker on another host"
    )


def _wait(number: int, what: str) -> str:
    return f"{number} {what}s wait" if number > 1 else f"1 {what} waits"
