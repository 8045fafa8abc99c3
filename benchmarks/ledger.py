"""What the ledger answers when it is full: ``python -m benchmarks.ledger``, half an hour for a million results.

It fills a PostgreSQL of its own (:mod:`benchmarks.crowded`), applies the ratings, and asks what pages and commands ask,
through the functions that they ask with. Knows no SQL.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from arena.ratings import head_to_head, history, likelihoods, official, periods, tables
from arena.stack import Stack
from arena.store import Connection, alarms, audit, bots, connect, export, migrate, notices, runs, tournaments, workers
from arena.store.people import User
from arena.tournaments import corrections, ledger
from benchmarks.crowded import CLOSED, GAME, ORBITS, Crowd, fill, play

T = TypeVar("T")

GOAL_MS = 50
ADMIN = User("boss", True)
OWNER = User("owner-0", False)


@dataclass(frozen=True, slots=True)
class Answer:
    """A question; ``lines`` is how many came back. It took ``ms`` in the middle and ``best_ms`` at best, and of the
    processor ``cpu_ms`` here and at the server together, which says most on a busy machine."""

    question: str
    lines: int
    cpu_ms: float
    best_ms: float
    ms: float


def main() -> int:
    """Prints the figures. 1 if a question takes too much of the processor."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ledger", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--units", type=int, default=10, help="of every table")
    parser.add_argument("--times", type=int, default=7, help="every question is asked so often")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args()
    took: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        place = Path(directory)
        place.chmod(0o711)
        with Stack(place / "data") as stack, _database(stack) as connection:
            crowd = _timed(took, "fill", lambda: fill(connection, asked.bots, asked.units))
            _timed(took, "apply all periods but one", lambda: periods.apply_due(connection))
            _timed(took, "fit the pool", lambda: official.fit_due(connection))
            _timed(took, "apply when nothing is due", lambda: periods.apply_due(connection))
            connection.execute("ANALYZE")
            server = Path(f"/proc/{connection.info.backend_pid}/schedstat")
            questions = _questions(connection, crowd, asked.units)
            answers = [_answer(name, ask, asked.times, server) for name, ask in questions]
            play(connection, crowd.running, 1, units=asked.units, planned=crowd.waiting, strengths=crowd.strengths)
            _timed(took, "apply one more period", lambda: periods.apply_due(connection))
            _timed(took, "fit the pool again", lambda: official.fit_due(connection))
            rebuilt = _timed(took, "rebuild and verify all periods", lambda: periods.rebuild(connection))
            assert not rebuilt.differs, rebuilt.sentence
    if asked.json:
        print(json.dumps({"results": crowd.results, "answers": [asdict(one) for one in answers], "seconds": took}))
    else:
        print(f"{crowd.results:,} results, {asked.bots:,} bots, {CLOSED} tournaments that are over and one that runs\n")
        print("| question | lines | processor ms | best ms | median ms |\n| --- | ---: | ---: | ---: | ---: |")
        for one in answers:
            print(f"| {one.question} | {one.lines:,} | {one.cpu_ms:.1f} | {one.best_ms:.1f} | {one.ms:.1f} |")
        print("\n| work | seconds |\n| --- | ---: |")
        for what, seconds in took.items():
            print(f"| {what} | {seconds:.1f} |")
    slow = [one.question for one in answers if one.cpu_ms > GOAL_MS]
    if slow:
        print(f"more than {GOAL_MS} ms of the processor: {', '.join(slow)}", file=sys.stderr)
    return 1 if slow else 0


Question = Callable[[], object]


