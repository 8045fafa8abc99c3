"""The whole arena for the tests that walk through it: the session's servers, one `arena serve`, one `arena worker`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.client import Server, find_login_in
from arena.cli.housing import submit_house_bots
from arena.stack import Stack
from arena.stack.services import Services


@pytest.fixture(scope="session")
def services(stack: Stack) -> Iterator[Services]:
    """The services, with the house bots submitted over gRPC, validated and active."""
    with Services(stack, listen="127.0.0.1:0", concurrency=1) as services:
        _, house = services.logins()
        submit_house_bots(Server(find_login_in(house)), lambda _: None)
        yield services


@pytest.fixture
def arena(services: Services, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory to give to commands with --data; no login of whoever runs the tests is in the way."""
    monkeypatch.delenv("ARENA_SERVER", raising=False)
    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    monkeypatch.setattr("arena.cli.client.LOGIN_FILE", Path(os.devnull))
    return services.logins()[0].parent
