"""Where no namespaces can be made, a worker judges and plays strangers' bots only if it is told to, and then wholly."""

import dataclasses
from dataclasses import asdict
from pathlib import Path

import pytest

from arena.store import Connection
from arena.store.bots import submit_version
from arena.store.people import User
from arena.tournaments import worker
from arena.tournaments.door import carry
from arena.tournaments.ledger import Ending
from arena.tournaments.strangers import USUAL
from arena.tournaments.worker import Settings
from sandbox.box import Tier
from tests.referee.blocks import without_namespaces
from tests.sandbox.attacks.nobody import NobodyError
from tests.tournaments.ground import make_tournament, one
from tests.tournaments.test_check import with_house_bots, write


@pytest.fixture
def settings(database_url: str, short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A worker whose blocks are played by a Python that every user may run, with libraries that every user may read."""
    try:
        python, environment = without_namespaces()
    except NobodyError as error:
        pytest.skip(str(error))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return dataclasses.replace(
        with_house_bots(database_url, short_dir),
        command=(python, "-m", "arena.tournaments.play_block"),
        least_tier=Tier.NONS,
    )


def test_a_strangers_bot_is_judged_and_plays_a_block_in_cells_without_namespaces(
    connection: Connection, settings: Settings, tmp_path: Path
) -> None:
    archive, manifest, content = carry(write(tmp_path, "stranger", {}))
    version = submit_version(
        connection,
        User("author", admin=False),
        name=manifest.name,
        content_hash=content,
        archive=archive,
        manifest=asdict(manifest),
        request_id="",
    )
    worker.validate_version(dataclasses.replace(settings, least_tier=USUAL), version.id)
    state = "SELECT state FROM versions WHERE bot = 'stranger'"
    assert one(connection, state) == "validating", "by a worker that was not told to"
    worker.validate_version(settings, version.id)
    assert one(connection, state) == "active"

    bots = ("random-1", "steady", "stranger")
    (block,) = make_tournament(connection, bots=bots, game="minus_one", move_ms=20_000, startup_ms=60_000, house=False)
    assert worker.play_block(dataclasses.replace(settings, least_tier=USUAL), block) is None
    assert worker.play_block(settings, block) is Ending.RECORDED
    assert one(connection, "SELECT tier FROM attempts WHERE block = %s AND tier IS NOT NULL", block) == "nons"
    assert connection.execute("SELECT DISTINCT faults FROM results").fetchall() == [([0, 0, 0],)]