def _questions(connection: Connection, crowd: Crowd, units: int) -> Iterator[tuple[str, Question]]:
    """What pages and commands ask; a page late in a list is where a slow way to it would show."""
    over, now = crowd.closed[-1], crowd.running
    last = ORBITS * len(crowd.bots) * units - 1
    bot, middle = crowd.bots[len(crowd.bots) // 2], last // 2

    yield "the rating table", partial(tables.table, connection, GAME, 0)
    yield "whether the rating table is the same", partial(tables.state, connection, GAME, 0)
    (shown,) = tables.table(connection, GAME, 0)
    yield "the history of a bot's ratings", partial(history.history, connection, shown.pool, bot)
    yield "a page of likelihoods", partial(likelihoods.likelihoods, connection, shown.pool)
    yield "likelihoods beside a bot", partial(likelihoods.likelihoods, connection, shown.pool, against=bot)
    yield (
        "likelihoods of every two of 40 bots",
        partial(likelihoods.matrix, connection, shown.pool, start=500, limit=40),
    )
    yield "a bot head to head", partial(head_to_head.head_to_head, connection, shown.pool, bot)
    yield "a tournament that is over", partial(_tournament, connection, over)
    yield "a tournament that runs", partial(_tournament, connection, now)
    yield "the list of tournaments", partial(_list, connection)
    for where, unit in (("first", -1), ("middle", middle), ("last", last - 250)):
        yield (
            f"the {where} page of 1,000 matches",
            partial(tournaments.list_matches, connection, over, after=(unit, 3), limit=1000),
        )
        yield f"the {where} page of an export", partial(export.matches, connection, over, (unit, 3))
        yield f"a record on the {where} page", partial(tournaments.find_record, connection, over, unit + 1, 0)
    yield "a page of bots", partial(bots.list_bots, connection, game=GAME, after=bot, limit=200)
    yield "the runs of a bot", partial(runs.list_runs, connection, ADMIN, bot, 100)
    yield "the notices of a bot", partial(notices.list_notices, connection, ADMIN, bot)
    for who, user in (("an admin", ADMIN), ("an organiser", OWNER)):
        organiser = None if user.admin else user.name
        yield f"acts, for {who}", partial(audit.acts, connection, organiser=organiser, before=None, limit=100)
        yield (
            f"alarms, for {who}",
            partial(alarms.list_alarms, connection, user, settled=True, before=None, limit=100),
        )
    yield "the corrections of a tournament", partial(corrections.corrections, connection, over)
    yield "what is to be sent to workers", partial(ledger.pending, connection, 1000, 5.0, strangers=True)
    yield "whether tournaments have ended", partial(ledger.close_ended, connection)
    yield "whether an orbit has ended", partial(ledger.orbit_ended, connection, crowd.waiting[0][0])


def _tournament(connection: Connection, name: str) -> list[tournaments.Entry]:
    """What the page of a tournament asks."""
    tournaments.find_tournament(connection, name)
    workers.lacking(connection, name)
    return tournaments.list_entries(connection, name)


def _list(connection: Connection) -> list[tournaments.Tournament]:
    """What the list asks: of every tournament its page."""
    found = tournaments.list_tournaments(connection, OWNER, before=None, limit=50)
    for tournament in found:
        tournaments.list_entries(connection, tournament.name)
    return found


def _answer(question: str, ask: Question, times: int, server: Path) -> Answer:
    took_ms = []
    found = ask()  # once to warm up
    begun_ns = time.process_time_ns() + _on_processor_ns(server)
    for _ in range(times):
        begun = time.perf_counter()
        found = ask()
        took_ms.append(1000 * (time.perf_counter() - begun))
    cpu_ms = (time.process_time_ns() + _on_processor_ns(server) - begun_ns) / 1e6 / times
    match found:
        case [tables.RatingTable(ratings=ratings)]:
            found = ratings
        case ([*rows], str()):  # and the token of the next page
            found = rows
    lines = len(found) if isinstance(found, Sized) and not isinstance(found, str) else 1
    return Answer(question, lines, cpu_ms, min(took_ms), statistics.median(took_ms))


def _on_processor_ns(schedstat: Path) -> int:
    """How long a process has been on a processor."""
    return int(schedstat.read_text().split()[0])


def _timed(took: dict[str, float], what: str, work: Callable[[], T]) -> T:
    begun = time.perf_counter()
    done = work()
    took[what] = time.perf_counter() - begun
    return done


@contextmanager
def _database(stack: Stack) -> Iterator[Connection]:
    migrate(stack.database_url)
    with connect(stack.database_url) as connection:
        yield connection


if __name__ == "__main__":
    sys.exit(main())
