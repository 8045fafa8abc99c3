"""The scene of the cell tests: a host that can start cells, a bot, a seat, and things that are not the bot's."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.host import Host, NoCellError, detect
from tests.sandbox.attacks.scene import Scene, set_up


@pytest.fixture(scope="session")
def host() -> Host:
    try:
        return detect()
    except NoCellError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def scene(host: Host) -> Iterator[Scene]:
    with tempfile.TemporaryDirectory() as folder:
        scene, sockets = set_up(Path(folder), host)
        yield scene
        for each in sockets:
            each.close()
