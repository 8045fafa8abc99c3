"""The bot in JavaScript of examples/node: it knows the proto files and nothing else of ours. Run by `make node`."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
from arena.cli import main
from arena.stack.services import Services
from arena.store import connect, people
from engine.record import verify

pytestmark = pytest.mark.node

EXAMPLE = Path(__file__).parents[2] / "examples" / "node"


@pytest.fixture(scope="module")
def token(services: Services) -> str:
    with connect(services.database_url) as connection:
        return people.add_user(connection, "somebody")


@pytest.fixture(scope="module")
def script(services: Services, token: str) -> Iterator[subprocess.Popen[str]]:
    """The bot, connected."""
    environment = {**os.environ, "ARENA_SERVER": services.address, "ARENA_TOKEN": token}
    process = subprocess.Popen(
        ["node", "bot.js", "script"], cwd=EXAMPLE, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert process.stderr is not None
    said = process.stderr.readline()
    assert "script plays at" in said, said + process.stderr.read()
    yield process
    process.kill()
    process.wait()
    process.stderr.close()


@pytest.mark.usefixtures("script")
@pytest.mark.parametrize("game", list(engine.GAMES))
def test_it_plays_every_game_without_a_fault(
    game: str, arena: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "m.jsonl"
    bots = ["remote:script", *["random", "steady", "bold"][: engine.GAMES[game].usual_seats - 1]]
    assert main(["play", game, *bots, "--record", str(record), "--json", "--data", str(arena)]) == 0
    assert [line["faults"] for line in json.loads(capsys.readouterr().out)] == [0] * len(bots)
    assert verify(record.read_text()).header["players"] == bots


def test_it_ends_when_the_arena_does_not_know_its_token(services: Services) -> None:
    environment = {**os.environ, "ARENA_SERVER": services.address, "ARENA_TOKEN": "wrong"}
    done = subprocess.run(
        ["node", "bot.js", "script"], cwd=EXAMPLE, env=environment, capture_output=True, text=True, check=False,
        timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "token" in done.stderr
