"""A bot that runs at its owner's: it dials in with a token, plays matches, and takes part in a tournament."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import psycopg
import pytest

from arena.cli import main
from arena.cli.client import Login, Server
from arena.stack.services import Services
from arena.store import connect, people
from arena.v1.match_pb2 import PlayMatchRequest
from arena.v1.match_pb2_grpc import MatchServiceStub
from engine.record import verify

MAIN = """
from arena.bot import Turn, run

def choose(turn: Turn) -> int:
    return turn.legal[0]

if __name__ == "__main__":
    run(choose, name="far", games=["callbreak"], version="seven")
"""


def dial_in(program: Path, services: Services, token: str) -> subprocess.Popen[str]:
    """The bot's process, once it says that it plays."""
    environment = {**os.environ, "ARENA_SERVER": services.address, "ARENA_TOKEN": token}
    process = subprocess.Popen(
        [sys.executable, str(program)], env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    assert process.stderr is not None
    said = process.stderr.readline()
    assert "far plays at" in said, said + process.stderr.read()
    return process


@pytest.fixture(scope="module")
def token(services: Services) -> str:
    with connect(services.database_url) as connection:
        return people.add_user(connection, "author")


@pytest.fixture
def far(services: Services, token: str, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    program = tmp_path / "far.py"
    program.write_text(MAIN)
    process = dial_in(program, services, token)
    yield process
    process.kill()
    process.wait()
    assert process.stderr is not None
    process.stderr.close()


@pytest.mark.usefixtures("far")
def test_a_remote_bot_plays_a_match_with_house_bots(
    arena: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "m.jsonl"
    bots = ["remote:far", "steady", "random", "random"]
    assert main(["play", "callbreak", *bots, "--record", str(record), "--json", "--data", str(arena)]) == 0
    lines = json.loads(capsys.readouterr().out)
    assert [line["faults"] for line in lines] == [0] * 4
    assert verify(record.read_text()).header["players"] == bots


@pytest.mark.parametrize(
    ("name", "sentence"), [("nobody", "there is no bot 'nobody'"), ("steady", "'steady' is not connected")]
)
def test_a_remote_bot_that_is_not_there_is_named(
    arena: Path, capsys: pytest.CaptureFixture[str], name: str, sentence: str
) -> None:
    assert main(["play", "callbreak", f"remote:{name}", "bold", "random", "random", "--data", str(arena)]) == 1
    assert sentence in capsys.readouterr().err


@pytest.mark.usefixtures("far")
def test_a_remote_bot_plays_unrated_matches_only_for_its_owner(services: Services) -> None:
    with connect(services.database_url) as connection:
        stranger = people.add_user(connection, "passer-by")
    server = Server(Login(services.address, stranger))
    request = PlayMatchRequest(game="callbreak", bots=["remote:far", "steady", "random", "random"])
    with pytest.raises(grpc.RpcError) as refused:
        MatchServiceStub(server.channel).PlayMatch(request, metadata=server.metadata)
    assert refused.value.details() == "the bot 'far' belongs to author; only they decide what it does"


@pytest.mark.usefixtures("far")
def test_a_remote_bot_plays_a_tournament_on_independent_deals(
    arena: Path, services: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(arena)]
    bots = ["far", "random-1", "steady", "bold"]
    wanted = ["--game", "callbreak", "--units", "1", "--bots", *bots]
    assert main(["tournament", "create", "with-far", *wanted, *data]) == 0
    assert main(["tournament", "watch", "with-far", *data]) == 0
    capsys.readouterr()
    with psycopg.connect(services.database_url) as connection:
        kinds = connection.execute("SELECT kind, state FROM blocks WHERE tournament = 'with-far'").fetchall()
        faults = connection.execute("SELECT sum(f) FROM results, unnest(faults) AS f WHERE tournament = 'with-far'")
        assert faults.fetchone() == (0,)
        seeds = connection.execute("SELECT count(DISTINCT unit) FROM results WHERE tournament = 'with-far'").fetchone()
    # Four bots have one table, which an orbit of four tables plays four times; a unit is one match there.
    assert kinds == [("single", "done")] * 4
    assert seeds == (16,)
    assert main(["ratings", "callbreak", *data]) == 0
    assert "independent deals" in capsys.readouterr().out


@pytest.mark.usefixtures("far")
def test_a_second_login_takes_over_and_the_first_does_not_come_back(
    services: Services, token: str, tmp_path: Path, far: subprocess.Popen[str]
) -> None:
    again = tmp_path / "again.py"
    again.write_text(MAIN)
    second = dial_in(again, services, token)
    try:
        assert far.wait(60) == 1
        assert far.stderr is not None
        assert "Taken over" in far.stderr.read()
    finally:
        second.kill()
        second.wait()
        assert second.stderr is not None
        second.stderr.close()


def test_a_bot_with_a_wrong_token_is_told_so(services: Services, tmp_path: Path) -> None:
    program = tmp_path / "far.py"
    program.write_text(MAIN)
    environment = {**os.environ, "ARENA_SERVER": services.address, "ARENA_TOKEN": "wrong"}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "nobody has this token" in done.stderr
