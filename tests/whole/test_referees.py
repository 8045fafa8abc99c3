"""Two real `arena serve` on one database: bots dial one and play at both, and one that dies costs its own blocks."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from arena.store import Connection, people
from arena.tournaments import ledger, worker
from arena.tournaments.block import UnitKind
from arena.tournaments.ledger import Ending
from arena.tournaments.worker import Settings
from tests.tournaments.ground import BOTS, make_tournament, one
from tests.whole.test_drain import Serving

MAIN = """
import os
import sys
from arena.bot import Turn, run

NAME = sys.argv[1]
passed = NAME != "ann"

def choose(turn: Turn) -> int:
    global passed
    if "hand" not in turn.notes:
        turn.notes["hand"] = True
        with open(os.environ["HANDS"] + NAME, "a") as out:
            print(turn.match_id // 4096, turn.observation.hand, file=out)
    if turn.number > 8 and not passed:
        passed = True
        open(os.environ["REACHED"], "w").close()
        open(os.environ["GATE"]).close()
    return turn.rng.choice(turn.legal)

if __name__ == "__main__":
    run(choose, name=NAME, games=["callbreak"], batch=4)
"""
"""Writes its first hand of every match. Ann waits at the gate in the middle of the first one, and everybody for her."""


@pytest.fixture
def servings(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[tuple[Serving, Serving]]:
    addresses = {"ARENA_DATABASE_URL": database_url, "ARENA_BROKER_URL": broker_url}
    first, second = (Serving({**os.environ, **addresses}, tmp_path / name) for name in ("one", "two"))
    first.start(0)
    second.start(0)
    yield first, second
    first.stop()
    second.stop()


def until(connection: Connection, question: str) -> None:
    """Returns when the answer is true."""
    while not one(connection, question):
        threading.Event().wait(0.05)


@pytest.fixture
def bots(servings: tuple[Serving, Serving], connection: Connection, tmp_path: Path) -> Iterator[None]:
    """Four remote bots that were told of the second referee alone, once they are connected to both."""
    (tmp_path / "main.py").write_text(MAIN)
    for gate in ("gate", "reached"):
        os.mkfifo(tmp_path / gate)
    environment = {
        **os.environ,
        "ARENA_SERVER": servings[1].address,
        "ARENA_TOKEN": people.add_token(connection, "owner"),
        "HANDS": f"{tmp_path}/hands-",
        "GATE": str(tmp_path / "gate"),
        "REACHED": str(tmp_path / "reached"),
    }
    with ExitStack() as stack:
        for name in BOTS:
            command = [sys.executable, str(tmp_path / "main.py"), name]
            process = stack.enter_context(subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL))
            stack.callback(process.kill)
        until(connection, f"SELECT count(*) = 2 FROM referees WHERE cardinality(bots) = {len(BOTS)}")
        yield


@pytest.fixture
def blocks(connection: Connection) -> list[int]:
    """Three blocks of a tournament of remote bots."""
    blocks = make_tournament(connection, blocks=3, units=4, kind=UnitKind.SINGLE, move_ms=20_000)
    connection.execute("UPDATE bots SET kind = 'remote'")
    return blocks


@pytest.mark.usefixtures("blocks", "bots")
def test_a_tournament_uses_both_and_goes_on_with_one_when_the_other_is_killed(
    servings: tuple[Serving, Serving], connection: Connection, database_url: str, tmp_path: Path
) -> None:
    first, second = servings
    settings = Settings(database_url, tmp_path / "files", name="tester")

    def play(block: int) -> Ending | None:
        return worker.play_block(settings, block)

    with ThreadPoolExecutor(2) as workers:
        playing = [workers.submit(play, block) for block in ledger.pending(connection, 2)]
        (tmp_path / "reached").read_bytes()
        until(connection, "SELECT count(DISTINCT referee) = 2 FROM attempts WHERE decisions > 0")
        assert second.process is not None
        second.process.send_signal(signal.SIGKILL)
        (tmp_path / "gate").write_bytes(b"")
        assert {attempt.result(60) for attempt in playing} == {Ending.RECORDED, None}
        rest = ledger.pending(connection, 10)
        assert len(rest) == 2
        for block in rest:
            assert play(block) is Ending.RECORDED
    played = connection.execute(
        "SELECT a.referee, b.state FROM attempts a JOIN blocks b ON b.id = a.block ORDER BY b.id"
    ).fetchall()
    assert sorted(played) == sorted([(first.address, "done")] * 3 + [(second.address, "void")])
    assert one(connection, "SELECT closed_at IS NOT NULL FROM tournaments")
    assert one(connection, "SELECT sum(f) FROM results, unnest(faults) AS f") == 0
    with psycopg.connect(database_url) as again:
        void = one(again, "SELECT int4range(first_unit, first_unit + units) FROM blocks WHERE state = 'void'")
        units = [row[0] for row in again.execute("SELECT unit FROM results")]
    assert len(units) == 12
    assert not any(unit in void for unit in units)
    for name in BOTS:
        hands = [line.split(maxsplit=1)[1] for line in (tmp_path / f"hands-{name}").read_text().splitlines()]
        assert len(hands) == len(set(hands)) >= 12
