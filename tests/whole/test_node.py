"""Bots in JavaScript, which know the proto files and nothing else of ours: the good one of examples/node, and bad ones.
Run by `make node`."""

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
from engine.record import FORFEITED, verify

pytestmark = pytest.mark.node

EXAMPLE = Path(__file__).parents[2] / "examples" / "node"
ZOO = Path(__file__).parent / "zoo.js"

FAULTY: dict[str, set[str]] = {
    "silent": {"LATE"},
    "illegal": {"ILLEGAL"},
    "garbage": {"GARBLED"},
    "huge": {"GONE"},
    "flood": {"GONE", "LATE"},  # a slow flood has not ended its stream when the first turn is judged
    "gone": {"GONE"},
    "twice": set(),
    "stray": set(),
}
"""Behaviours of the zoo, and the faults that may come of each; it is forfeited by them, where there are any."""


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


@pytest.mark.parametrize(("behaviour", "faults"), FAULTY.items())
def test_a_bad_bot_gets_what_is_due_and_the_others_match_goes_on(
    behaviour: str, faults: set[str], services: Services, token: str, arena: Path, tmp_path: Path
) -> None:
    name, record = f"js-{behaviour}", tmp_path / "m.jsonl"
    environment = {**os.environ, "ARENA_SERVER": services.address, "ARENA_TOKEN": token}
    bots = [f"remote:{name}", "random", "steady", "bold"]
    command = ["node", str(ZOO), name, behaviour]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as bot:
        assert bot.stdout is not None
        assert bot.stdout.readline() == "here\n"
        # Three turns at a fifth of a second are what the slowest of them costs.
        clock = ["--clock", "move=200ms,bank=0s" if faults else "remote"]
        assert main(["play", "callbreak", *bots, *clock, "--record", str(record), "--data", str(arena)]) == 0
        bot.kill()
    decisions = verify(record.read_text()).decisions
    found = {decision.fault for decision in decisions if decision.seat == 0} - {""}
    assert found <= {*faults, FORFEITED}
    assert (FORFEITED in found) == bool(faults)
    assert not any(decision.fault for decision in decisions if decision.seat)
